use super::*;

fn at(line: u32, column: u32, length: u32) -> Span {
    Span {
        file: "a.yaml".into(),
        line,
        column,
        length,
    }
}

#[test]
fn the_form_of_the_house_style() {
    // STYLE section 5, its own example.
    let source = format!("{}      Does the answer cite a recent filing?\n", "\n".repeat(30));
    let finding = Diagnostic::error(
        "ambiguous",
        "criterion `cites_source` admits two readings of \"recent\"",
        "add a `boundary:` line, for example how many months count as recent",
    )
    .at(Span {
        file: "rubrics/finance.yaml".into(),
        line: 31,
        column: 30,
        length: 6,
    })
    .labelled("no boundary rules on this word");
    assert_eq!(
        finding.render(Some(&source)),
        "error: criterion `cites_source` admits two readings of \"recent\"\n\
         \x20 --> rubrics/finance.yaml:31:30\n\
         31 |       Does the answer cite a recent filing?\n\
         \x20  |                              ^^^^^^ no boundary rules on this word\n\
         help: add a `boundary:` line, for example how many months count as recent\n"
    );
}

#[test]
fn without_a_source_or_a_place() {
    let finding = Diagnostic::warning("w", "something is odd", "look at it");
    assert_eq!(
        finding.render(Some("text")),
        "warning[w]: something is odd\nhelp: look at it\n"
    );
    let placed = finding.at(at(3, 2, 1));
    let expected = "warning[w]: something is odd\n--> a.yaml:3:2\nhelp: look at it\n";
    assert_eq!(placed.render(None), expected);
    // A line the source does not have is not shown, and nothing panics.
    assert_eq!(placed.render(Some("one line")), expected);
}

#[test]
fn a_place_past_the_end_of_its_line() {
    let finding = Diagnostic::error("e", "it ends too soon", "go on").at(at(1, 9, 5));
    assert_eq!(
        finding.render(Some("a: b")),
        "error: it ends too soon\n --> a.yaml:1:9\n1 | a: b\n  |     ^\nhelp: go on\n"
    );
}

#[test]
fn text_of_other_people_cannot_drive_the_terminal() {
    let span = Span {
        file: "a\u{1b}[2J.yaml".into(),
        line: 1,
        column: 1,
        length: 3,
    };
    let finding = Diagnostic::error("e", "it says \u{1b}[31m\r", "see \u{202e}this")
        .at(span)
        .labelled("\u{200b}");
    let shown = finding.render(Some("\u{feff}a\u{9b}b\u{7}\tc"));
    let raw = |c: char| c.is_control() && c != '\n' || ['\u{202e}', '\u{200b}', '\u{feff}'].contains(&c);
    assert!(!shown.contains(raw), "{shown:?}");
    assert!(shown.contains("1 | a\\u{9b}b\\u{7} c\n  | ^^^^^^^^"), "{shown}");
}

#[test]
fn colours_change_nothing_but_colour() {
    let source = "a: 1\nb: 2\n";
    let finding = Diagnostic::error("e", "two", "one").at(at(2, 1, 1)).labelled("here");
    let painted = finding.paint(Some(source), Paint::Colour);
    assert!(painted.contains('\u{1b}'));
    let mut plain = String::new();
    let mut characters = painted.chars();
    while let Some(c) = characters.next() {
        match c {
            '\u{1b}' => assert_eq!(characters.by_ref().find(|c| *c == 'm'), Some('m')),
            _ => plain.push(c),
        }
    }
    let trimmed: String = plain.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    assert_eq!(trimmed, finding.render(Some(source)));
}

#[test]
fn findings_come_in_the_order_of_the_file() {
    let error = |line, column, what: &str| Diagnostic::error("e", what, "mend it").at(at(line, column, 1));
    let found: Diagnostics = [
        error(2, 1, "third"),
        error(1, 5, "second"),
        error(2, 1, "fourth"),
        Diagnostic::warning("w", "first", "look at it"),
    ]
    .into_iter()
    .collect();
    let order: Vec<&str> = found.iter().map(|diagnostic| diagnostic.what.as_str()).collect();
    assert_eq!(order, ["first", "second", "third", "fourth"]);
    assert_eq!(found.summary(), "3 errors, 1 warning");
    assert!(found.has_errors());
    assert_eq!(Diagnostics::new().render(None), "");
}

#[test]
fn json_keeps_the_parts() {
    let finding = Diagnostic::error("duplicate-id", "twice", "keep one")
        .at(at(2, 7, 4))
        .labelled("the second");
    let json = serde_json::to_string(&Diagnostics::from_iter([finding])).expect("findings are JSON");
    assert_eq!(
        json,
        r#"[{"severity":"error","id":"duplicate-id","what":"twice","span":{"file":"a.yaml","line":2,"column":7,"length":4},"label":"the second","help":"keep one"}]"#
    );
}
