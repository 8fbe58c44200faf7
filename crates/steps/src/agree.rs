//! `agree`: verdicts to how alike judges apply the criteria, beyond chance, and what that is no evidence of.

mod facts;
mod figures;
mod interval;
mod reading;
mod rounds;
mod sheet;
mod validity;

use std::borrow::Cow;

use calibrant_schema::agreement::{Agreement, Coefficient, CoefficientRow, Intervals, Scope};
use calibrant_schema::artifact::{Artifact, Header};
use calibrant_schema::undefined::Undefined;
use calibrant_schema::{Status, Verdicts, Warning};

use crate::error::StepError;
use crate::join::RubricJoin;
use figures::{About, Labelled, rows};
use interval::Maker;
use sheet::{Sheet, WholeAnswers, asked, sheets, whole_answers};
use validity::Gold;

/// Options of [`agree`].
#[derive(Clone, Debug, PartialEq)]
pub struct AgreeOptions {
    /// How intervals of chance-corrected figures are made.
    pub intervals: Intervals,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// Replicates of the bootstrap.
    pub replicates: u32,
}

impl Default for AgreeOptions {
    fn default() -> Self {
        Self {
            intervals: Intervals::default(),
            seed: 0,
            replicates: 1_000,
        }
    }
}

/// One round of judging.
#[derive(Clone, Copy, Debug)]
pub struct Round<'a> {
    /// Its verdicts, gold left out.
    pub verdicts: &'a Verdicts,
    /// The rubric they were made with.
    pub join: &'a RubricJoin<'a>,
}

/// What [`agree`] reads.
#[derive(Clone, Copy, Debug)]
pub struct AgreeInputs<'a> {
    /// The round.
    pub round: Round<'a>,
    /// Trusted labels, which take no part in agreement.
    pub gold: Option<&'a Verdicts>,
    /// The round before it.
    pub earlier: Option<Round<'a>>,
}

/// Agreement of the judges of a round: per criterion, over whole answers, pooled, and by pairs; beside it test-retest,
/// validity, the reading of low kappas, and the change since an earlier round.
///
/// The repeats of a judge become one label first, as everywhere. What is no label (skipped, failed, cannot assess, ...) is
/// missing and counted; "not applicable" is counted apart. Criteria that code decides take no part. `header` carries the
/// hashes of the inputs and the doubts met while reading; this step adds its own.
///
/// # Errors
/// If nothing can be compared: one judge without repeats or trusted labels, judges without a common unit, or trusted
/// labels that speak of nothing here.
///
/// Source: METHODS 30, 33-46.
pub fn agree(inputs: AgreeInputs<'_>, header: Header, options: &AgreeOptions) -> Result<Agreement, StepError> {
    let maker = Maker {
        kind: options.intervals,
        seed: options.seed,
        replicates: options.replicates,
    };
    let read = Read::new(inputs.round);
    let verdicts = read.verdicts.as_ref();
    if verdicts.is_empty() && !read.decided_by_code.is_empty() {
        return Err(StepError::AllDecidedByCode);
    }
    let gold = inputs.gold.map(|gold| Gold::new(gold, verdicts));
    if let Some(gold) = gold.as_ref().filter(|gold| gold.matched == 0) {
        return Err(StepError::GoldMatchesNothing { gold: gold.all });
    }
    let repeats = validity::repeats(verdicts, &read.judges, &maker)?;
    let validity = match &gold {
        Some(gold) => validity::validity(&read.sheets, verdicts, gold, &read.judges)?,
        None => Vec::new(),
    };
    let coefficients = read.coefficients(&maker)?;
    if !repeats
        .iter()
        .chain(&validity)
        .chain(&coefficients)
        .any(|row| row.value.is_some())
    {
        return Err(read.nothing_to_compare());
    }
    let mut header = Header {
        format: Agreement::FORMAT.to_owned(),
        seed: options.seed,
        ..header
    };
    settings(&mut header, options);
    let whole = read.whole_agreement(&coefficients);
    let rounds = match inputs.earlier {
        Some(earlier) => Some(rounds::rounds(&Read::new(earlier), &read, &maker)?),
        None => None,
    };
    let mut warnings = read.warnings(gold.as_ref(), rounds.as_ref(), &coefficients);
    let rare = reading::with_a_rare_label(&read.sheets)?;
    if let Some(first) = rare.first() {
        warnings.push(Warning::RareLabels {
            criteria: rare.len(),
            example: (*first).to_owned(),
        });
    }
    header.warnings.extend(warnings.into_iter().map(Into::into));
    Ok(Agreement {
        header,
        intervals: options.intervals,
        responses: read.whole.responses.len() as u64,
        criteria: read.sheets.iter().map(facts::criterion_facts).collect(),
        pairs: read.pairs(&maker)?,
        prevalence: read
            .sheets
            .iter()
            .flat_map(|sheet| facts::prevalence(sheet, &read.judges))
            .collect(),
        without_label: facts::without_label(verdicts),
        sizes: read.sheets.iter().flat_map(facts::sizes).collect(),
        readings: reading::readings(&read.sheets)?,
        precision: facts::precision(&read.whole, whole),
        judges: read.judges,
        decided_by_code: read.decided_by_code,
        coefficients,
        repeats,
        validity,
        rounds,
    })
}

fn settings(header: &mut Header, options: &AgreeOptions) {
    let intervals = match options.intervals {
        Intervals::Analytic => options.intervals.word().to_owned(),
        Intervals::Bootstrap => format!("bootstrap, {} replicates", options.replicates),
    };
    for (key, value) in [
        ("intervals", intervals.as_str()),
        ("repeats", "collapsed: majority, a tie takes the worse outcome"),
        (
            "missing",
            "what is no label is left out; not applicable is counted apart",
        ),
    ] {
        header.settings.insert(key.to_owned(), value.to_owned());
    }
}

/// A round as sheets and whole answers.
pub(crate) struct Read<'a> {
    verdicts: Cow<'a, Verdicts>,
    judges: Vec<String>,
    sheets: Vec<Sheet>,
    decided_by_code: Vec<String>,
    whole: WholeAnswers,
}

impl<'a> Read<'a> {
    fn new(round: Round<'a>) -> Self {
        let (verdicts, decided_by_code) = asked(round.verdicts, round.join);
        let sheets = sheets(&verdicts, round.join);
        let judges: Vec<String> = verdicts.judges().iter().map(str::to_owned).collect();
        let whole = whole_answers(&sheets, judges.len());
        Self {
            verdicts,
            judges,
            sheets,
            decided_by_code,
            whole,
        }
    }

    /// The tables of all judges in these columns: each criterion, whole answers, and pooled where the scales are one.
    fn tables(&self, columns: &[usize]) -> Vec<(Scope, Option<&str>, Labelled)> {
        let of_sheets: Vec<Labelled> = self
            .sheets
            .iter()
            .map(|sheet| Labelled::of_sheet(sheet, columns))
            .collect();
        let pooled = Labelled::pooled(of_sheets.iter().zip(&self.sheets).map(|(table, sheet)| {
            let number = |response| self.whole.number(response);
            (table, sheet.responses.iter().map(number).collect())
        }));
        let pooled = pooled.filter(|_| self.sheets.len() > 1);
        let criteria = self.sheets.iter().map(|sheet| Some(sheet.criterion.as_str()));
        let mut tables: Vec<_> = criteria
            .zip(of_sheets)
            .map(|(criterion, table)| (Scope::Criterion, criterion, table))
            .collect();
        tables.push((Scope::Response, None, Labelled::of_whole(&self.whole, columns)));
        tables.extend(pooled.map(|pooled| (Scope::Pooled, None, pooled)));
        tables
    }

    fn coefficients(&self, maker: &Maker) -> Result<Vec<CoefficientRow>, StepError> {
        if self.judges.len() < 2 {
            return Ok(Vec::new());
        }
        let columns: Vec<usize> = (0..self.judges.len()).collect();
        let mut found = Vec::new();
        for (scope, criterion, table) in self.tables(&columns) {
            let about = About {
                scope,
                criterion,
                judges: &self.judges,
            };
            found.extend(rows(about, &table, &table.coefficients(), maker)?);
        }
        Ok(found)
    }

    /// Every two judges, where there are more.
    fn pairs(&self, maker: &Maker) -> Result<Vec<CoefficientRow>, StepError> {
        let mut found = Vec::new();
        if self.judges.len() < 3 {
            return Ok(found);
        }
        for first in 0..self.judges.len() {
            for second in first + 1..self.judges.len() {
                let judges = [self.judges[first].clone(), self.judges[second].clone()];
                for (scope, criterion, table) in self.tables(&[first, second]) {
                    let about = About {
                        scope,
                        criterion,
                        judges: &judges,
                    };
                    found.extend(rows(about, &table, &table.pair_coefficients(), maker)?);
                }
            }
        }
        Ok(found)
    }

    /// Share of responses whose whole answers are alike.
    fn whole_agreement(&self, coefficients: &[CoefficientRow]) -> Result<f64, Undefined> {
        let wanted = |row: &&CoefficientRow| row.scope == Scope::Response && row.coefficient == self.whole_figure();
        let row = coefficients.iter().find(wanted);
        let none = || Undefined::new("one_judge", "one judge cannot agree with anybody");
        row.map_or_else(
            || Err(none()),
            |row| row.value.ok_or_else(|| row.undefined.clone().unwrap_or_else(none)),
        )
    }

    /// What "agreed on a whole answer" is: with two judges raw agreement, with more that all are alike.
    fn whole_figure(&self) -> Coefficient {
        match self.judges.len() {
            0..=2 => Coefficient::RawAgreement,
            _ => Coefficient::Unanimity,
        }
    }

    fn nothing_to_compare(&self) -> StepError {
        match self.judges.as_slice() {
            [] | [_] => StepError::NobodyToCompare {
                judge: self.judges.first().cloned().unwrap_or_default(),
            },
            [first, second, ..] => StepError::NoCommonUnit {
                judges: self.judges.len(),
                first: first.clone(),
                second: second.clone(),
            },
        }
    }

    fn warnings(
        &self,
        gold: Option<&Gold>,
        rounds: Option<&calibrant_schema::agreement::Rounds>,
        coefficients: &[CoefficientRow],
    ) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if let [judge] = self.judges.as_slice() {
            warnings.push(Warning::OneJudge { judge: judge.clone() });
        }
        warnings.extend(rounds.into_iter().flat_map(rounds::warnings));
        let one_label = |row: &&CoefficientRow| {
            let chance = matches!(row.coefficient, Coefficient::ScottPi | Coefficient::FleissKappa);
            let reason = row.undefined.as_ref().map(|undefined| undefined.reason.as_str());
            row.scope == Scope::Criterion && chance && reason == Some("one_label")
        };
        let flat: Vec<&CoefficientRow> = coefficients.iter().filter(one_label).collect();
        if let Some(first) = flat.first() {
            warnings.push(Warning::OneLabelOnly {
                criteria: flat.len(),
                example: first.criterion.clone().unwrap_or_default(),
            });
        }
        if let Some(gold) = gold.filter(|gold| gold.matched < gold.all) {
            warnings.push(Warning::GoldUnmatched {
                unmatched: gold.all - gold.matched,
                of: gold.all,
            });
        }
        let without = facts::without_label(&self.verdicts);
        // "Not applicable" is an answer, and nothing to judge again.
        let answers = Status::NotApplicable.as_str();
        let unanswered = without.iter().filter(|row| row.status != answers);
        let count: u64 = unanswered.map(|row| row.verdicts).sum();
        if count > 0 {
            warnings.push(Warning::VerdictsWithoutLabel {
                count: count as usize,
                of: self.verdicts.len(),
            });
        }
        warnings
    }
}
