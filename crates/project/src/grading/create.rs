//! Making a round: what is asked, of which answers, on whose sheets.

use std::collections::{BTreeMap, BTreeSet};

use calibrant_schema::artifact::{Artifact, Header};
use calibrant_schema::canonical::{Hash, query_hash};
use calibrant_schema::diagnostic::visible;
use calibrant_schema::exercise::{ExerciseCriterion, ExerciseUnit, SheetPlan};
use calibrant_schema::query::Query;
use calibrant_schema::{Exercise, Response, Rubric};
use calibrant_steps::check::CODE_JUDGE;
use calibrant_store::{read_queries, read_responses, read_rubric};
use serde_json::Value;

use super::draw::{Answer, answer_of, answer_of_unit, draw, order, random_id, retested};
use super::error::needed;
use super::folder::{Round, UnitText, round_folder, rounds};
use super::request::{GradingRequest, Units};
use crate::error::ProjectError;
use crate::freshness::VERSION;

/// The longest name of a grader, in characters.
const LONGEST_GRADER: usize = 64;

/// What a round is made from.
struct Inputs {
    rubric: Rubric,
    responses: Vec<Response>,
    queries: Vec<Query>,
    hashes: BTreeMap<String, String>,
}

/// Makes a round; its folder is not written yet.
pub(super) fn create(request: &GradingRequest, number: u32) -> Result<Round, ProjectError> {
    let before = rounds(&request.dir)?;
    let next = before.last().map_or(1, |last| last + 1);
    if number != next {
        return Err(ProjectError::refused(
            "round-order",
            format!("there is no round {number}, and the next one is round {next}"),
            format!("write --round {next}, or leave it out for the newest one"),
        ));
    }
    let graders = checked_graders(&request.graders, number)?;
    let inputs = inputs(request, number)?;
    let criteria = criteria(&inputs.rubric)?;
    let earlier = before
        .iter()
        .map(|round| Ok(Round::read(&round_folder(&request.dir, *round))?.exercise))
        .collect::<Result<Vec<Exercise>, ProjectError>>()?;
    let mut exercise = Exercise {
        header: header(request, &inputs),
        id: String::new(),
        nonce: random_id::<16>()?,
        round: number,
        rubric_hash: inputs.rubric.hash(),
        rubric_version: inputs.rubric.version,
        criteria,
        units: Vec::new(),
        sheets: graders
            .into_iter()
            .map(|grader| SheetPlan {
                grader,
                order: Vec::new(),
            })
            .collect(),
    };
    exercise.units = units(request, &inputs.responses, &exercise, &earlier)?;
    let prompts = prompts(&inputs.queries);
    for unit in &mut exercise.units {
        unit.query_hash = prompts.get(unit.query.as_str()).map(|prompt| query_hash(prompt));
    }
    exercise.id = exercise.sealed_id();
    for sheet in &mut exercise.sheets {
        sheet.order = order(&exercise.units, request.sample.seed, &exercise.id, &sheet.grader);
    }
    Ok(Round {
        texts: texts(&exercise, &inputs),
        exercise,
        rubric: inputs.rubric,
    })
}

/// Names of graders that can stand in files, pages and links.
fn checked_graders(graders: &[String], round: u32) -> Result<Vec<String>, ProjectError> {
    if graders.is_empty() {
        return Err(needed("--graders", "graders", round));
    }
    let refused = |what: String, help: &str| Err(ProjectError::refused("grader", what, help));
    let mut seen = BTreeSet::new();
    for grader in graders {
        let shown = shown(grader);
        let plain = |c: char| visible(c).eq([c]) && !matches!(c, '/' | '\\' | ',');
        let fits = (1..=LONGEST_GRADER).contains(&grader.chars().count()) && grader.trim() == grader;
        if !fits || !grader.chars().all(plain) || grader.starts_with('.') {
            return refused(
                format!("`{shown}` cannot be the name of a grader"),
                "write 1 to 64 visible characters without slashes or commas, not beginning with a dot",
            );
        }
        if grader.to_lowercase() == CODE_JUDGE {
            return refused(
                format!("`{shown}` cannot be the name of a grader: it is the judge of what code decides"),
                "give the grader another name",
            );
        }
        if !seen.insert(grader.to_lowercase()) {
            return refused(format!("the grader `{shown}` is named twice"), "name each grader once");
        }
    }
    Ok(graders.to_vec())
}

fn inputs(request: &GradingRequest, round: u32) -> Result<Inputs, ProjectError> {
    let rubric = request
        .rubric
        .as_ref()
        .ok_or_else(|| needed("--rubric FILE", "a rubric", round))?;
    let responses = request
        .responses
        .as_ref()
        .ok_or_else(|| needed("--responses FILE", "the responses of systems", round))?;
    let (rubric, responses) = (read_rubric(rubric)?, read_responses(responses)?);
    let queries = request.queries.as_deref().map(read_queries).transpose()?;
    let mut hashes = BTreeMap::from([
        ("rubric".to_owned(), rubric.sha256),
        ("responses".to_owned(), responses.sha256),
    ]);
    hashes.extend(
        queries
            .as_ref()
            .map(|queries| ("queries".to_owned(), queries.sha256.clone())),
    );
    Ok(Inputs {
        rubric: rubric.value,
        responses: responses.value,
        queries: queries.map(|queries| queries.value).unwrap_or_default(),
        hashes,
    })
}

fn header(request: &GradingRequest, inputs: &Inputs) -> Header {
    let sample = &request.sample;
    let units = match sample.units {
        Units::New => "new",
        Units::Same => "same",
    };
    let settings = [
        ("answers", sample.answers.to_string()),
        ("retest", sample.retest.to_string()),
        ("units", units.to_owned()),
    ];
    Header {
        format: Exercise::FORMAT.to_owned(),
        calibrant: VERSION.to_owned(),
        inputs: inputs.hashes.clone(),
        seed: sample.seed,
        settings: settings.map(|(key, value)| (key.to_owned(), value)).into(),
        warnings: Vec::new(),
    }
}

/// What is asked: every criterion that no code decides, monitored ones too.
fn criteria(rubric: &Rubric) -> Result<Vec<ExerciseCriterion>, ProjectError> {
    let asked: Vec<ExerciseCriterion> = rubric
        .criteria
        .iter()
        .filter(|criterion| criterion.check.is_none())
        .map(|criterion| ExerciseCriterion {
            criterion: criterion.id.clone(),
            query: criterion.query.clone(),
            card_hash: criterion.card().hash(),
        })
        .collect();
    match asked.is_empty() {
        true => Err(ProjectError::refused(
            "nothing-to-ask",
            "the rubric has no criterion for people: code decides every one of them",
            "add a criterion without `check:`",
        )),
        false => Ok(asked),
    }
}

fn units(
    request: &GradingRequest,
    responses: &[Response],
    exercise: &Exercise,
    earlier: &[Exercise],
) -> Result<Vec<ExerciseUnit>, ProjectError> {
    let of_queries: BTreeSet<Option<&str>> = exercise.criteria.iter().map(|asked| asked.query.as_deref()).collect();
    let concerns = |query: &str| of_queries.contains(&None) || of_queries.contains(&Some(query));
    let asked: Vec<&Response> = responses.iter().filter(|response| concerns(&response.query)).collect();
    if asked.is_empty() {
        return Err(ProjectError::refused(
            "no-answers",
            "there is no response to a query that the rubric asks about",
            "check that the query ids of the responses and of the rubric are the same",
        ));
    }
    let drawn = match (request.sample.units, earlier.last()) {
        (Units::Same, Some(before)) => same_units(&asked, before)?,
        (Units::Same, None) => {
            return Err(ProjectError::refused(
                "no-round-before",
                "there is no round before the first whose answers could be taken again",
                "leave out --same-units",
            ));
        }
        (Units::New, _) => new_units(&asked, earlier, request),
    };
    let mut units = drawn
        .iter()
        .map(|response| unit(response, 1))
        .collect::<Result<Vec<_>, ProjectError>>()?;
    let again = retested(&units, &request.sample)
        .into_iter()
        .map(|at| unit(drawn[at], 2))
        .collect::<Result<Vec<_>, ProjectError>>()?;
    units.extend(again);
    units.sort_by(|a, b| {
        let key = |unit: &ExerciseUnit| {
            (
                unit.query.clone(),
                unit.system.clone(),
                unit.sample.clone(),
                unit.repeat,
            )
        };
        key(a).cmp(&key(b))
    });
    Ok(units)
}

fn unit(response: &Response, repeat: u16) -> Result<ExerciseUnit, ProjectError> {
    Ok(ExerciseUnit {
        id: random_id::<8>()?,
        system: response.system.clone(),
        query: response.query.clone(),
        sample: response.sample.clone(),
        query_hash: None,
        repeat,
        response_hash: response.hash(),
    })
}

fn new_units<'r>(asked: &[&'r Response], earlier: &[Exercise], request: &GradingRequest) -> Vec<&'r Response> {
    let answers: Vec<Answer<'_>> = asked.iter().map(|response| answer_of(response)).collect();
    let units = earlier.iter().flat_map(|exercise| &exercise.units);
    let used: BTreeSet<Answer<'_>> = units.map(answer_of_unit).collect();
    let drawn = draw(&answers, &used, &request.sample);
    drawn.into_iter().map(|at| asked[at]).collect()
}

/// The answers of the round before, which must all be there as they were.
fn same_units<'r>(asked: &[&'r Response], before: &Exercise) -> Result<Vec<&'r Response>, ProjectError> {
    let by_answer: BTreeMap<Answer<'_>, &'r Response> =
        asked.iter().map(|response| (answer_of(response), *response)).collect();
    let first = before.units.iter().filter(|unit| unit.repeat == 1);
    first
        .map(|unit| {
            let found = by_answer
                .get(&answer_of_unit(unit))
                .filter(|response| response.hash() == unit.response_hash);
            found.copied().ok_or_else(|| {
                let shown = shown(&unit.query);
                ProjectError::refused(
                    "answers-changed",
                    format!(
                        "an answer to query `{shown}` of round {} is gone or has changed",
                        before.round
                    ),
                    "give the responses of that round, or leave out --same-units to take new answers",
                )
            })
        })
        .collect()
}

/// What was asked, by query, where somebody kept it.
fn prompts(queries: &[Query]) -> BTreeMap<&str, &Value> {
    let kept = queries.iter();
    kept.filter_map(|query| Some((query.query.as_str(), query.prompt.as_ref()?)))
        .collect()
}

/// The texts of the units in the order of the exercise.
fn texts(exercise: &Exercise, inputs: &Inputs) -> Vec<UnitText> {
    let responses: BTreeMap<Answer<'_>, &Value> = inputs
        .responses
        .iter()
        .map(|response| (answer_of(response), &response.body))
        .collect();
    let prompts = prompts(&inputs.queries);
    let text = |unit: &ExerciseUnit| UnitText {
        unit: unit.id.clone(),
        prompt: prompts.get(unit.query.as_str()).map(|prompt| (*prompt).clone()),
        response: responses[&answer_of_unit(unit)].clone(),
    };
    exercise.units.iter().map(text).collect()
}

/// What of a round differs from the rubric and the responses given, in words; `None` when nothing does.
pub(super) fn difference(request: &GradingRequest, round: &Round) -> Result<Option<String>, ProjectError> {
    if let Some(rubric) = request.rubric.as_deref() {
        let changed = changed_criteria(&read_rubric(rubric)?.value, round);
        if changed.is_some() {
            return Ok(changed);
        }
    }
    match request.responses.as_deref() {
        Some(responses) => Ok(changed_answers(&read_responses(responses)?.value, round)),
        None => Ok(None),
    }
}

fn changed_criteria(today: &Rubric, round: &Round) -> Option<String> {
    let cards: BTreeMap<(&str, Option<&str>), Hash> = today
        .criteria
        .iter()
        .map(|of| ((of.id.as_str(), of.query.as_deref()), of.card().hash()))
        .collect();
    let changed: Vec<String> = round
        .exercise
        .criteria
        .iter()
        .filter(|asked| cards.get(&(asked.criterion.as_str(), asked.query.as_deref())) != Some(&asked.card_hash))
        .map(|asked| format!("`{}`", shown(&asked.criterion)))
        .collect();
    match changed.as_slice() {
        [] => None,
        [one] => Some(format!("the criterion {one} has changed")),
        several => {
            let first = several.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
            let more = if several.len() > 5 { " and more" } else { "" };
            Some(format!("{} criteria have changed ({first}{more})", several.len()))
        }
    }
}

fn changed_answers(responses: &[Response], round: &Round) -> Option<String> {
    let today: BTreeMap<Answer<'_>, &Response> = responses.iter().map(|of| (answer_of(of), of)).collect();
    let changed = round.exercise.units.iter().filter(|unit| {
        let response = today.get(&answer_of_unit(unit));
        response.is_none_or(|response| response.hash() != unit.response_hash)
    });
    match changed.count() {
        0 => None,
        count => Some(format!("{count} of the graded answers have changed or are gone")),
    }
}

/// A name in a message.
fn shown(name: &str) -> String {
    name.chars().take(LONGEST_GRADER).flat_map(visible).collect()
}
