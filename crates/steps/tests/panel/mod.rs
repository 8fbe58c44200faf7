//! Small tables of verdicts and the whole road over them.
#![allow(dead_code, reason = "each test file uses a part")]

use calibrant_schema::artifact::Header;
use calibrant_schema::query::{Query, parse_queries};
use calibrant_schema::scores::{ResponseRow, SystemScore};
use calibrant_schema::verdicts::Judgement;
use calibrant_schema::{Bank, Calibration, Fit, Labels, Rubric, Scale, Scores, Status, Verdicts, VerdictsBuilder};
use calibrant_steps::assemble::{AssembleInputs, AssembleOptions};
use calibrant_steps::calibrate::CalibrateOptions;
use calibrant_steps::fit::FitOptions;
use calibrant_steps::plan::QueryFacts;
use calibrant_steps::score::{ScoreInputs, ScoreOptions};
use calibrant_steps::{RubricJoin, StepError, assemble, calibrate, fit, score};

/// One verdict.
#[derive(Clone, PartialEq)]
pub struct Row {
    pub system: String,
    pub query: String,
    pub sample: String,
    pub criterion: String,
    pub judge: String,
    pub level: Option<u8>,
    pub status: Status,
}

impl std::fmt::Debug for Row {
    /// A line as in a table: a failing case holds a hundred of them.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let label = self.level.map_or(self.status.to_string(), |level| level.to_string());
        write!(
            f,
            "{},{},{},{},{},{label}",
            self.system, self.query, self.sample, self.criterion, self.judge
        )
    }
}

/// A label of the first sample.
pub fn row(system: &str, query: &str, criterion: &str, judge: &str, level: u8) -> Row {
    Row {
        system: system.to_owned(),
        query: query.to_owned(),
        sample: "1".to_owned(),
        criterion: criterion.to_owned(),
        judge: judge.to_owned(),
        level: Some(level),
        status: Status::Ok,
    }
}

impl Row {
    /// The same of another sample.
    pub fn of_sample(self, sample: &str) -> Self {
        Self {
            sample: sample.to_owned(),
            ..self
        }
    }

    /// The same without a label.
    pub fn without_label(self, status: Status) -> Self {
        Self {
            level: None,
            status,
            ..self
        }
    }
}

/// A table on one scale.
pub fn verdicts_on(scale: &Scale, rows: &[Row]) -> Verdicts {
    let mut builder = VerdictsBuilder::default();
    for (row, line) in rows.iter().zip(2..) {
        let judgement = Judgement {
            system: &row.system,
            query: &row.query,
            sample: &row.sample,
            criterion: &row.criterion,
            judge: &row.judge,
            repeat: 1,
            level: row.level,
            status: row.status,
            line,
        };
        builder.push(judgement, scale);
    }
    builder.finish().expect("the cells of a test table are distinct")
}

/// A table of binary labels.
pub fn verdicts(rows: &[Row]) -> Verdicts {
    verdicts_on(&Scale::Binary, rows)
}

/// A rubric from its text.
pub fn rubric(text: &str) -> Rubric {
    let parsed = Rubric::parse_yaml(text, "rubric.yaml");
    parsed
        .unwrap_or_else(|found| {
            panic!(
                "{}",
                found.paint(Some(text), calibrant_schema::diagnostic::Paint::Plain)
            )
        })
        .0
}

/// Descriptions of queries from JSON lines.
pub fn queries(text: &str) -> Vec<Query> {
    parse_queries(text, "queries.jsonl")
        .expect("the queries of a test are sound")
        .0
}

/// Everything the road makes.
#[derive(Clone, Debug)]
pub struct Made {
    pub calibration: Calibration,
    pub labels: Labels,
    pub fit: Fit,
    pub bank: Bank,
    pub scores: Scores,
    pub responses: Vec<ResponseRow>,
}

impl Made {
    /// The row of a system.
    pub fn system(&self, system: &str) -> &SystemScore {
        let mut rows = self.scores.systems.iter();
        rows.find(|row| row.system == system)
            .expect("the system is on the leaderboard")
    }

    /// The score of a system.
    pub fn score(&self, system: &str) -> Option<f64> {
        self.system(system).score
    }

    /// The response of a system to a query.
    pub fn response(&self, system: &str, query: &str) -> &ResponseRow {
        let mut rows = self.responses.iter();
        rows.find(|row| (row.system.as_str(), row.query.as_str()) == (system, query))
            .expect("there is such a response")
    }
}

/// The fewest replicates: only tests of intervals look at them.
pub fn score_options() -> ScoreOptions {
    ScoreOptions {
        replicates: 20,
        ..ScoreOptions::default()
    }
}

/// The road over a table, with a rubric and descriptions of queries where there are some.
pub fn road(verdicts: &Verdicts, rubric: Option<&Rubric>, queries: &[Query]) -> Result<Made, StepError> {
    let join = RubricJoin::new(rubric);
    let options = CalibrateOptions {
        replicates: 20,
        ..CalibrateOptions::default()
    };
    let (calibration, labels) = calibrate(verdicts, None, &join, Header::default(), &options)?;
    let fit = fit(&labels, &join, Header::default(), &FitOptions::default())?;
    let inputs = AssembleInputs {
        calibration: &calibration,
        fit: &fit,
        labels: &labels,
        join: &join,
    };
    let bank = assemble(inputs, Header::default(), &AssembleOptions::default())?;
    let facts = QueryFacts::new(&labels, queries)?;
    let inputs = ScoreInputs {
        labels: &labels,
        join: &join,
        fit: Some(&fit),
        bank: Some(&bank),
        facts: &facts,
    };
    let (scores, responses) = score(inputs, Header::default(), &score_options())?;
    Ok(Made {
        calibration,
        labels,
        fit,
        bank,
        scores,
        responses,
    })
}

/// The road where it must go through.
pub fn drive(rows: &[Row], rubric: Option<&Rubric>) -> Made {
    road(&verdicts(rows), rubric, &[]).unwrap_or_else(|refusal| panic!("{refusal}"))
}
