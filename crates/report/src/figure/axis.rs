//! Axes: where they begin and end, and the round values that are marked on them.

use crate::number::{decimal, typeset};
use crate::text::Text;

/// Ticks that an axis aims at; the round step nearest to that many is taken.
const AIM: f64 = 5.0;
/// What rounding may cost when a tick is compared with the end of an axis, in steps.
const SLACK: f64 = 1e-6;

/// One axis of a panel.
pub(crate) struct Axis {
    /// What is measured, with its unit.
    pub title: String,
    /// The name of its values in a specification.
    pub field: &'static str,
    pub scale: Scale,
}

/// How values become places.
pub(crate) enum Scale {
    Linear(Linear),
    /// One row for each name, the first on top; row `i` has its middle at `i + 0.5`.
    Rows(Vec<Text>),
}

/// A straight scale with `low < high`, both finite.
pub(crate) struct Linear {
    pub low: f64,
    pub high: f64,
    /// Ascending, inside the scale; none for an axis without numbers.
    pub ticks: Vec<f64>,
    pub unit: Unit,
}

/// How the numbers of an axis are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Number,
    Percent,
}

impl Axis {
    /// An axis from `low` to `high`, which are kept as they are.
    pub fn fixed(title: &str, field: &'static str, low: f64, high: f64) -> Self {
        let (low, high) = apart(low, high);
        let ticks = round_values(low, high, round_step(low, high));
        Self::linear(
            title,
            field,
            Linear {
                low,
                high,
                ticks,
                unit: Unit::Number,
            },
        )
    }

    /// An axis that holds every finite value, its ends moved outwards to round values.
    pub fn around(title: &str, field: &'static str, values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = ends(values);
        let (low, high) = apart(low, high);
        let step = round_step(low, high);
        let low = (low / step + SLACK).floor() * step;
        let high = (high / step - SLACK).ceil() * step;
        Self::fixed(title, field, low, high)
    }

    /// An axis a little wider than every finite value.
    pub fn padded(title: &str, field: &'static str, values: impl IntoIterator<Item = f64>) -> Self {
        const MARGIN: f64 = 0.05;
        let (low, high) = ends(values);
        let (low, high) = apart(low, high);
        let margin = MARGIN * (high - low);
        Self::fixed(title, field, low - margin, high + margin)
    }

    /// An axis from 0 to a round value at or above every finite value.
    pub fn from_zero(title: &str, field: &'static str, values: impl IntoIterator<Item = f64>) -> Self {
        Self::around(title, field, values.into_iter().chain([0.0]))
    }

    /// An axis of counts: from 0, with whole numbers only.
    pub fn counts(title: &str, field: &'static str, values: impl IntoIterator<Item = f64>) -> Self {
        let mut axis = Self::from_zero(title, field, values.into_iter().chain([1.0]));
        if let Scale::Linear(linear) = &mut axis.scale {
            linear.ticks.retain(|tick| (tick - tick.round()).abs() < SLACK);
        }
        axis
    }

    /// An axis of shares, from 0 to 100 %.
    pub fn share(title: &str, field: &'static str) -> Self {
        let ticks = [0.0, 0.25, 0.5, 0.75, 1.0].into();
        Self::linear(
            title,
            field,
            Linear {
                low: 0.0,
                high: 1.0,
                ticks,
                unit: Unit::Percent,
            },
        )
    }

    /// An axis without numbers, for marks whose place along it means nothing.
    pub fn bare(title: &str, field: &'static str) -> Self {
        Self::linear(
            title,
            field,
            Linear {
                low: 0.0,
                high: 1.0,
                ticks: Vec::new(),
                unit: Unit::Number,
            },
        )
    }

    /// A row for each name; a name that is there already is numbered, so that no two rows are one.
    pub fn rows(title: &str, field: &'static str, names: Vec<Text>) -> Self {
        let mut own: Vec<Text> = Vec::with_capacity(names.len());
        let mut known = std::collections::BTreeMap::<String, usize>::new();
        for name in names {
            let times = known.entry(name.as_str().to_owned()).or_default();
            *times += 1;
            own.push(match *times {
                1 => name,
                times => Text::prose(&format!("{name} ({times})")),
            });
        }
        Self {
            title: title.to_owned(),
            field,
            scale: Scale::Rows(own),
        }
    }

    fn linear(title: &str, field: &'static str, linear: Linear) -> Self {
        Self {
            title: title.to_owned(),
            field,
            scale: Scale::Linear(linear),
        }
    }

    /// The lowest and the highest place.
    pub fn domain(&self) -> (f64, f64) {
        match &self.scale {
            Scale::Linear(linear) => (linear.low, linear.high),
            Scale::Rows(names) => (0.0, names.len().max(1) as f64),
        }
    }
}

impl Linear {
    /// The ticks with their numbers, written with as many decimals as tell neighbours apart.
    pub fn labels(&self) -> Vec<(f64, String)> {
        let step = match self.ticks[..] {
            [first, second, ..] => second - first,
            _ => 1.0,
        };
        let (factor, sign) = match self.unit {
            Unit::Number => (1.0, ""),
            Unit::Percent => (100.0, " %"),
        };
        let places = decimals(step * factor);
        let shown =
            |tick: &f64| decimal(tick * factor, places).map(|number| (*tick, format!("{}{sign}", typeset(&number))));
        self.ticks.iter().filter_map(shown).collect()
    }
}

/// The lowest and the highest finite value; 0 and 1 where there is none.
pub(crate) fn ends(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let finite = values.into_iter().filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

/// The ends of a scale, half a unit around a single value.
fn apart(low: f64, high: f64) -> (f64, f64) {
    if high - low > 1e-9 * (1.0 + low.abs()) {
        (low, high)
    } else {
        (low - 0.5, low + 0.5)
    }
}

/// The step among 1, 2 and 5 times a power of ten that gives about [`AIM`] ticks.
fn round_step(low: f64, high: f64) -> f64 {
    let rough = (high - low) / AIM;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|step| step * power >= rough * (1.0 - SLACK));
    step.unwrap_or(10.0) * power
}

/// The multiples of `step` from `low` to `high`.
fn round_values(low: f64, high: f64, step: f64) -> Vec<f64> {
    let first = (low / step - SLACK).ceil();
    let last = (high / step + SLACK).floor();
    let how_many = if last >= first { (last - first) as usize } else { 0 };
    (0..=how_many).map(|at| (first + at as f64) * step).collect()
}

/// Decimals that a round step needs.
fn decimals(step: f64) -> usize {
    (0..6)
        .find(|places| {
            let scaled = step * 10f64.powi(*places);
            (scaled - scaled.round()).abs() < SLACK * scaled.max(1.0)
        })
        .map_or(6, |places| places.unsigned_abs() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        match &axis.scale {
            Scale::Linear(linear) => linear.labels().into_iter().map(|(_, label)| label).collect(),
            Scale::Rows(names) => names.iter().map(|name| name.as_str().to_owned()).collect(),
        }
    }

    #[test]
    fn ticks_are_round_and_in_order() {
        assert_eq!(labels(&Axis::around("", "x", [-2.7, 3.1])), ["−4", "−2", "0", "2", "4"]);
        assert_eq!(
            labels(&Axis::from_zero("", "x", [0.83])),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(labels(&Axis::counts("", "x", [3.0])), ["0", "1", "2", "3"]);
        assert_eq!(labels(&Axis::share("", "x")), ["0 %", "25 %", "50 %", "75 %", "100 %"]);
        for scale in [1e-6, 0.03, 1.0, 7.0, 12_345.0, 5e8] {
            for low in [-1.0, 0.0, 0.37] {
                let axis = Axis::around("", "x", [low * scale, (low + 1.0) * scale]);
                let Scale::Linear(linear) = &axis.scale else {
                    unreachable!("a linear axis was asked for")
                };
                assert!(linear.low <= low * scale && linear.high >= (low + 1.0) * scale);
                assert!(
                    linear.ticks.windows(2).all(|pair| pair[0] < pair[1]),
                    "{:?}",
                    linear.ticks
                );
                assert!((2..=9).contains(&linear.ticks.len()), "{:?}", linear.ticks);
                assert!(
                    linear
                        .ticks
                        .iter()
                        .all(|tick| (linear.low - 1e-9 * scale..=linear.high + 1e-9 * scale).contains(tick))
                );
            }
        }
    }

    #[test]
    fn one_value_or_none_still_makes_an_axis() {
        for values in [&[][..], &[2.0], &[2.0, 2.0], &[f64::NAN, f64::INFINITY], &[1e300]] {
            let (low, high) = Axis::around("", "x", values.iter().copied()).domain();
            assert!(
                low.is_finite() && high.is_finite() && low < high || values == [1e300],
                "{values:?}"
            );
        }
    }

    #[test]
    fn rows_of_one_name_stay_apart() {
        let names = ["a", "b", "a"].map(Text::id).into();
        assert_eq!(labels(&Axis::rows("", "x", names)), ["a", "b", "a (2)"]);
    }
}
