use calibrant_schema::Scale;
use calibrant_schema::disagreement::JudgeLabel;
use calibrant_schema::exercise::Evidence;
use calibrant_schema::resolution::Outcome;

use super::*;

/// Texts that would run, end an element or hide something if they were read as anything but text.
const HOSTILE: [&str; 4] = [
    "</script><script>document.title='owned'</script>",
    "<!--<script>",
    "a\u{2028}b\u{2029}c &amp; \u{202e}d",
    "<img src=x onerror=alert(1)>",
];

fn label(judge: &str, label: f64) -> JudgeLabel {
    JudgeLabel {
        judge: judge.to_owned(),
        label,
        comment: Some(HOSTILE[0].to_owned()),
        evidence: vec![Evidence {
            start: 0,
            end: 4,
            quote: HOSTILE[1].to_owned(),
        }],
    }
}

fn queue() -> Disagreements {
    let one = Disagreement {
        id: "d-1a2b3c".to_owned(),
        criterion: HOSTILE[3].to_owned(),
        query: HOSTILE[2].to_owned(),
        answered_by: "zebra-giant-9b".to_owned(),
        system: None,
        sample: "1".to_owned(),
        unit: "0f".to_owned(),
        labels: vec![label(HOSTILE[3], 0.0), label("bo", 1.0)],
        low: 0.0,
        high: 1.0,
        size: 1,
        tags: vec![HOSTILE[0].to_owned()],
        ended: Some(Ended {
            outcome: Outcome::Ruling,
            text: HOSTILE[1].to_owned(),
            by: HOSTILE[3].to_owned(),
            at: "2026-05-09T08:00:00Z".to_owned(),
        }),
    };
    Disagreements {
        judges: vec![HOSTILE[3].to_owned(), "bo".to_owned()],
        queue: vec![one],
        ..Disagreements::default()
    }
}

fn talk<'a>(all: &'a Disagreements, turns: &'a [Turn]) -> Talk<'a> {
    let card = Card {
        question: HOSTILE[0].to_owned(),
        pass_example: Some(HOSTILE[1].to_owned()),
        fail_example: None,
        boundary: Some(HOSTILE[2].to_owned()),
        scale: Scale::Binary,
    };
    Talk {
        disagreements: all,
        texts: vec![Texts {
            prompt: turns,
            answer: turns,
            levels: &[0.0, 1.0],
        }],
        round: Some(1),
        now: Now {
            rubric: Some(RubricNow {
                name: Some(HOSTILE[0].to_owned()),
                file: HOSTILE[3].to_owned(),
                version: Some(3),
                hash: card.hash(),
            }),
            standing: vec![Standing {
                ended: all.queue[0].ended.clone(),
                card: Some(card),
            }],
        },
    }
}

fn turns() -> Vec<Turn> {
    let turn = |text: &&str| Turn {
        role: "assistant".to_owned(),
        text: (*text).to_owned(),
    };
    HOSTILE.iter().map(turn).collect()
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let from = text.split_once(start).expect("the start is in the page").1;
    from.split_once(end).expect("the end is in the page").0
}

#[test]
fn what_comes_from_outside_is_in_the_data_block_and_cannot_leave_it() {
    let (all, turns) = (queue(), turns());
    let talk = talk(&all, &turns);
    let command = [HOSTILE[0].to_owned()];
    for html in [saved(&talk, &command), served(&talk, "0123").html] {
        let data = between(&html, "<script type=\"application/json\" id=\"data\">", "</script>");
        assert!(!data.contains(['<', '>', '&', '\u{2028}', '\u{2029}']));
        let read: serde_json::Value = serde_json::from_str(data).expect("the block is JSON");
        assert_eq!(read["queue"][0]["labels"][0]["comment"], HOSTILE[0]);
        assert_eq!(read["now"]["standing"][0]["card"]["question"], HOSTILE[0]);
        let around = html.replace(data, "");
        for text in HOSTILE {
            assert!(!around.contains(text), "{text} stands outside of the data");
        }
        assert_eq!(around.matches("<script").count(), 2);
        assert!(!html.contains("zebra-giant-9b"), "who answered is no argument");
    }
}

#[test]
fn nothing_ends_the_script_or_the_style_early_and_nothing_is_parsed_or_fetched_from_elsewhere() {
    assert!(!SCRIPT.contains("</") && !SCRIPT.contains("<!--") && !SCRIPT.contains('\r'));
    assert!(!STYLE.contains('<') && !STYLE.contains('\r'));
    for parsing in [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "http:",
        "https:",
        ".style",
    ] {
        assert!(!SCRIPT.contains(parsing), "{parsing}");
    }
    for reference in ["url(", "@import", "http"] {
        assert!(!STYLE.contains(reference), "{reference}");
    }
}

#[test]
fn a_file_may_talk_to_nobody_and_a_served_page_to_its_server() {
    let (all, turns) = (queue(), turns());
    let talk = talk(&all, &turns);
    let file = saved(&talk, &[]);
    assert!(file.contains("connect-src 'none'") && file.contains("\"kind\":\"file\""));
    assert_eq!(file, saved(&talk, &[]), "the same bytes");
    let page = served(&talk, "0123");
    for part in [
        "default-src 'none'; script-src 'sha256-",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ] {
        assert!(page.policy.contains(part), "{part}");
    }
    assert!(!page.policy.contains("unsafe"));
    assert!(page.html.contains(SCRIPT) && page.html.contains(STYLE));
    assert!(door().html.contains("Review of disagreements"));
}
