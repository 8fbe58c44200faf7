//! Two rounds side by side: what may be compared, by how much it changed, and what is left when it did not.

use std::collections::BTreeMap;

use calibrant_schema::Warning;
use calibrant_schema::agreement::{
    Change, ChangeMethod, Coefficient, CoefficientRow, Figure, RoundFacts, Rounds, Scope, Taste,
};
use calibrant_schema::undefined::Undefined;

use super::Read;
use super::figures::Labelled;
use super::interval::Maker;
use super::reading::LOW_KAPPA;
use super::sheet::{Response, Sheet};
use crate::error::StepError;

/// Whole answers agreed on after a second round below this share are a reason to look for taste (METHODS 33).
const TASTE_CUT: f64 = 0.85;

/// This round beside an earlier one.
pub(super) fn rounds(earlier: &Read<'_>, later: &Read<'_>, maker: &Maker) -> Result<Rounds, StepError> {
    let (before, after) = (earlier.coefficients(maker)?, later.coefficients(maker)?);
    if before.iter().all(|row| row.value.is_none()) {
        return Err(StepError::EarlierRound {
            why: Box::new(earlier.nothing_to_compare()),
        });
    }
    let pairing = Pairing::new(earlier, later);
    let compare = Comparison {
        earlier: Side {
            read: earlier,
            rows: &before,
        },
        later: Side {
            read: later,
            rows: &after,
        },
        pairing: &pairing,
        maker,
    };
    let scale_changed = compare.scale_changed();
    Ok(Rounds {
        earlier: facts(earlier),
        later: facts(later),
        scale_changed,
        same_responses: pairing.same,
        changes: compare.changes(scale_changed)?,
        taste: taste(later, &after),
    })
}

/// The doubts about a comparison.
pub(super) fn warnings(rounds: &Rounds) -> Vec<Warning> {
    let mut found = Vec::new();
    let levels = |facts: &RoundFacts| {
        let mut levels: Vec<u64> = facts.criteria.iter().map(|(_, levels)| *levels).collect();
        levels.sort_unstable();
        levels.dedup();
        let words: Vec<String> = levels.iter().map(u64::to_string).collect();
        words.join(" and ")
    };
    if rounds.scale_changed {
        found.push(Warning::ScaleChanged {
            earlier: levels(&rounds.earlier),
            later: levels(&rounds.later),
        });
    } else if rounds.earlier.criteria != rounds.later.criteria {
        found.push(Warning::CriteriaChanged {
            earlier: rounds.earlier.criteria.len(),
            later: rounds.later.criteria.len(),
        });
    }
    if let Some(taste) = &rounds.taste {
        found.push(Warning::LooksLikeTaste {
            agreement: taste.agreement,
            criteria: taste.criteria.clone(),
        });
    }
    found
}

fn facts(read: &Read<'_>) -> RoundFacts {
    let criterion = |sheet: &Sheet| (sheet.criterion.clone(), sheet.scale.level_count() as u64);
    RoundFacts {
        judges: read.judges.clone(),
        responses: read.whole.comparable(),
        criteria: read.sheets.iter().map(criterion).collect(),
    }
}

/// The criteria of least agreement beyond chance, when whole answers agree too seldom.
fn taste(read: &Read<'_>, rows: &[CoefficientRow]) -> Option<Taste> {
    let agreement = read
        .whole_agreement(rows)
        .ok()
        .filter(|agreement| *agreement < TASTE_CUT)?;
    let corrected = |row: &&CoefficientRow| {
        let figure = matches!(
            row.coefficient,
            Coefficient::ScottPi | Coefficient::FleissKappa | Coefficient::AlphaOrdinal
        );
        figure && row.scope == Scope::Criterion
    };
    // Where a criterion has two of these, the one for its scale stands behind the other and takes its place.
    let mut known: BTreeMap<&str, f64> = BTreeMap::new();
    for row in rows.iter().filter(corrected) {
        if let (Some(criterion), Some(value)) = (row.criterion.as_deref(), row.value) {
            known.insert(criterion, value);
        }
    }
    let mut known: Vec<(&str, f64)> = known.into_iter().collect();
    known.sort_by(|x, y| x.1.total_cmp(&y.1).then_with(|| x.0.cmp(y.0)));
    let low = known.iter().filter(|(_, value)| *value < LOW_KAPPA).count().max(1);
    Some(Taste {
        agreement,
        cut: TASTE_CUT,
        criteria: known
            .iter()
            .take(low)
            .map(|(criterion, _)| (*criterion).to_owned())
            .collect(),
    })
}

/// Which unit of the earlier round is which of the later one.
struct Pairing {
    /// Responses with comparable whole answers in both rounds.
    same: u64,
    /// Whether both rounds have the same comparable responses and no others.
    paired: bool,
    /// The later code of each earlier response that is there in both.
    later: BTreeMap<Response, Response>,
}

impl Pairing {
    fn new(earlier: &Read<'_>, later: &Read<'_>) -> Self {
        let (before, after) = (&earlier.verdicts, &later.verdicts);
        let code = |(query, system, sample): Response| -> Option<Response> {
            Some((
                after.queries().find(before.queries().get(query))?,
                after.systems().find(before.systems().get(system))?,
                after.samples().find(before.samples().get(sample))?,
            ))
        };
        let comparable = |read: &Read<'_>| -> Vec<Response> {
            let rows = read.whole.responses.iter().zip(read.whole.rows());
            let both = rows.filter(|(_, row)| row.iter().flatten().count() >= 2);
            both.map(|(response, _)| *response).collect()
        };
        let (mine, theirs) = (comparable(later), comparable(earlier));
        let later: BTreeMap<Response, Response> = earlier
            .whole
            .responses
            .iter()
            .filter_map(|response| Some((*response, code(*response)?)))
            .collect();
        let is_there = |response: &&Response| {
            let code = later.get(response);
            code.is_some_and(|code| mine.binary_search(code).is_ok())
        };
        let same = theirs.iter().filter(is_there).count();
        Self {
            same: same as u64,
            paired: same > 0 && same == mine.len() && same == theirs.len(),
            later,
        }
    }
}

struct Side<'a> {
    read: &'a Read<'a>,
    rows: &'a [CoefficientRow],
}

impl Side<'_> {
    fn figure(&self, scope: Scope, criterion: Option<&str>, coefficient: Coefficient) -> Option<Figure> {
        let of = |wanted| {
            let mut rows = self.rows.iter().filter(|row| row.scope == scope);
            rows.find(|row| row.criterion.as_deref() == criterion && row.coefficient == wanted)
        };
        // For two judges Fleiss' kappa is Scott's pi: rounds of panels of other sizes meet there.
        let row = of(coefficient).or_else(|| match coefficient {
            Coefficient::FleissKappa => of(Coefficient::ScottPi),
            _ => None,
        })?;
        Some(Figure {
            units: row.units,
            value: row.value,
            low: row.low,
            high: row.high,
            undefined: row.undefined.clone(),
        })
    }

    fn sheet(&self, criterion: &str) -> Option<&Sheet> {
        self.read.sheets.iter().find(|sheet| sheet.criterion == criterion)
    }

    /// The table behind a figure, with the responses of its units.
    fn table(&self, criterion: Option<&str>) -> Option<(Labelled, &[Response])> {
        let columns: Vec<usize> = (0..self.read.judges.len()).collect();
        match criterion {
            None => Some((
                Labelled::of_whole(&self.read.whole, &columns),
                &self.read.whole.responses,
            )),
            Some(criterion) => {
                let sheet = self.sheet(criterion)?;
                Some((Labelled::of_sheet(sheet, &columns), &sheet.responses))
            }
        }
    }
}

struct Comparison<'a> {
    earlier: Side<'a>,
    later: Side<'a>,
    pairing: &'a Pairing,
    maker: &'a Maker,
}

impl Comparison<'_> {
    /// Whether a criterion of both rounds, or the rounds as a whole, have other levels now.
    fn scale_changed(&self) -> bool {
        let counts = |side: &Side<'_>| {
            let mut counts: Vec<usize> = side.read.sheets.iter().map(|sheet| sheet.scale.level_count()).collect();
            counts.sort_unstable();
            counts.dedup();
            counts
        };
        let other = |sheet: &Sheet| {
            let later = self.later.sheet(&sheet.criterion);
            later.is_some_and(|later| later.scale.level_count() != sheet.scale.level_count())
        };
        counts(&self.earlier) != counts(&self.later) || self.earlier.read.sheets.iter().any(other)
    }

    fn changes(&self, scale_changed: bool) -> Result<Vec<Change>, StepError> {
        use Coefficient as C;
        let criteria =
            |side: &Side<'_>| -> Vec<String> { side.read.sheets.iter().map(|sheet| sheet.criterion.clone()).collect() };
        let (before, after) = (criteria(&self.earlier), criteria(&self.later));
        let refused = match (scale_changed, before != after) {
            (true, _) => Some(Undefined::new(
                "scale_changed",
                "the scales have other numbers of levels, so raw agreement is not comparable: compare the figures beyond chance",
            )),
            (false, true) => Some(Undefined::new(
                "criteria_changed",
                "whole answers have other criteria, so raw agreement on them is not comparable: compare criterion by criterion",
            )),
            (false, false) => None,
        };
        let mut changes = Vec::new();
        let beyond_chance = match [&self.earlier, &self.later].map(|side| side.read.judges.len()) {
            [0..=2, 0..=2] => C::ScottPi,
            _ => C::FleissKappa,
        };
        for coefficient in [C::RawAgreement, C::Unanimity, beyond_chance, C::CohenKappa] {
            let refusal = refused.clone().filter(|_| coefficient.is_share());
            changes.extend(self.change(Scope::Response, None, coefficient, refusal)?);
        }
        for criterion in before.iter().filter(|criterion| after.contains(criterion)) {
            let scales = [&self.earlier, &self.later].map(|side| side.sheet(criterion).map(|sheet| &sheet.scale));
            let refusal = (scales[0] != scales[1])
                .then(|| Undefined::new("scale_changed", "the scale of this criterion has other levels now"));
            for coefficient in [C::RawAgreement, beyond_chance, C::AlphaOrdinal] {
                let refusal = refusal.clone().filter(|_| coefficient.is_share());
                changes.extend(self.change(Scope::Criterion, Some(criterion), coefficient, refusal)?);
            }
        }
        Ok(changes)
    }

    /// One figure in both rounds; none where a round does not have it.
    fn change(
        &self,
        scope: Scope,
        criterion: Option<&str>,
        coefficient: Coefficient,
        refusal: Option<Undefined>,
    ) -> Result<Option<Change>, StepError> {
        let figures = (
            self.earlier.figure(scope, criterion, coefficient),
            self.later.figure(scope, criterion, coefficient),
        );
        let (Some(earlier), Some(later)) = figures else {
            return Ok(None);
        };
        let mut change = Change {
            scope,
            criterion: criterion.map(str::to_owned),
            coefficient,
            difference: None,
            low: None,
            high: None,
            z: None,
            p: None,
            method: ChangeMethod::None,
            undefined: refusal,
            earlier,
            later,
        };
        let both = change.earlier.value.zip(change.later.value);
        match (both, &change.undefined) {
            (_, Some(_)) => {}
            (None, None) => {
                let missing = [&change.earlier, &change.later].map(|figure| figure.undefined.clone());
                change.undefined = missing.into_iter().flatten().next();
            }
            (Some((before, after)), None) => {
                change.difference = Some(after - before);
                self.measure(&mut change, criterion, coefficient)?;
            }
        }
        Ok(Some(change))
    }

    /// Adds the interval of a difference, and its test.
    fn measure(&self, change: &mut Change, criterion: Option<&str>, coefficient: Coefficient) -> Result<(), StepError> {
        let tables = self.earlier.table(criterion).zip(self.later.table(criterion));
        let Some(((before, their), (after, mine))) = tables else {
            return Ok(());
        };
        if !self.pairing.paired {
            return super::interval::unpaired(change, (&before, &after), coefficient, self.maker);
        }
        let places: BTreeMap<Response, usize> = mine.iter().enumerate().map(|(at, response)| (*response, at)).collect();
        let pairs: Vec<(usize, usize)> = their
            .iter()
            .enumerate()
            .filter_map(|(at, response)| Some((at, *places.get(self.pairing.later.get(response)?)?)))
            .collect();
        super::interval::paired(change, (&before, &after), &pairs, coefficient, self.maker);
        Ok(())
    }
}
