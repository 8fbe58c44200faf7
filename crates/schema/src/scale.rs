//! The values a criterion admits.

use serde::{Deserialize, Serialize};

/// The most levels a scale may have: a level is stored in one byte and 255 marks none.
pub const MOST_LEVELS: usize = 255;

/// One value of a scale, with the text that anchors it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// The value written in tables; finite.
    pub value: f64,
    /// What a response at this level looks like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
}

/// The values a criterion admits, worst first.
///
/// A level is an index into the scale, 0 to L-1; its value is what tables write. Build graded scales with
/// [`Scale::levels`], which checks them.
///
/// ```
/// use calibrant_schema::Scale;
///
/// let scale: Scale = "1..5".parse()?;
/// assert_eq!(scale.level_count(), 5);
/// assert_eq!(scale.level_of(3.0), Some(2));
/// assert!(scale.passes(2)); // the middle of five levels passes
/// assert_eq!(scale.level_of(6.0), None); // never clamped
/// # Ok::<(), calibrant_schema::scale::ScaleError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case", try_from = "UncheckedScale")]
pub enum Scale {
    /// Not met (0) or met (1).
    #[default]
    Binary,
    /// 2 to 255 levels with strictly increasing finite values.
    Levels(Vec<Level>),
}

/// The written form of a scale before its levels are checked.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum UncheckedScale {
    Binary,
    Levels(Vec<Level>),
}

impl TryFrom<UncheckedScale> for Scale {
    type Error = ScaleError;

    fn try_from(unchecked: UncheckedScale) -> Result<Self, Self::Error> {
        match unchecked {
            UncheckedScale::Binary => Ok(Scale::Binary),
            UncheckedScale::Levels(levels) => Scale::levels(levels),
        }
    }
}

/// Why a list of levels or a text is no scale.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ScaleError {
    /// Fewer than two levels cannot tell responses apart.
    #[error("a scale has at least two levels, this one has {count}")]
    TooFew {
        /// How many levels were given.
        count: usize,
    },
    /// More levels than a byte can index.
    #[error("a scale has at most {MOST_LEVELS} levels, this one has {count}")]
    TooMany {
        /// How many levels were given.
        count: usize,
    },
    /// A value that is NaN or infinite.
    #[error("level {position} is not a finite number")]
    NotFinite {
        /// Place in the list, from 1.
        position: usize,
    },
    /// A value not above the one before it.
    #[error("level {position} ({value}) is not above the level before it ({before})")]
    NotIncreasing {
        /// Place in the list, from 1.
        position: usize,
        /// The value there.
        value: f64,
        /// The value before it.
        before: f64,
    },
    /// A text in none of the three forms.
    #[error("`{text}` is no scale; write binary, a range such as 1..5, or values such as 0,0.5,1")]
    Unreadable {
        /// The text as it was read.
        text: String,
    },
}

impl Scale {
    /// A graded scale from its levels, worst first.
    ///
    /// # Errors
    /// If there are fewer than 2 or more than 255 levels, or a value is not finite or not above the one before it.
    pub fn levels(levels: Vec<Level>) -> Result<Scale, ScaleError> {
        let count = levels.len();
        if count < 2 {
            return Err(ScaleError::TooFew { count });
        }
        if count > MOST_LEVELS {
            return Err(ScaleError::TooMany { count });
        }
        if let Some(index) = levels.iter().position(|level| !level.value.is_finite()) {
            return Err(ScaleError::NotFinite { position: index + 1 });
        }
        for (index, pair) in levels.windows(2).enumerate() {
            if pair[1].value <= pair[0].value {
                return Err(ScaleError::NotIncreasing {
                    position: index + 2,
                    value: pair[1].value,
                    before: pair[0].value,
                });
            }
        }
        Ok(Scale::Levels(levels))
    }

    /// How many levels the scale has, 2 to 255.
    #[must_use]
    pub fn level_count(&self) -> usize {
        match self {
            Scale::Binary => 2,
            Scale::Levels(levels) => levels.len(),
        }
    }

    /// The value written for a level.
    ///
    /// # Panics
    /// If `level` is not on the scale.
    #[must_use]
    pub fn value(&self, level: u8) -> f64 {
        assert!(
            usize::from(level) < self.level_count(),
            "a level is an index into its scale"
        );
        match self {
            Scale::Binary => f64::from(level),
            Scale::Levels(levels) => levels[usize::from(level)].value,
        }
    }

    /// The level whose value is exactly `value`, or `None` off the scale.
    #[must_use]
    pub fn level_of(&self, value: f64) -> Option<u8> {
        let index = match self {
            Scale::Binary => [0.0, 1.0].iter().position(|&known| known == value),
            Scale::Levels(levels) => levels.iter().position(|level| level.value == value),
        }?;
        u8::try_from(index).ok()
    }

    /// The level's place between the worst (0) and the best (1): l / (L - 1).
    ///
    /// # Panics
    /// If `level` is not on the scale.
    ///
    /// Source: METHODS 57, `[CR26]` eq. 1.
    #[must_use]
    pub fn unit(&self, level: u8) -> f64 {
        assert!(
            usize::from(level) < self.level_count(),
            "a level is an index into its scale"
        );
        #[expect(clippy::cast_precision_loss, reason = "at most 255 levels")]
        let top = (self.level_count() - 1) as f64;
        f64::from(level) / top
    }

    /// Whether a level counts as met: at or above the middle of the scale.
    ///
    /// The middle passes: 3 of 1 to 5 does. Panics like [`Scale::unit`] off the scale.
    ///
    /// Source: METHODS 56.
    #[must_use]
    pub fn passes(&self, level: u8) -> bool {
        // 2 l >= L - 1 is l / (L - 1) >= 1/2 without a rounding.
        assert!(
            usize::from(level) < self.level_count(),
            "a level is an index into its scale"
        );
        2 * usize::from(level) >= self.level_count() - 1
    }
}

impl std::str::FromStr for Scale {
    type Err = ScaleError;

    /// Reads the form of the `--scale` flag: `binary`, a range of whole numbers `1..5`, or values `0,0.5,1`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("binary") {
            return Ok(Scale::Binary);
        }
        let values = range_values(text)
            .or_else(|| listed_values(text))
            .ok_or_else(|| ScaleError::Unreadable {
                text: text.chars().take(80).collect(),
            })?;
        Scale::levels(values.into_iter().map(|value| Level { value, anchor: None }).collect())
    }
}

/// The whole numbers of `low..high`, both ends included; one past the limit at most, so that a typo stays small.
fn range_values(text: &str) -> Option<Vec<f64>> {
    let (low, high) = text.split_once("..")?;
    let low: i32 = low.trim().parse().ok()?;
    let high: i32 = high.trim_start_matches('=').trim().parse().ok()?;
    Some((low..=high).take(MOST_LEVELS + 1).map(f64::from).collect())
}

fn listed_values(text: &str) -> Option<Vec<f64>> {
    if !text.contains(',') {
        return None;
    }
    text.split(',').map(|part| part.trim().parse().ok()).collect()
}

/// The form of the `--scale` flag where it can say the scale (anchors are not part of it).
impl std::fmt::Display for Scale {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Scale::Binary => f.write_str("binary"),
            Scale::Levels(levels) => {
                let values: Vec<String> = levels.iter().map(|level| level.value.to_string()).collect();
                f.write_str(&values.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Scale {
        text.parse().expect("the text is a scale")
    }

    #[test]
    fn flag_forms() {
        assert_eq!(parsed(" binary "), Scale::Binary);
        assert_eq!(parsed("1..5").value(4), 5.0);
        assert_eq!(parsed("-1..=1").level_of(-1.0), Some(0));
        assert_eq!(parsed("0, 0.5 ,1").level_of(0.5), Some(1));
        assert_eq!(parsed("0,0.5,1").to_string(), "0,0.5,1");
    }

    #[test]
    fn refusals_name_the_level() {
        assert_eq!("3..3".parse::<Scale>(), Err(ScaleError::TooFew { count: 1 }));
        assert_eq!("5..1".parse::<Scale>(), Err(ScaleError::TooFew { count: 0 }));
        assert_eq!(
            "0..2000000000".parse::<Scale>(),
            Err(ScaleError::TooMany { count: 256 })
        );
        assert_eq!(
            "0,1,1".parse::<Scale>(),
            Err(ScaleError::NotIncreasing {
                position: 3,
                value: 1.0,
                before: 1.0
            })
        );
        assert_eq!("0,nan".parse::<Scale>(), Err(ScaleError::NotFinite { position: 2 }));
        assert!(matches!("five".parse::<Scale>(), Err(ScaleError::Unreadable { .. })));
    }

    #[test]
    fn the_middle_level_passes() {
        // METHODS 56: l/(L-1) >= .5, so 3 of 1 to 5 passes and the lower of four middles does not.
        let five = parsed("1..5");
        assert_eq!(
            [0, 1, 2, 3, 4].map(|l| five.passes(l)),
            [false, false, true, true, true]
        );
        assert_eq!([0, 1, 2, 3, 4].map(|l| five.unit(l)), [0.0, 0.25, 0.5, 0.75, 1.0]);
        let four = parsed("1..4");
        assert_eq!([0, 1, 2, 3].map(|l| four.passes(l)), [false, false, true, true]);
        assert_eq!([0, 1].map(|l| Scale::Binary.passes(l)), [false, true]);
    }

    #[test]
    fn json_form_is_the_rubric_form_and_is_checked() {
        let text = r#"{"levels":[{"value":0.0,"anchor":"absent"},{"value":2.0}]}"#;
        let scale: Scale = serde_json::from_str(text).expect("a scale");
        assert_eq!(serde_json::to_string(&scale).expect("JSON"), text);
        assert_eq!(
            serde_json::from_str::<Scale>("\"binary\"").expect("a scale"),
            Scale::Binary
        );
        assert!(serde_json::from_str::<Scale>(r#"{"levels":[{"value":2},{"value":1}]}"#).is_err());
    }
}
