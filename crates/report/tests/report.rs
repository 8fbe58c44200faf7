//! Reports of small runs: pinned, hostile, undefined.

#![allow(
    clippy::disallowed_methods,
    reason = "the crate is pure; its tests read and bless the golden files"
)]

mod sample;

use std::path::Path;

use calibrant_report::{
    Figures, Inputs, KnownAbility, Style, Truth, bank_text, calibration_text, fit_text, html, leaderboard_text,
    markdown, warnings_text,
};
use calibrant_schema::warning::{Noted, Warning};
use sample::{Sample, Shape, responses, sample};

fn inputs(sample: &Sample) -> Inputs<'_> {
    Inputs {
        title: "A small run",
        calibration: &sample.calibration,
        fit: Some(&sample.fit),
        bank: Some(&sample.bank),
        scores: &sample.scores,
        rubric: Some(&sample.rubric),
        command: Some("calibrant run --verdicts labels.csv --out report"),
        files: &["calibration.json", "fit.json", "bank.json", "scores.json"],
        truth: None,
        blocks: None,
        part_of: None,
        figures: Figures::Drawn,
        responses: &[],
    }
}

/// Compares with the committed file, or writes it when `CALIBRANT_BLESS` is 1.
fn assert_golden(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/report")
        .join(name);
    if std::env::var("CALIBRANT_BLESS").as_deref() == Ok("1") {
        std::fs::create_dir_all(path.parent().expect("the file is in a folder")).expect("the folder can be made");
        std::fs::write(&path, actual).expect("the golden file can be written");
    }
    let expected = std::fs::read_to_string(&path).expect("the golden file is committed");
    if let Some((line, (was, is))) = expected
        .lines()
        .zip(actual.lines())
        .enumerate()
        .find(|(_, (expected, actual))| expected != actual)
    {
        panic!(
            "{name}:{}\n  was: {was}\n   is: {is}\nCALIBRANT_BLESS=1 accepts the change",
            line + 1
        );
    }
    assert_eq!(
        expected.len(),
        actual.len(),
        "{name} has another length; CALIBRANT_BLESS=1 accepts the change"
    );
}

#[test]
fn the_report_of_a_small_run_is_pinned() {
    let sample = sample(&Shape::small());
    let truth = Truth {
        abilities: &[
            KnownAbility {
                system: "system-02",
                ability: 0.9,
            },
            KnownAbility {
                system: "system-01",
                ability: 1.2,
            },
            KnownAbility {
                system: "system-03",
                ability: -0.4,
            },
        ],
        rows: &[("Rank correlation with the truth", "1.000")],
    };
    let responses = responses(&sample);
    let inputs = Inputs {
        truth: Some(&truth),
        responses: &responses,
        ..inputs(&sample)
    };
    assert_golden("report.html", &html(&inputs));
    assert_golden("report.md", &markdown(&inputs));
}

#[test]
fn terminal_text_of_a_small_run_is_pinned() {
    let sample = sample(&Shape::small());
    let style = Style::default();
    let text = [
        calibration_text(&sample.calibration, style),
        fit_text(&sample.fit),
        bank_text(&sample.bank, style),
        leaderboard_text(&sample.scores, style),
        leaderboard_text(&sample.scores, Style { width: 60 }),
        warnings_text(&sample.scores.header.warnings),
    ];
    assert_golden("terminal.txt", &text.join("\n----\n"));
}

/// Names that try to leave their place.
fn hostile() -> Vec<String> {
    let mut names: Vec<String> = [
        "<script>alert(1)</script>",
        "</script><img src=x onerror=alert(1)>",
        "\"onmouseover=\"alert(1)",
        "'onfocus='alert(1)' autofocus='",
        "a\u{202e}b\u{200b}c\u{7}\u{1b}[31m\u{9b}2J\r\nd\t\u{e0041}",
        "<!-- --><style>*{}</style>]]>",
        "{{7*7}}{% raw %}",
        "a|b`c``d\\|*e*_f_[g](h)![i](j)<k>&amp;#1 ~~l~~ $m$ @n",
        "javascript:alert(1)",
        "::error::owned",
        "##[error]owned",
        "",
        " ",
    ]
    .map(str::to_owned)
    .into();
    names.push("x".repeat(10_000));
    names
}

fn hostile_sample() -> Sample {
    let names = hostile();
    let shape = Shape {
        systems: names.clone(),
        criteria: names.clone(),
        queries: names.clone(),
        judges: names.clone(),
    };
    let mut sample = sample(&shape);
    let attack = names.join(" ");
    for header in [
        &mut sample.calibration.header,
        &mut sample.fit.header,
        &mut sample.scores.header,
    ] {
        header.settings.insert(attack.clone(), attack.clone());
        header.inputs.insert(attack.clone(), attack.clone());
        header.calibrant.clone_from(&attack);
        header
            .warnings
            .push(Noted::from(Warning::OneJudge { judge: attack.clone() }));
        header.warnings.push(Noted {
            message: attack.clone(),
            action: attack.clone(),
            warning: Warning::TwoJudges,
        });
    }
    sample.scores.tier_rule.clone_from(&attack);
    sample.bank.budget_rule.clone_from(&attack);
    sample.bank.bound_argument = Some(attack.clone());
    for criterion in &mut sample.rubric.criteria {
        criterion.question.clone_from(&attack);
    }
    sample
}

/// The tags of a page in order, each with its name and its attributes as written.
///
/// A `<` in text would open a tag here, so a text that was not escaped shows up as a tag nobody wrote.
fn tags(page: &str) -> Vec<(String, String)> {
    let outside_style = match (page.find("<style>"), page.find("</style>")) {
        (Some(from), Some(to)) => format!("{}{}", &page[..from + "<style>".len()], &page[to..]),
        _ => page.to_owned(),
    };
    outside_style
        .split('<')
        .skip(1)
        .map(|rest| {
            let inside = rest.split('>').next().unwrap_or("");
            let (name, attributes) = inside.split_once(' ').unwrap_or((inside, ""));
            (name.to_owned(), attributes.to_owned())
        })
        .collect()
}

fn assert_balanced(page: &str) {
    const VOID: [&str; 7] = ["!DOCTYPE", "meta", "line", "circle", "br", "rect", "path"];
    let mut open: Vec<String> = Vec::new();
    for (name, _) in tags(page) {
        match name.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop().as_deref(), Some(closed), "</{closed}> closes something else"),
            None if VOID.contains(&name.as_str()) => {}
            None => open.push(name),
        }
    }
    assert_eq!(open, Vec::<String>::new(), "tags left open");
}

/// The names of a tag's attributes: what stands before each `=` outside quotes.
fn attribute_names(attributes: &str) -> Vec<String> {
    attributes
        .split('"')
        .step_by(2)
        .flat_map(str::split_whitespace)
        .map(|name| name.trim_end_matches(['=', '/']).to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

#[test]
fn hostile_names_stay_text() {
    const TAGS: [&str; 49] = [
        "!DOCTYPE",
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "h1",
        "h2",
        "p",
        "nav",
        "ul",
        "ol",
        "li",
        "a",
        "main",
        "section",
        "div",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "span",
        "sup",
        "svg",
        "line",
        "circle",
        "rect",
        "path",
        "text",
        "desc",
        "figure",
        "figcaption",
        "details",
        "summary",
        "dl",
        "dt",
        "dd",
        "pre",
        "code",
        "strong",
        "em",
        "b",
        "i",
        "small",
    ];
    const ATTRIBUTES: [&str; 34] = [
        "d",
        "x",
        "y",
        "text-anchor",
        "stroke-dasharray",
        "html",
        "lang",
        "charset",
        "http-equiv",
        "content",
        "name",
        "class",
        "aria-label",
        "aria-labelledby",
        "aria-hidden",
        "href",
        "id",
        "tabindex",
        "role",
        "scope",
        "width",
        "height",
        "viewBox",
        "x1",
        "x2",
        "y1",
        "y2",
        "cx",
        "cy",
        "r",
        "open",
        "title",
        "colspan",
        "rowspan",
    ];
    let sample = hostile_sample();
    let attack = hostile().join(" ");
    let responses = responses(&sample);
    let page = html(&Inputs {
        responses: &responses,
        title: &attack,
        command: Some(&attack),
        files: &[&attack],
        ..inputs(&sample)
    });
    for (name, attributes) in tags(&page) {
        assert!(
            TAGS.contains(&name.trim_start_matches('/')),
            "<{name}> is not a tag of the template"
        );
        for attribute in attribute_names(&attributes) {
            assert!(
                ATTRIBUTES.contains(&attribute.as_str()),
                "{attribute} is not an attribute of the template"
            );
        }
        if let Some(target) = attributes.strip_prefix("href=") {
            assert!(target.starts_with("\"#"), "a link leaves the page: {target}");
        }
    }
    assert_balanced(&page);
    for fetched in ["<script", "src=\"", "url(", "@import", "http:", "https:"] {
        assert!(!page.contains(fetched), "{fetched} is in the page");
    }
    assert!(page.contains("⟨U+202E⟩") && page.contains("⟨U+200B⟩") && page.contains("⟨U+001B⟩"));
}

#[test]
fn no_output_holds_a_hidden_character() {
    let sample = hostile_sample();
    let style = Style { width: 80 };
    let outputs = [
        html(&inputs(&sample)),
        markdown(&inputs(&sample)),
        leaderboard_text(&sample.scores, style),
        calibration_text(&sample.calibration, style),
        fit_text(&sample.fit),
        bank_text(&sample.bank, style),
        warnings_text(&sample.scores.header.warnings),
    ];
    for output in outputs {
        let hidden = output.chars().find(|&c| {
            (c.is_control() && c != '\n')
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{e0000}'..='\u{e0fff}')
        });
        assert_eq!(hidden, None);
    }
}

/// Build servers read commands from printed text (PROTOCOLS 6.3).
#[test]
fn terminal_text_gives_no_command_to_a_build_server() {
    let sample = hostile_sample();
    let style = Style { width: 200 };
    let text = [
        leaderboard_text(&sample.scores, style),
        calibration_text(&sample.calibration, style),
        fit_text(&sample.fit),
        bank_text(&sample.bank, style),
        warnings_text(&sample.scores.header.warnings),
    ]
    .concat();
    assert!(text.contains("::error::owned") && text.contains("# #[error]owned"));
    assert!(
        text.lines()
            .all(|line| !line.trim_start().starts_with("::") && !line.contains("##["))
    );
}

/// WCAG 2.1 contrast of text against the grounds it stands on, in light, dark and print.
#[test]
fn text_has_contrast() {
    /// Level AA for text of normal size.
    const ENOUGH: f64 = 4.5;
    let css = include_str!("../templates/report.css");
    let palettes: Vec<&str> = css
        .split(":root {")
        .skip(1)
        .map(|rest| rest.split('}').next().unwrap_or(""))
        .collect();
    assert_eq!(palettes.len(), 3, "light, dark, print");
    for palette in palettes {
        for text in ["ink", "soft", "accent"] {
            for ground in ["ground", "faint"] {
                let [lighter, darker] = {
                    let (x, y) = (luminance(palette, text), luminance(palette, ground));
                    [x.max(y), x.min(y)]
                };
                let contrast = (lighter + 0.05) / (darker + 0.05);
                assert!(contrast >= ENOUGH, "--{text} on --{ground}: {contrast:.2} in {palette}");
            }
        }
    }
}

/// Relative luminance of a colour of the palette, by the formula of WCAG 2.1.
fn luminance(palette: &str, name: &str) -> f64 {
    let colour = palette
        .split_once(&format!("--{name}: #"))
        .expect("the palette has the colour")
        .1;
    let channel = |at: usize| {
        let value = u8::from_str_radix(&colour[at..at + 2], 16).expect("two hexadecimal digits");
        let share = f64::from(value) / 255.0;
        if share <= 0.03928 {
            share / 12.92
        } else {
            ((share + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * channel(0) + 0.7152 * channel(2) + 0.0722 * channel(4)
}

#[test]
fn hostile_names_do_not_break_a_markdown_table() {
    let sample = hostile_sample();
    let page = markdown(&inputs(&sample));
    let mut columns = None;
    for line in page.lines() {
        if !line.starts_with('|') {
            columns = None;
            continue;
        }
        let bars = line.replace("\\|", "").matches('|').count();
        assert_eq!(*columns.get_or_insert(bars), bars, "{line}");
    }
    assert!(
        !without_code(&page).replace("\\<", "").contains('<'),
        "an unescaped < outside code"
    );
}

/// Markdown without its code: a run of backticks opens a span, and the next run of the same length ends it.
fn without_code(page: &str) -> String {
    let mut outside = String::new();
    let mut rest = page;
    while let Some(at) = rest.find('`') {
        if rest[..at].ends_with('\\') {
            outside.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        }
        outside.push_str(&rest[..at]);
        let run = rest[at..].len() - rest[at..].trim_start_matches('`').len();
        let mut inside = &rest[at + run..];
        loop {
            let end = inside.find('`').expect("a code span ends");
            let closing = inside[end..].len() - inside[end..].trim_start_matches('`').len();
            inside = &inside[end + closing..];
            if closing == run {
                break;
            }
        }
        rest = inside;
    }
    outside + rest
}

#[test]
fn a_long_table_names_the_file_with_the_rest() {
    let sample = sample(&Shape::numbered(4, 2, 400));
    let page = html(&inputs(&sample));
    // 800 items: 30 shown, 270 folded, 500 left to the file.
    assert!(page.contains("<summary>270 more rows</summary>"));
    assert!(page.contains("500 further rows are in calibration.json."));
    assert!(markdown(&inputs(&sample)).contains("770 further rows are in calibration.json."));
    assert_balanced(&page);
}

/// Every number that can be missing is missing: nothing may print in its place but a dash.
#[test]
fn undefined_numbers_are_dashes_with_reasons() {
    let mut sample = sample(&Shape::small());
    for row in &mut sample.scores.systems {
        row.score = None;
        row.ability = Some(f64::NAN);
        row.ability_low = Some(f64::INFINITY);
        row.tier = None;
        row.information_score = None;
        let reason = calibrant_schema::Undefined::new("no_label", "the system has no label at all");
        row.undefined.insert("score".to_owned(), reason);
    }
    sample.scores.pairs_separated = None;
    sample.scores.tiers_undefined = Some(calibrant_schema::Undefined::new(
        "one_system",
        "there is nothing to compare",
    ));
    sample.scores.interval.ability.undefined = sample.scores.tiers_undefined.clone();
    sample.bank.utility = Some(f64::NAN);
    sample.bank.criteria[0].measurability = None;
    sample.calibration.sweep[0].coverage = None;
    sample.calibration.attrition_fit.geometric = None;
    sample.calibration.attrition_fit.beta = None;
    let outputs = [
        html(&inputs(&sample)),
        markdown(&inputs(&sample)),
        leaderboard_text(&sample.scores, Style::default()),
        calibration_text(&sample.calibration, Style::default()),
        bank_text(&sample.bank, Style::default()),
    ];
    for output in &outputs {
        for word in ["NaN", "inf", "null"] {
            let found = output.split(|c: char| !c.is_alphanumeric()).any(|token| token == word);
            assert!(!found, "{word} in {output}");
        }
    }
    assert!(outputs[0].contains("cannot be put in tiers: there is nothing to compare"));
    assert!(outputs[0].contains("the system has no label at all"));
    assert!(outputs[2].contains("the system has no label at all"));
    // The row of the only column left with values: tier, score and ability are dashes.
    let first = outputs[2].lines().nth(1).expect("the table has a row");
    assert_eq!(
        first.split_whitespace().take(5).collect::<Vec<_>>(),
        ["1", "-", "system-01", "-", "-"]
    );
}

#[test]
fn warnings_are_printed_once_and_the_gravest_first() {
    let sample = sample(&Shape::small());
    let page = markdown(&inputs(&sample));
    assert_eq!(
        page.matches("fewer than the 10 that a bootstrap of queries needs\n  Next")
            .count(),
        1
    );
    let warnings = [
        Warning::Ties { ties: 1, of: 2 },
        Warning::Simulated,
        Warning::Ties { ties: 1, of: 2 },
    ];
    let text = warnings_text(&warnings.map(Noted::from));
    assert!(
        text.starts_with("warning: the verdicts behind these numbers are simulated"),
        "{text}"
    );
    assert_eq!(text.matches("  next: ").count(), 2);
}

#[test]
fn a_bound_is_never_rounded_in_favour_of_the_bank() {
    let mut sample = sample(&Shape::small());
    sample.bank.utility = Some(0.99999);
    sample.bank.optimum_bound = Some(1.0);
    assert!(bank_text(&sample.bank, Style::default()).contains("at least 99.9 % of the best possible bank"));
    sample.bank.utility = Some(1.0);
    assert!(bank_text(&sample.bank, Style::default()).contains("no bank of this size has a larger utility"));
}

#[test]
fn a_report_needs_only_calibration_and_scores() {
    let sample = sample(&Shape::small());
    let least = Inputs {
        fit: None,
        bank: None,
        rubric: None,
        command: None,
        files: &[],
        ..inputs(&sample)
    };
    let page = html(&least);
    assert_balanced(&page);
    assert!(page.contains("nothing was fitted") && page.contains("no rubric was given"));
}

#[test]
fn the_same_inputs_give_the_same_bytes() {
    let sample = sample(&Shape::numbered(40, 7, 12));
    assert_eq!(html(&inputs(&sample)), html(&inputs(&sample)));
    assert_eq!(markdown(&inputs(&sample)), markdown(&inputs(&sample)));
}

#[test]
fn a_narrow_terminal_gives_up_columns_and_says_so() {
    let sample = sample(&Shape::small());
    let text = leaderboard_text(&sample.scores, Style { width: 60 });
    assert!(text.contains("not shown at this width: "), "{text}");
    assert!(
        text.lines()
            .take_while(|line| !line.starts_with("not shown"))
            .all(|line| line.chars().count() <= 60)
    );
}
