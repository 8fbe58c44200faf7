//! Reports of divided runs: what stands in the section, what a block's page says of itself, and names that attack.

mod sample;

use std::collections::BTreeMap;

use calibrant_report::{Inputs, PartOf, Style, blocks_text, html, markdown};
use calibrant_schema::artifact::Header;
use calibrant_schema::blocks::{BlockPlace, BlockRow, Stopped};
use calibrant_schema::{Blocks, By, Undefined};
use sample::{Sample, Shape, sample};

fn inputs<'a>(sample: &'a Sample, blocks: Option<&'a Blocks>) -> Inputs<'a> {
    Inputs {
        title: "A divided run",
        calibration: &sample.calibration,
        fit: Some(&sample.fit),
        bank: Some(&sample.bank),
        scores: &sample.scores,
        rubric: Some(&sample.rubric),
        command: None,
        files: &[],
        truth: None,
        blocks,
        part_of: None,
        figures: calibrant_report::Figures::Drawn,
        responses: &[],
    }
}

/// A block in which every other system answered.
fn row(sample: &Sample, name: &str, folder: &str) -> BlockRow {
    let places = sample.scores.systems.iter().step_by(2).map(|system| BlockPlace {
        system: system.system.clone(),
        ability: Some(0.25),
        ability_low: Some(-0.5),
        ability_high: Some(1.0),
        tier: Some(3),
    });
    BlockRow {
        block: name.to_owned(),
        without_value: false,
        folder: folder.to_owned(),
        systems: 2,
        queries: 7,
        items: 14,
        kept: Some(9),
        fitted: Some(12),
        bank: Some(5),
        utility: Some(1.5),
        tiers: Some(1),
        leading: vec![sample.scores.systems[0].system.clone()],
        pairs_separated: Some(0.25),
        compared: Some(2),
        kendall: Some(0.5),
        spearman: Some(0.75),
        leaderboard: places.collect(),
        stopped: None,
        undefined: BTreeMap::new(),
    }
}

/// A block that came no further than its labels.
fn stopped(name: &str) -> BlockRow {
    let why = Undefined::new("one_system", "all labels are of one system");
    let missing = ["fitted", "bank", "tiers", "pairs_separated", "kendall", "spearman"];
    BlockRow {
        block: name.to_owned(),
        without_value: false,
        folder: "blocks/domain/lonely".to_owned(),
        systems: 1,
        queries: 1,
        items: 2,
        kept: None,
        fitted: None,
        bank: None,
        utility: None,
        tiers: None,
        leading: Vec::new(),
        pairs_separated: None,
        compared: None,
        kendall: None,
        spearman: None,
        leaderboard: Vec::new(),
        stopped: Some(Stopped {
            step: "fit".to_owned(),
            why: why.clone(),
        }),
        undefined: missing.map(|field| (field.to_owned(), why.clone())).into(),
    }
}

fn blocks(rows: Vec<BlockRow>) -> Blocks {
    Blocks {
        header: Header::default(),
        by: By::Domain,
        blocks: rows,
    }
}

#[test]
fn the_section_has_each_block_with_its_link_and_each_system_in_it() {
    let sample = sample(&Shape::small());
    let blocks = blocks(vec![row(&sample, "a/b", "blocks/domain/a%2Fb"), stopped("lonely")]);
    let page = markdown(&inputs(&sample, Some(&blocks)));
    for line in [
        "| [`a/b`](blocks/domain/a%252Fb/report.md) | 2 | 7 | 14 | 5 | 1 | system-01 | 25.0 % | 0.50 | 0.75 |",
        "| `lonely` | 1 | 1 | 2 | – (a) | – (a) | – | – (a) | – (a) | – (a) |",
        "- (a) all labels are of one system",
        "- lonely: no fit, because all labels are of one system.",
        "| System | a/b |",
        r"0.25 \[−0.50, 1.00\] (3)",
        "the system has no verdict in this block",
        "do not compare abilities across columns",
    ] {
        assert!(page.contains(line), "`{line}` is not in\n{page}");
    }
    let page = html(&inputs(&sample, Some(&blocks)));
    assert!(page.contains("<a class=\"id\" href=\"blocks/domain/a%252Fb/report.html\">a/b</a>"));
    assert!(!markdown(&inputs(&sample, None)).contains("## Blocks"));
}

#[test]
fn a_page_of_a_block_says_so_first_and_leads_back() {
    let sample = sample(&Shape::small());
    let part = PartOf {
        by: By::TaskType,
        block: "decision_support",
        whole: "../../../report",
    };
    let inputs = Inputs {
        part_of: Some(part),
        ..inputs(&sample, None)
    };
    let page = markdown(&inputs);
    assert!(
        page.starts_with("# A divided run\n\n**Only the task type decision\\_support"),
        "{page:.200}"
    );
    assert!(page.contains("(../../../report.md)") && html(&inputs).contains("href=\"../../../report.html\""));
}

#[test]
fn more_blocks_than_fit_are_counted() {
    let sample = sample(&Shape::small());
    let rows = (0..20).map(|at| {
        row(
            &sample,
            &format!("block-{at:02}"),
            &format!("blocks/domain/block-{at:02}"),
        )
    });
    let blocks = blocks(rows.collect());
    let page = markdown(&inputs(&sample, Some(&blocks)));
    assert!(page.contains("12 of 20 blocks are shown; blocks.json has the others."));
    assert!(
        page.contains("| System | block-00 |")
            && page.contains("| block-11 |\n")
            && page.contains("block-19/report.md")
    );
    let text = blocks_text(&blocks, Style::default());
    assert_eq!(text.lines().count(), 1 + 12 + 1, "{text}");
    assert!(text.ends_with("8 more are in blocks.json\n"), "{text}");
}

#[test]
fn the_terminal_says_what_a_block_lacks() {
    let sample = sample(&Shape::small());
    let blocks = blocks(vec![row(&sample, "law", "blocks/domain/law"), stopped("lonely")]);
    let expected = " domain  systems  queries  items  kept  bank  tiers  first tier  tau with all
 law           2        7     14     9     5      1  system-01           0.50
 lonely        1        1      2     -     -      -  -                      -
no fit for lonely: all labels are of one system
";
    assert_eq!(blocks_text(&blocks, Style::default()), expected);
}

#[test]
fn names_of_blocks_stay_text() {
    let sample = sample(&Shape::small());
    let attack = "</title><script>alert(1)</script>\"onmouseover=\"x [a](javascript:b) `|` \u{1b}[2J\u{202e}";
    let blocks = blocks(vec![row(&sample, attack, "blocks/domain/x"), stopped(attack)]);
    let part = PartOf {
        by: By::Tag,
        block: attack,
        whole: "../../../report",
    };
    let inputs = Inputs {
        part_of: Some(part),
        ..inputs(&sample, Some(&blocks))
    };
    let (page, text, short) = (html(&inputs), markdown(&inputs), blocks_text(&blocks, Style::default()));
    assert!(!page.contains("<script") && !page.contains("\"onmouseover") && !page.contains("href=\"javascript"));
    for shown in [&page, &text, &short] {
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
    }
    // In Markdown the name of a link is a code span, which no bracket inside can end.
    assert!(
        text.contains("](blocks/domain/x/report.md)")
            && !text.contains("[`</title><script>alert(1)</script>\"onmouseover=\"x [a](javascript:b) `")
    );
}
