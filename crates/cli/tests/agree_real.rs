//! `agree` on real labels, against the figures that the data's own notes print, digit by digit.

mod program;

use serde_json::Value;

/// Runs `agree` on a table of the data folder, with intervals from formulas: these tests are about values.
fn agreement(test: &str, table: &str, arguments: &[&str]) -> Option<Value> {
    let table = program::data(test, table)?;
    let folder = program::folder();
    let verdicts = program::text(&table);
    let command = [
        &["agree", "--verdicts", verdicts, "--intervals", "analytic", "--json"],
        arguments,
    ]
    .concat();
    let ran = program::calibrant(folder.path(), &command).succeeded();
    Some(serde_json::from_str(&ran.stdout).expect("the artifact is JSON"))
}

/// The figure of two judges or all, of a criterion or pooled, as printed with three decimals.
fn printed(agreement: &Value, list: &str, scope: &str, criterion: Option<&str>, judges: &[&str], name: &str) -> String {
    let rows = agreement[list].as_array().expect("a list");
    let found = rows.iter().find(|row| {
        row["scope"] == scope
            && row["criterion"].as_str() == criterion
            && row["coefficient"] == name
            && judges.iter().all(|judge| {
                row["judges"]
                    .as_array()
                    .is_some_and(|list| list.iter().any(|one| one == judge))
            })
    });
    let row = found.unwrap_or_else(|| panic!("no {name} of {judges:?} in {list}"));
    format!("{:.3}", row["value"].as_f64().unwrap_or_else(|| panic!("{row}")))
}

#[test]
fn story_ratings_of_three_slots() {
    let Some(agreement) = agreement("hanna", "hanna/labels.csv.gz", &["--scale", "1..5"]) else {
        return;
    };
    for (first, second, raw, kappa, quadratic) in [
        ("human1", "human2", "0.282", "0.075", "0.186"),
        ("human1", "human3", "0.251", "0.037", "0.152"),
        ("human2", "human3", "0.268", "0.057", "0.159"),
    ] {
        let of = |name| printed(&agreement, "pairs", "pooled", None, &[first, second], name);
        assert_eq!(
            [of("raw_agreement"), of("cohen_kappa"), of("kappa_quadratic")],
            [raw, kappa, quadratic],
            "{first} {second}"
        );
    }
    let of = |name| printed(&agreement, "coefficients", "pooled", None, &[], name);
    assert_eq!([of("alpha_interval"), of("unanimity")], ["0.166", "0.091"]);
    assert_eq!(agreement["criteria"].as_array().map(Vec::len), Some(6));
}

#[test]
fn three_people_and_five_models_in_one_table() {
    let Some(agreement) = agreement("hanna panel", "hanna/labels_binary_panel.csv.gz", &[]) else {
        return;
    };
    for (first, second, raw, kappa) in [
        ("Beluga-13B", "human1", "0.583", "0.158"),
        ("Beluga-13B", "ChatGPT", "0.691", "0.236"),
        ("human1", "human2", "0.549", "0.095"),
        ("human2", "Llama-13B", "0.483", "0.027"),
        ("ChatGPT", "Llama-13B", "0.343", "0.042"),
    ] {
        let of = |name| printed(&agreement, "pairs", "pooled", None, &[first, second], name);
        assert_eq!(
            [of("raw_agreement"), of("cohen_kappa")],
            [raw, kappa],
            "{first} {second}"
        );
    }
    let of = |name| printed(&agreement, "coefficients", "pooled", None, &[], name);
    // With two levels nominal and interval alpha are one.
    assert_eq!([of("alpha_nominal"), of("unanimity")], ["0.142", "0.072"]);
    assert_eq!(agreement["judges"].as_array().map(Vec::len), Some(8));
}

#[test]
fn hallucinations_by_criterion_with_their_prevalence() {
    let Some(agreement) = agreement("xsum", "xsum_factuality/labels.csv.gz", &[]) else {
        return;
    };
    for (first, second, raw, kappa) in [
        ("wid_0", "wid_1", "0.926", "0.843"),
        ("wid_0", "wid_2", "0.892", "0.770"),
        ("wid_1", "wid_2", "0.922", "0.832"),
    ] {
        let of = |name| printed(&agreement, "pairs", "pooled", None, &[first, second], name);
        assert_eq!(
            [of("raw_agreement"), of("cohen_kappa")],
            [raw, kappa],
            "{first} {second}"
        );
    }
    let of = |name| printed(&agreement, "coefficients", "pooled", None, &[], name);
    assert_eq!([of("alpha_nominal"), of("unanimity")], ["0.815", "0.870"]);
    for (criterion, met, raw, kappa) in [
        ("factual", "0.105", ["0.954", "0.960"], ["0.762", "0.782"]),
        ("no_extrinsic", "0.226", ["0.890", "0.933"], ["0.685", "0.807"]),
        ("no_intrinsic", "0.722", ["0.845", "0.896"], ["0.613", "0.738"]),
    ] {
        let pairs = [["wid_0", "wid_1"], ["wid_0", "wid_2"], ["wid_1", "wid_2"]];
        let range = |name: &str| {
            let mut found = pairs.map(|pair| printed(&agreement, "pairs", "criterion", Some(criterion), &pair, name));
            found.sort_unstable();
            [found[0].clone(), found[2].clone()]
        };
        assert_eq!(
            (range("raw_agreement"), range("cohen_kappa")),
            (raw.map(str::to_owned), kappa.map(str::to_owned))
        );
        let rows = agreement["prevalence"].as_array().expect("a list").iter();
        let (mut all, mut passed) = (0.0, 0.0);
        for row in rows.filter(|row| row["criterion"] == criterion) {
            all += row["labels"].as_f64().expect("a count");
            passed += row["met"].as_f64().expect("a count");
        }
        assert_eq!(format!("{:.3}", passed / all), met, "{criterion}");
    }
}
