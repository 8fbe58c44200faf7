//! Calendar days, as rulings and weights carry them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A day of the Gregorian calendar, written `2026-05-02`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

/// A text that is no day of the form `YYYY-MM-DD`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a date is written year-month-day, for example 2026-05-02")]
pub struct NotADate;

impl Date {
    /// The day, if the calendar has it. Years run from 1 to 9999.
    #[must_use]
    pub fn new(year: u16, month: u8, day: u8) -> Option<Date> {
        let known =
            (1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
        known.then_some(Date { year, month, day })
    }
}

fn days_in(year: u16, month: u8) -> u8 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 31,
    }
}

impl FromStr for Date {
    type Err = NotADate;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bytes = text.as_bytes();
        let shaped = bytes.len() == 10
            && bytes.iter().enumerate().all(|(i, b)| {
                if i == 4 || i == 7 {
                    *b == b'-'
                } else {
                    b.is_ascii_digit()
                }
            });
        if !shaped {
            return Err(NotADate);
        }
        let part = |range: std::ops::Range<usize>| text[range].parse::<u16>().map_err(|_| NotADate);
        let (month, day) = (part(5..7)?, part(8..10)?);
        let small = |value: u16| u8::try_from(value).map_err(|_| NotADate);
        Date::new(part(0..4)?, small(month)?, small(day)?).ok_or(NotADate)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calendar_decides() {
        for good in ["2026-05-02", "2024-02-29", "2000-02-29", "0001-01-01"] {
            assert_eq!(good.parse::<Date>().map(|date| date.to_string()), Ok(good.to_owned()));
        }
        for bad in [
            "2026-5-2",
            "2026-02-29",
            "1900-02-29",
            "2026-13-01",
            "2026-04-31",
            "0000-01-01",
            "02.05.2026",
            "２026-5-2",
        ] {
            assert_eq!(bad.parse::<Date>(), Err(NotADate), "{bad}");
        }
    }
}
