//! Agreement: values of `testdata/published/{fleiss1971,shrout_fleiss1979,agreement_errors}.toml`.

use calibrant_stats::agreement::{
    Agreement, Anova, Difference, Icc, MISSING, PairTable, Patterns, Ratings, Weights, brennan_prediger,
    brennan_prediger_error, conger_kappa, fleiss_kappa, fleiss_kappa_error, gwet_ac, gwet_ac_error, krippendorff_alpha,
    krippendorff_alpha_error, normal_interval, student_interval, weighted_kappa, weighted_kappa_error,
};
use calibrant_stats::{Undefined, resample::LEVEL};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Sums in another order, in double precision.
const ROUNDING: f64 = 1e-13;

fn parse<T: DeserializeOwned>(text: &str) -> T {
    toml::from_str(text).expect("the committed file is valid")
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: found {found}, expected {expected}"
    );
}

fn value(agreement: Result<Agreement, Undefined>) -> f64 {
    agreement.expect("units have labels").value.expect("labels differ")
}

#[derive(Deserialize)]
struct FleissFile {
    levels: usize,
    counts: Vec<u16>,
    kappa: f64,
    tolerance: f64,
    statsmodels: Peer,
}

#[derive(Deserialize)]
struct Peer {
    kappa: f64,
    tolerance: f64,
}

#[test]
fn fleiss_1971() {
    let file: FleissFile = parse(include_str!("../../../testdata/published/fleiss1971.toml"));
    let moments = Patterns::from_counts(file.levels, &file.counts)
        .expect("whole units")
        .moments();
    let kappa = value(fleiss_kappa(&moments, &Weights::identity(file.levels)));
    close(kappa, file.kappa, file.tolerance, "kappa");
    close(kappa, file.statsmodels.kappa, file.statsmodels.tolerance, "statsmodels");
}

#[derive(Deserialize)]
struct IccFile {
    judges: usize,
    values: Vec<f64>,
    tolerance: f64,
    icc: Vec<IccCase>,
}

#[derive(Deserialize)]
struct IccCase {
    form: String,
    value: f64,
    pingouin: f64,
    f: f64,
    interval: [f64; 2],
}

fn form(name: &str) -> Icc {
    match name {
        "one_way_single" => Icc::OneWaySingle,
        "agreement_single" => Icc::AgreementSingle,
        "consistency_single" => Icc::ConsistencySingle,
        "one_way_mean" => Icc::OneWayMean,
        "agreement_mean" => Icc::AgreementMean,
        "consistency_mean" => Icc::ConsistencyMean,
        other => panic!("no such form: {other}"),
    }
}

#[test]
fn shrout_and_fleiss_1979() {
    let file: IccFile = parse(include_str!("../../../testdata/published/shrout_fleiss1979.toml"));
    let anova = Anova::of_values(file.judges, &file.values)
        .expect("whole units")
        .expect("values vary");
    for case in file.icc {
        let found = anova.icc(form(&case.form), LEVEL).expect("values vary");
        close(found.value, case.value, file.tolerance, &case.form);
        close(found.value, case.pingouin, ROUNDING, &case.form);
        close(found.f, case.f, 100.0 * ROUNDING, &case.form);
        let interval = found.interval.expect("there is a residual");
        close(interval.low, case.interval[0], file.tolerance, &case.form);
        close(interval.high, case.interval[1], file.tolerance, &case.form);
    }
}

#[derive(Deserialize)]
struct ErrorFile {
    kappa: KappaFile,
    panel: PanelFile,
    complete: Vec<CompleteCase>,
}

#[derive(Deserialize)]
struct CompleteCase {
    weights: String,
    alpha: Known,
}

#[derive(Deserialize)]
struct KappaFile {
    labels: usize,
    counts: Vec<u64>,
    tolerance: f64,
    case: Vec<KappaCase>,
}

#[derive(Deserialize)]
struct KappaCase {
    weights: String,
    value: f64,
    standard_error: f64,
    null_standard_error: f64,
    interval: [f64; 2],
}

fn weights(name: &str, levels: usize) -> Weights {
    match name {
        "linear" => Weights::linear(levels),
        "quadratic" => Weights::quadratic(levels),
        _ => Weights::identity(levels),
    }
}

fn errors() -> ErrorFile {
    parse(include_str!("../../../testdata/published/agreement_errors.toml"))
}

#[test]
fn errors_of_kappa_by_statsmodels() {
    let file = errors().kappa;
    let table = PairTable::new(file.labels, file.counts).expect("a square");
    for case in file.case {
        let weights = weights(&case.weights, file.labels);
        let kappa = value(weighted_kappa(&table, &weights));
        let error = weighted_kappa_error(&table, &weights).expect("kappa is defined");
        let standard_error = error.standard_error.expect("judges disagree somewhere");
        let interval = normal_interval(kappa, standard_error, LEVEL);
        let check = |found, expected| close(found, expected, file.tolerance, &case.weights);
        check(kappa, case.value);
        check(standard_error, case.standard_error);
        check(error.null_standard_error, case.null_standard_error);
        check(interval.low, case.interval[0]);
        check(interval.high, case.interval[1]);
    }
}

#[derive(Deserialize)]
struct PanelFile {
    judges: usize,
    levels: usize,
    codes: Vec<u8>,
    tolerance: f64,
    interval_tolerance: f64,
    case: Vec<PanelCase>,
}

#[derive(Deserialize)]
struct PanelCase {
    weights: String,
    gwet: Known,
    fleiss: Known,
    alpha: Option<Known>,
    conger: Known,
    brennan_prediger: Known,
}

#[derive(Deserialize)]
struct Known {
    value: f64,
    standard_error: Option<f64>,
    low: Option<f64>,
    irrcac: Option<f64>,
}

impl PanelFile {
    fn check(&self, known: &Known, found: f64, error: Result<f64, Undefined>, units: u64, what: &str) {
        let error = error.expect("units differ");
        let interval = student_interval(found, error, units, LEVEL);
        close(found, known.value, self.tolerance, what);
        close(error, known.standard_error.expect("given"), self.tolerance, what);
        if let Some(low) = known.low {
            close(interval.low, low, self.interval_tolerance, what);
        }
        // Ends above 1 are cut there.
        assert_eq!(interval.high, 1.0, "{what}");
    }
}

#[test]
fn errors_of_panels_by_irrcac() {
    let file = errors().panel;
    let tally = Ratings::new(file.judges, file.levels, &file.codes)
        .expect("codes fit")
        .tally();
    let (patterns, moments) = (tally.patterns(), tally.moments());
    let (all, of_two) = (moments.units_with(1), moments.units_with(2));
    for case in &file.case {
        let weights = weights(&case.weights, file.levels);
        let check = |known: &Known, found, error, units, what: &str| {
            file.check(known, found, error, units, &format!("{} {what}", case.weights));
        };
        let (gwet, fleiss) = (
            value(gwet_ac(&moments, &weights)),
            value(fleiss_kappa(&moments, &weights)),
        );
        check(&case.gwet, gwet, gwet_ac_error(&patterns, &weights), all, "gwet");
        check(
            &case.fleiss,
            fleiss,
            fleiss_kappa_error(&patterns, &weights),
            all,
            "fleiss",
        );
        let prediger = value(brennan_prediger(&moments, &weights));
        let error = brennan_prediger_error(&patterns, &weights);
        check(&case.brennan_prediger, prediger, error, all, "brennan and prediger");
        close(
            value(conger_kappa(&tally, &weights)),
            case.conger.value,
            file.tolerance,
            "conger",
        );
        if let Some(known) = &case.alpha {
            // What irrCAC makes of units with unequally many labels; the reason stands in the file.
            const ITS_CENTRE: f64 = 1e-3;
            let (alpha, error) = alpha(&patterns, &case.weights);
            let its_error = known.irrcac.expect("given");
            assert!((error.expect("units differ") / its_error - 1.0).abs() < ITS_CENTRE);
            check(known, alpha, error, of_two, "alpha");
        }
    }
}

/// Alpha with its error; quadratic weights are the squared differences of interval alpha.
fn alpha(patterns: &Patterns, weights: &str) -> (f64, Result<f64, Undefined>) {
    let values: Vec<f64> = (0..patterns.levels()).map(|level| level as f64).collect();
    let difference = match weights {
        "quadratic" => Difference::Interval(&values),
        _ => Difference::Nominal,
    };
    let alpha = krippendorff_alpha(&patterns.moments(), difference).expect("units have two labels");
    let error = krippendorff_alpha_error(patterns, difference);
    (alpha.value.expect("labels differ"), error)
}

#[test]
fn errors_of_alpha_without_gaps_by_irrcac() {
    let file = errors();
    let panel = file.panel;
    let units = panel.codes.chunks_exact(panel.judges);
    let complete: Vec<u8> = units
        .filter(|unit| !unit.contains(&MISSING))
        .flatten()
        .copied()
        .collect();
    let ratings = Ratings::new(panel.judges, panel.levels, &complete).expect("codes fit");
    let patterns = ratings.tally().patterns();
    for case in file.complete {
        let (alpha, error) = alpha(&patterns, &case.weights);
        panel.check(&case.alpha, alpha, error, ratings.units() as u64, &case.weights);
    }
}
