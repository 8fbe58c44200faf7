//! The joint session at a terminal: one disagreement after the other, each ended in writing or left for later.

use std::env;
use std::fs;
use std::io::{self, BufRead, Write};
use std::process::Command;

use calibrant_project::{Decided, ProjectError, Review, Signature, settle};
use calibrant_report::disagreement_text;
use calibrant_schema::disagreement::Disagreement;
use calibrant_schema::rubric::edit::Wording;

use super::review::{card, looked};
use super::rule::{no_rubric, settled_text};
use crate::commands::Door;

/// What was chosen for a disagreement.
enum Choice {
    Ended(Decided),
    Later,
    Quit,
}

/// Goes through what is open and writes down how it ends.
pub(super) fn run(mut review: Review, door: &Door<'_>) -> Result<(), ProjectError> {
    let open: Vec<Disagreement> = review.disagreements.open().cloned().collect();
    if open.is_empty() {
        return Ok(());
    }
    let Some(mut shown) = review.rubric.take() else {
        door.output
            .note("name the rubric with --rubric FILE to settle these here");
        return Ok(());
    };
    let Some(by) = ask("Who settles them? (empty leaves the list as it is) ")? else {
        return Ok(());
    };
    for (at, one) in (1..).zip(&open) {
        review.rubric = Some(shown.clone());
        let text = disagreement_text(&looked(&review, one, card(&review, one).as_ref()));
        door.output.data(&format!("\n--- {at} of {}\n{text}\n", open.len()));
        match choose(&review, one)? {
            Choice::Quit => return Ok(()),
            Choice::Later => {}
            Choice::Ended(decided) => {
                let signature = Signature::now(&by, None);
                match settle(&review, &shown, &one.id, &decided, &signature) {
                    Ok(settled) => {
                        door.output.data(&settled_text(&settled));
                        shown = settled.after.clone();
                        review.note_ended(&settled, settled.ended(&decided, &signature));
                    }
                    // What is refused is said, and the disagreement stays open.
                    Err(error) => door.output.failure(&error),
                }
            }
        }
    }
    Ok(())
}

fn choose(review: &Review, one: &Disagreement) -> Result<Choice, ProjectError> {
    loop {
        let Some(answer) = ask("[r]uling, new [w]ording, [s]lip, [d]eletion, [l]ater, [q]uit: ")? else {
            return Ok(Choice::Quit);
        };
        let decided = match answer.chars().next() {
            Some('r') => text("The ruling, as graders will read it", "")?.map(|text| Decided::Ruling { text }),
            Some('w') => wording(review, one)?,
            Some('s') => slip(one)?,
            Some('d') => ask("Why is it deleted? ")?.map(|why| Decided::Deletion { why }),
            Some('l') => return Ok(Choice::Later),
            Some('q') => return Ok(Choice::Quit),
            _ => None,
        };
        if let Some(decided) = decided {
            return Ok(Choice::Ended(decided));
        }
    }
}

fn wording(review: &Review, one: &Disagreement) -> Result<Option<Decided>, ProjectError> {
    let Some(criterion) = review.criterion(one) else {
        return Err(no_rubric());
    };
    let Some(answer) = ask("Which text: [q]uestion, [p]ass example, [f]ail example, [b]oundary? ")? else {
        return Ok(None);
    };
    let field = match answer.chars().next() {
        Some('p') => Wording::PassExample,
        Some('f') => Wording::FailExample,
        Some('b') => Wording::Boundary,
        _ => Wording::Question,
    };
    let Some(text) = text("The new text", field.of(criterion).unwrap_or_default())? else {
        return Ok(None);
    };
    Ok(ask("Why? ")?.map(|why| Decided::Wording { field, text, why }))
}

fn slip(one: &Disagreement) -> Result<Option<Decided>, ProjectError> {
    let judges: Vec<&str> = one.labels.iter().map(|label| label.judge.as_str()).collect();
    let Some(judge) = ask(&format!("Who slipped ({})? ", judges.join(", ")))? else {
        return Ok(None);
    };
    let Some(label) = ask("Which label was meant? ")? else {
        return Ok(None);
    };
    let Ok(label) = label.trim().parse() else {
        return Ok(None);
    };
    Ok(ask("What happened? ")?.map(|why| Decided::Slip { judge, label, why }))
}

/// A line that is typed; `None` when nothing is, or the input ends.
fn ask(question: &str) -> Result<Option<String>, ProjectError> {
    let failed = |reason: io::Error| {
        ProjectError::refused(
            "terminal",
            format!("cannot read the answer: {reason}"),
            "use `grade rule` instead",
        )
    };
    let mut out = io::stderr().lock();
    out.write_all(question.as_bytes())
        .and_then(|()| out.flush())
        .map_err(failed)?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(failed)?;
    let line = line.trim().to_owned();
    Ok((!line.is_empty()).then_some(line))
}

/// A longer text: in the editor of `EDITOR`, else on one line.
fn text(what: &str, old: &str) -> Result<Option<String>, ProjectError> {
    let Some(editor) = env::var_os("EDITOR").filter(|editor| !editor.is_empty()) else {
        return ask(&format!("{what}: "));
    };
    let failed = |reason: io::Error| {
        ProjectError::refused(
            "editor",
            format!("cannot use the editor: {reason}"),
            "unset EDITOR to type the text here",
        )
    };
    let folder = env::temp_dir().join(format!("calibrant-{}", std::process::id()));
    // A folder that is there already is somebody else's.
    fs::create_dir(&folder).map_err(failed)?;
    let file = folder.join("text.txt");
    fs::write(&file, old).map_err(failed)?;
    // The editor may be a command with arguments of its own.
    let command = format!("{} \"$1\"", editor.to_string_lossy());
    let status = Command::new("sh").args(["-c", &command, "sh"]).arg(&file).status();
    let written = status.and_then(|_| fs::read_to_string(&file));
    let _ = fs::remove_dir_all(&folder);
    let written = written.map_err(failed)?.trim().to_owned();
    Ok((!written.is_empty() && written != old.trim()).then_some(written))
}
