use calibrant_schema::Criterion;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::json;

use super::*;

fn rows(bytes: &[u8]) -> Vec<String> {
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes.to_vec())).expect("it is Parquet");
    let rows = reader.get_row_iter(None).expect("every column is read");
    rows.map(|row| row.expect("the row is whole").to_string()).collect()
}

fn query(id: &str, prompt: Option<Value>, tags: &[&str]) -> Query {
    Query {
        query: id.into(),
        prompt,
        task_type: None,
        domain: None,
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        weight: 1.0,
        cluster: None,
    }
}

#[test]
fn lists_are_read_back_empty_and_full() {
    let queries = [
        query("00123", None, &[]),
        query(
            "b",
            Some(json!([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": ["x"]}])),
            &["t", "u"],
        ),
        query("c", Some(json!("text")), &["v"]),
    ];
    let tables = HubTables {
        queries: &queries,
        ..HubTables::default()
    };
    let (files, losses) = write_hugging_face(tables).expect("there are rows");
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["README.md", "data/queries-00000-of-00001.parquet"]);
    let read = rows(&files[1].1);
    assert!(
        read[0].contains("messages: []") && read[0].contains("query: \"00123\""),
        "{}",
        read[0]
    );
    assert!(
        read[1].contains(r#"tags: ["t", "u"]"#) && read[1].contains(r#"{role: "user", content: "Hi"}"#),
        "{}",
        read[1]
    );
    assert!(read[2].contains(r#"{role: "user", content: "text"}"#), "{}", read[2]);
    assert_eq!(losses.iter().map(|loss| loss.count).collect::<Vec<_>>(), [1]);
    assert_eq!(
        write_hugging_face(tables).expect("again").0,
        files,
        "the same rows give the same bytes"
    );
}

#[test]
fn criteria_have_the_same_types_whatever_they_hold() {
    let mut graded = Criterion::new("b", "How clear?");
    graded.scale = "1..3".parse().expect("a scale");
    graded.query = Some("q".into());
    let rubric = Rubric {
        name: Some("a | <b>\n---".into()),
        criteria: vec![Criterion::new("a", "Is it short?"), graded],
        ..Rubric::default()
    };
    let tables = HubTables {
        rubric: Some(&rubric),
        ..HubTables::default()
    };
    let (files, losses) = write_hugging_face(tables).expect("there are rows");
    assert!(losses.is_empty());
    let read = rows(&files[1].1);
    assert!(
        read[0].contains("levels: [0E0, 1.0]") && read[0].contains("query: null"),
        "{}",
        read[0]
    );
    assert!(read[1].contains("levels: [1.0, 2.0, 3.0]"), "{}", read[1]);
    let card = String::from_utf8(files[0].1.clone()).expect("UTF-8");
    assert!(
        card.starts_with("---\nconfigs:\n- config_name: criteria\n  data_files:\n"),
        "{card}"
    );
    assert_eq!(
        card.lines().filter(|line| *line == "---").count(),
        2,
        "no name ends the block"
    );
}

#[test]
fn nothing_is_no_data_set() {
    assert!(write_hugging_face(HubTables::default()).is_err());
}
