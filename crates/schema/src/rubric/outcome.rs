//! From a tree to what names criteria: the roll-up and the violations.

use std::collections::BTreeMap;

use super::{Criterion, Date, Violation, criterion};
use crate::diagnostic::Diagnostic;
use crate::roll_up::{RollUp, RollUpRule};
use crate::tree::{self, Entry, Node, Place, Reader, Value};

const VIOLATION_KEYS: [&str; 3] = ["id", "loss", "detected_by"];
const ROLL_UP_KEYS: [&str; 7] = ["rule", "all", "at_least", "mandatory", "weighted", "reason", "date"];
const RULE_KEYS: [&str; 5] = ["rule", "all", "at_least", "mandatory", "weighted"];
const ROLL_UP_HELP: &str = "write all, weighted, {at_least: 3} or {mandatory: [id, id]}, with a reason";

/// The criteria that roll-ups and violations may name.
pub(super) struct Known<'c> {
    /// Every id, in the order of the file, with whether it is only monitored.
    ids: Vec<(&'c str, bool)>,
    /// The most criteria that one response is scored on.
    most: usize,
}

impl<'c> Known<'c> {
    pub(super) fn of(criteria: &'c [Criterion]) -> Known<'c> {
        let ids = criteria
            .iter()
            .map(|criterion| (criterion.id.as_str(), criterion.monitor))
            .collect();
        let mut counts: BTreeMap<Option<&str>, usize> = BTreeMap::new();
        for criterion in criteria.iter().filter(|criterion| !criterion.monitor) {
            *counts.entry(criterion.query.as_deref()).or_default() += 1;
        }
        let shared = counts.get(&None).copied().unwrap_or(0);
        let specific = counts
            .iter()
            .filter(|(query, _)| query.is_some())
            .map(|(_, count)| *count)
            .max()
            .unwrap_or(0);
        Known {
            ids,
            most: shared + specific,
        }
    }

    /// The ids of a list, each of which must be known; `holder` is what names them.
    fn read_ids(&self, node: &Node, name: &str, holder: &str, reader: &mut Reader<'_>) -> Vec<String> {
        let Some(nodes) = reader.list(node, name, "write the ids in brackets: [one, two]") else {
            return Vec::new();
        };
        if nodes.is_empty() {
            reader.error(
                "no-ids",
                node.place,
                format!("`{name}` names no criterion"),
                "write at least one id in the brackets",
            );
        }
        let mut read = Vec::new();
        for node in nodes {
            let Some(id) = reader.id(node, name) else { continue };
            match self.ids.iter().find(|(known, _)| *known == id) {
                Some((_, false)) => {}
                Some((_, true)) if name == "mandatory" => {
                    let what = format!("{holder} names `{}`, which is only monitored", tree::shown(&id));
                    reader.error(
                        "monitor-decides",
                        node.place,
                        what,
                        "remove `monitor: true` from the criterion, or the id from here",
                    );
                }
                Some((_, true)) => {}
                None => self.unknown_id(&id, node.place, holder, reader),
            }
            read.push(id);
        }
        read
    }

    fn unknown_id(&self, id: &str, place: Place, holder: &str, reader: &mut Reader<'_>) {
        let what = format!(
            "{holder} names `{}`, which is no criterion of this rubric",
            tree::shown(id)
        );
        let nearest = crate::suggest::nearest(id, self.ids.iter().map(|(known, _)| *known));
        let help = match nearest {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "write the id of a criterion in this file".to_owned(),
        };
        reader.labelled(
            Diagnostic::error("unknown-criterion", what, help),
            place,
            "no criterion has this id",
        );
    }
}

pub(super) fn read_roll_up(node: &Node, known: &Known<'_>, reader: &mut Reader<'_>) -> Option<RollUp> {
    if node.is_null() {
        return None;
    }
    let Value::Map { entries, flow } = &node.value else {
        let rule = plain_rule(node, reader)?;
        return Some(RollUp {
            rule,
            reason: None,
            date: None,
        });
    };
    let (mut rules, mut reason, mut date) = (Vec::new(), None, None);
    for entry in entries {
        match entry.key.as_str() {
            "rule" => rules.extend(read_roll_up(&entry.value, known, reader).map(|inner| (inner.rule, entry))),
            "all" => rules.extend(flag_rule(RollUpRule::All, entry, reader).map(|rule| (rule, entry))),
            "weighted" => rules.extend(flag_rule(RollUpRule::Weighted, entry, reader).map(|rule| (rule, entry))),
            "at_least" => rules.extend(read_at_least(entry, known, reader).map(|rule| (rule, entry))),
            "mandatory" => {
                let ids = known.read_ids(&entry.value, "mandatory", "the roll-up", reader);
                rules.push((RollUpRule::Mandatory(ids), entry));
            }
            "reason" => reason = reader.text(&entry.value, "reason"),
            "date" => date = reader.date(&entry.value, "date"),
            key => match bare_date(key, entry, *flow) {
                Some(day) => date = Some(day),
                None => criterion::unknown_key(entry, *flow, "roll_up", &ROLL_UP_KEYS, reader),
            },
        }
    }
    if !entries.iter().any(|entry| RULE_KEYS.contains(&entry.key.as_str())) {
        reader.error("no-rule", node.place, "the roll-up has no rule", ROLL_UP_HELP);
    }
    if let Some((_, second)) = rules.get(1) {
        reader.error(
            "two-rules",
            second.key_place,
            "the roll-up has more than one rule",
            "keep one rule",
        );
    }
    rules.into_iter().next().map(|(rule, _)| RollUp { rule, reason, date })
}

/// `{all: true}` for `{rule: all}`.
fn flag_rule(rule: RollUpRule, entry: &Entry, reader: &mut Reader<'_>) -> Option<RollUpRule> {
    match entry.value.is_null() || reader.boolean(&entry.value, &entry.key)? {
        true => Some(rule),
        false => {
            reader.error(
                "roll-up-false",
                entry.value.place,
                format!("`{}: false` chooses no rule", entry.key),
                ROLL_UP_HELP,
            );
            None
        }
    }
}

/// The day in `{..., reason: agreed with support, 2026-05-02}`: between braces the comma ends the reason, and YAML makes
/// the day a key without a value. It is the day of the decision.
fn bare_date(key: &str, entry: &Entry, flow: bool) -> Option<Date> {
    if flow && entry.value.is_null() {
        key.parse().ok()
    } else {
        None
    }
}

fn plain_rule(node: &Node, reader: &mut Reader<'_>) -> Option<RollUpRule> {
    match reader.text(node, "roll_up")?.as_str() {
        "all" => Some(RollUpRule::All),
        "weighted" => Some(RollUpRule::Weighted),
        other => {
            let what = match other {
                "mandatory" => "the roll-up `mandatory` does not say which criteria".to_owned(),
                "at_least" => "the roll-up `at_least` does not say how many criteria".to_owned(),
                _ => format!("`{}` is no roll-up", tree::shown(other)),
            };
            reader.error("unknown-roll-up", node.place, what, ROLL_UP_HELP);
            None
        }
    }
}

fn read_at_least(entry: &Entry, known: &Known<'_>, reader: &mut Reader<'_>) -> Option<RollUpRule> {
    let least = reader.whole(&entry.value, "at_least", 1)?;
    if usize::try_from(least).is_ok_and(|least| least > known.most) {
        let what = format!(
            "the roll-up asks for {least} criteria, and a response has at most {}",
            known.most
        );
        reader.error(
            "at-least-too-large",
            entry.value.place,
            what,
            format!("write a number from 1 to {}", known.most.max(1)),
        );
    }
    Some(RollUpRule::AtLeast(least))
}

pub(super) fn read_violations(node: &Node, known: &Known<'_>, reader: &mut Reader<'_>) -> Vec<Violation> {
    if node.is_null() {
        return Vec::new();
    }
    let help = "write `- {id: wrong_dose, loss: 10, detected_by: [dose]}` for each";
    let nodes = reader.list(node, "violations", help).unwrap_or_default();
    let mut read: Vec<Violation> = Vec::new();
    for node in nodes {
        let Some(violation) = read_violation(node, known, help, reader) else {
            continue;
        };
        if read.iter().any(|other| other.id == violation.id) {
            let what = format!("the violation `{}` is listed twice", tree::shown(&violation.id));
            reader.error("duplicate-violation", node.place, what, "keep one of the two");
        }
        read.push(violation);
    }
    read
}

fn read_violation(node: &Node, known: &Known<'_>, help: &str, reader: &mut Reader<'_>) -> Option<Violation> {
    let entries = reader.map(node, "violation", help)?;
    let (mut id, mut loss, mut detected_by) = (None, None, None);
    for entry in entries {
        match entry.key.as_str() {
            "id" => id = reader.id(&entry.value, "id"),
            "loss" => loss = read_loss(&entry.value, reader),
            "detected_by" => detected_by = Some(known.read_ids(&entry.value, "detected_by", "the violation", reader)),
            _ => reader.unknown_key(entry, "a violation", &VIOLATION_KEYS),
        }
    }
    for key in VIOLATION_KEYS {
        let missing = !entries.iter().any(|entry| entry.key == key && !entry.value.is_null());
        if missing {
            reader.error("missing-key", node.place, format!("the violation has no `{key}`"), help);
        }
    }
    Some(Violation {
        id: id?,
        loss: loss?,
        detected_by: detected_by?,
    })
}

fn read_loss(node: &Node, reader: &mut Reader<'_>) -> Option<f64> {
    let loss = reader.number(node, "loss")?;
    if loss.is_finite() && loss > 0.0 {
        return Some(loss);
    }
    reader.error(
        "bad-loss",
        node.place,
        format!("`loss` is {loss}"),
        "write a number above 0: what an undetected violation costs",
    );
    None
}
