//! Mistakes met while reading, each with the line it points at.

use std::fmt;

use calibrant_schema::diagnostic::Paint;
use calibrant_schema::{Diagnostic, Diagnostics};

/// How many mistakes of one reading are shown; a file with more of them has one cause, and the rest is counted.
pub const MOST_SHOWN: usize = 20;

/// Longer lines are not kept for messages: twenty lines at the limit of a line would fill the memory.
const LONGEST_SHOWN_LINE: usize = 64 * 1024;

/// One mistake, with the text of the line its span names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What happened, where, and what to do next.
    pub diagnostic: Diagnostic,
    /// The line at `diagnostic.span`, when there is one.
    pub line: Option<String>,
}

impl Finding {
    fn paint(&self, paint: Paint) -> String {
        let (Some(span), Some(line)) = (&self.diagnostic.span, &self.line) else {
            return self.diagnostic.paint(None, paint);
        };
        // A diagnostic takes its line out of a whole text by number; the lines before it are not kept.
        let mut source = "\n".repeat(span.line.saturating_sub(1) as usize);
        source.push_str(line);
        self.diagnostic.paint(Some(&source), paint)
    }
}

/// The mistakes of one reading in the order they were met: the first [`MOST_SHOWN`], and how many more there were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    shown: Vec<Finding>,
    more: usize,
}

impl Findings {
    /// The findings about a text that is at hand.
    #[must_use]
    pub fn of_text(diagnostics: Diagnostics, text: &str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let shown = diagnostics
            .into_iter()
            .map(|diagnostic| {
                let at = diagnostic
                    .span
                    .as_ref()
                    .map(|span| span.line.saturating_sub(1) as usize);
                let line = at.and_then(|at| lines.get(at)).map(|line| (*line).to_owned());
                Finding { diagnostic, line }
            })
            .collect();
        Self { shown, more: 0 }
    }

    /// Adds a mistake, or counts it once [`MOST_SHOWN`] are kept; `line` is the text of the line it points at.
    pub fn push(&mut self, diagnostic: Diagnostic, line: Option<&str>) {
        if self.shown.len() == MOST_SHOWN {
            self.more += 1;
            return;
        }
        let line = line.filter(|line| line.len() <= LONGEST_SHOWN_LINE).map(str::to_owned);
        self.shown.push(Finding { diagnostic, line });
    }

    /// Puts one mistake in the place of all that came after the first `kept`: it explains them.
    pub(crate) fn replace_from(&mut self, kept: usize, diagnostic: Diagnostic) {
        self.shown.truncate(kept);
        self.more = kept - self.shown.len();
        self.push(diagnostic, None);
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// How many mistakes were met, shown or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shown.len() + self.more
    }

    /// The mistakes kept.
    #[must_use]
    pub fn shown(&self) -> &[Finding] {
        &self.shown
    }

    /// How many mistakes were only counted.
    #[must_use]
    pub fn more(&self) -> usize {
        self.more
    }

    /// All of it as text: each mistake with its line, then a closing count.
    #[must_use]
    pub fn paint(&self, paint: Paint) -> String {
        let mut text = String::new();
        for finding in &self.shown {
            text.push_str(&finding.paint(paint));
            text.push('\n');
        }
        text.push_str(&self.summary());
        text.push('\n');
        text
    }

    fn summary(&self) -> String {
        if self.more > 0 {
            return format!("{MOST_SHOWN} errors, and {} more that are not shown", self.more);
        }
        let all: Diagnostics = self.shown.iter().map(|finding| finding.diagnostic.clone()).collect();
        all.summary()
    }

    /// Nothing when nothing was found.
    ///
    /// # Errors
    /// The findings themselves, when there is one.
    pub(crate) fn into_result(self) -> Result<(), Self> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl From<Diagnostic> for Findings {
    fn from(diagnostic: Diagnostic) -> Self {
        Self {
            shown: vec![Finding { diagnostic, line: None }],
            more: 0,
        }
    }
}

impl From<Box<Diagnostic>> for Findings {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        (*diagnostic).into()
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.paint(Paint::Plain))
    }
}

impl std::error::Error for Findings {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_twenty_first_mistake_is_counted() {
        let mut findings = Findings::default();
        for _ in 0..MOST_SHOWN + 3 {
            findings.push(Diagnostic::error("x", "one cell is wrong", "mend it"), None);
        }
        assert_eq!(
            (findings.shown().len(), findings.more(), findings.len()),
            (MOST_SHOWN, 3, MOST_SHOWN + 3)
        );
        assert!(
            findings
                .to_string()
                .ends_with("20 errors, and 3 more that are not shown\n")
        );
    }
}
