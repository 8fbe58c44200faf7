//! The pages of the lints, in the program.

use calibrant_project::ProjectError;
use calibrant_schema::suggest::did_you_mean;

macro_rules! pages {
    ($($id:literal),* $(,)?) => {
        /// The page of each lint, by id.
        const PAGES: &[(&str, &str)] = &[$(($id, include_str!(concat!("../../../../../docs/lints/", $id, ".md")))),*];
    };
}

pages![
    "boundary-no-ruling",
    "code-decidable",
    "compound",
    "far-fail-example",
    "heavy-criterion",
    "missing-boundary",
    "missing-fail-example",
    "negated-penalty",
    "no-harm",
    "no-negative",
    "not-english",
    "open-question",
    "overlap",
    "overlap-labels",
    "polarity",
    "reader-reaction",
    "statement-form",
    "stock-phrase",
    "taste",
    "unanchored-scale",
    "unknown-lint",
    "unobservable",
    "unused-allow",
    "vacuity",
    "vague-word",
    "weight-concentration",
];

/// The page of a lint.
pub(super) fn page(id: &str) -> Option<&'static str> {
    PAGES.iter().find(|(known, _)| *known == id).map(|(_, page)| *page)
}

/// The page asked for.
///
/// # Errors
/// If there is no such lint.
pub(super) fn explained(id: &str) -> Result<&'static str, ProjectError> {
    let known: Vec<&str> = PAGES.iter().map(|(known, _)| *known).collect();
    page(id).ok_or_else(|| {
        ProjectError::refused(
            "no-such-lint",
            format!("there is no lint `{id}`"),
            did_you_mean(id, &known),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lint_has_its_page_and_every_page_its_lint() {
        let lints: Vec<&str> = calibrant_steps::lint::LINTS.iter().map(|lint| lint.id).collect();
        let pages: Vec<&str> = PAGES.iter().map(|(id, _)| *id).collect();
        assert_eq!(lints, pages);
        for (id, page) in PAGES {
            assert!(page.starts_with(&format!("# `{id}`\n")), "{id}");
        }
    }
}
