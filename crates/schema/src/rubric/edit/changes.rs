//! What an edit changes, line by line, for people who look before they agree.

use std::ops::Range;

use serde::Serialize;

use super::Edited;

/// Lines that an edit replaces, with those that stand in their place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The line of the new text at which the change begins, from 1.
    pub line: usize,
    /// The old lines, without their ends.
    pub before: Vec<String>,
    /// The new lines, without their ends.
    pub after: Vec<String>,
}

impl Edited {
    /// The changes in whole lines, in order; `old` is the text that was edited.
    #[must_use]
    pub fn changes(&self, old: &str) -> Vec<Change> {
        let mut places: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        // Where the new text is longer than the old so far, kept as two sums so that neither falls below 0.
        let (mut added, mut removed) = (0, 0);
        for (range, inserted) in self.replaced.iter().zip(&self.inserted) {
            let start = range.start + added - removed;
            let before = whole_lines(old, range.clone());
            let after = whole_lines(&self.text, start..start + inserted.len());
            added += inserted.len();
            removed += range.len();
            match places.last_mut() {
                Some(last) if last.0.end > before.start || last.1.end > after.start => {
                    last.0.end = last.0.end.max(before.end);
                    last.1.end = last.1.end.max(after.end);
                }
                _ => places.push((before, after)),
            }
        }
        let changes = places.into_iter().map(|(before, after)| {
            let line = self.text[..after.start].matches('\n').count() + 1;
            trimmed(line, &old[before], &self.text[after])
        });
        changes.collect()
    }
}

/// The lines a range touches, with their ends.
fn whole_lines(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..]
        .find('\n')
        .map_or(text.len(), |length| range.end + length + 1);
    start..end
}

/// A change without the lines that both sides begin or end with.
fn trimmed(line: usize, before: &str, after: &str) -> Change {
    let (mut before, mut after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    while before.last().is_some_and(|last| after.last() == Some(last)) {
        before.pop();
        after.pop();
    }
    let same = before
        .iter()
        .zip(&after)
        .take_while(|(left, right)| left == right)
        .count();
    let owned = |lines: &[&str]| lines[same..].iter().map(|line| (*line).to_owned()).collect();
    Change {
        line: line + same,
        before: owned(&before),
        after: owned(&after),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CriterionName, Edit, apply};
    use super::*;
    use crate::rubric::Ruling;

    const RUBRIC: &str = "version: 3\ncriteria:\n  - id: a\n    question: Is it so?\n    boundary: Not in half.\n  - id: b\n    question: And this?\n";

    fn change(line: usize, before: &[&str], after: &[&str]) -> Change {
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        Change {
            line,
            before: owned(before),
            after: owned(after),
        }
    }

    fn name(id: &str) -> CriterionName {
        CriterionName {
            id: id.to_owned(),
            query: None,
        }
    }

    #[test]
    fn a_ruling_is_shown_where_it_goes() {
        let edit = Edit::Ruling {
            criterion: name("a"),
            ruling: Ruling {
                date: "2026-05-09".parse().expect("a date"),
                text: "A third is half.".to_owned(),
                from: Some("d-1a2b3c".to_owned()),
            },
            addition: "A third is half.".to_owned(),
        };
        let edited = apply(RUBRIC, "rubric.yaml", &edit).expect("it can be edited");
        let changes = edited.changes(RUBRIC);
        assert_eq!(changes[0], change(1, &["version: 3"], &["version: 4"]));
        assert_eq!(changes[1].before, ["    boundary: Not in half."]);
        assert!(changes[1].after[0].contains("A third is half."), "{changes:?}");
        // Whoever puts the new lines in the place of the old ones has the new file.
        let mut lines: Vec<String> = RUBRIC.lines().map(str::to_owned).collect();
        for change in &changes {
            let at = change.line - 1;
            assert_eq!(lines[at..at + change.before.len()], change.before[..]);
            lines.splice(at..at + change.before.len(), change.after.clone());
        }
        assert_eq!(lines, edited.text.lines().collect::<Vec<_>>());
    }

    #[test]
    fn a_deletion_shows_the_lines_that_go() {
        let edit = Edit::Deletion { criterion: name("b") };
        let edited = apply(RUBRIC, "rubric.yaml", &edit).expect("it can be edited");
        let gone = change(6, &["  - id: b", "    question: And this?"], &[]);
        assert_eq!(edited.changes(RUBRIC)[1..], [gone]);
    }
}
