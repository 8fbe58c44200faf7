//! Verdicts to the queue of disagreements: every answer whose judges differ on a criterion, and what such answers share.
//!
//! Nothing is settled here, least of all by majority: a queue is for people to talk about.
//!
//! Source: METHODS 31, 39, 129.

use std::collections::BTreeMap;

use calibrant_schema::disagreement::{
    Anatomy, Disagreement, Disagreements, JudgeLabel, JudgeReason, Kind, LevelCount, Place, SharedTag, WithoutLabel,
};
use calibrant_schema::exercise::Exercise;
use calibrant_schema::query::Query;
use calibrant_schema::resolution::disagreement_id;
use calibrant_schema::verdicts::{Item, Verdict};
use calibrant_schema::{Rubric, Scale, Status, Verdicts};

use crate::join::RubricJoin;

/// The most tags named for one kind of disagreement.
const MOST_TAGS: usize = 3;

/// What is known beside the verdicts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'a> {
    /// The rubric: its order is that of the queue, and criteria that code decides are left out.
    pub rubric: Option<&'a Rubric>,
    /// The queries, for the tags that disagreements share.
    pub queries: &'a [Query],
    /// The exercise the verdicts came from, for the opaque ids of answers.
    pub exercise: Option<&'a Exercise>,
    /// Whether the systems are named.
    pub systems: Systems,
}

/// Whether systems are named to those who settle disagreements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Systems {
    /// They are not: who answered is no argument.
    #[default]
    Hidden,
    /// They are, and count as a tag that disagreements can share.
    Named,
}

/// All labels that differ between judges, by criterion and size, with what they share.
///
/// Compared are the labels of different judges on one criterion of one answer; of several judgements of one judge the first
/// with a label or a reason counts. Judges that failed or refused, or were not asked, have said nothing. The order is that
/// of the rubric, else of the names; within a criterion the largest disagreement comes first, then by boundary, query and
/// sample. Systems are in no order that tells them apart.
///
/// Source: METHODS 39, 129.
#[must_use]
pub fn disagreements(verdicts: &Verdicts, beside: &Beside<'_>) -> Disagreements {
    let join = RubricJoin::new(beside.rubric);
    let tags = tags_of(beside.queries);
    let units = UnitNames::new(beside.exercise);
    let places = places_in(beside.rubric);
    let mut found: BTreeMap<(usize, u32), Found> = BTreeMap::new();
    for cell in cells(verdicts) {
        let item = verdicts.items()[cell.item as usize];
        let (query, criterion) = (
            verdicts.queries().get(item.query),
            verdicts.criteria().get(item.criterion),
        );
        if join.entry(query, criterion).is_some_and(|entry| entry.check.is_some()) {
            continue;
        }
        let place = places.get(criterion).copied().unwrap_or(usize::MAX);
        let about = About {
            verdicts,
            item,
            cell: &cell,
            units: &units,
            systems: beside.systems,
            tags: tags.get(query).map_or(&[][..], Vec::as_slice),
        };
        found.entry((place, item.criterion)).or_default().add(&about);
    }
    let mut all = Disagreements {
        exercise: units.exercise.to_owned(),
        judges: verdicts.judges().iter().map(str::to_owned).collect(),
        ..Disagreements::default()
    };
    for ((_, criterion), found) in found {
        let name = verdicts.criteria().get(criterion);
        all.criteria.push(found.anatomy(name, verdicts.scale(criterion)));
        all.queue.extend(in_order(found.queue));
        all.without_label.extend(found.without_label);
    }
    all
}

/// Where the criteria of each id first stand in the rubric; those of a table alone come behind them.
fn places_in(rubric: Option<&Rubric>) -> BTreeMap<&str, usize> {
    let criteria = rubric.map_or(&[][..], |rubric| &rubric.criteria);
    let ids = criteria
        .iter()
        .enumerate()
        .map(|(at, criterion)| (criterion.id.as_str(), at));
    ids.rev().collect()
}

fn in_order(mut queue: Vec<Disagreement>) -> Vec<Disagreement> {
    queue.sort_by(|a, b| {
        b.size
            .cmp(&a.size)
            .then(a.low.total_cmp(&b.low))
            .then_with(|| (&a.query, &a.sample, &a.id).cmp(&(&b.query, &b.sample, &b.id)))
    });
    queue
}

/// What is known of each query, as words: its tags, its domain and its task type.
fn tags_of(queries: &[Query]) -> BTreeMap<&str, Vec<String>> {
    let words = |query: &Query| {
        let mut words = query.tags.clone();
        words.extend(query.domain.as_ref().map(|domain| format!("domain {domain}")));
        words.extend(query.task_type.as_ref().map(|kind| format!("task type {kind}")));
        words.sort();
        words.dedup();
        words
    };
    queries
        .iter()
        .map(|query| (query.query.as_str(), words(query)))
        .collect()
}

/// The opaque ids of answers, by what they stand for.
struct UnitNames<'a> {
    exercise: &'a str,
    names: BTreeMap<(&'a str, &'a str, &'a str), &'a str>,
}

impl<'a> UnitNames<'a> {
    fn new(exercise: Option<&'a Exercise>) -> Self {
        let units = exercise.into_iter().flat_map(|exercise| &exercise.units);
        let first = units.filter(|unit| unit.repeat == 1);
        Self {
            exercise: exercise.map_or("", |exercise| exercise.id.as_str()),
            names: first
                .map(|unit| ((&*unit.system, &*unit.query, &*unit.sample), &*unit.id))
                .collect(),
        }
    }
}

/// What the judges said of one criterion of one answer.
struct Said {
    item: u32,
    system: u32,
    sample: u32,
    /// Judge and level.
    labels: Vec<(u32, u8)>,
    /// Judge and reason.
    reasons: Vec<(u32, Status)>,
}

/// The cells of a table: rows of one criterion and answer stand together, sorted by judge and repeat.
fn cells(verdicts: &Verdicts) -> Vec<Said> {
    let mut cells: Vec<Said> = Vec::new();
    let mut last_judge = None;
    for row in verdicts.rows() {
        let same = |cell: &&mut Said| (cell.item, cell.system, cell.sample) == (row.item, row.system, row.sample);
        let known = cells.last_mut().filter(same).is_some();
        if !known {
            last_judge = None;
            cells.push(Said {
                item: row.item,
                system: row.system,
                sample: row.sample,
                labels: Vec::new(),
                reasons: Vec::new(),
            });
        }
        let cell = cells.last_mut().expect("a cell was pushed for the first row");
        if last_judge != Some(row.judge) && cell.take(&row) {
            last_judge = Some(row.judge);
        }
    }
    cells
}

impl Said {
    /// Takes what a judge said; `false` if it was nothing.
    fn take(&mut self, row: &Verdict) -> bool {
        match (row.level, row.status) {
            (Some(level), _) => self.labels.push((row.judge, level)),
            (None, Status::NotApplicable | Status::CannotAssess | Status::Unclear) => {
                self.reasons.push((row.judge, row.status));
            }
            _ => return false,
        }
        true
    }
}

/// One cell with everything that names it.
struct About<'a> {
    verdicts: &'a Verdicts,
    item: Item,
    cell: &'a Said,
    units: &'a UnitNames<'a>,
    systems: Systems,
    tags: &'a [String],
}

impl About<'_> {
    fn names(&self) -> (&str, &str, &str) {
        (
            self.verdicts.systems().get(self.cell.system),
            self.verdicts.queries().get(self.item.query),
            self.verdicts.samples().get(self.cell.sample),
        )
    }

    fn unit(&self) -> Option<&str> {
        self.units.names.get(&self.names()).copied()
    }

    fn id(&self) -> String {
        let (system, query, sample) = self.names();
        let criterion = self.verdicts.criteria().get(self.item.criterion);
        match self.unit() {
            Some(unit) => disagreement_id(self.units.exercise, unit, criterion),
            None => disagreement_id("", &format!("{system}/{query}/{sample}"), criterion),
        }
    }

    fn tags(&self) -> Vec<String> {
        let system = (self.systems == Systems::Named).then(|| format!("system {}", self.names().0));
        self.tags.iter().cloned().chain(system).collect()
    }

    fn system(&self) -> Option<String> {
        (self.systems == Systems::Named).then(|| self.names().0.to_owned())
    }

    fn labels(&self) -> Vec<JudgeLabel> {
        let scale = self.verdicts.scale(self.item.criterion);
        let label = |(judge, level): &(u32, u8)| JudgeLabel {
            judge: self.verdicts.judges().get(*judge).to_owned(),
            label: scale.value(*level),
            comment: None,
            evidence: Vec::new(),
        };
        self.cell.labels.iter().map(label).collect()
    }

    fn disagreement(&self, low: u8, high: u8) -> Disagreement {
        let scale = self.verdicts.scale(self.item.criterion);
        let (answered_by, query, sample) = self.names();
        Disagreement {
            id: self.id(),
            criterion: self.verdicts.criteria().get(self.item.criterion).to_owned(),
            query: query.to_owned(),
            answered_by: answered_by.to_owned(),
            system: self.system(),
            sample: sample.to_owned(),
            unit: self.unit().unwrap_or_default().to_owned(),
            labels: self.labels(),
            low: scale.value(low),
            high: scale.value(high),
            size: u32::from(high - low),
            tags: self.tags(),
            ended: None,
        }
    }

    fn without_label(&self) -> WithoutLabel {
        let (answered_by, query, sample) = self.names();
        let reason = |(judge, status): &(u32, Status)| JudgeReason {
            judge: self.verdicts.judges().get(*judge).to_owned(),
            status: *status,
            comment: None,
        };
        WithoutLabel {
            id: self.id(),
            criterion: self.verdicts.criteria().get(self.item.criterion).to_owned(),
            query: query.to_owned(),
            answered_by: answered_by.to_owned(),
            system: self.system(),
            sample: sample.to_owned(),
            unit: self.unit().unwrap_or_default().to_owned(),
            reasons: self.cell.reasons.iter().map(reason).collect(),
            labels: self.labels(),
        }
    }
}

/// What was found about one criterion.
#[derive(Default)]
struct Found {
    agreed_at: BTreeMap<u8, u32>,
    /// By lowest and highest level: how many, and how often each tag.
    kinds: BTreeMap<(u8, u8), (u32, BTreeMap<String, u32>)>,
    /// How often each tag among all answers compared.
    tags: BTreeMap<String, u32>,
    compared: u32,
    reasons: [u32; 3],
    queue: Vec<Disagreement>,
    without_label: Vec<WithoutLabel>,
}

impl Found {
    fn add(&mut self, about: &About<'_>) {
        let cell = about.cell;
        let says = |status| cell.reasons.iter().any(|(_, reason)| *reason == status);
        // Two judges who both find that it does not apply agree.
        let not_applicable = says(Status::NotApplicable) && !cell.labels.is_empty();
        if says(Status::CannotAssess) || says(Status::Unclear) || not_applicable {
            self.without_label.push(about.without_label());
        }
        self.reasons[0] += u32::from(says(Status::CannotAssess));
        self.reasons[1] += u32::from(says(Status::Unclear));
        self.reasons[2] += u32::from(not_applicable);
        let levels = || cell.labels.iter().map(|(_, level)| *level);
        let (2.., Some(low), Some(high)) = (cell.labels.len(), levels().min(), levels().max()) else {
            return;
        };
        self.compared += 1;
        let tags = about.tags();
        for tag in &tags {
            *self.tags.entry(tag.clone()).or_default() += 1;
        }
        if low == high {
            *self.agreed_at.entry(low).or_default() += 1;
            return;
        }
        let (answers, counts) = self.kinds.entry((low, high)).or_default();
        *answers += 1;
        for tag in tags {
            *counts.entry(tag).or_default() += 1;
        }
        self.queue.push(about.disagreement(low, high));
    }

    fn anatomy(&self, criterion: &str, scale: &Scale) -> Anatomy {
        let mut kinds: Vec<Kind> = self
            .kinds
            .iter()
            .map(|((low, high), (answers, tags))| Kind {
                low: scale.value(*low),
                high: scale.value(*high),
                size: u32::from(high - low),
                place: place(*low, *high, scale),
                answers: *answers,
                shared: self.shared(*answers, tags),
            })
            .collect();
        kinds.sort_by(|a, b| b.answers.cmp(&a.answers).then(b.size.cmp(&a.size)));
        let label = |(level, answers): (&u8, &u32)| LevelCount {
            label: scale.value(*level),
            answers: *answers,
        };
        Anatomy {
            criterion: criterion.to_owned(),
            compared: self.compared,
            agreed: self.agreed_at.values().sum(),
            agreed_at: self.agreed_at.iter().map(label).collect(),
            kinds,
            cannot_assess: self.reasons[0],
            unclear: self.reasons[1],
            not_applicable: self.reasons[2],
        }
    }

    /// The tags that at least two answers of a kind have, and a larger share of them than of all answers compared.
    fn shared(&self, answers: u32, tags: &BTreeMap<String, u32>) -> Vec<SharedTag> {
        let share = |part: u32, whole: u32| f64::from(part) / f64::from(whole);
        let excess = |tag: &SharedTag| share(tag.answers, answers) - share(tag.of_compared, self.compared);
        let mut shared: Vec<SharedTag> = tags
            .iter()
            .map(|(tag, here)| SharedTag {
                tag: tag.clone(),
                answers: *here,
                of_compared: self.tags.get(tag).copied().unwrap_or(0),
            })
            .filter(|tag| tag.answers >= 2 && excess(tag) > 0.0)
            .collect();
        shared.sort_by(|a, b| excess(b).total_cmp(&excess(a)).then_with(|| a.tag.cmp(&b.tag)));
        shared.truncate(MOST_TAGS);
        shared
    }
}

fn place(low: u8, high: u8, scale: &Scale) -> Place {
    let top = scale.level_count() - 1;
    match high - low {
        1 if low == 0 || usize::from(high) == top => Place::OuterBoundary,
        1 => Place::MiddleBoundary,
        _ => Place::Large,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calibrant_schema::VerdictsBuilder;
    use calibrant_schema::verdicts::Judgement;

    fn table(rows: &[(&str, &str, &str, Option<f64>, Status)], scale: &str) -> Verdicts {
        let scale: Scale = scale.parse().expect("a scale");
        let mut builder = VerdictsBuilder::default();
        for (query, criterion, judge, label, status) in rows {
            let row = Judgement {
                system: "s",
                query,
                sample: "1",
                criterion,
                judge,
                repeat: 1,
                level: label.and_then(|label| scale.level_of(label)),
                status: *status,
                line: 0,
            };
            builder.push(row, &scale);
        }
        builder.finish().expect("distinct cells")
    }

    /// The sheet of `source_numbers`, item 2: agreements 1, 2, 9, 7, 5 for the labels 1 to 5, nine 3|4, four 2 vs 4, one
    /// 1|2, two 4|5.
    fn forty() -> Verdicts {
        let pairs = [
            ((1, 1), 1),
            ((2, 2), 2),
            ((3, 3), 9),
            ((4, 4), 7),
            ((5, 5), 5),
            ((3, 4), 9),
            ((2, 4), 4),
            ((1, 2), 1),
            ((4, 5), 2),
        ];
        let names: Vec<String> = (0..40).map(|at| format!("q{at:02}")).collect();
        let labels = pairs.iter().flat_map(|(pair, times)| vec![*pair; *times]);
        let mut rows = Vec::new();
        for (query, (anna, ben)) in names.iter().zip(labels) {
            rows.push((&**query, "help", "anna", Some(f64::from(anna)), Status::Ok));
            rows.push((&**query, "help", "ben", Some(f64::from(ben)), Status::Ok));
        }
        table(&rows, "1..5")
    }

    #[test]
    fn the_forty_answers_fall_into_their_kinds() {
        let all = disagreements(&forty(), &Beside::default());
        let [anatomy] = &all.criteria[..] else {
            panic!("one criterion")
        };
        assert_eq!((anatomy.compared, anatomy.agreed), (40, 24));
        let agreed: Vec<_> = anatomy.agreed_at.iter().map(|at| (at.label, at.answers)).collect();
        assert_eq!(agreed, [(1.0, 1), (2.0, 2), (3.0, 9), (4.0, 7), (5.0, 5)]);
        let of = |place| -> u32 {
            let kinds = anatomy.kinds.iter().filter(|kind| kind.place == place);
            kinds.map(|kind| kind.answers).sum()
        };
        assert_eq!(
            [Place::MiddleBoundary, Place::Large, Place::OuterBoundary].map(of),
            [9, 4, 3]
        );
        let kinds: Vec<_> = anatomy
            .kinds
            .iter()
            .map(|kind| (kind.between(), kind.answers))
            .collect();
        let expected = [("3|4", 9), ("2 vs 4", 4), ("4|5", 2), ("1|2", 1)];
        assert_eq!(kinds, expected.map(|(between, answers)| (between.to_owned(), answers)));
        let sizes: Vec<u32> = all.queue.iter().map(|one| one.size).collect();
        assert_eq!(sizes, [&[2; 4][..], &[1; 12]].concat());
    }

    #[test]
    fn names_are_those_of_the_table_and_distinct() {
        let all = disagreements(&forty(), &Beside::default());
        let mut ids: Vec<&str> = all.queue.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(
            all.queue[0].id,
            disagreement_id("", &format!("s/{}/1", all.queue[0].query), "help")
        );
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 16);
        assert!(all.queue.iter().all(|one| one.system.is_none()));
    }

    #[test]
    fn tags_are_named_where_they_are_more_frequent_than_elsewhere() {
        let query = |at: usize| Query {
            query: format!("q{at:02}"),
            prompt: None,
            task_type: None,
            domain: Some(if at < 24 { "billing" } else { "privacy" }.into()),
            tags: if (33..37).contains(&at) {
                vec!["fluent".into()]
            } else {
                Vec::new()
            },
            weight: 1.0,
            cluster: None,
        };
        let queries: Vec<Query> = (0..40).map(query).collect();
        let beside = Beside {
            queries: &queries,
            ..Beside::default()
        };
        let all = disagreements(&forty(), &beside);
        let large = all.criteria[0]
            .kinds
            .iter()
            .find(|kind| kind.size == 2)
            .expect("2 vs 4");
        let shared: Vec<_> = large
            .shared
            .iter()
            .map(|tag| (&*tag.tag, tag.answers, tag.of_compared))
            .collect();
        assert_eq!(shared, [("fluent", 4, 4), ("domain privacy", 4, 16)]);
    }

    #[test]
    fn reasons_stand_apart_and_nobody_outvotes_anybody() {
        let ok = Status::Ok;
        let all = disagreements(
            &table(
                &[
                    ("q1", "c", "a", Some(1.0), ok),
                    ("q1", "c", "b", None, Status::Unclear),
                    ("q2", "c", "a", Some(1.0), ok),
                    ("q2", "c", "b", Some(1.0), ok),
                    ("q2", "c", "d", Some(0.0), ok),
                    ("q3", "c", "a", None, Status::NotApplicable),
                    ("q3", "c", "b", None, Status::NotApplicable),
                    ("q4", "c", "a", None, Status::Failed),
                    ("q4", "c", "b", Some(0.0), ok),
                    ("q5", "c", "a", Some(0.0), ok),
                    ("q5", "c", "b", None, Status::NotApplicable),
                ],
                "binary",
            ),
            &Beside::default(),
        );
        assert_eq!(all.queue.len(), 1, "two to one is a disagreement");
        assert_eq!(all.queue[0].between(), "0|1");
        let apart: Vec<&str> = all.without_label.iter().map(|one| one.query.as_str()).collect();
        assert_eq!(apart, ["q1", "q5"]);
        let anatomy = &all.criteria[0];
        assert_eq!(
            (anatomy.unclear, anatomy.cannot_assess, anatomy.not_applicable),
            (1, 0, 1)
        );
        assert_eq!((anatomy.compared, anatomy.agreed), (1, 0));
    }
}
