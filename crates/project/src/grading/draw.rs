//! Drawing answers, orders and opaque ids.
//!
//! What is drawn with a seed is sorted by hashes, so that the same seed and inputs give the same draw on every machine. Ids
//! come from the operating system: nothing about an answer can be read from one.

use std::collections::{BTreeMap, BTreeSet};

use calibrant_schema::Response;
use calibrant_schema::canonical::Hash;
use calibrant_schema::exercise::ExerciseUnit;

use super::request::SampleOptions;
use crate::error::ProjectError;

/// Which answer: system, query, sample.
pub(super) type Answer<'a> = [&'a str; 3];

/// The answer a response is.
pub(super) fn answer_of(response: &Response) -> Answer<'_> {
    [&response.system, &response.query, &response.sample]
}

/// The answer a unit shows.
pub(super) fn answer_of_unit(unit: &ExerciseUnit) -> Answer<'_> {
    [&unit.system, &unit.query, &unit.sample]
}

/// Draws answers, as equally over systems as they allow and, within that, over queries; those in `used` only when no others
/// are left. Returns indices into `answers`, all of them when there are no more than asked for.
///
/// The systems take turns in an order drawn with the seed; at its turn a system gives the answer to the query that has
/// been taken least so far.
pub(super) fn draw(answers: &[Answer<'_>], used: &BTreeSet<Answer<'_>>, options: &SampleOptions) -> Vec<usize> {
    if answers.len() <= options.answers {
        return (0..answers.len()).collect();
    }
    let mut of_system: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, [system, ..]) in answers.iter().enumerate() {
        of_system.entry(system).or_default().push(at);
    }
    let mut systems: Vec<&str> = of_system.keys().copied().collect();
    systems.sort_by_cached_key(|system| lot(options.seed, "system", &[system]));
    let lots: Vec<Hash> = answers
        .iter()
        .map(|answer| lot(options.seed, "answer", answer))
        .collect();
    let mut taken_of_query: BTreeMap<&str, usize> = BTreeMap::new();
    let mut drawn = Vec::with_capacity(options.answers);
    for system in systems.iter().cycle() {
        if drawn.len() == options.answers {
            break;
        }
        let left = of_system.get_mut(system).expect("the systems are those of the answers");
        let best = left.iter().enumerate().min_by_key(|(_, at)| {
            let taken = taken_of_query.get(answers[**at][1]).copied().unwrap_or_default();
            (used.contains(&answers[**at]), taken, lots[**at])
        });
        // A system without answers passes; there are more answers than asked for, so some system has one.
        if let Some((place, _)) = best {
            let at = left.swap_remove(place);
            *taken_of_query.entry(answers[at][1]).or_default() += 1;
            drawn.push(at);
        }
    }
    drawn.sort_by_key(|at| {
        let [system, query, sample] = answers[*at];
        [query, system, sample]
    });
    drawn
}

/// Which of the drawn answers are shown twice, as indices into `units`.
pub(super) fn retested(units: &[ExerciseUnit], options: &SampleOptions) -> Vec<usize> {
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by_cached_key(|at| lot(options.seed, "retest", &answer_of_unit(&units[*at])));
    order.truncate(options.retest);
    order.sort_unstable();
    order
}

/// The order in which a grader meets the units: a permutation drawn from the seed, the exercise and the grader.
///
/// Each unit has a place in [0, 1). An answer that is shown twice comes first below 0.4 and again between 0.4 and 0.6
/// later, so that about 0.4 of the sheet lies between.
pub(super) fn order(units: &[ExerciseUnit], seed: u64, exercise: &str, grader: &str) -> Vec<u32> {
    let twice: BTreeSet<[&str; 3]> = units
        .iter()
        .filter(|unit| unit.repeat > 1)
        .map(answer_of_unit)
        .collect();
    let share = |purpose: &str, unit: &ExerciseUnit| {
        let [system, query, sample] = answer_of_unit(unit);
        let hash = lot(seed, purpose, &[exercise, grader, system, query, sample]);
        let mut first = [0; 8];
        first.copy_from_slice(&hash.as_bytes()[..8]);
        // The upper 53 bits are a double exactly.
        (u64::from_be_bytes(first) >> 11) as f64 / (1u64 << 53) as f64
    };
    let place = |unit: &ExerciseUnit| match (twice.contains(&answer_of_unit(unit)), unit.repeat) {
        (false, _) => share("order", unit),
        (true, 1) => 0.4 * share("order", unit),
        (true, _) => 0.4 * share("order", unit) + 0.4 + 0.2 * share("again", unit),
    };
    let places: Vec<f64> = units.iter().map(place).collect();
    let mut order: Vec<u32> = (0..units.len() as u32).collect();
    order.sort_by(|a, b| places[*a as usize].total_cmp(&places[*b as usize]));
    order
}

/// The lot of a thing for a purpose: uniform over its names.
fn lot(seed: u64, purpose: &str, names: &[&str]) -> Hash {
    Hash::of_json(&serde_json::json!({"calibrant": "draw/1", "seed": seed, "purpose": purpose, "names": names}))
}

/// Random digits from the operating system, two for each byte.
pub(super) fn random_id<const BYTES: usize>() -> Result<String, ProjectError> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|reason| {
        ProjectError::refused(
            "no-randomness",
            format!("the operating system gave no random bytes: {reason}"),
            "try again",
        )
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(at: usize, repeat: u16) -> ExerciseUnit {
        ExerciseUnit {
            id: format!("{at}-{repeat}"),
            system: format!("s{}", at % 3),
            query: format!("q{}", at / 3),
            sample: "1".to_owned(),
            query_hash: None,
            repeat,
            response_hash: Hash::of_bytes(b""),
        }
    }

    fn options(answers: usize, seed: u64) -> SampleOptions {
        SampleOptions {
            answers,
            seed,
            ..SampleOptions::default()
        }
    }

    #[test]
    fn systems_and_queries_are_balanced_and_the_seed_decides() {
        let names: Vec<[String; 3]> = (0..300)
            .map(|at| [format!("s{}", at % 5), format!("q{}", at / 5), "1".to_owned()])
            .collect();
        let answers: Vec<Answer<'_>> = names
            .iter()
            .map(|[s, q, n]| [s.as_str(), q.as_str(), n.as_str()])
            .collect();
        let drawn = draw(&answers, &BTreeSet::new(), &options(42, 1));
        let per = |part: usize| {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            drawn
                .iter()
                .for_each(|at| *counts.entry(answers[*at][part]).or_default() += 1);
            counts.into_values().collect::<Vec<_>>()
        };
        assert_eq!(drawn.len(), 42);
        assert!(per(0).iter().all(|count| (8..=9).contains(count)), "{:?}", per(0));
        assert_eq!(per(1), [1; 42], "60 queries: none is taken twice for 42 answers");
        assert_eq!(draw(&answers, &BTreeSet::new(), &options(42, 1)), drawn);
        assert_ne!(draw(&answers, &BTreeSet::new(), &options(42, 2)), drawn);
        let mut turned = answers.clone();
        turned.reverse();
        let again: BTreeSet<Answer<'_>> = draw(&turned, &BTreeSet::new(), &options(42, 1))
            .iter()
            .map(|at| turned[*at])
            .collect();
        let drawn: BTreeSet<Answer<'_>> = drawn.iter().map(|at| answers[*at]).collect();
        assert_eq!(again, drawn, "the order of the rows is irrelevant");
    }

    #[test]
    fn used_answers_come_last_and_few_are_all_taken() {
        let answers: Vec<Answer<'_>> = vec![["a", "q", "1"], ["a", "r", "1"], ["b", "q", "1"], ["b", "r", "1"]];
        let used: BTreeSet<Answer<'_>> = answers[..2].iter().copied().collect();
        for seed in 0..20 {
            let drawn = draw(&answers, &used, &options(2, seed));
            assert_eq!(drawn.len(), 2);
            assert_eq!(
                drawn.iter().filter(|at| **at < 2).count(),
                1,
                "balance over systems comes first"
            );
        }
        assert_eq!(draw(&answers, &used, &options(4, 0)), [0, 1, 2, 3]);
        assert_eq!(draw(&answers, &used, &options(9, 0)), [0, 1, 2, 3]);
        assert_eq!(draw(&[], &used, &options(9, 0)), [0; 0]);
    }

    #[test]
    fn orders_are_permutations_that_differ_between_graders_and_keep_repeats_apart() {
        let mut units: Vec<ExerciseUnit> = (0..60).map(|at| unit(at, 1)).collect();
        let again = retested(
            &units,
            &SampleOptions {
                retest: 5,
                ..SampleOptions::default()
            },
        );
        assert_eq!(again.len(), 5);
        units.extend(again.iter().map(|at| unit(*at, 2)));
        let ana = order(&units, 3, "e", "ana");
        assert_eq!(order(&units, 3, "e", "ana"), ana);
        for other in [
            order(&units, 4, "e", "ana"),
            order(&units, 3, "f", "ana"),
            order(&units, 3, "e", "ben"),
        ] {
            assert_ne!(other, ana);
            let mut sorted = other.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..65).collect::<Vec<u32>>());
            for (second, first) in (60u32..).zip(&again) {
                let at = |unit: u32| other.iter().position(|of| *of == unit).expect("a permutation");
                assert!(at(second) > at(*first as u32) + 65 / 5, "far apart");
            }
        }
    }

    #[test]
    fn ids_are_random() {
        let ids: BTreeSet<String> = (0..100).map(|_| random_id::<8>().expect("random bytes")).collect();
        assert_eq!(ids.len(), 100);
        assert!(ids.iter().all(|id| id.len() == 16));
    }
}
