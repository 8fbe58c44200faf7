//! Agreement coefficients held to what sources print and other programs compute: `testdata/reference/agreement.json`, made by
//! krippendorff 0.9.0, irrCAC 0.4.4, statsmodels 0.15.0, scikit-learn 1.9.1, and formulas written a second time in numpy.

use calibrant_stats::Undefined;
use calibrant_stats::agreement::{
    Agreement, Difference, MISSING, Moments, PairTable, Patterns, Ratings, Tally, Weights, bias_index,
    brennan_prediger, cohen_kappa, conger_kappa, fleiss_kappa, gwet_ac, krippendorff_alpha, pabak, percent_agreement,
    prevalence_index, scott_pi, weighted_kappa,
};
use serde_json::Value;

/// A few operations in double precision, in another order.
const ROUNDING: f64 = 1e-13;
/// irrCAC rounds to five decimals.
const FIVE_DECIMALS: f64 = 5.1e-6;
/// Sources print two or three decimals.
const TWO_DECIMALS: f64 = 5.1e-3;
const THREE_DECIMALS: f64 = 5.1e-4;

fn reference() -> Value {
    serde_json::from_str(include_str!("../../../testdata/reference/agreement.json"))
        .expect("the committed file is valid")
}

fn close(found: f64, expected: &Value, tolerance: f64) {
    let expected = expected.as_f64().expect("a number");
    assert!(
        (found - expected).abs() <= tolerance,
        "found {found}, expected {expected}"
    );
}

fn value(agreement: Result<Agreement, Undefined>) -> f64 {
    agreement.expect("units have labels").value.expect("labels differ")
}

/// A table of judges by units with its scale: the values that occur, in ascending order.
struct Table {
    tally: Tally,
    moments: Moments,
    values: Vec<f64>,
}

fn table(case: &Value) -> Table {
    let rows: Vec<Vec<Option<f64>>> =
        serde_json::from_value(case["data_raters_x_units"].clone()).expect("rows of numbers");
    let mut values: Vec<f64> = rows.iter().flatten().copied().flatten().collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let code = |x: f64| values.iter().position(|&v| v == x).expect("a value that occurs") as u8;
    let units = 0..rows[0].len();
    let codes: Vec<u8> = units
        .flat_map(|unit| rows.iter().map(move |row| row[unit]))
        .map(|x| x.map_or(MISSING, code))
        .collect();
    let tally = Ratings::new(rows.len(), values.len(), &codes)
        .expect("codes fit")
        .tally();
    Table {
        moments: tally.moments(),
        tally,
        values,
    }
}

fn alpha(table: &Table, difference: &str) -> f64 {
    let difference = match difference {
        "nominal" => Difference::Nominal,
        "ordinal" => Difference::Ordinal,
        "interval" => Difference::Interval(&table.values),
        _ => Difference::Ratio(&table.values),
    };
    let found = krippendorff_alpha(&table.moments, difference).expect("units have two labels");
    found.value.expect("labels differ")
}

#[test]
fn krippendorff_2011() {
    let reference = reference();
    let case = &reference["krippendorff2011_D"];
    let table = table(case);
    for difference in ["nominal", "ordinal", "interval", "ratio"] {
        let found = alpha(&table, difference);
        close(found, &case["published"][difference], THREE_DECIMALS);
        close(found, &case["peers"]["krippendorff"][difference], ROUNDING);
        close(found, &case["direct"][difference], ROUNDING);
    }
    for name in ["krippendorff2011_A_binary", "krippendorff2011_B_nominal"] {
        let case = &reference[name];
        let found = alpha(&self::table(case), "nominal");
        close(found, &case["published"]["nominal"], THREE_DECIMALS);
        close(found, &case["direct"]["nominal"], ROUNDING);
    }
}

/// The table of Krippendorff's example is also irrCAC's `cac.raw4raters`.
#[test]
fn panel_coefficients_of_irrcac() {
    let case = &reference()["krippendorff2011_D"];
    let table = table(case);
    let identity = Weights::identity(table.values.len());
    let peers = &case["peers"]["irrCAC"];
    let (fleiss, ac1) = (
        fleiss_kappa(&table.moments, &identity),
        gwet_ac(&table.moments, &identity),
    );
    let prediger = value(brennan_prediger(&table.moments, &identity));
    close(value(fleiss), &case["direct"]["fleiss"], ROUNDING);
    close(value(fleiss), &peers["fleiss"], FIVE_DECIMALS);
    close(value(ac1), &case["direct"]["gwet_ac1"], ROUNDING);
    close(value(ac1), &peers["gwet"], FIVE_DECIMALS);
    close(prediger, &case["direct"]["brennan_prediger"], ROUNDING);
    close(prediger, &peers["bp"], FIVE_DECIMALS);
    close(
        value(conger_kappa(&table.tally, &identity)),
        &peers["conger"],
        FIVE_DECIMALS,
    );
    let raw = percent_agreement(&table.moments).expect("units have two labels");
    close(raw, &case["direct"]["percent_agreement"], ROUNDING);
}

#[test]
fn one_dissent_among_labels_all_alike() {
    let case = &reference()["alpha_one_disagreement"];
    let table = table(case);
    let identity = Weights::identity(2);
    close(alpha(&table, "nominal"), &case["direct"]["nominal"], ROUNDING);
    close(alpha(&table, "nominal"), &case["peers"]["krippendorff"], ROUNDING);
    close(
        value(fleiss_kappa(&table.moments, &identity)),
        &case["direct"]["fleiss"],
        ROUNDING,
    );
    close(
        value(gwet_ac(&table.moments, &identity)),
        &case["direct"]["gwet_ac1"],
        ROUNDING,
    );
    close(
        value(brennan_prediger(&table.moments, &identity)),
        &case["direct"]["brennan_prediger"],
        ROUNDING,
    );
}

/// Where one label is all there is, other programs raise, or give NaN, or 1; what we do is stated in docs/methods.md.
#[test]
fn one_label_only() {
    let codes = [1; 12];
    let moments = Ratings::new(3, 2, &codes).expect("codes fit").tally().moments();
    let identity = Weights::identity(2);
    let alpha = krippendorff_alpha(&moments, Difference::Nominal).expect("units have two labels");
    assert_eq!(alpha.value, Err(Undefined::OneLabel));
    let fleiss = fleiss_kappa(&moments, &identity).expect("units have two labels");
    assert_eq!(fleiss.value, Err(Undefined::OneLabel));
    assert_eq!(value(gwet_ac(&moments, &identity)), 1.0);
    assert_eq!(value(brennan_prediger(&moments, &identity)), 1.0);
    let table = PairTable::new(2, vec![0, 0, 0, 4]).expect("a square");
    let kappa = cohen_kappa(&table).expect("there are units");
    assert_eq!((kappa.observed, kappa.value), (1.0, Err(Undefined::OneLabel)));
    assert_eq!(pabak(&table), Ok(1.0));
}

fn square(table: &Value) -> PairTable {
    let rows: Vec<Vec<u64>> = serde_json::from_value(table.clone()).expect("rows of counts");
    PairTable::new(rows.len(), rows.concat()).expect("a square")
}

#[test]
fn cohen_1960_and_1968() {
    let case = &reference()["cohen1960_1968"];
    let table = square(&case["table"]);
    let disagreement = [0.0, 1.0, 3.0, 1.0, 0.0, 6.0, 3.0, 6.0, 0.0];
    let of_1968 = Weights::from_disagreement(3, &disagreement).expect("weights of Cohen 1968");
    let weighted = |weights: &Weights| value(weighted_kappa(&table, weights));
    close(weighted(&of_1968), &case["direct"]["kappa_w1968"], ROUNDING);
    close(weighted(&of_1968), &case["published"]["kappa_w1968"], THREE_DECIMALS);
    close(weighted(&Weights::identity(3)), &case["direct"]["kappa"], ROUNDING);
    close(
        weighted(&Weights::linear(3)),
        &case["peers"]["sklearn"]["linear"],
        ROUNDING,
    );
    close(
        weighted(&Weights::quadratic(3)),
        &case["peers"]["sklearn"]["quadratic"],
        ROUNDING,
    );
    let moments = table.patterns().moments();
    let identity = Weights::identity(3);
    close(value(gwet_ac(&moments, &identity)), &case["direct"]["ac1"], ROUNDING);
    close(
        value(brennan_prediger(&moments, &identity)),
        &case["direct"]["brennan_prediger"],
        ROUNDING,
    );
}

#[test]
fn feinstein_and_cicchetti() {
    for name in ["feinstein_cicchetti_balanced", "feinstein_cicchetti_skewed"] {
        let case = &reference()[name];
        let table = square(&case["table"]);
        let moments = table.patterns().moments();
        let kappa = cohen_kappa(&table).expect("there are units");
        close(kappa.value.expect("labels differ"), &case["direct"]["kappa"], ROUNDING);
        close(
            kappa.value.expect("labels differ"),
            &case["published"]["kappa"],
            TWO_DECIMALS,
        );
        close(
            pabak(&table).expect("there are units"),
            &case["direct"]["pabak"],
            ROUNDING,
        );
        let ac1 = value(gwet_ac(&moments, &Weights::identity(2)));
        close(ac1, &case["direct"]["ac1"], ROUNDING);
        close(ac1, &case["peers"]["irrCAC_gwet"], FIVE_DECIMALS);
        let prevalence = prevalence_index(&table).expect("two levels");
        close(prevalence, &case["direct"]["prevalence_index"], ROUNDING);
        close(
            bias_index(&table).expect("two levels"),
            &case["direct"]["bias_index"],
            ROUNDING,
        );
        // Two judges make Fleiss' kappa Scott's pi.
        let fleiss = value(fleiss_kappa(&moments, &Weights::identity(2)));
        assert!((fleiss - value(scott_pi(&table))).abs() < ROUNDING);
    }
}

#[test]
fn fleiss_worked_example() {
    let case = &reference()["fleiss_textbook_14x10"];
    let rows: Vec<Vec<u16>> = serde_json::from_value(case["counts"].clone()).expect("rows of counts");
    let moments = Patterns::from_counts(5, &rows.concat()).expect("whole units").moments();
    let kappa = value(fleiss_kappa(&moments, &Weights::identity(5)));
    close(kappa, &case["published"]["kappa"], THREE_DECIMALS);
    close(kappa, &case["peers"]["statsmodels"], ROUNDING);
    let randolph = value(brennan_prediger(&moments, &Weights::identity(5)));
    close(randolph, &case["peers"]["statsmodels_randolph"], ROUNDING);
}
