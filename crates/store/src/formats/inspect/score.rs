//! From the value of a scorer to a label, by the rules that Inspect itself has.

use calibrant_schema::Status;
use serde_json::Value;

use super::literals::literal;

/// What a value says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    pub(super) status: Status,
    pub(super) label: Option<f64>,
    /// The value as it was spelled, where it is no label.
    pub(super) comment: Option<String>,
    pub(super) spelled: Spelled,
}

/// How a value was spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spelled {
    /// `C`, `I`, `P` or `N`.
    Letter,
    /// A number, or true and false.
    Number,
    /// A word or digits in quotes.
    Word,
    /// Not scored.
    Nothing,
    /// Nothing that is a label.
    Other,
}

/// Whether a scorer gave no value at all.
pub(super) fn is_missing(value: &Value) -> bool {
    value.is_null() || literal(value) == Some("NaN")
}

/// What one value comes to; `reason` is the scorer's word for why there is none.
pub(super) fn outcome(value: &Value, reason: Option<&str>) -> Outcome {
    match (value, literal(value)) {
        (Value::Null, _) | (_, Some("NaN")) => unscored(reason),
        (_, Some(infinite)) => other(infinite.to_owned()),
        (Value::Bool(met), _) => label(f64::from(u8::from(*met)), Spelled::Number),
        (Value::Number(number), _) => match number.as_f64().filter(|number| number.is_finite()) {
            Some(number) => label(number, Spelled::Number),
            None => other(number.to_string()),
        },
        (Value::String(text), _) => of_text(text),
        (value, _) => other(value.to_string()),
    }
}

fn of_text(text: &str) -> Outcome {
    match text {
        "C" => return label(1.0, Spelled::Letter),
        "P" => return label(0.5, Spelled::Letter),
        "I" | "N" => return label(0.0, Spelled::Letter),
        _ => {}
    }
    let lower = text.to_lowercase();
    match lower.as_str() {
        "yes" | "true" => return label(1.0, Spelled::Word),
        "no" | "false" => return label(0.0, Spelled::Word),
        _ => {}
    }
    let digits = lower.trim();
    let plain = !digits.is_empty()
        && digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"+-.e".contains(&byte));
    match digits.parse::<f64>() {
        Ok(number) if plain && number.is_finite() => label(number, Spelled::Word),
        _ => other(text.to_owned()),
    }
}

fn label(label: f64, spelled: Spelled) -> Outcome {
    Outcome {
        status: Status::Ok,
        // Minus zero is zero.
        label: Some(label + 0.0),
        comment: None,
        spelled,
    }
}

/// Why there is no value, in our words: a grader that gave no readable verdict, a scorer that could not run, or nobody who decided.
fn unscored(reason: Option<&str>) -> Outcome {
    let status = match reason {
        Some("grader_failed") => Status::Unparsable,
        Some("scoring_failed") => Status::Failed,
        _ => Status::Skipped,
    };
    Outcome {
        status,
        label: None,
        comment: reason.map(str::to_owned),
        spelled: Spelled::Nothing,
    }
}

fn other(spelled: String) -> Outcome {
    Outcome {
        status: Status::Unparsable,
        label: None,
        comment: Some(spelled),
        spelled: Spelled::Other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_read_as_inspect_reads_them() {
        let cases = [
            (json!("C"), Some(1.0)),
            (json!("P"), Some(0.5)),
            (json!("I"), Some(0.0)),
            (json!("N"), Some(0.0)),
            (json!(true), Some(1.0)),
            (json!(0.25), Some(0.25)),
            (json!(-0.0), Some(0.0)),
            (json!("YES"), Some(1.0)),
            (json!("False"), Some(0.0)),
            (json!(" 1e2 "), Some(100.0)),
            (json!("c"), None),
            (json!("inf"), None),
            (json!("nan"), None),
            (json!("1e999"), None),
            (json!({"a": 1}), None),
        ];
        for (value, expected) in cases {
            let read = outcome(&value, None);
            assert_eq!(read.label, expected, "{value}");
            assert_eq!(read.status == Status::Ok, expected.is_some(), "{value}");
        }
    }

    #[test]
    fn a_value_that_is_missing_says_why_and_is_never_a_fail() {
        let nan = json!("\u{0}NaN");
        let statuses =
            [None, Some("refusal"), Some("grader_failed"), Some("scoring_failed")].map(|why| outcome(&nan, why));
        let expected = [Status::Skipped, Status::Skipped, Status::Unparsable, Status::Failed];
        assert_eq!(statuses.clone().map(|read| read.status), expected);
        assert!(statuses.iter().all(|read| read.label.is_none()));
        assert_eq!(
            outcome(&json!("\u{0}-Infinity"), None).comment.as_deref(),
            Some("-Infinity")
        );
        assert_eq!(outcome(&Value::Null, None).status, Status::Skipped);
    }
}
