//! Cells that a spreadsheet would take for a formula, made harmless and back.

use std::borrow::Cow;

/// Characters that open a formula, the full-width forms included.
const FORMULA_STARTS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Characters that spreadsheets pass over before they look for a formula.
const INVISIBLE: [char; 5] = ['\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}'];

/// A text as a cell of one of our tables: with one `'` before it when a spreadsheet might run it.
///
/// That is a text whose first visible character opens a formula and which is no number, or which begins with a tab or a line end.
/// A text that begins with `'` before such a text gets one more, so that [`unguarded`] gives every text back.
///
/// ```
/// use calibrant_store::tables::{guarded, unguarded};
///
/// assert_eq!(guarded("=1+1"), "'=1+1");
/// assert_eq!(guarded("-3.5"), "-3.5");
/// assert_eq!(unguarded("'=1+1"), "=1+1");
/// ```
///
/// Source: PROTOCOLS 9, row 6.
#[must_use]
pub fn guarded(text: &str) -> Cow<'_, str> {
    if runs(text) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The text behind a cell that [`guarded`] wrote.
#[must_use]
pub fn unguarded(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| runs(text)).unwrap_or(cell)
}

/// Whether a spreadsheet might run the text, leading `'` set aside.
fn runs(text: &str) -> bool {
    let text = text.trim_start_matches('\'');
    if text.starts_with(['\t', '\r', '\n']) {
        return true;
    }
    let visible = text.trim_start_matches(|c: char| c.is_whitespace() || INVISIBLE.contains(&c));
    visible.starts_with(FORMULA_STARTS) && visible.parse::<f64>().is_err()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_spreadsheet_runs_is_guarded_and_numbers_are_not() {
        let running = [
            "=A1",
            "+1+1",
            "-1+1",
            "@SUM(A1)",
            "\tx",
            "\rx",
            "\nx",
            " \u{200b}=A1",
            "＝A1",
            "＋A1",
            "－A1",
            "＠A1",
        ];
        for text in running {
            assert_eq!(guarded(text), format!("'{text}"));
        }
        for text in [
            "",
            "a=b",
            "-3.5",
            "+1e5",
            "gpt-5",
            "abs:bart_out",
            "'quoted'",
            "\u{200b}a",
        ] {
            assert_eq!(guarded(text), text);
        }
    }

    proptest! {
        #[test]
        fn every_text_comes_back(text in "[-='@+a1\t＝ ]{0,6}") {
            let cell = guarded(&text);
            prop_assert_eq!(unguarded(&cell), text.as_str());
        }
    }
}
