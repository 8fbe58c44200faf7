//! Findings for other programs: SARIF for code scanning, annotations for GitHub.

mod github;
mod sarif;

use calibrant_schema::Diagnostic;

pub use github::github;
pub use sarif::sarif;

/// A finding with what a program needs to follow it from run to run.
#[derive(Clone, Copy, Debug)]
pub struct Reported<'a> {
    /// The finding.
    pub diagnostic: &'a Diagnostic,
    /// The text of the line it points at.
    pub line: Option<&'a str>,
    /// Why it is silenced, if it is.
    pub silenced: Option<&'a str>,
}

/// A rule that findings name by id.
#[derive(Clone, Copy, Debug)]
pub struct Rule<'a> {
    /// Its id.
    pub id: &'a str,
    /// What it looks for, in one line.
    pub title: &'a str,
    /// `warning` or `note`.
    pub level: &'a str,
    /// Its page, Markdown.
    pub page: &'a str,
}

#[cfg(test)]
mod tests;
