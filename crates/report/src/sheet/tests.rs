use calibrant_schema::exercise::{Act, PaperCriterion, PaperUnit};
use calibrant_schema::{Card, Scale, Turn};

use super::*;
use crate::page::DOOR_SCRIPT;

/// Texts that would run, end an element or hide something if they were read as anything but text.
const HOSTILE: [&str; 4] = [
    "</script><script>document.title='owned'</script>",
    "<!--<script>",
    "a\u{2028}b\u{2029}c &amp; \u{202e}d",
    "<img src=x onerror=alert(1)>",
];

fn paper() -> Paper {
    let card = Card {
        question: HOSTILE[0].to_owned(),
        pass_example: Some(HOSTILE[1].to_owned()),
        fail_example: None,
        boundary: Some(HOSTILE[2].to_owned()),
        scale: Scale::Binary,
    };
    Paper {
        exercise: "00ff".to_owned(),
        grader: HOSTILE[3].to_owned(),
        rubric: Some(HOSTILE[0].to_owned()),
        criteria: vec![PaperCriterion {
            criterion: "dated".to_owned(),
            hash: card.hash(),
            card,
        }],
        units: vec![PaperUnit {
            unit: "0f".to_owned(),
            prompt: vec![],
            response: HOSTILE
                .iter()
                .map(|text| Turn {
                    role: "assistant".to_owned(),
                    text: (*text).to_owned(),
                })
                .collect(),
            criteria: vec![0],
        }],
    }
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let from = text.split_once(start).expect("the start is in the page").1;
    from.split_once(end).expect("the end is in the page").0
}

#[test]
fn what_comes_from_outside_is_in_the_data_block_and_cannot_leave_it() {
    let html = offline(&paper());
    let data = between(&html, "<script type=\"application/json\" id=\"data\">", "</script>");
    assert!(!data.contains(['<', '>', '&', '\u{2028}', '\u{2029}']));
    let read: serde_json::Value = serde_json::from_str(data).expect("the block is JSON");
    assert_eq!(read["paper"], serde_json::to_value(paper()).expect("a paper is JSON"));
    let around = html.replace(data, "");
    for text in HOSTILE {
        assert!(!around.contains(text), "{text} stands outside of the data");
    }
    assert_eq!(around.matches("<script").count(), 2);
}

/// A script or style that held the end of its own element, or a comment, would not be the text that its hash names.
#[test]
fn nothing_ends_the_script_or_the_style_early() {
    for script in [SHEET_SCRIPT, DOOR_SCRIPT] {
        assert!(!script.contains("</") && !script.contains("<!--") && !script.contains('\r'));
    }
    assert!(!STYLE.contains('<') && !STYLE.contains('\r'));
    let html = offline(&paper());
    assert_eq!(between(&html, "<style>", "</style>"), STYLE);
    assert_eq!(between(&html, "<script>", "</script>"), SHEET_SCRIPT);
}

/// Nothing is parsed from text, and nothing comes from elsewhere.
#[test]
fn the_script_sets_text_and_asks_its_own_server_alone() {
    for parsing in [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "http:",
        "https:",
        "setTimeout(\"",
        ".style",
    ] {
        assert!(!SHEET_SCRIPT.contains(parsing), "{parsing}");
    }
    for reference in ["url(", "@import", "http"] {
        assert!(!STYLE.contains(reference), "{reference}");
    }
}

#[test]
fn a_file_may_talk_to_nobody_and_a_served_page_to_its_server() {
    assert!(offline(&paper()).contains("connect-src 'none'"));
    let marks = [Mark {
        unit: "0f".to_owned(),
        criterion: Some("dated".to_owned()),
        act: Act::Verdict { label: 1.0 },
        at: "2026-05-09T08:00:00Z".to_owned(),
        nth: 1,
    }];
    let standing = Standing {
        paper: &paper(),
        marks: &marks,
        locked: true,
        guard: "0123",
    };
    let page = served(&standing);
    assert_eq!(page, served(&standing), "the same bytes");
    assert!(
        page.policy.starts_with("default-src 'none'; script-src 'sha256-"),
        "{}",
        page.policy
    );
    for part in [
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ] {
        assert!(page.policy.contains(part), "{part}");
    }
    assert!(!page.policy.contains("unsafe"));
    let data = between(
        &page.html,
        "<script type=\"application/json\" id=\"data\">",
        "</script>",
    );
    let read: serde_json::Value = serde_json::from_str(data).expect("the block is JSON");
    assert_eq!(
        (&read["locked"], &read["marks"][0]["act"]),
        (&true.into(), &"verdict".into())
    );
    assert!(door().html.contains(DOOR_SCRIPT) && !door().html.contains("application/json\" id"));
}
