//! Requests as a door makes them: settings of the project file, notes on the way, what a refusal leaves behind.

use std::fs;
use std::path::Path;

use calibrant_project::{
    Demo, DemoOptions, Done, Example, Folder, Gold, Note, Products, ProjectError, REPORT_MD, Request, Start, Step,
    demo, find_project_file, init, run,
};
use calibrant_schema::config::Config;
use calibrant_schema::{Calibration, Warning};

fn config(text: &str) -> Config {
    let nobody: [(&str, &str); 0] = [];
    Config::read(Some(text), "calibrant.toml", &nobody)
        .expect("the settings of a test are sound")
        .0
}

/// A folder with the project that `init` writes.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    init(folder.path(), Example::Support).expect("an empty folder");
    folder
}

fn request(folder: &Path, settings: &str) -> Request {
    let start = Start::Verdicts {
        tables: vec![folder.join("verdicts.csv")],
        out: folder.join("out"),
    };
    Request {
        rubric: Some(folder.join("rubric.yaml")),
        ..Request::new(start, config(settings))
    }
}

/// Carries a request out and returns the steps it spoke of.
fn carry_out(request: &Request, last: Step) -> (Result<Products, ProjectError>, Vec<(Step, Done)>) {
    let mut steps = Vec::new();
    let products = run(request, last, &mut |note| {
        if let Note::Step(step, done) = note {
            steps.push((step, done));
        }
    });
    (products, steps)
}

fn judges(calibration: &Calibration) -> Vec<&str> {
    calibration.judges.iter().map(|judge| judge.judge.as_str()).collect()
}

#[test]
fn steps_are_told_in_order_and_stop_at_the_last() {
    let folder = project();
    let asked = request(folder.path(), "");
    let (products, steps) = carry_out(&asked, Step::Assemble);
    let products = products.expect("a sound table");
    assert!(products.fit.is_some() && products.bank.is_some() && products.scores.is_none());
    let made = |step| (step, Done::Made);
    assert_eq!(steps, [made(Step::Calibrate), made(Step::Fit), made(Step::Assemble)]);
    // The folder stays locked as long as somebody holds what was made in it.
    drop(products);
    let (_, steps) = carry_out(&asked, Step::Score);
    let unchanged = |step| (step, Done::Unchanged);
    let before = [Step::Calibrate, Step::Fit, Step::Assemble].map(unchanged);
    assert_eq!(steps, [&before[..], &[made(Step::Score)]].concat());
}

#[test]
fn a_gold_judge_of_the_project_file_stays_out_of_the_panel() {
    let folder = project();
    let (marked, _) = carry_out(
        &request(folder.path(), "[judges.judge-3]\ngold = true\n"),
        Step::Calibrate,
    );
    let marked = marked.expect("a sound table").calibration;
    assert_eq!(judges(&marked), ["judge-1", "judge-2"]);
    let named = Request {
        gold: Some(Gold::Judges(vec!["judge-3".to_owned()])),
        ..request(folder.path(), "")
    };
    let (named, _) = carry_out(&named, Step::Calibrate);
    let named = named.expect("a sound table").calibration;
    assert_eq!((&marked.criteria, &marked.sweep), (&named.criteria, &named.sweep));
    assert!(marked.sweep[0].held_out_kappa.is_some());
}

#[test]
fn gold_alone_is_no_panel() {
    let folder = project();
    let everyone = ["judge-1", "judge-2", "judge-3"].map(str::to_owned).to_vec();
    let asked = Request {
        gold: Some(Gold::Judges(everyone)),
        ..request(folder.path(), "")
    };
    let refusal = carry_out(&asked, Step::Calibrate).0.expect_err("nobody is left");
    assert!(refusal.to_string().contains("no panel"), "{refusal}");
}

#[test]
fn the_panel_of_the_project_file_is_the_only_filter() {
    let folder = project();
    let (products, _) = carry_out(
        &request(folder.path(), "panel = [\"judge-1\", \"judge-2\"]\n"),
        Step::Score,
    );
    let products = products.expect("a sound table");
    assert_eq!(judges(&products.calibration), ["judge-1", "judge-2"]);
    let warnings = products.calibration.header.warnings.clone();
    drop(products);
    assert!(warnings.iter().any(|noted| format!("{noted:?}").contains("TwoJudges")));
    let refusal = carry_out(&request(folder.path(), "panel = [\"judge-9\"]\n"), Step::Score).0;
    let refusal = refusal.expect_err("nobody has this name");
    assert!(refusal.to_string().contains("judge-9"), "{refusal}");
}

#[test]
fn a_refusal_leaves_what_was_finished() {
    let folder = project();
    let table = folder.path().join("verdicts.csv");
    let text = fs::read_to_string(&table).expect("the table");
    let one_system: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("system-") || line.starts_with("system-1,"))
        .collect();
    fs::write(&table, one_system.join("\n")).expect("the table can be written");
    let (products, steps) = carry_out(&request(folder.path(), ""), Step::Report);
    let refusal = products.expect_err("one system cannot be compared");
    assert!(refusal.to_string().contains("one system"), "{refusal}");
    assert_eq!(steps, [(Step::Calibrate, Done::Made)]);
    let folder = Folder::open(&folder.path().join("out")).expect("the folder is ours");
    let calibration: Calibration = folder.read().expect("the calibration was written whole");
    assert_eq!(calibration.panel.systems, 1);
    assert!(!folder.has("fit.json"));
}

#[test]
fn the_project_file_is_found_from_below() {
    let folder = project();
    let below = folder.path().join("deep/er");
    fs::create_dir_all(&below).expect("folders");
    assert_eq!(find_project_file(&below), Some(folder.path().join("calibrant.toml")));
}

/// The demo of a seed, in a folder of its own.
fn demo_of(seed: u64) -> (tempfile::TempDir, Demo) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let options = DemoOptions {
        out: folder.path().join("demo"),
        config: config(&format!("seed = {seed}\n")),
        command: None,
    };
    let made = demo(&options, &mut |_| ()).unwrap_or_else(|refusal| panic!("{refusal}"));
    (folder, made)
}

#[test]
fn the_demo_says_that_it_is_simulated_and_recovers_its_truth() {
    let (_folder, demo) = demo_of(0);
    // METHODS: the shape of the paper's main block.
    let panel = &demo.products.calibration.panel;
    assert_eq!((panel.systems, panel.items, panel.judges), (15, 624, 3));
    let header = &demo.products.calibration.header;
    let simulated = calibrant_schema::warning::Noted::from(Warning::Simulated);
    assert!(header.warnings.contains(&simulated), "{:?}", header.warnings);
    let page = fs::read_to_string(demo.products.folder.file(REPORT_MD)).expect("the page");
    assert!(page.contains("simulated"));
    // 624 items tell fifteen systems drawn from N(0, 1) apart almost in order.
    assert!(demo.recovery.pool.clone().expect("a correlation") > 0.9);
}

#[test]
fn the_demo_of_a_seed_is_always_the_same() {
    let bytes = |demo: &Demo| {
        let names = ["calibration.json", "fit.json", "bank.json", "scores.json", "report.md"];
        names.map(|name| fs::read(demo.products.folder.file(name)).expect("an artifact of the demo"))
    };
    let ((_first, left), (_second, right), (_third, other)) = (demo_of(3), demo_of(3), demo_of(4));
    assert!(bytes(&left) == bytes(&right));
    assert_eq!(left.truth, right.truth);
    assert_ne!(left.truth, other.truth);
}

#[test]
fn one_folder_takes_one_run_at_a_time() {
    let folder = project();
    let asked = request(folder.path(), "");
    let (first, _) = carry_out(&asked, Step::Calibrate);
    let first = first.expect("a sound table");
    let refusal = carry_out(&asked, Step::Calibrate).0.expect_err("the folder is in use");
    assert!(refusal.to_string().contains("another run"), "{refusal}");
    drop(first);
    assert!(carry_out(&asked, Step::Calibrate).0.is_ok());
}

/// The table of keys repeats the library's defaults for those who may set them; this holds the two together.
#[test]
fn the_defaults_of_the_keys_are_those_of_the_library() {
    let config = Config::default();
    let calibrate = calibrant_steps::calibrate::CalibrateOptions::default();
    let score = calibrant_steps::score::ScoreOptions::default();
    assert_eq!(config.number("assemble.threshold"), Some(calibrate.threshold));
    assert_eq!(config.whole("score.replicates"), Some(u64::from(score.replicates)));
    assert_eq!(config.whole("seed"), Some(score.seed));
    assert_eq!(config.text("score.interval"), Some(score.interval.word()));
    assert_eq!(
        config.text("fit.model"),
        Some(calibrant_steps::fit::FitOptions::default().model.word())
    );
    let assemble = calibrant_steps::assemble::AssembleOptions::default();
    assert_eq!(config.text("assemble.method"), Some(assemble.method.word()));
    assert_eq!(
        config.whole("assemble.budget"),
        assemble.budget.map(|budget| budget as u64)
    );
}
