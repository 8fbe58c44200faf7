//! Findings as annotations: workflow commands that a GitHub runner reads from standard output.

use calibrant_schema::{Diagnostic, Severity};

use super::Reported;

/// One `::error`, `::warning` or `::notice` line per finding that is not silenced.
///
/// Whatever a rubric says stands behind the `::` that closes our own command, without line ends, so nothing in it can
/// begin another. GitHub shows at most ten annotations of each level a step.
#[must_use]
pub fn github(findings: &[Reported<'_>]) -> String {
    findings
        .iter()
        .filter(|finding| finding.silenced.is_none())
        .map(|finding| annotation(finding.diagnostic))
        .collect()
}

fn annotation(diagnostic: &Diagnostic) -> String {
    let command = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut properties = vec![format!("title={}", property(diagnostic.id))];
    if let Some(span) = &diagnostic.span {
        properties.insert(0, format!("file={}", property(&span.file)));
        properties.insert(1, format!("line={},col={}", span.line, span.column));
        properties.insert(2, format!("endColumn={}", span.column + span.length));
    }
    let label = diagnostic.label.as_deref().map(|label| format!(": {label}"));
    let message = format!(
        "{}{}\nhelp: {}",
        diagnostic.what,
        label.unwrap_or_default(),
        diagnostic.help
    );
    format!("::{command} {}::{}\n", properties.join(","), data(&message))
}

/// Text behind the closing `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, which also ends at a comma or colon.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
