//! Scores of signed points beside the published formula, written down once more and independently.
//!
//! Source: PROTOCOLS 13.1: points met over positive points for each example, nothing clipped; the mean over examples clipped to [0, 1]; an
//! example without positive points has no score.

use calibrant_schema::labels::CellLabel;
use calibrant_schema::verdicts::{Judgement, VerdictsBuilder};
use calibrant_schema::{Criterion, Rubric, Scale, Status, Verdicts};
use calibrant_steps::plan::{QueryFacts, Scorer, Weights};
use calibrant_steps::{RubricJoin, consensus};
use proptest::prelude::*;

/// Points of half a unit, 20 of a criterion at most, a hundred criteria: sums are exact, and a quotient and a mean are rounded.
const ROUNDING: f64 = 1e-12;

const SYSTEMS: [&str; 2] = ["s0", "s1"];

/// The published score of one example.
fn example(points: &[f64], met: &[bool]) -> Option<f64> {
    let possible: f64 = points.iter().filter(|points| **points > 0.0).sum();
    let achieved: f64 = points
        .iter()
        .zip(met)
        .filter(|(_, met)| **met)
        .map(|(points, _)| points)
        .sum();
    (possible > 0.0).then(|| achieved / possible)
}

/// The published score of a system.
fn mean(examples: &[Option<f64>]) -> Option<f64> {
    let scored: Vec<f64> = examples.iter().flatten().copied().collect();
    (!scored.is_empty()).then(|| (scored.iter().sum::<f64>() / scored.len() as f64).clamp(0.0, 1.0))
}

/// Points of each example, and for each system and sample which criteria are met.
#[derive(Clone, Debug)]
struct Board {
    points: Vec<Vec<f64>>,
    samples: usize,
    met: Vec<bool>,
}

impl Board {
    /// Whether a criterion is met: drawn bits in the order of systems, samples, examples, criteria, from the start again.
    fn is_met(&self, system: usize, sample: usize, example: usize, criterion: usize) -> bool {
        let at = ((system * 31 + sample) * 17 + example) * 7 + criterion;
        self.met[at % self.met.len()]
    }

    fn met(&self, system: usize, sample: usize, example: usize) -> Vec<bool> {
        let criteria = 0..self.points[example].len();
        criteria
            .map(|criterion| self.is_met(system, sample, example, criterion))
            .collect()
    }

    fn rubric(&self) -> Rubric {
        let mut rubric = Rubric::default();
        for (query, points) in self.points.iter().enumerate() {
            for (at, points) in points.iter().enumerate() {
                rubric.criteria.push(Criterion {
                    query: Some(format!("q{query}")),
                    weight: *points,
                    ..Criterion::new(format!("c{at}"), "Is it so?")
                });
            }
        }
        rubric
    }

    fn verdicts(&self) -> Verdicts {
        let mut builder = VerdictsBuilder::default();
        for (system, name) in SYSTEMS.iter().enumerate() {
            for sample in 0..self.samples {
                for query in 0..self.points.len() {
                    for (at, met) in self.met(system, sample, query).into_iter().enumerate() {
                        let judgement = Judgement {
                            system: name,
                            query: &format!("q{query}"),
                            sample: &sample.to_string(),
                            criterion: &format!("c{at}"),
                            judge: "grader",
                            repeat: 1,
                            level: Some(u8::from(met)),
                            status: Status::Ok,
                            line: 0,
                        };
                        builder.push(judgement, &Scale::Binary);
                    }
                }
            }
        }
        builder.finish().expect("no cell stands twice")
    }
}

fn boards() -> impl Strategy<Value = Board> {
    let points = prop::collection::vec(-20i32..=20, 1..7)
        .prop_map(|points| points.into_iter().map(|p| f64::from(p) / 2.0).collect());
    let met = prop::collection::vec(any::<bool>(), 1..97);
    (prop::collection::vec(points, 1..6), 1usize..4, met).prop_map(|(points, samples, met)| Board {
        points,
        samples,
        met,
    })
}

/// The score of every example by name, and of every system.
type Scores = (Vec<(String, Option<f64>)>, Vec<Option<f64>>);

/// Scores of the examples and of the systems, by the plan that every score comes from.
fn scored(board: &Board) -> Scores {
    let rubric = board.rubric();
    let join = RubricJoin::new(Some(&rubric));
    let labels = consensus(&board.verdicts(), &join);
    assert!(
        labels
            .all_cells()
            .all(|(_, cell)| matches!(cell.label, CellLabel::Level(_)))
    );
    let facts = QueryFacts::new(&labels, &[]).expect("queries without descriptions weigh 1");
    let items = (0..labels.items.len()).collect();
    let scorer = Scorer::new(&labels, items, Weights::Author, &facts, &join).expect("points are finite");
    let responses = scorer.responses(&labels);
    let by_query = scorer.query_scores(&labels, &responses);
    let queries = labels.queries.len();
    let systems = (0..SYSTEMS.len()).map(|system| {
        let of_system = &by_query[system * queries..(system + 1) * queries];
        scorer.plan().system(of_system).score.ok()
    });
    let name = |r: &calibrant_steps::plan::Scored| {
        format!(
            "{} {} {}",
            labels.systems.get(r.system),
            labels.queries.get(r.query),
            labels.samples.get(r.sample)
        )
    };
    let mut examples: Vec<_> = responses
        .iter()
        .map(|response| (name(response), response.score.score.ok()))
        .collect();
    examples.sort_by(|left, right| left.0.cmp(&right.0));
    (examples, systems.collect())
}

fn assert_published(board: &Board) {
    let (examples, systems) = scored(board);
    let mut expected = Vec::new();
    for (system, name) in SYSTEMS.iter().enumerate() {
        let mut of_system = Vec::new();
        for query in 0..board.points.len() {
            for sample in 0..board.samples {
                let score = example(&board.points[query], &board.met(system, sample, query));
                of_system.push(score);
                expected.push((format!("{name} q{query} {sample}"), score));
            }
        }
        // Every example was run as often as every other, so the mean over runs is the mean over examples of their means.
        assert_near(systems[system], mean(&of_system));
    }
    expected.sort_by(|left, right| left.0.cmp(&right.0));
    assert_eq!(examples.len(), expected.len());
    for ((name, score), (other, expected)) in examples.into_iter().zip(expected) {
        assert_eq!(name, other);
        assert_near(score, expected);
    }
}

fn assert_near(found: Option<f64>, expected: Option<f64>) {
    match (found, expected) {
        (Some(found), Some(expected)) => assert!((found - expected).abs() <= ROUNDING, "{found}, not {expected}"),
        (found, expected) => assert_eq!(found, expected),
    }
}

/// A board of one sample whose labels are all met, or all not.
fn board(points: &[&[f64]], met: bool) -> Board {
    Board {
        points: points.iter().map(|points| points.to_vec()).collect(),
        samples: 1,
        met: vec![met],
    }
}

#[test]
fn the_cases_that_differ_between_formulas() {
    // Below zero in one example and above in another: the mean of what is not clipped is 1/2 x (-2 + 1).
    let made = board(&[&[1.0, -3.0], &[1.0]], true);
    assert_eq!(scored(&made).1, [Some(0.0), Some(0.0)]);
    assert_published(&made);
    // No positive points: no score, and the mean is that of the others.
    let made = board(&[&[-1.0, -2.0], &[4.0, -1.0]], true);
    assert_eq!(scored(&made).1, [Some(0.75), Some(0.75)]);
    assert_published(&made);
    // Nothing but penalties anywhere: no score at all.
    let made = board(&[&[-1.0], &[0.0, -2.0]], true);
    assert_eq!(scored(&made).1, [None, None]);
    assert_published(&made);
    // Nothing met, penalties included.
    assert_published(&board(&[&[2.0, -8.0], &[0.5]], false));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn every_score_is_the_published_one(board in boards()) {
        assert_published(&board);
    }
}
