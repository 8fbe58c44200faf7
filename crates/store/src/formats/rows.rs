//! Rows of our own files, as an import writes them.

use calibrant_schema::Status;
use calibrant_schema::query::Query;
use calibrant_schema::response::Response;
use serde_json::{Value, json};

use super::CriterionRow;
use crate::ledger::Entry;

/// The query of a criterion that is shared by all, in a pool.
const EVERY_QUERY: &str = "*";

/// A criterion as a line of a pool, without its end.
#[must_use]
pub fn criterion_line(row: &CriterionRow) -> String {
    let mut line = Row::default();
    line.text("query", row.query.as_deref().unwrap_or(EVERY_QUERY));
    line.text("id", &row.id);
    line.text("question", &row.question);
    line.put("weight", Some(json!(row.weight)));
    if !row.tags.is_empty() {
        line.put("tags", Some(json!(row.tags)));
    }
    if let Some(levels) = &row.levels {
        let levels: Vec<Value> = levels.iter().map(|value| json!({"value": value})).collect();
        line.put("scale", Some(json!({"levels": levels})));
    }
    line.put("check", row.check.clone());
    line.finish()
}

/// A query as a line of `queries.jsonl`, without its end.
#[must_use]
pub fn query_line(query: &Query) -> String {
    let mut line = Row::default();
    line.text("query", &query.query);
    let prompt_key = match query.prompt {
        Some(Value::String(_)) => "prompt",
        _ => "messages",
    };
    line.put(prompt_key, query.prompt.clone());
    line.put("task_type", query.task_type.as_deref().map(Value::from));
    line.put("domain", query.domain.as_deref().map(Value::from));
    if !query.tags.is_empty() {
        line.put("tags", Some(json!(query.tags)));
    }
    if query.weight != 1.0 {
        line.put("weight", Some(json!(query.weight)));
    }
    line.put("cluster", query.cluster.as_deref().map(Value::from));
    line.finish()
}

/// A response as a line of `responses.jsonl`, without its end.
#[must_use]
pub fn response_line(response: &Response) -> String {
    let mut line = Row::default();
    line.text("system", &response.system);
    line.text("query", &response.query);
    line.text("sample", &response.sample);
    let key = match response.body {
        Value::String(_) => "response",
        _ => "messages",
    };
    line.put(key, Some(response.body.clone()));
    line.finish()
}

/// A verdict as a line of a table of verdicts, without its end: what is not known has no key.
#[must_use]
pub fn verdict_line(entry: &Entry) -> String {
    let mut line = Row::default();
    let cell = &entry.cell;
    line.text("system", &cell.system);
    line.text("query", &cell.query);
    line.text("sample", &cell.sample);
    line.text("criterion", &cell.criterion);
    line.text("judge", &cell.judge);
    line.put("repeat", Some(json!(cell.repeat)));
    line.put("label", Some(entry.label.map_or(Value::Null, |label| json!(label))));
    line.text("status", entry.status.as_str());
    line.put("probability", entry.probability.map(Value::from));
    line.put("verdict_source", entry.source.map(|source| source.word().into()));
    let texts = [
        ("reason", &entry.reason),
        ("evidence", &entry.evidence),
        ("comment", &entry.comment),
        ("flags", &entry.flags),
        ("raw", &entry.raw),
        ("model_answered", &entry.model_answered),
        ("finish_reason", &entry.finish_reason),
    ];
    for (key, text) in texts {
        line.put(key, text.as_deref().map(Value::from));
    }
    line.put("attempts", entry.attempts.map(Value::from));
    line.put("tokens_in", entry.tokens_in.map(Value::from));
    line.put("tokens_cached", entry.tokens_cached.map(Value::from));
    line.put("tokens_out", entry.tokens_out.map(Value::from));
    line.put("cost_usd", entry.cost_usd.map(Value::from));
    line.put("latency_ms", entry.latency_ms.map(Value::from));
    line.put("step", entry.step.map(Value::from));
    line.put("judged_at", entry.judged_at.as_deref().map(Value::from));
    line.finish()
}

/// Whether label and status of a verdict say the same: a label exactly where the status is `ok`.
#[must_use]
pub fn is_consistent(entry: &Entry) -> bool {
    match entry.label {
        Some(label) => label.is_finite() && entry.status == Status::Ok,
        None => entry.status != Status::Ok,
    }
}

/// One JSON object whose keys stand in the order they were put.
#[derive(Default)]
struct Row(Vec<(&'static str, Value)>);

impl Row {
    fn text(&mut self, key: &'static str, text: &str) {
        self.0.push((key, text.into()));
    }

    /// Puts a value; none has no key.
    fn put(&mut self, key: &'static str, value: Option<Value>) {
        self.0.extend(value.map(|value| (key, value)));
    }

    fn finish(self) -> String {
        // An object of serde_json sorts its keys; rows are read by people, who look for the ids first.
        let mut line = String::from("{");
        for (at, (key, value)) in self.0.into_iter().enumerate() {
            if at > 0 {
                line.push_str(", ");
            }
            line.push_str(&format!("\"{key}\": {value}"));
        }
        line.push('}');
        line
    }
}

#[cfg(test)]
mod tests {
    use calibrant_schema::query::parse_queries;
    use calibrant_schema::response::parse_responses;
    use calibrant_schema::{Rubric, Scale};

    use super::*;
    use crate::Source;
    use crate::ledger::Cell;
    use crate::tables::{ReadOptions, read_verdicts};

    #[test]
    fn a_criterion_is_read_back() {
        let row = CriterionRow {
            id: "c01".into(),
            query: Some("q".into()),
            question: "Does it \"say\"\nthe dose?".into(),
            weight: -3.5,
            tags: vec!["axis:safety".into()],
            levels: Some(vec![0.0, 0.5, 1.0]),
            check: None,
        };
        let shared = CriterionRow {
            id: "short".into(),
            question: "Is it short?".into(),
            weight: 1.0,
            check: Some(json!({"max_words": 200})),
            ..CriterionRow::default()
        };
        let text = format!("{}\n{}\n", criterion_line(&row), criterion_line(&shared));
        let (rubric, found) = Rubric::parse_rows(&text, "criteria.jsonl").expect("both rows are right");
        assert!(found.is_empty(), "{found:?}");
        let [first, second] = rubric.criteria.as_slice() else {
            panic!("two criteria")
        };
        assert_eq!(
            (first.id.as_str(), first.query.as_deref(), first.weight),
            ("c01", Some("q"), -3.5)
        );
        assert_eq!((&first.question, &first.tags), (&row.question, &row.tags));
        assert_eq!([0, 1, 2].map(|level| first.scale.value(level)), [0.0, 0.5, 1.0]);
        assert_eq!((second.query.as_deref(), &second.scale), (None, &Scale::Binary));
        assert!(second.check.is_some());
    }

    #[test]
    fn queries_and_responses_are_read_back() {
        let query = Query {
            query: "q".into(),
            prompt: Some(json!([{"role": "user", "content": "\u{2028}?"}])),
            task_type: None,
            domain: Some("tax".into()),
            tags: vec!["a".into()],
            weight: 0.5,
            cluster: Some("k".into()),
        };
        let (queries, _) = parse_queries(&query_line(&query), "queries.jsonl").expect("the row is right");
        assert_eq!(queries, [query]);
        let response = Response {
            system: "s".into(),
            query: "q".into(),
            sample: "2".into(),
            body: " Yes.\n".into(),
        };
        let (responses, _) = parse_responses(&response_line(&response), "responses.jsonl").expect("the row is right");
        assert_eq!(responses, [response]);
    }

    #[test]
    fn verdicts_are_read_back_with_keys_that_come_later() {
        let cell = |criterion: &str| Cell {
            system: "=s".into(),
            query: "q".into(),
            sample: "1".into(),
            criterion: criterion.into(),
            judge: "j".into(),
            repeat: 1,
        };
        let told = Entry {
            reason: Some("it says so,\nplainly".into()),
            cost_usd: Some(0.001),
            ..Entry::new(cell("b"), Status::Ok, Some(1.0))
        };
        let rows = [Entry::new(cell("a"), Status::Failed, None), told];
        let text: String = rows.iter().map(|row| verdict_line(row) + "\n").collect();
        let source = Source::bytes("verdicts.jsonl", text.into_bytes());
        let read = read_verdicts(vec![source], &ReadOptions::default()).expect("both rows are right");
        let got: Vec<_> = read.verdicts.rows().map(|row| (row.level, row.status)).collect();
        assert_eq!(got, [(None, Status::Failed), (Some(1), Status::Ok)]);
        assert_eq!(read.verdicts.systems().iter().collect::<Vec<_>>(), ["=s"]);
    }
}
