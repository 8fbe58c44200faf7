//! The past of a rubric for a terminal.

use calibrant_schema::disagreement::REWORDED;
use calibrant_schema::roll_up::RollUpRule;
use calibrant_schema::rubric::history::{Doubt, Event, History, What};

use super::{id, prose};

/// Characters of a name shown in a terminal.
const LONGEST: usize = 40;

/// Rulings and weights as one history for each criterion, with what is doubtful about them.
#[must_use]
pub fn history_text(history: &History) -> String {
    let name = history
        .rubric
        .as_deref()
        .map_or_else(|| "rubric".to_owned(), |name| id(name, LONGEST));
    let version = history.version.map(|version| format!(", version {version}"));
    let mut text = format!("{name}{}\n", version.unwrap_or_default());
    if let Some(day) = history.first_verdict {
        text.push_str(&format!("first verdict on {day}\n"));
    }
    if let Some(event) = &history.roll_up {
        text.push_str("\nroll-up\n");
        text.push_str(&event_text(event));
    }
    for one in &history.criteria {
        let query = one
            .query
            .as_deref()
            .map(|query| format!(" of query {}", id(query, LONGEST)));
        text.push_str(&format!(
            "\n{}{}\n",
            id(&one.criterion, LONGEST),
            query.unwrap_or_default()
        ));
        text.extend(one.events.iter().map(event_text));
    }
    if history.criteria.is_empty() && history.roll_up.is_none() {
        text.push_str("no rulings, and no weight that somebody set\n");
    }
    text
}

fn event_text(event: &Event) -> String {
    let date = event
        .date
        .map_or_else(|| "no date   ".to_owned(), |date| date.to_string());
    let mut text = format!("  {date}  {}\n", what(&event.what));
    text.extend(
        event
            .doubts
            .iter()
            .map(|doubt| format!("              {}\n", doubted(*doubt))),
    );
    text
}

fn what(what: &What) -> String {
    match what {
        What::Ruling { text, from } => {
            let from = from.as_deref().map(|from| format!(" (settles {})", id(from, LONGEST)));
            let kind = if text.starts_with(REWORDED) { "" } else { "ruling: " };
            format!("{kind}{}{}", prose(text), from.unwrap_or_default())
        }
        What::Weight { weight, owner } => {
            let owner = owner.as_deref().map(|owner| format!(", set by {}", id(owner, LONGEST)));
            format!("weight {weight}{}", owner.unwrap_or_default())
        }
        What::RollUp { rule, reason } => {
            let reason = reason.as_deref().map(|reason| format!(": {}", prose(reason)));
            format!("{}{}", rule_text(rule), reason.unwrap_or_default())
        }
    }
}

fn rule_text(rule: &RollUpRule) -> String {
    match rule {
        RollUpRule::All => "all criteria".to_owned(),
        RollUpRule::AtLeast(least) => format!("at least {least} criteria"),
        RollUpRule::Mandatory(ids) => {
            let ids: Vec<String> = ids.iter().map(|one| id(one, LONGEST)).collect();
            format!("mandatory {}", ids.join(", "))
        }
        RollUpRule::Weighted => "weighted score, no outcome".to_owned(),
    }
}

fn doubted(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::TunedAfterTheFact => {
            "warning: tuned after the fact: it was set after the first verdict, by when outputs could be seen"
        }
        Doubt::NoOwner => "nobody answers for it: add `weight_owner`",
        Doubt::NoDate => "nobody can say that it was set before outputs were seen: add its date",
        Doubt::NoReason => "nobody can say why: add `reason`",
    }
}
