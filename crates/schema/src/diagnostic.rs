//! The one shape of a finding in a file people write: what, where, and what to do next.

mod render;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::Serialize;

pub use render::{Paint, visible};

/// A stretch of one line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The file as the user named it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Length in characters; 0 marks a place between characters.
    pub length: u32,
}

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// The file can be used, and something in it is probably not meant.
    Warning,
    /// Something worth knowing.
    Note,
}

impl Severity {
    /// The word that opens a rendered finding.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// One finding: what happened, where, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// How much it weighs.
    pub severity: Severity,
    /// A stable name in kebab case, by which it is documented and can be silenced.
    pub id: &'static str,
    /// What happened, one line.
    pub what: String,
    /// Where, if it has a place.
    pub span: Option<Span>,
    /// The note beside the carets.
    pub label: Option<String>,
    /// What to do next.
    pub help: String,
}

impl Diagnostic {
    /// An error without a place.
    #[must_use]
    pub fn error(id: &'static str, what: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            id,
            what: what.into(),
            span: None,
            label: None,
            help: help.into(),
        }
    }

    /// A warning without a place.
    #[must_use]
    pub fn warning(id: &'static str, what: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(id, what, help)
        }
    }

    /// The same finding at a place.
    #[must_use]
    pub fn at(mut self, span: Span) -> Diagnostic {
        self.span = Some(span);
        self
    }

    /// The same finding with a note beside the carets.
    #[must_use]
    pub fn labelled(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = Some(label.into());
        self
    }

    /// The finding as plain text, with the line of `source` it points at, ending in a line feed.
    ///
    /// Control, bidirectional and zero-width characters are shown as `\u{..}`; a very long line is cut around the span.
    #[must_use]
    pub fn render(&self, source: Option<&str>) -> String {
        render::render(self, source, Paint::Plain)
    }

    /// Like [`Diagnostic::render`], with colours when asked.
    #[must_use]
    pub fn paint(&self, source: Option<&str>, paint: Paint) -> String {
        render::render(self, source, paint)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(None))
    }
}

/// All findings about one text, in the order of their places.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// No findings.
    #[must_use]
    pub fn new() -> Diagnostics {
        Diagnostics::default()
    }

    /// Adds a finding, after those at its place or before it.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let place = self.0.partition_point(|other| place(other) <= place(&diagnostic));
        self.0.insert(place, diagnostic);
    }

    /// Whether one of them is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// How many have this severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.0
            .iter()
            .filter(|diagnostic| diagnostic.severity == severity)
            .count()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The findings in the order of their places; those without a place come first.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.0.iter()
    }

    /// All findings as plain text and a closing count such as `2 errors, 1 warning`; empty when there is none.
    #[must_use]
    pub fn render(&self, source: Option<&str>) -> String {
        self.paint(source, Paint::Plain)
    }

    /// Like [`Diagnostics::render`], with colours when asked.
    #[must_use]
    pub fn paint(&self, source: Option<&str>, paint: Paint) -> String {
        if self.is_empty() {
            return String::new();
        }
        let mut text = String::new();
        for diagnostic in self {
            text.push_str(&diagnostic.paint(source, paint));
            text.push('\n');
        }
        text.push_str(&self.summary());
        text.push('\n');
        text
    }

    /// The closing count: `1 error`, `2 errors, 1 warning`.
    #[must_use]
    pub fn summary(&self) -> String {
        let counts = [Severity::Error, Severity::Warning, Severity::Note]
            .map(|severity| (self.count(severity), severity.as_str()));
        let parts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}{}", if *count == 1 { "" } else { "s" }))
            .collect();
        parts.join(", ")
    }
}

/// Where a finding sorts: findings without a place first, then by line and column.
fn place(diagnostic: &Diagnostic) -> Option<(u32, u32)> {
    diagnostic.span.as_ref().map(|span| (span.line, span.column))
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<T: IntoIterator<Item = Diagnostic>>(&mut self, diagnostics: T) {
        diagnostics.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<T: IntoIterator<Item = Diagnostic>>(diagnostics: T) -> Self {
        let mut all = Diagnostics::new();
        all.extend(diagnostics);
        all
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(None))
    }
}

impl std::error::Error for Diagnostics {}
