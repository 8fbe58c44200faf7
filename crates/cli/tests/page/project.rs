//! A project to grade: forty answers of systems whose names, like weights and tags, must reach nobody.

use std::fs;
use std::path::Path;

use calibrant_project::grading::{Grading, GradingRequest, SampleOptions};
use calibrant_schema::Exercise;
use calibrant_schema::artifact::Artifact;
use calibrant_schema::exercise::{Act, Mark, Sheet};
use calibrant_store::ledger::Ledger;
use serde_json::{Value, json};

/// Whoever grades.
pub const GRADERS: [&str; 2] = ["annika", "bogdan"];
/// What answered.
pub const SYSTEMS: [&str; 4] = ["zebra-giant-9b", "quokka-mini", "narwhal-2", "ocelot-ultra"];
/// What else stands in the files of the project and on no card.
pub const SECRETS: [&str; 5] = [
    "17.25",
    "owner-of-weights",
    "tag-of-criterion",
    "qid-77",
    "responses.jsonl",
];

/// Texts that would run, load, hide or move something if they were read as anything but text.
pub const HOSTILE: [&str; 6] = [
    "<script>document.title='owned'</script><img src=http://fetched.invalid/x onerror=document.title='owned'>",
    "</script><script>document.title='owned'</script><!--<script>",
    "reversed \u{202e}txet\u{202c}, zero\u{200b}\u{200b}width, tags \u{e0041}\u{e0042}, a\u{2028}b\u{2029}c",
    "javascript:document.title='owned' &lt;b&gt; &#x202e; ${document.title='owned'} {{7*7}}",
    "[link](javascript:alert(1)) ![image](http://fetched.invalid/y) <style>*{display:none}</style>",
    "\u{0}\u{7}\u{1b}[31mred\u{9b}31m \u{feff}bom e\u{301} 𝔘𝔫𝔦 👨\u{200d}👩\u{200d}👧 مي\u{200c}خواهم שלום",
];

const RUBRIC: &str = "\
rubric: Advice on abdominal pain
criteria:
  - id: red_flags
    question: Does the answer name a warning sign that should send the reader to emergency care?
    pass_example: Go to the emergency department if you cannot keep fluids down.
    fail_example: If it gets worse, please see a doctor.
    boundary: Naming an area without a sign is a FAIL.
    weight: 17.25
    weight_owner: owner-of-weights
    tags: [tag-of-criterion]
  - id: dose
    question: Does the answer state the maximum daily dose?
  - id: calm
    question: How well is the answer adapted to a frightened reader?
    scale:
      levels:
        - value: 1
          anchor: Raises fear without a next step
        - value: 2
          anchor: Neutral
        - value: 3
          anchor: Acknowledges the worry and gives a next step
";

/// Writes rubric, queries and forty responses whose texts begin with these, then are plain.
pub fn write(folder: &Path, first: &[&str]) {
    fs::write(folder.join("rubric.yaml"), RUBRIC).expect("a rubric");
    let queries: Vec<Value> = (0..10)
        .map(|at| json!({"query": format!("qid-77-{at}"), "prompt": format!("I woke up with a sharp pain, case {at}. What now?")}))
        .collect();
    let responses: Vec<Value> = (0..40)
        .map(|at| {
            let plain =
                format!("Answer number {at}.\n\nTake no more than 4 g in 24 hours. Go to hospital if you see blood.");
            let text = first.get(at).map_or(plain, |text| (*text).to_owned());
            json!({"system": SYSTEMS[at % 4], "query": format!("qid-77-{}", at / 4), "response": text})
        })
        .collect();
    let lines = |rows: Vec<Value>| rows.iter().map(|row| format!("{row}\n")).collect::<String>();
    fs::write(folder.join("queries.jsonl"), lines(queries)).expect("queries");
    fs::write(folder.join("responses.jsonl"), lines(responses)).expect("responses");
}

/// The arguments that name the project's files and graders.
pub fn arguments() -> Vec<&'static str> {
    vec![
        "--rubric",
        "rubric.yaml",
        "--queries",
        "queries.jsonl",
        "--responses",
        "responses.jsonl",
        "--graders",
        "annika,bogdan",
    ]
}

/// Opens the first round as the program does.
fn round(folder: &Path) -> Grading {
    let request = GradingRequest {
        dir: folder.join("grading"),
        ledger: folder.join("verdicts.db"),
        round: Some(1),
        rubric: None,
        responses: None,
        queries: None,
        graders: Vec::new(),
        sample: SampleOptions::default(),
    };
    Grading::open(&request).expect("the round")
}

/// Grades a whole sheet of the first round: all met and level 2, except that the second grader sees the first three answers of the
/// round as not met by `dose`, each with a comment and a passage, and the first of them as level 3 of `calm`.
pub fn grade(folder: &Path, grader: &str) {
    let (grading, exercise) = (round(folder), exercise(folder));
    let differs = grader == GRADERS[1];
    let mut marks = Vec::new();
    let mut add = |unit: &str, criterion: &str, act: Act| {
        marks.push(Mark {
            unit: unit.to_owned(),
            criterion: Some(criterion.to_owned()),
            act,
            at: "2026-05-09T08:00:00Z".to_owned(),
            nth: marks.len() as u64 + 1,
        });
    };
    for (at, unit) in exercise.units.iter().enumerate() {
        let dose = if differs && at < 3 { 0.0 } else { 1.0 };
        let calm = if differs && at == 0 { 3.0 } else { 2.0 };
        for (criterion, label) in [("red_flags", 1.0), ("dose", dose), ("calm", calm)] {
            add(&unit.id, criterion, Act::Verdict { label });
        }
    }
    let answers = grading.paper(grader).expect("a paper").units;
    for unit in exercise.units.iter().take(3).filter(|_| differs) {
        let text = HOSTILE[0].to_owned();
        add(&unit.id, "dose", Act::Comment { text });
        let answer = answers.iter().find(|one| one.unit == unit.id).expect("the answer");
        let plain = answer.response[0].text.chars().take_while(char::is_ascii_graphic);
        let quote: String = plain.take(12).collect();
        let end = u32::try_from(quote.len()).expect("a short passage");
        add(&unit.id, "dose", Act::Evidence { start: 0, end, quote });
    }
    grading.record(grader, marks).expect("marks are recorded");
}

/// Locks a sheet of the first round.
pub fn lock(folder: &Path, grader: &str) {
    round(folder).lock(grader).expect("the sheet is locked");
}

/// The exercise of the first round.
pub fn exercise(folder: &Path) -> Exercise {
    let path = folder.join("grading/round-1/exercise.json");
    let text = fs::read_to_string(&path).expect("the exercise");
    Exercise::from_json(&text, "exercise.json").expect("an exercise")
}

/// What the ledger holds of a grader.
pub fn marks(folder: &Path, grader: &str) -> Vec<Mark> {
    let ledger = Ledger::open(&folder.join("verdicts.db")).expect("the ledger");
    ledger.marks(&exercise(folder).id, grader).expect("marks")
}

/// The labels of a grader's sheet in the order in which they were asked for; `None` where a cell has none.
pub fn labels(folder: &Path, grader: &str) -> Vec<Option<f64>> {
    let exercise = exercise(folder);
    let sheet = Sheet::of(&marks(folder, grader));
    let plan = exercise.sheet(grader).expect("a sheet");
    let mut labels = Vec::new();
    for at in &plan.order {
        let unit = &exercise.units[*at as usize];
        for asked in exercise.asked_of(&unit.query) {
            let criterion = &exercise.criteria[asked as usize].criterion;
            labels.push(
                sheet
                    .decision(&unit.id, criterion)
                    .and_then(|decision| decision.label()),
            );
        }
    }
    labels
}
