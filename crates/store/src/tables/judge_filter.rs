//! Which judges a reading keeps.

use std::collections::BTreeMap;

use calibrant_schema::Diagnostic;
use calibrant_schema::suggest::did_you_mean;

use crate::findings::Findings;
use crate::tables::shown::shown;

/// The judges asked for, and which of them were met.
pub(crate) struct JudgeFilter {
    /// Whether each wanted judge was met; `None` when all judges are wanted.
    wanted: Option<BTreeMap<String, Met>>,
    others: BTreeMap<String, Met>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Met {
    Yes,
    No,
}

impl JudgeFilter {
    pub(crate) fn new(judges: Option<&[String]>) -> Self {
        let wanted = judges.map(|judges| judges.iter().map(|judge| (judge.clone(), Met::No)).collect());
        Self {
            wanted,
            others: BTreeMap::new(),
        }
    }

    /// Whether rows of this judge are kept; remembers the name.
    pub(crate) fn keeps(&mut self, judge: &str) -> bool {
        let Some(wanted) = &mut self.wanted else { return true };
        if let Some(met) = wanted.get_mut(judge) {
            *met = Met::Yes;
            return true;
        }
        if !self.others.contains_key(judge) {
            self.others.insert(judge.to_owned(), Met::Yes);
        }
        false
    }

    /// A mistake for every judge asked for that no row has.
    pub(crate) fn absent(&self) -> Findings {
        let mut findings = Findings::default();
        let wanted = self.wanted.iter().flatten();
        let mut known: Vec<&str> = wanted
            .clone()
            .filter(|(_, met)| **met == Met::Yes)
            .map(|(judge, _)| judge.as_str())
            .collect();
        known.extend(self.others.keys().map(String::as_str));
        known.sort_unstable();
        for (judge, _) in wanted.filter(|(_, met)| **met == Met::No) {
            let what = format!("no row has the judge `{}`", shown(judge));
            let help = did_you_mean(judge, &known);
            findings.push(Diagnostic::error("unknown-judge", what, help), None);
        }
        findings
    }
}
