//! Criteria that ask the same, by what judges say of them.
//!
//! Source: METHODS 20.

use std::collections::BTreeMap;

use calibrant_schema::labels::CellLabel;
use calibrant_schema::rubric::Places;
use calibrant_schema::{Labels, Rubric};
use calibrant_stats::association::{Table2x2, phi};

use super::catalogue::OVERLAP_LABELS;
use super::rubric::groups;
use super::silence::Silencer;
use super::subject::Hit;
use super::{LintReport, place};

/// Labels go together from this correlation on.
pub const PHI_CUT: f64 = 0.8;

/// Below this many responses with both labels nothing is said of a pair.
const FEWEST_UNITS: u64 = 20;

/// Each label must be yes and no at least so often: one exception decides the correlation of a label that hardly varies.
const FEWEST_OF_EACH: u64 = 3;

/// A response: its system, query and sample by code.
type Response = (u32, u32, u32);

/// Pairs of criteria whose labels by consensus go together over the responses that have both.
///
/// A pair is looked at where both criteria can meet in one response and at least 20 responses have both labels, each
/// label being yes and no at least three times. `allow` silences findings as for [`lint`](super::lint); what else `allow`
/// holds is not looked at here.
#[must_use]
pub fn lint_labels(rubric: &Rubric, labels: &Labels, file: &str, text: &str, places: &Places) -> LintReport {
    let located = calibrant_schema::rubric::Located::new(file, text, places);
    let mut silencer = Silencer::new(rubric, &located);
    let met: Vec<BTreeMap<Response, bool>> = labels_of(rubric, labels);
    let mut seen: BTreeMap<(usize, usize), ()> = BTreeMap::new();
    for members in groups(rubric).values() {
        let weight: f64 = members.iter().map(|at| rubric.criteria[*at].weight.abs()).sum();
        for (nth, &one) in members.iter().enumerate() {
            for &other in &members[nth + 1..] {
                if seen.insert((one, other), ()).is_some() {
                    continue;
                }
                if let Some(hit) = pair(rubric, (one, other), &met, weight) {
                    let diagnostic = place(hit, other, &rubric.criteria[other], &located);
                    silencer.take_pair(other, one, OVERLAP_LABELS, diagnostic);
                }
            }
        }
    }
    silencer.sorted()
}

/// Of each criterion, whether each response met it.
fn labels_of(rubric: &Rubric, labels: &Labels) -> Vec<BTreeMap<Response, bool>> {
    let mut known: BTreeMap<(&str, Option<&str>), usize> = BTreeMap::new();
    for (at, criterion) in rubric.criteria.iter().enumerate() {
        known.insert((&criterion.id, criterion.query.as_deref()), at);
    }
    let mut met = vec![BTreeMap::new(); rubric.criteria.len()];
    for (item, cell) in labels.all_cells() {
        let (query, criterion) = (labels.query(item), labels.criterion(item));
        let at = known
            .get(&(criterion, Some(query)))
            .or_else(|| known.get(&(criterion, None)));
        if let (Some(&at), CellLabel::Level(level)) = (at, cell.label) {
            let response = (cell.system, labels.items[item].query, cell.sample);
            met[at].insert(response, labels.scale(item).passes(level));
        }
    }
    met
}

fn pair(rubric: &Rubric, (one, other): (usize, usize), met: &[BTreeMap<Response, bool>], weight: f64) -> Option<Hit> {
    let mut table = Table2x2::default();
    for (response, first) in &met[one] {
        if let Some(second) = met[other].get(response) {
            table.add((*first, *second));
        }
    }
    let varies = |yes: u64| yes.min(table.total() - yes) >= FEWEST_OF_EACH;
    if table.total() < FEWEST_UNITS || !varies(table.both + table.first_only) || !varies(table.both + table.second_only)
    {
        return None;
    }
    let phi = phi(&table).ok().filter(|phi| phi.abs() >= PHI_CUT)?;
    let (first, second) = (&rubric.criteria[one], &rubric.criteria[other]);
    let equal = 100.0 * table.equal() as f64 / table.total() as f64;
    let what = format!(
        "the labels of `{}` and `{}` go together: phi {phi:.2}, equal on {equal:.0} % of {} responses",
        first.id,
        second.id,
        table.total()
    );
    let share = 100.0 * (first.weight.abs() + second.weight.abs()) / weight;
    let label = format!("the two have {share:.0} % of the weight");
    Some(Hit::at(OVERLAP_LABELS, 0..second.question.len(), what, label))
}
