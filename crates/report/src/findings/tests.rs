use calibrant_schema::Span;

use super::*;

fn finding(what: &str, file: &str) -> Diagnostic {
    Diagnostic::warning("compound", what, "split it").at(Span {
        file: file.to_owned(),
        line: 3,
        column: 7,
        length: 4,
    })
}

fn reported(diagnostic: &Diagnostic) -> Reported<'_> {
    Reported {
        diagnostic,
        line: Some("  a line"),
        silenced: None,
    }
}

#[test]
fn annotations_escape_what_would_end_them() {
    let diagnostic = finding("100 % of\r\n::set-env name=x::y, z: w", "a,b:c%.yaml").labelled("here");
    assert_eq!(
        github(&[reported(&diagnostic)]),
        "::warning file=a%2Cb%3Ac%25.yaml,line=3,col=7,endColumn=11,title=compound::100 %25 of%0D%0A::set-env name=x::y, z: w: here%0Ahelp: split it\n"
    );
}

#[test]
fn no_line_of_annotations_is_a_command_of_the_rubric() {
    for hostile in [
        "\n::stop-commands::x",
        "\r::add-mask::x",
        "\r\n##[error]x",
        "::warning::x",
    ] {
        let diagnostic = finding(hostile, "\n::debug::x").labelled(hostile);
        let text = github(&[reported(&diagnostic)]);
        let lines: Vec<&str> = text.split(['\n', '\r']).filter(|line| !line.is_empty()).collect();
        assert_eq!(lines.len(), 1, "{text}");
        assert!(lines[0].starts_with("::warning file="), "{text}");
    }
}

#[test]
fn silenced_findings_are_suppressed_in_sarif_and_absent_from_annotations() {
    let diagnostic = finding("two things", "a b.yaml");
    let silenced = Reported {
        silenced: Some("one act"),
        ..reported(&diagnostic)
    };
    assert_eq!(github(&[silenced]), "");
    let rule = Rule {
        id: "compound",
        title: "two conditions",
        level: "warning",
        page: "# compound",
    };
    let log: serde_json::Value =
        serde_json::from_str(&sarif(&[silenced, reported(&diagnostic)], &[rule], "1.2.3")).expect("SARIF is JSON");
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    assert_eq!(run["tool"]["driver"]["rules"][0]["help"]["markdown"], "# compound");
    let [first, second] = [&run["results"][0], &run["results"][1]];
    assert_eq!(first["suppressions"][0]["justification"], "one act");
    assert!(second.get("suppressions").is_none());
    let region = &first["locations"][0]["physicalLocation"];
    assert_eq!(region["artifactLocation"]["uri"], "a%20b.yaml");
    assert_eq!(region["region"]["endColumn"], 11);
    // The same finding twice on one line has two fingerprints.
    assert_ne!(first["partialFingerprints"], second["partialFingerprints"]);
}
