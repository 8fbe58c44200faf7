//! Criteria that ask the same, by their words.
//!
//! Only criteria that can meet in one response are compared: those of one query, and shared ones. Of those, only pairs
//! that share one of their rarest words, so that the work grows with what is alike and not with the square of the file.
//!
//! Source: METHODS 20.

use std::collections::{BTreeMap, BTreeSet};

use calibrant_schema::Rubric;

use super::catalogue::OVERLAP;
use super::rubric::groups;
use super::subject::Hit;
use super::text::{jaccard, stems, words};

/// Two criteria overlap when they share at least this part of all their content words (Jaccard).
pub(super) const CUT: f64 = 0.7;

/// A criterion of fewer content words is too short to compare.
const FEWEST_STEMS: usize = 3;

/// Two criteria, the later one first, that ask nearly the same.
pub(super) fn overlaps(rubric: &Rubric, read: &[bool]) -> Vec<(usize, usize, Hit)> {
    let texts: Vec<BTreeSet<String>> = rubric
        .criteria
        .iter()
        .zip(read)
        .map(|(criterion, read)| match read {
            true => stems(&criterion.question),
            false => BTreeSet::new(),
        })
        .collect();
    let mut pairs: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for members in groups(rubric).values() {
        pairs_of(members, &texts, &mut pairs);
    }
    let mut found = Vec::new();
    for ((first, second), share) in pairs {
        let (one, other) = (&rubric.criteria[first], &rubric.criteria[second]);
        if numbers(&one.question) != numbers(&other.question) || one.check.is_some() || other.check.is_some() {
            continue;
        }
        let what = match one.weight.signum() == other.weight.signum() {
            true => format!(
                "criteria `{}` and `{}` ask nearly the same, so it counts twice",
                one.id, other.id
            ),
            false => format!(
                "criteria `{}` and `{}` are one condition and its reverse",
                one.id, other.id
            ),
        };
        let line = one.line;
        let label = format!("{:.0} % of the words are those of line {line}", 100.0 * share);
        found.push((second, first, Hit::at(OVERLAP, 0..other.question.len(), what, label)));
    }
    found
}

/// Adds the pairs of a group that are alike, by prefix filtering: two sets with a Jaccard index of at least t share one of
/// the |A| - ceil(t |A|) + 1 words that are rarest in the group.
fn pairs_of(members: &[usize], texts: &[BTreeSet<String>], pairs: &mut BTreeMap<(usize, usize), f64>) {
    let mut frequency: BTreeMap<&str, usize> = BTreeMap::new();
    for word in members.iter().flat_map(|at| &texts[*at]) {
        *frequency.entry(word).or_default() += 1;
    }
    let mut index: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &at in members.iter().filter(|at| texts[**at].len() >= FEWEST_STEMS) {
        let mut rarest: Vec<&str> = texts[at].iter().map(String::as_str).collect();
        rarest.sort_by_key(|word| (frequency[word], *word));
        let prefix = rarest.len() - (CUT * rarest.len() as f64).ceil() as usize + 1;
        let mut met: BTreeSet<usize> = BTreeSet::new();
        for word in &rarest[..prefix] {
            let seen = index.entry(word).or_default();
            met.extend(seen.iter().copied());
            seen.push(at);
        }
        for other in met {
            let share = jaccard(&texts[at], &texts[other]);
            if share >= CUT {
                pairs.insert((other.min(at), other.max(at)), share);
            }
        }
    }
}

/// The numbers of a text: criteria that ask for different ones are different.
fn numbers(text: &str) -> BTreeSet<&str> {
    words(text)
        .map(|(_, word)| word)
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .collect()
}
