//! `responses.csv`: what the rubric says about each response.

use std::io::{self, Write};

use calibrant_schema::scores::{Outcome, ResponseRow};

use crate::tables::guard::guarded;

/// Writes responses as CSV, in the order given: system, query, sample, score, score_undefined, outcome, gates_failed, coverage.
///
/// An undefined score is an empty cell with its reason in the next column. Gates are joined by `;`, and a `;` or `\` in an id is
/// written with a `\` before it. Ids are [`guarded`].
///
/// # Errors
/// If `out` cannot be written.
pub fn write_responses(rows: &[ResponseRow], out: impl Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record([
        "system",
        "query",
        "sample",
        "score",
        "score_undefined",
        "outcome",
        "gates_failed",
        "coverage",
    ])?;
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
    use calibrant_schema::Undefined;

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
        assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
    }
}
