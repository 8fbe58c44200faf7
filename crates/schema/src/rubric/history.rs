//! What a rubric file says about its own past: rulings, and who set weights and the roll-up, and when.
//!
//! Source: METHODS 3, 6, 48.

use serde::Serialize;

use super::{Criterion, Date, Rubric};
use crate::roll_up::{RollUp, RollUpRule};

/// The past of a rubric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct History {
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rubric: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// The day of the first verdict, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_verdict: Option<Date>,
    /// What happened to each criterion, in the order of the rubric; criteria without a past are left out.
    pub criteria: Vec<CriterionHistory>,
    /// The rule from criteria to one outcome, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roll_up: Option<Event>,
}

/// The past of one criterion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CriterionHistory {
    /// Its id.
    pub criterion: String,
    /// Its query, if it belongs to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// What happened, the oldest first; what has no date comes first of all.
    pub events: Vec<Event>,
}

/// Something that was decided.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// When; `None` where the file does not say.
    pub date: Option<Date>,
    /// What.
    #[serde(flatten)]
    pub what: What,
    /// What is doubtful about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum What {
    /// A text was added to the boundary, or a text was worded anew.
    Ruling {
        /// The text.
        text: String,
        /// The disagreement it settles.
        #[serde(skip_serializing_if = "Option::is_none")]
        from: Option<String>,
    },
    /// The weight was set.
    Weight {
        /// The weight.
        weight: f64,
        /// Who answers for it.
        #[serde(skip_serializing_if = "Option::is_none")]
        owner: Option<String>,
    },
    /// The rule from criteria to one outcome was chosen.
    RollUp {
        /// The rule.
        rule: RollUpRule,
        /// Why.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

/// Why a decision may not be what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// It was made after the first verdict was recorded: whoever made it could have seen outputs.
    TunedAfterTheFact,
    /// Nobody answers for it.
    NoOwner,
    /// Nobody knows when it was made, so nobody can say that it was before outputs were seen.
    NoDate,
    /// Nobody knows why it was made.
    NoReason,
}

/// The past of a rubric, from its file; `first_verdict` is the day the first verdict was recorded.
///
/// Weights and the roll-up are to be set before outputs are seen; what is later than the first verdict is marked. Rulings
/// are made from disagreements and so come after. A weight of 1 without owner and date was never set, and is left out.
///
/// Source: METHODS 3, 6, 48.
#[must_use]
pub fn history(rubric: &Rubric, first_verdict: Option<Date>) -> History {
    let criteria = rubric.criteria.iter().map(|criterion| CriterionHistory {
        criterion: criterion.id.clone(),
        query: criterion.query.clone(),
        events: events(criterion, first_verdict),
    });
    History {
        rubric: rubric.name.clone(),
        version: rubric.version,
        first_verdict,
        criteria: criteria.filter(|criterion| !criterion.events.is_empty()).collect(),
        roll_up: rubric.roll_up.as_ref().map(|roll_up| chosen(roll_up, first_verdict)),
    }
}

fn events(criterion: &Criterion, first_verdict: Option<Date>) -> Vec<Event> {
    let owner = &criterion.weight_owner;
    let date = criterion.weight_date;
    let mut events = Vec::new();
    if criterion.weight != 1.0 || owner.is_some() || date.is_some() {
        let mut doubts = after(date, first_verdict);
        doubts.extend(owner.is_none().then_some(Doubt::NoOwner));
        events.push(Event {
            date,
            what: What::Weight {
                weight: criterion.weight,
                owner: owner.clone(),
            },
            doubts,
        });
    }
    events.extend(criterion.rulings.iter().map(|ruling| Event {
        date: Some(ruling.date),
        what: What::Ruling {
            text: ruling.text.clone(),
            from: ruling.from.clone(),
        },
        doubts: Vec::new(),
    }));
    // Sorting is stable: of one day the order of the file stays.
    events.sort_by_key(|event| event.date);
    events
}

fn chosen(roll_up: &RollUp, first_verdict: Option<Date>) -> Event {
    let mut doubts = after(roll_up.date, first_verdict);
    doubts.extend(roll_up.reason.is_none().then_some(Doubt::NoReason));
    Event {
        date: roll_up.date,
        what: What::RollUp {
            rule: roll_up.rule.clone(),
            reason: roll_up.reason.clone(),
        },
        doubts,
    }
}

fn after(date: Option<Date>, first_verdict: Option<Date>) -> Vec<Doubt> {
    match (date, first_verdict) {
        (None, _) => vec![Doubt::NoDate],
        (Some(date), Some(first)) if date > first => vec![Doubt::TunedAfterTheFact],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        text.parse().expect("a day")
    }

    #[test]
    fn weights_set_after_the_first_verdict_are_marked_and_those_of_its_day_are_not() {
        let weighted = |id: &str, date: &str| Criterion {
            weight: 3.0,
            weight_owner: Some("clinic".into()),
            weight_date: Some(day(date)),
            ..Criterion::new(id, "Is it?")
        };
        let rubric = Rubric {
            criteria: vec![
                weighted("before", "2026-05-01"),
                weighted("same", "2026-05-02"),
                weighted("after", "2026-05-03"),
                Criterion::new("never", "Is it?"),
                Criterion {
                    weight: -2.0,
                    ..Criterion::new("nobody", "Is it?")
                },
            ],
            ..Rubric::default()
        };
        let past = history(&rubric, Some(day("2026-05-02")));
        let doubts: Vec<(&str, &[Doubt])> = past
            .criteria
            .iter()
            .map(|one| (one.criterion.as_str(), one.events[0].doubts.as_slice()))
            .collect();
        assert_eq!(
            doubts,
            [
                ("before", &[][..]),
                ("same", &[]),
                ("after", &[Doubt::TunedAfterTheFact]),
                ("nobody", &[Doubt::NoDate, Doubt::NoOwner]),
            ]
        );
    }

    #[test]
    fn events_are_in_the_order_of_their_days() {
        let ruling = |date: &str| crate::rubric::Ruling {
            date: day(date),
            text: format!("of {date}"),
            from: None,
        };
        let mut criterion = Criterion::new("a", "Is it?");
        criterion.rulings = vec![ruling("2026-06-01"), ruling("2026-05-01")];
        criterion.weight_date = Some(day("2026-05-15"));
        let rubric = Rubric {
            criteria: vec![criterion],
            ..Rubric::default()
        };
        let past = history(&rubric, None);
        let days: Vec<String> = past.criteria[0]
            .events
            .iter()
            .filter_map(|event| Some(event.date?.to_string()))
            .collect();
        assert_eq!(days, ["2026-05-01", "2026-05-15", "2026-06-01"]);
    }
}
