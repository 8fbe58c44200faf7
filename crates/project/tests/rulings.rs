//! A round of two graders, its disagreements, and what a ruling does: to the rubric file, to the ledger, and to verdicts.

use std::fs;
use std::path::{Path, PathBuf};

use calibrant_project::grading::{Grading, GradingRequest, SampleOptions};
use calibrant_project::{
    Decided, ProjectError, Review, ReviewInputs, RubricFile, Signature, review_round, settle, stale_verdicts,
};
use calibrant_schema::exercise::{Act, Mark};
use calibrant_schema::resolution::Outcome;
use calibrant_schema::rubric::edit::Wording;

const RUBRIC: &str = "\
rubric: letters   # of the tax desk
version: 1
criteria:
  - id: dated
    question: Does the answer give the date by day and month?
    boundary: >
      A date of the wrong year is a FAIL.   
    weight: 4      # agreed in May
  - id: names_form
    question: Does the answer name the form?
";

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place {
            folder: tempfile::tempdir().expect("a temporary folder"),
        };
        place.write("rubric.yaml", RUBRIC);
        let rows: String = (0..4)
            .map(|at| format!("{{\"system\": \"secret\", \"query\": \"q{at}\", \"response\": \"Pay by {at} May.\"}}\n"))
            .collect();
        place.write("responses.jsonl", &rows);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("the folder is writable");
    }

    fn rubric(&self) -> String {
        fs::read_to_string(self.path("rubric.yaml")).expect("the rubric")
    }

    fn round(&self) -> Grading {
        let request = GradingRequest {
            dir: self.path("grading"),
            ledger: self.path("verdicts.db"),
            round: None,
            rubric: Some(self.path("rubric.yaml")),
            responses: Some(self.path("responses.jsonl")),
            queries: None,
            graders: vec!["ana".to_owned(), "ben".to_owned()],
            sample: SampleOptions::default(),
        };
        Grading::open(&request).unwrap_or_else(|error| panic!("{error}"))
    }

    fn review(&self) -> Result<Review, ProjectError> {
        let inputs = ReviewInputs {
            rubric: Some(self.path("rubric.yaml")),
            ..ReviewInputs::default()
        };
        review_round(self.round(), &inputs, &mut |_| {})
    }

    /// Ana meets everything; ben fails `dated` at the first two answers of the exercise, with a comment at the first.
    fn graded(&self) {
        let grading = self.round();
        let units: Vec<String> = grading.exercise().units.iter().map(|unit| unit.id.clone()).collect();
        for grader in ["ana", "ben"] {
            let mut marks = Vec::new();
            let mut add = |unit: &str, criterion: &str, act: Act| {
                marks.push(Mark {
                    unit: unit.to_owned(),
                    criterion: Some(criterion.to_owned()),
                    act,
                    at: "2026-05-08T09:00:00Z".to_owned(),
                    nth: marks.len() as u64 + 1,
                });
            };
            for (at, unit) in units.iter().enumerate() {
                let label = if grader == "ben" && at < 2 { 0.0 } else { 1.0 };
                add(unit, "dated", Act::Verdict { label });
                add(unit, "names_form", Act::Verdict { label: 1.0 });
            }
            let text = "day alone?".to_owned();
            add(&units[0], "dated", Act::Comment { text });
            grading.record(grader, marks).unwrap_or_else(|error| panic!("{error}"));
        }
    }

    fn lock(&self) {
        for grader in ["ana", "ben"] {
            self.round().lock(grader).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

fn signature() -> Signature {
    Signature::now("ana and ben", Some("2026-05-09".parse().expect("a day")))
}

fn ruling() -> Decided {
    Decided::Ruling {
        text: "A day without its month is a FAIL.".to_owned(),
    }
}

fn refusal<T>(result: Result<T, ProjectError>) -> String {
    match result.err().expect("it is refused") {
        ProjectError::Refused(diagnostic) => diagnostic.id.to_owned(),
        other => panic!("{other}"),
    }
}

#[test]
fn nobody_sees_a_label_before_every_sheet_is_locked() {
    let place = Place::new();
    place.graded();
    assert_eq!(refusal(place.review()), "round-open");
    place.round().lock("ana").expect("her sheet is complete");
    assert_eq!(refusal(place.review()), "round-open");
    place.round().lock("ben").expect("his sheet is complete");
    let review = place.review().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(review.disagreements.queue.len(), 2);
}

#[test]
fn a_ruling_stands_in_the_file_and_makes_the_verdicts_of_its_criterion_stale_and_no_others() {
    let place = Place::new();
    place.graded();
    place.lock();
    let review = place.review().unwrap_or_else(|error| panic!("{error}"));
    let shown = review.rubric.clone().expect("the rubric was named");
    let first = review.disagreements.queue[0].clone();
    let commented = review
        .disagreements
        .queue
        .iter()
        .find(|one| one.labels[1].comment.is_some());
    assert_eq!(
        commented.expect("ben wrote something").labels[1].comment.as_deref(),
        Some("day alone?")
    );
    assert_eq!(review.answer(&first).len(), 1);
    let fresh = stale_verdicts(review.ledger().expect("a round has a ledger"), &shown);
    assert!(fresh.unwrap_or_else(|error| panic!("{error}")).is_empty());

    let settled = settle(&review, &shown, &first.id, &ruling(), &signature()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((settled.stale, settled.open), (8, 1), "four answers, two graders");
    let expected = RUBRIC.replace("version: 1", "version: 2").replace(
        "wrong year is a FAIL.   \n",
        &format!(
            "wrong year is a FAIL.\n      A day without its month is a FAIL.\n    rulings:\n      - date: 2026-05-09\n        \
             text: A day without its month is a FAIL.\n        from: {}\n",
            first.id
        ),
    );
    assert_eq!(place.rubric(), expected);
    let stale = stale_verdicts(review.ledger().expect("a ledger"), &settled.after);
    let stale = stale.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(stale.into_iter().collect::<Vec<_>>(), [("dated".to_owned(), 8)]);

    let again = place.review().unwrap_or_else(|error| panic!("{error}"));
    let ended = again.disagreements.find(&first.id).and_then(|one| one.ended.clone());
    let ended = ended.expect("the ledger remembers");
    assert_eq!((ended.outcome, ended.by.as_str()), (Outcome::Ruling, "ana and ben"));
    assert_eq!(again.disagreements.open().count(), 1);
    let after = again.rubric.clone().expect("the rubric");
    assert_eq!(
        refusal(settle(&again, &after, &first.id, &ruling(), &signature())),
        "settled"
    );
}

#[test]
fn a_file_that_changed_since_it_was_shown_is_left_alone() {
    let place = Place::new();
    place.graded();
    place.lock();
    let review = place.review().unwrap_or_else(|error| panic!("{error}"));
    let shown = review.rubric.clone().expect("the rubric was named");
    let id = review.disagreements.queue[0].id.clone();
    let changed = RUBRIC.replace("of the tax desk", "of the tax desk, and others");
    place.write("rubric.yaml", &changed);
    assert_eq!(
        refusal(settle(&review, &shown, &id, &ruling(), &signature())),
        "rubric-changed"
    );
    assert_eq!(place.rubric(), changed);
    assert_eq!(
        place
            .review()
            .unwrap_or_else(|error| panic!("{error}"))
            .disagreements
            .open()
            .count(),
        2
    );
}

#[test]
fn a_slip_leaves_rubric_and_labels_and_a_new_wording_says_why() {
    let place = Place::new();
    place.graded();
    place.lock();
    let review = place.review().unwrap_or_else(|error| panic!("{error}"));
    let shown = review.rubric.clone().expect("the rubric was named");
    let [first, second] = [0, 1].map(|at| review.disagreements.queue[at].id.clone());
    let slip = |judge: &str, label: f64| Decided::Slip {
        judge: judge.to_owned(),
        label,
        why: "read the wrong line".to_owned(),
    };
    let wrong = [
        ("ben", 0.0, "no-slip"),
        ("ben", 3.0, "off-scale"),
        ("eva", 1.0, "no-judge"),
    ];
    for (judge, label, refused) in wrong {
        assert_eq!(
            refusal(settle(&review, &shown, &first, &slip(judge, label), &signature())),
            refused
        );
    }
    let settled =
        settle(&review, &shown, &first, &slip("ben", 1.0), &signature()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((settled.stale, place.rubric().as_str()), (0, RUBRIC));
    let again = place.review().unwrap_or_else(|error| panic!("{error}"));
    let one = again
        .disagreements
        .find(&first)
        .expect("the labels are as they were given");
    assert_eq!(one.labels[1].label, 0.0);
    assert_eq!(
        one.ended.as_ref().map(|ended| ended.text.as_str()),
        Some("ben meant 1: read the wrong line")
    );

    let wording = Decided::Wording {
        field: Wording::Question,
        text: "Does the answer give day and month?".to_owned(),
        why: "\"the date\" had two readings".to_owned(),
    };
    settle(&again, &shown, &second, &wording, &signature()).unwrap_or_else(|error| panic!("{error}"));
    let after = RubricFile::read(Path::new(&place.path("rubric.yaml"))).unwrap_or_else(|error| panic!("{error}"));
    let dated = &after.rubric.criteria[0];
    assert_eq!(dated.question, "Does the answer give day and month?");
    assert_eq!(
        dated.rulings[0].text,
        "reworded `question`: \"the date\" had two readings"
    );
    assert_eq!(dated.rulings[0].from.as_deref(), Some(second.as_str()));
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let place = Place::new();
    place.graded();
    place.lock();
    fs::rename(place.path("rubric.yaml"), place.path("kept.yaml")).expect("a new name");
    fs::set_permissions(place.path("kept.yaml"), fs::Permissions::from_mode(0o640)).expect("permissions");
    symlink(place.path("kept.yaml"), place.path("rubric.yaml")).expect("a link");
    let review = place.review().unwrap_or_else(|error| panic!("{error}"));
    let shown = review.rubric.clone().expect("the rubric was named");
    let id = review.disagreements.queue[0].id.clone();
    settle(&review, &shown, &id, &ruling(), &signature()).unwrap_or_else(|error| panic!("{error}"));
    assert!(
        fs::symlink_metadata(place.path("rubric.yaml"))
            .expect("the link")
            .is_symlink()
    );
    let kept = fs::metadata(place.path("kept.yaml")).expect("the file");
    assert_eq!(kept.permissions().mode() & 0o777, 0o640);
    assert!(place.rubric().contains("without its month"));
}
