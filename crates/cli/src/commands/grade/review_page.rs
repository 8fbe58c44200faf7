//! The page of `grade review`, served or saved.

use std::path::Path;

use calibrant_project::{ProjectError, Review};
use calibrant_serve::{Opened, serve_review};

use super::address_args::AddressArgs;
use super::review::LabelArgs;
use super::rule::no_rubric;
use super::serve::listening;
use crate::commands::Door;
use crate::exit;
use crate::output::Output;

/// Serves the page until it is interrupted.
pub(super) fn serve(review: Review, address: &AddressArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    if review.rubric.is_none() {
        return Err(no_rubric());
    }
    listening(door.output, |on| {
        serve_review(review, &address.address(), |opened| show(opened, door.output), on)
    })?;
    door.output
        .note("stopped; what was settled is in the rubric file and the ledger");
    Ok(exit::DONE)
}

fn show(opened: &Opened, output: &Output) {
    let link = opened
        .links
        .first()
        .and_then(|link| link.url.as_deref())
        .unwrap_or_default();
    output.result(
        || {
            let shown = serde_json::json!({
                "address": opened.address.to_string(), "base": opened.base, "link": link,
            });
            format!("{shown:#}\n")
        },
        || format!("{link}\n"),
    );
    output.note(&format!(
        "the review is open at {}; whoever has the link can settle; Ctrl-C stops, and the link ends with it",
        opened.base
    ));
}

/// Saves the page as a file.
pub(super) fn save(review: &Review, labels: &LabelArgs, file: &Path, door: &Door<'_>) -> Result<u8, ProjectError> {
    review.save_page(file, &command(review, labels))?;
    let shown = file.display().to_string();
    door.output.result(
        || format!("{:#}\n", serde_json::json!({ "file": shown })),
        || format!("{shown}\n"),
    );
    Ok(exit::DONE)
}

/// `grade rule` with the flags by which it finds the same labels.
fn command(review: &Review, labels: &LabelArgs) -> Vec<String> {
    let mut words: Vec<String> = ["calibrant", "grade", "rule"].map(str::to_owned).to_vec();
    let path = |path: &Path| path.display().to_string();
    let mut flag = |name: &str, value: Option<String>| {
        words.extend(value.map(|value| format!("--{name}={value}")));
    };
    labels
        .verdicts
        .iter()
        .for_each(|table| flag("verdicts", Some(path(table))));
    flag("round", review.round.map(|round| round.to_string()));
    flag("dir", labels.round.dir().map(path));
    flag("ledger", labels.round.ledger.as_deref().map(path));
    flag("rubric", review.rubric.as_ref().map(|file| path(&file.path)));
    flag("judges", labels.judges.clone());
    flag("scale", labels.scale.clone());
    words
}
