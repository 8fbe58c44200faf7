//! "Low kappa: poor judges, or a rare outcome?" for each binary criterion, in numbers and in a sentence.

use calibrant_schema::agreement::{PrevalenceReading, Reading};
use calibrant_stats::Undefined as Kernel;
use calibrant_stats::agreement::FlipModel;

use super::figures::{Kind, Labelled};
use super::sheet::Sheet;
use crate::error::StepError;

/// Below this a kappa is low enough to ask why; the conventional beginning of "substantial" agreement.
pub(super) const LOW_KAPPA: f64 = 0.6;

/// What the labels of one criterion say under judges that err alike on met and unmet.
#[derive(Clone, Copy)]
struct Known {
    raw: f64,
    /// Share of the labels that are met.
    met: f64,
    kappa: Result<f64, Kernel>,
    error: Option<f64>,
    prevalence: Option<f64>,
}

/// A reading for each binary criterion on which two judges can be compared.
///
/// For more than two judges raw agreement is the mean over their pairs.
///
/// Source: METHODS 41.
pub(super) fn readings(sheets: &[Sheet]) -> Result<Vec<PrevalenceReading>, StepError> {
    let mut known: Vec<(&str, Known)> = Vec::new();
    for sheet in sheets {
        let columns: Vec<usize> = (0..sheet.judges).collect();
        let table = Labelled::of_sheet(sheet, &columns);
        if table.kind != Kind::Binary {
            continue;
        }
        let counted = table.counted()?;
        if let Ok(agreement) = counted.beyond_chance(2) {
            let met = counted.share_met();
            known.push((&sheet.criterion, of_criterion(agreement.observed, met, agreement.value)));
        }
    }
    let all: Vec<Option<f64>> = known.iter().map(|(_, known)| known.error).collect();
    let reading = |(at, (criterion, known)): (usize, &(&str, Known))| {
        let others = all.iter().enumerate().filter(|(other, _)| *other != at);
        read(
            criterion,
            known,
            median(others.filter_map(|(_, error)| *error).collect()),
        )
    };
    Ok(known.iter().enumerate().map(reading).collect())
}

/// Fewest responses of the rarer label from which intervals beyond chance hold 90 % and more: docs/validation.md, 40 units with
/// a level of one in ten against 20.
const FEWEST_OF_A_LABEL: f64 = 4.0;

/// Far above the rounding of a share times a count of units, far below one label.
const ROUNDING: f64 = 1e-6;

/// Binary criteria on which both labels occur, and one of them on fewer responses than that.
pub(super) fn with_a_rare_label(sheets: &[Sheet]) -> Result<Vec<&str>, StepError> {
    let mut rare = Vec::new();
    for sheet in sheets {
        let columns: Vec<usize> = (0..sheet.judges).collect();
        let table = Labelled::of_sheet(sheet, &columns);
        if table.kind != Kind::Binary {
            continue;
        }
        let counted = table.counted()?;
        let met = counted.share_met();
        let of_the_rarer = met.min(1.0 - met) * counted.units() as f64;
        // The share is a quotient, so that four of twenty may come out a rounding below four.
        if of_the_rarer > 0.0 && of_the_rarer < FEWEST_OF_A_LABEL - ROUNDING {
            rare.push(sheet.criterion.as_str());
        }
    }
    Ok(rare)
}

/// The flips that give this raw agreement, and the true prevalence behind this share of labels that are met.
fn of_criterion(raw: f64, met: f64, kappa: Result<f64, Kernel>) -> Known {
    let model = FlipModel::from_agreement(raw).ok();
    Known {
        raw,
        met,
        kappa,
        error: model.map(|model| model.flip),
        prevalence: model.and_then(|model| model.prevalence(met).ok()),
    }
}

/// The kappa of two judges with error `e` at prevalence `pi`.
fn kappa_at(prevalence: f64, error: f64) -> Option<f64> {
    FlipModel::new(error).ok()?.kappa(prevalence).ok()
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[middle]),
        _ => Some(0.5 * (values[middle - 1] + values[middle])),
    }
}

fn read(criterion: &str, known: &Known, usual: Option<f64>) -> PrevalenceReading {
    let pabak = 2.0 * known.raw - 1.0;
    let at_usual = known.prevalence.zip(usual).and_then(|(pi, e)| kappa_at(pi, e));
    // Where the prevalence is out of reach the usual error alone is compared.
    let at = at_usual.or_else(|| known.prevalence.is_none().then_some(0.0));
    let (reading, sentence) = words(criterion, known, usual.zip(at));
    PrevalenceReading {
        criterion: criterion.to_owned(),
        raw_agreement: Some(known.raw),
        judge_error: known.error,
        true_prevalence: known.prevalence,
        kappa: known.kappa.ok(),
        pabak: Some(pabak),
        usual_error: usual,
        kappa_at_usual_error: at_usual,
        reading,
        sentence,
    }
}

/// A criterion on which labels of one kind are so rare that no prevalence gives them under this error.
fn at_the_edge(criterion: &str, (known, kappa, error): (&Known, f64, f64), usual: Option<f64>) -> (Reading, String) {
    let share = |value: f64| format!("{:.1} %", 100.0 * value);
    let opening = format!(
        "{criterion}: kappa {kappa:.2} with raw agreement {} and a judge error of {}; one outcome hardly occurs ({} of the labels are \
         met), and every label of it may be an error.",
        share(known.raw),
        share(error),
        share(known.met),
    );
    let as_elsewhere = match usual {
        Some(usual) => error <= usual,
        None => 2.0 * known.raw - 1.0 >= LOW_KAPPA,
    };
    let against = usual.map_or_else(String::new, |usual| {
        format!(" ({} on the other criteria)", share(usual))
    });
    match as_elsewhere {
        true => (
            Reading::RareOutcome,
            format!(
                "{opening} The judges err no more than usual{against}: measure sensitivity on a set rich in the rare outcome."
            ),
        ),
        false => (
            Reading::JudgeError,
            format!("{opening} The judges err more than usual{against}: read the disagreements."),
        ),
    }
}

/// What the numbers support: whichever of the two explains more of the kappa that is missing.
fn words(criterion: &str, known: &Known, usual: Option<(f64, f64)>) -> (Reading, String) {
    let share = |value: f64| format!("{:.1} %", 100.0 * value);
    let pabak = 2.0 * known.raw - 1.0;
    let Ok(kappa) = known.kappa else {
        let what = "only one label occurs, so nothing tells whether judges can tell met from unmet";
        return (Reading::Unknown, format!("{criterion}: {what}."));
    };
    if kappa >= LOW_KAPPA {
        return (Reading::NotLow, format!("{criterion}: kappa {kappa:.2} is not low."));
    }
    let Some(error) = known.error else {
        let what = "the judges agree less often than coins would, which no prevalence explains";
        let agreement = share(known.raw);
        return (Reading::BelowChance, format!("{criterion}: {what} ({agreement})."));
    };
    let Some(prevalence) = known.prevalence else {
        return at_the_edge(criterion, (known, kappa, error), usual.map(|(usual, _)| usual));
    };
    let opening = format!(
        "{criterion}: kappa {kappa:.2} with raw agreement {}, a judge error of {} at a true prevalence of {}.",
        share(known.raw),
        share(error),
        share(prevalence),
    );
    let at_half = format!("With half of the responses met the same judges would have {pabak:.2}");
    match usual {
        None if pabak >= LOW_KAPPA => (
            Reading::RareOutcome,
            format!(
                "{opening} {at_half}: one outcome is rare here, and there is no other criterion to hold the judges against."
            ),
        ),
        None => (
            Reading::JudgeError,
            format!("{opening} {at_half}, which is low too: the judges err, whatever the prevalence."),
        ),
        Some((usual, expected)) if pabak - kappa >= expected - kappa => (
            Reading::RareOutcome,
            format!(
                "{opening} {at_half}; judges with the error usual on the other criteria ({}) would have {expected:.2} at this \
                 prevalence. The numbers say a rare outcome, not poor judges: measure sensitivity on a set rich in it.",
                share(usual)
            ),
        ),
        Some((usual, expected)) => (
            Reading::JudgeError,
            format!(
                "{opening} {at_half}; judges with the error usual on the other criteria ({}) would have {expected:.2} at this \
                 prevalence. The numbers say that judges err more here than elsewhere: read the disagreements.",
                share(usual)
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// METHODS 41: with e and pi of one criterion the closed form is Scott's pi again.
    #[test]
    fn the_closed_form_is_scotts_pi() {
        const ROUNDING: f64 = 1e-12;
        for (raw, met) in [(0.9, 0.5), (0.95, 0.1), (0.7, 0.4)] {
            let expected = met * met + (1.0 - met) * (1.0 - met);
            let pi = (raw - expected) / (1.0 - expected);
            let known = of_criterion(raw, met, Ok(pi));
            let again = kappa_at(known.prevalence.expect("a prevalence"), known.error.expect("an error"));
            assert!((again.expect("a kappa") - pi).abs() < ROUNDING, "{raw} {met}");
        }
    }

    #[test]
    fn rare_failures_and_poor_judges_are_told_apart() {
        // 95 % agreement where 95 % is met: kappa is low, and the judges are as good as on the other criterion.
        let rare = of_criterion(0.95, 0.95, Ok(0.474));
        assert_eq!(read("a", &rare, Some(0.03)).reading, Reading::RareOutcome);
        // 70 % agreement where half is met.
        let poor = of_criterion(0.7, 0.5, Ok(0.4));
        assert_eq!(read("b", &poor, Some(0.03)).reading, Reading::JudgeError);
        assert_eq!(
            read("b", &of_criterion(0.4, 0.5, Ok(-0.2)), None).reading,
            Reading::BelowChance
        );
    }

    /// Each of two judges calls one of forty unmet, and not the same one: more rare than the error allows.
    #[test]
    fn an_outcome_that_hardly_occurs_is_rare_and_no_worse_than_chance() {
        let edge = of_criterion(0.95, 0.975, Ok(-0.026));
        assert_eq!(edge.prevalence, None);
        let reading = read("a", &edge, Some(0.05));
        assert_eq!(
            (reading.reading, reading.kappa_at_usual_error),
            (Reading::RareOutcome, None)
        );
        assert_eq!(read("a", &edge, Some(0.01)).reading, Reading::JudgeError);
        assert_eq!(read("a", &edge, None).reading, Reading::RareOutcome);
    }

    #[test]
    fn a_median_of_none_is_none() {
        assert_eq!(median(Vec::new()), None);
        assert_eq!(median(vec![0.3, 0.1]), Some(0.2));
        assert_eq!(median(vec![0.3, 0.1, 0.9]), Some(0.3));
    }
}
