//! How numbers are written: enough digits to compare, no more, and never a value that is not there.

/// A finite number with fixed decimals and no `-0`; `None` for one that is not finite.
pub(crate) fn decimal(value: f64, places: usize) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    let shown = format!("{value:.places$}");
    let is_zero = shown.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
    Some(if is_zero {
        shown.trim_start_matches('-').to_owned()
    } else {
        shown
    })
}

/// A share as a percentage with one decimal; a share that is neither none nor all never reads as 0 or 100.
pub(crate) fn percent(share: f64) -> Option<String> {
    let shown = decimal(100.0 * share, 1)?;
    Some(match shown.as_str() {
        "0.0" if share > 0.0 => "< 0.1 %".to_owned(),
        "100.0" if share < 1.0 => "> 99.9 %".to_owned(),
        _ => format!("{shown} %"),
    })
}

/// A share rounded down to one decimal, for claims of the form "at least".
pub(crate) fn percent_floor(share: f64) -> Option<String> {
    // The allowance undoes the error of the multiplication, so that .973 reads as 97.3 and not as 97.2.
    const ALLOWANCE: f64 = 1e-9;
    decimal((1000.0 * share + ALLOWANCE).floor() / 10.0, 1).map(|shown| format!("{shown} %"))
}

/// A count with its thousands set apart.
pub(crate) fn count(value: usize) -> String {
    let digits = value.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// A count with its noun, `1 judge` or `3 judges`.
pub(crate) fn counted(value: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(value), if value == 1 { one } else { many })
}

/// A threshold with two decimals, or with four when it was asked for more finely.
pub(crate) fn threshold(value: f64) -> String {
    /// Half a unit of the fifth decimal: below this, two decimals say it all.
    const FINE: f64 = 5e-6;
    let places = if ((100.0 * value).round() / 100.0 - value).abs() < FINE {
        2
    } else {
        4
    };
    decimal(value, places).unwrap_or_else(|| "–".to_owned())
}

/// The number with the minus sign of print.
pub(crate) fn typeset(shown: &str) -> String {
    shown.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finite_is_not_written() {
        assert_eq!(decimal(f64::NAN, 3), None);
        assert_eq!(percent(f64::INFINITY), None);
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(decimal(-0.0001, 3).as_deref(), Some("0.000"));
        assert_eq!(decimal(-0.0006, 3).as_deref(), Some("-0.001"));
    }

    #[test]
    fn shares_near_the_ends_do_not_read_as_the_ends() {
        assert_eq!(percent(0.99999).as_deref(), Some("> 99.9 %"));
        assert_eq!(percent(0.00001).as_deref(), Some("< 0.1 %"));
        assert_eq!(percent(1.0).as_deref(), Some("100.0 %"));
        assert_eq!(percent(0.0).as_deref(), Some("0.0 %"));
    }

    #[test]
    fn a_lower_bound_is_rounded_down() {
        assert_eq!(percent_floor(0.97399).as_deref(), Some("97.3 %"));
        assert_eq!(percent_floor(0.973).as_deref(), Some("97.3 %"));
        assert_eq!(percent_floor(0.99999).as_deref(), Some("99.9 %"));
    }

    #[test]
    fn a_threshold_shows_what_was_asked_for() {
        assert_eq!(
            [0.8, 0.5, 0.825, f64::NAN].map(threshold),
            ["0.80", "0.50", "0.8250", "–"]
        );
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(
            [0, 999, 1_000, 57_000, 3_400_000].map(count),
            ["0", "999", "1,000", "57,000", "3,400,000"]
        );
    }
}
