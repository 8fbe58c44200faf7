use super::*;
use crate::canonical::Hash;
use crate::card::Card;
use crate::exercise::{Paper, PaperCriterion, PaperUnit, WrongMark};
use crate::scale::Scale;
use crate::turn::Turn;

fn mark(criterion: Option<&str>, act: Act, nth: u64) -> Mark {
    Mark {
        unit: "u".to_owned(),
        criterion: criterion.map(str::to_owned),
        act,
        at: String::new(),
        nth,
    }
}

#[test]
fn the_last_decision_stands_and_undo_opens_the_cell() {
    let mut sheet = Sheet::of(&[
        mark(Some("c"), Act::Verdict { label: 1.0 }, 1),
        mark(
            Some("c"),
            Act::Comment {
                text: "late".to_owned(),
            },
            2,
        ),
        mark(Some("c"), Act::Verdict { label: 0.0 }, 3),
        mark(None, Act::Seen { ms: 900 }, 4),
        mark(None, Act::Seen { ms: 100 }, 5),
    ]);
    assert_eq!(sheet.decision("u", "c"), Some(&Decision::Label(0.0)));
    assert_eq!(
        sheet.cell("u", "c").and_then(|cell| cell.comment.as_deref()),
        Some("late")
    );
    assert_eq!(sheet.unit("u").map(|unit| unit.seen_ms), Some(1000));
    sheet.apply(&mark(Some("c"), Act::Withdraw, 6));
    assert_eq!(sheet.decision("u", "c"), None);
    assert_eq!(sheet.last(), 6);
    assert_eq!(
        sheet.cell("u", "c").and_then(|cell| cell.comment.as_deref()),
        Some("late")
    );
}

fn paper() -> Paper {
    let card = Card {
        question: "Is it dated?".to_owned(),
        pass_example: None,
        fail_example: None,
        boundary: None,
        scale: Scale::Binary,
    };
    Paper {
        exercise: "e".to_owned(),
        grader: "ana".to_owned(),
        rubric: None,
        criteria: vec![
            PaperCriterion {
                criterion: "c".to_owned(),
                hash: Hash::of_bytes(b"c"),
                card: card.clone(),
            },
            PaperCriterion {
                criterion: "other".to_owned(),
                hash: Hash::of_bytes(b"o"),
                card,
            },
        ],
        units: vec![PaperUnit {
            unit: "u".to_owned(),
            prompt: Vec::new(),
            response: vec![Turn {
                role: "assistant".to_owned(),
                text: "Pay by 28 May…".to_owned(),
            }],
            criteria: vec![0],
        }],
    }
}

#[test]
fn only_marks_of_the_sheet_can_stand_on_it() {
    let paper = paper();
    let evidence = |start, end, quote: &str| Act::Evidence {
        start,
        end,
        quote: quote.to_owned(),
    };
    let right = [
        mark(Some("c"), Act::Verdict { label: 1.0 }, 1),
        mark(Some("c"), evidence(7, 14, "28 May…"), 2),
        mark(Some("c"), evidence(0, 0, ""), 3),
        mark(None, Act::Comment { text: String::new() }, 4),
    ];
    for mark in right {
        assert_eq!(paper.check(&mark), Ok(()), "{mark:?}");
    }
    let elsewhere = Mark {
        unit: "../u".to_owned(),
        ..mark(None, Act::Flag, 1)
    };
    assert_eq!(
        paper.check(&elsewhere),
        Err(WrongMark::Unit {
            unit: "../u".to_owned()
        })
    );
    let long = "x".repeat((64 << 10) + 1);
    let wrong = [
        (
            mark(Some("other"), Act::Flag, 1),
            WrongMark::Criterion {
                criterion: "other".to_owned(),
            },
        ),
        (mark(None, Act::Withdraw, 1), WrongMark::NoCriterion { act: "withdraw" }),
        (
            mark(None, evidence(0, 3, "Pay"), 1),
            WrongMark::NoCriterion { act: "evidence" },
        ),
        (
            mark(Some("c"), Act::Verdict { label: 0.5 }, 1),
            WrongMark::Label {
                criterion: "c".to_owned(),
                label: 0.5,
            },
        ),
        (
            mark(Some("c"), Act::Skip { reason: " ".to_owned() }, 1),
            WrongMark::NoReason,
        ),
        (mark(Some("c"), evidence(7, 14, "29 May…"), 1), WrongMark::Passage),
        (mark(Some("c"), evidence(u32::MAX, 0, "x"), 1), WrongMark::Passage),
        (mark(None, Act::Comment { text: long }, 1), WrongMark::Long),
    ];
    for (mark, why) in wrong {
        assert_eq!(paper.check(&mark), Err(why), "{mark:?}");
    }
}
