//! `responses.csv`: what the rubric says about each response.

use std::io::{self, Write};

use calibrant_schema::scores::{Outcome, ResponseRow};
use calibrant_schema::{Diagnostic, Span, Undefined};

use crate::tables::guard::{guarded, unguarded};

const COLUMNS: [&str; 8] = [
    "system",
    "query",
    "sample",
    "score",
    "score_undefined",
    "outcome",
    "gates_failed",
    "coverage",
];

/// Writes responses as CSV, in the order given: system, query, sample, score, score_undefined, outcome, gates_failed, coverage.
///
/// An undefined score is an empty cell with its reason in the next column. Gates are joined by `;`, and a `;` or `\` in an id is
/// written with a `\` before it. Ids are [`guarded`].
///
/// # Errors
/// If `out` cannot be written.
pub fn write_responses(rows: &[ResponseRow], out: impl Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    for row in rows {
        let score = row.score.map_or_else(String::new, |score| score.to_string());
        let undefined = row.score_undefined.as_ref().map_or("", |why| why.reason.as_str());
        writer.write_record([
            guarded(&row.system).as_ref(),
            guarded(&row.query).as_ref(),
            guarded(&row.sample).as_ref(),
            &score,
            undefined,
            row.outcome.map_or("", Outcome::word),
            guarded(&joined(&row.gates_failed)).as_ref(),
            &row.coverage.to_string(),
        ])?;
    }
    writer.flush()
}

/// Reads the text of `responses.csv`; `file` is only for messages. Of an undefined score the table has the reason's word alone.
///
/// # Errors
/// If it is no such table, or a row is none that [`write_responses`] writes.
pub fn parse_responses_table(text: &str, file: &str) -> Result<Vec<ResponseRow>, Box<Diagnostic>> {
    let refused = |line: u64, what: &str| {
        let span = Span {
            file: file.to_owned(),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: 1,
            length: 1,
        };
        let help = "make it again with `calibrant score`";
        Box::new(Diagnostic::error("responses-unreadable", what, help).at(span))
    };
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    if !reader.headers().is_ok_and(|header| header == COLUMNS.as_slice()) {
        return Err(refused(1, "the file is no table of responses"));
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record =
            record.map_err(|error| refused(error.position().map_or(1, csv::Position::line), "a row is broken"))?;
        let line = record.position().map_or(1, csv::Position::line);
        rows.push(response(&record).ok_or_else(|| refused(line, "a cell of the row cannot be read"))?);
    }
    Ok(rows)
}

fn response(record: &csv::StringRecord) -> Option<ResponseRow> {
    let [system, query, sample, score, undefined, outcome, gates, coverage] = std::array::from_fn(|at| &record[at]);
    let outcomes = [Outcome::Pass, Outcome::Fail, Outcome::Undetermined];
    Some(ResponseRow {
        system: unguarded(system).to_owned(),
        query: unguarded(query).to_owned(),
        sample: unguarded(sample).to_owned(),
        score: (!score.is_empty()).then(|| score.parse()).transpose().ok()?,
        score_undefined: (!undefined.is_empty()).then(|| Undefined::new(undefined, undefined)),
        outcome: match outcome {
            "" => None,
            word => Some(outcomes.into_iter().find(|outcome| outcome.word() == word)?),
        },
        gates_failed: parted(unguarded(gates)),
        coverage: coverage.parse().ok()?,
    })
}

/// The ids that [`joined`] joined.
fn parted(text: &str) -> Vec<String> {
    let mut ids = Vec::new();
    let mut id = String::new();
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => id.extend(characters.next()),
            ';' => ids.push(std::mem::take(&mut id)),
            other => id.push(other),
        }
    }
    if !text.is_empty() {
        ids.push(id);
    }
    ids
}

pub(crate) fn joined(ids: &[String]) -> String {
    let escaped: Vec<String> = ids
        .iter()
        .map(|id| id.replace('\\', "\\\\").replace(';', "\\;"))
        .collect();
    escaped.join(";")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_scores_are_empty_with_a_reason_and_hostile_ids_are_harmless() {
        let rows = [
            ResponseRow {
                system: "=cmd()".to_owned(),
                query: "00123".to_owned(),
                sample: "1".to_owned(),
                score: Some(-0.25),
                score_undefined: None,
                outcome: Some(Outcome::Fail),
                gates_failed: vec!["dose".to_owned(), "a;b".to_owned()],
                coverage: 1.0,
            },
            ResponseRow {
                system: "s".to_owned(),
                query: "q,2".to_owned(),
                sample: "1".to_owned(),
                score: None,
                score_undefined: Some(Undefined::new("no_labels", "no criterion of the response has a label")),
                outcome: None,
                gates_failed: Vec::new(),
                coverage: 0.0,
            },
        ];
        let mut out = Vec::new();
        write_responses(&rows, &mut out).expect("memory takes bytes");
        let expected = "system,query,sample,score,score_undefined,outcome,gates_failed,coverage\n\
                        '=cmd(),00123,1,-0.25,,fail,dose;a\\;b,1\n\
                        s,\"q,2\",1,,no_labels,,,0\n";
        let written = String::from_utf8(out).expect("UTF-8");
        assert_eq!(written, expected);
        let mut back = rows;
        back[1].score_undefined = Some(Undefined::new("no_labels", "no_labels"));
        assert_eq!(
            parse_responses_table(&written, "responses.csv").expect("it was just written"),
            back
        );
        let cut = written.replace("0.25,,fail", "0.25,,failed");
        let refused = parse_responses_table(&cut, "responses.csv").expect_err("no such outcome");
        assert_eq!(refused.span.map(|span| span.line), Some(2));
    }
}
