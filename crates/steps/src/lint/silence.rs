//! `allow`: findings silenced with a reason, and entries that silence nothing.
//!
//! Source: METHODS 26.

use std::collections::BTreeSet;

use calibrant_schema::rubric::Located;
use calibrant_schema::suggest::did_you_mean;
use calibrant_schema::{Diagnostic, Diagnostics, Rubric, Span};

use super::catalogue::{LINTS, Lint, UNKNOWN_LINT, UNUSED_ALLOW, lint_named};
use super::{LintReport, Silenced};

/// Sorts findings into those to show and those silenced, and remembers which entries of `allow` did something.
pub(super) struct Silencer<'a> {
    rubric: &'a Rubric,
    located: &'a Located<'a>,
    used: BTreeSet<(Option<usize>, &'static str)>,
    shown: Vec<Diagnostic>,
    silenced: Vec<Silenced>,
}

impl<'a> Silencer<'a> {
    pub(super) fn new(rubric: &'a Rubric, located: &'a Located<'a>) -> Silencer<'a> {
        Silencer {
            rubric,
            located,
            used: BTreeSet::new(),
            shown: Vec::new(),
            silenced: Vec::new(),
        }
    }

    /// Takes a finding of a criterion, or of the rubric where `at` is `None`.
    pub(super) fn take(&mut self, at: Option<usize>, lint: Lint, diagnostic: Diagnostic) {
        let places = [at, None];
        let silence = places
            .into_iter()
            .find_map(|place| Some((place, self.reason(place, lint)?)));
        self.sort(silence, lint, diagnostic);
    }

    /// Takes a finding of two criteria, which either may silence.
    pub(super) fn take_pair(&mut self, one: usize, other: usize, lint: Lint, diagnostic: Diagnostic) {
        let places = [Some(one), Some(other), None];
        let silence = places
            .into_iter()
            .find_map(|place| Some((place, self.reason(place, lint)?)));
        self.sort(silence, lint, diagnostic);
    }

    fn reason(&self, at: Option<usize>, lint: Lint) -> Option<String> {
        let allow = at.map_or(&self.rubric.allow, |at| &self.rubric.criteria[at].allow);
        allow.get(lint.id).cloned()
    }

    fn sort(&mut self, silence: Option<(Option<usize>, String)>, lint: Lint, diagnostic: Diagnostic) {
        match silence {
            None => self.shown.push(diagnostic),
            Some((at, reason)) => {
                self.used.insert((at, lint.id));
                self.silenced.push(Silenced { diagnostic, reason });
            }
        }
    }

    /// What is left, with what there is to say of `allow` itself.
    pub(super) fn finish(mut self) -> LintReport {
        let rubric = self.rubric;
        for id in rubric.allow.keys() {
            self.entry(None, id);
        }
        for (at, criterion) in rubric.criteria.iter().enumerate() {
            for id in criterion.allow.keys() {
                self.entry(Some(at), id);
            }
        }
        self.sorted()
    }

    /// What is left, in the order of the file.
    pub(super) fn sorted(mut self) -> LintReport {
        self.shown.sort_by_key(place);
        self.silenced.sort_by_key(|silenced| place(&silenced.diagnostic));
        LintReport {
            findings: Diagnostics::from_iter(self.shown),
            silenced: self.silenced,
        }
    }

    /// Looks at one entry of `allow`.
    fn entry(&mut self, at: Option<usize>, id: &str) {
        let span = self.span(at, id);
        let of = at.map_or("the rubric".to_owned(), |at| {
            format!("`{}`", self.rubric.criteria[at].id)
        });
        let Some(lint) = lint_named(id) else {
            let known: Vec<&str> = LINTS.iter().map(|lint| lint.id).collect();
            let what = format!("`allow` of {of} names `{}`, which is no lint", cut(id));
            self.shown.push(with_span(
                Diagnostic::warning(UNKNOWN_LINT.id, what, did_you_mean(id, &known)).labelled("not a lint"),
                span,
            ));
            return;
        };
        if self.used.contains(&(at, lint.id)) || self.counted_out(at, *lint) {
            return;
        }
        let what = format!("`allow` of {of} silences `{id}`, which says nothing here");
        let note = Diagnostic {
            severity: UNUSED_ALLOW.severity,
            ..Diagnostic::warning(UNUSED_ALLOW.id, what, UNUSED_ALLOW.help)
        };
        self.shown.push(with_span(note.labelled("nothing to silence"), span));
    }

    /// Whether a lint that is said once per file leaves this criterion out of its count because of its `allow`, or needs
    /// verdicts, so that nobody can say here that it silences nothing.
    fn counted_out(&self, at: Option<usize>, lint: Lint) -> bool {
        use super::catalogue as c;
        let Some(criterion) = at.map(|at| &self.rubric.criteria[at]) else {
            return lint == c::OVERLAP_LABELS;
        };
        match lint {
            c::MISSING_FAIL_EXAMPLE => criterion.fail_example.is_none(),
            c::MISSING_BOUNDARY => criterion.boundary.is_none(),
            c::STATEMENT_FORM | c::HEAVY_CRITERION | c::OVERLAP_LABELS => true,
            _ => false,
        }
    }

    fn span(&self, at: Option<usize>, id: &str) -> Option<Span> {
        let key = format!("allow.{id}");
        match at {
            Some(at) => self.located.key(at, &key),
            None => self.located.root_key(&key),
        }
    }
}

fn with_span(diagnostic: Diagnostic, span: Option<Span>) -> Diagnostic {
    match span {
        Some(span) => diagnostic.at(span),
        None => diagnostic,
    }
}

fn cut(text: &str) -> String {
    text.chars().take(60).collect()
}

fn place(diagnostic: &Diagnostic) -> Option<(u32, u32)> {
    diagnostic.span.as_ref().map(|span| (span.line, span.column))
}
