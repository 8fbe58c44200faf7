//! A run that ends at any moment goes on with the same command, and ends with the files of one that was left alone.
#![cfg(unix)]

mod program;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use program::{calibrant, files_below, folder, project};

fn start(folder: &Path, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calibrant"));
    command
        .args(arguments)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CALIBRANT_") {
            command.env_remove(name);
        }
    }
    command.spawn().expect("the program starts")
}

/// Numbers below 1 from a seed (Knuth's MMIX constants), so that a failure can be seen again.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// How often a job is killed (`kill -9`) before it is left alone.
const KILLS: usize = 20;

/// Runs that may be started for that: some are done before their moment comes, and the job then starts anew.
const STARTS: usize = 200;

/// Kills a job again and again, each time from the folder as the last time left it.
fn kill_again_and_again(folder: &Path, arguments: &[&str], whole: Duration, seed: u64) {
    let mut random = Random(seed);
    let (mut killed, mut starts) = (0, 0);
    while killed < KILLS {
        starts += 1;
        assert!(starts <= STARTS, "killed only {killed} times in {STARTS} starts");
        let mut child = start(folder, arguments);
        thread::sleep(whole.mul_f64(0.4 * random.next()));
        child.kill().expect("the run can be killed");
        let status = child.wait().expect("the run ended");
        let out = folder.join("out");
        if status.success() {
            fs::remove_dir_all(out).expect("the results can be removed");
            continue;
        }
        killed += 1;
        // What has its name is whole, whenever the process died.
        let found = if out.exists() {
            files_below(&out)
        } else {
            Default::default()
        };
        for (name, bytes) in found.iter().filter(|(name, _)| name.ends_with(".json")) {
            serde_json::from_slice::<serde_json::Value>(bytes).unwrap_or_else(|reason| panic!("{name}: {reason}"));
        }
    }
}

fn assert_resumes(folder: &Path, arguments: &[&str], seed: u64) {
    let began = Instant::now();
    calibrant(folder, arguments).succeeded();
    let whole = began.elapsed();
    let undisturbed = files_below(&folder.join("out"));
    fs::remove_dir_all(folder.join("out")).expect("the results can be removed");
    kill_again_and_again(folder, arguments, whole, seed);
    let ran = calibrant(folder, arguments).succeeded();
    let resumed = files_below(&folder.join("out"));
    assert!(
        resumed.keys().eq(undisturbed.keys()),
        "{:?}\n{}",
        resumed.keys(),
        ran.stderr
    );
    for (name, bytes) in &undisturbed {
        assert!(
            *bytes == resumed[name],
            "{name} differs from that of an undisturbed run"
        );
    }
    let hidden = hidden_files(&folder.join("out"));
    assert!(
        hidden.iter().all(|name| name == ".calibrant-lock"),
        "left behind: {hidden:?}"
    );
}

/// Hidden files of a folder and of those below.
fn hidden_files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder").flatten() {
        let name = entry.file_name().into_string().expect("our names are UTF-8");
        if entry.path().is_dir() {
            found.extend(hidden_files(&entry.path()));
        } else if name.starts_with('.') {
            found.push(name);
        }
    }
    found
}

#[test]
fn a_run_killed_at_any_moment_goes_on_and_ends_alike() {
    let project = project();
    assert_resumes(project.path(), &["run", "--replicates", "60"], 1);
}

#[test]
fn a_divided_run_killed_at_any_moment_goes_on_and_ends_alike() {
    let project = project();
    let queries: String = (1..=20)
        .map(|query| format!("{{\"query\": \"query-{query:02}\", \"domain\": \"d{}\"}}\n", query % 3))
        .collect();
    fs::write(project.path().join("queries.jsonl"), queries).expect("the queries can be written");
    let run = [
        "run",
        "--replicates",
        "60",
        "--queries",
        "queries.jsonl",
        "--by",
        "domain",
    ];
    assert_resumes(project.path(), &run, 2);
}

/// A folder is used for one division and form of tables after another, and every run is killed; a file that was written and not recorded
/// must neither stand in the way nor stay.
#[test]
fn killed_runs_that_divide_otherwise_leave_nothing_to_each_other() {
    let project = project();
    let queries: String = (1..=20)
        .map(|query| {
            let kind = if query % 2 == 0 { "decision" } else { "evidence" };
            format!(
                "{{\"query\": \"query-{query:02}\", \"domain\": \"d{}\", \"task_type\": \"{kind}\"}}\n",
                query % 3
            )
        })
        .collect();
    fs::write(project.path().join("queries.jsonl"), queries).expect("the queries can be written");
    let run = |by: &'static str, tables: &'static str| {
        let steps = ["run", "--replicates", "60", "--queries", "queries.jsonl"];
        [&steps[..], &["--by", by, "--tables", tables]].concat()
    };
    let forms = if cfg!(feature = "parquet") {
        ["csv", "parquet"]
    } else {
        ["csv", "csv"]
    };
    let began = Instant::now();
    calibrant(project.path(), &run("domain", forms[0])).succeeded();
    let whole = began.elapsed();
    let mut random = Random(3);
    for turn in 0..2 * KILLS {
        let by = ["none", "domain", "task_type"][(random.next() * 3.0) as usize];
        let tables = forms[(random.next() * 2.0) as usize];
        let mut child = start(project.path(), &run(by, tables));
        thread::sleep(whole.mul_f64(random.next()));
        child.kill().expect("the run can be killed");
        let ended = child.wait_with_output().expect("the run ended");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.code().is_none_or(|code| code == 0), "turn {turn}: {said}");
    }
    for (by, tables) in [("task_type", forms[1]), ("domain", forms[0]), ("none", forms[1])] {
        calibrant(project.path(), &run(by, tables)).succeeded();
        let used = files_below(&project.path().join("out"));
        fs::rename(project.path().join("out"), project.path().join("used")).expect("the results can be moved");
        calibrant(project.path(), &run(by, tables)).succeeded();
        let new = files_below(&project.path().join("out"));
        assert!(used.keys().eq(new.keys()), "{by}: {:?}", used.keys());
        assert!(used == new, "{by}");
        fs::remove_dir_all(project.path().join("out")).expect("the results can be removed");
        fs::rename(project.path().join("used"), project.path().join("out")).expect("the results can be moved");
    }
}

/// Sends the signal of Ctrl-C.
fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("there is a kill").success());
}

#[test]
fn control_c_says_what_is_finished_and_the_same_command_goes_on() {
    let project = project();
    let run = ["run", "--interval", "cluster-refit", "--replicates", "20000"];
    let child = start(project.path(), &run);
    // The fit is there long before so many replicates are drawn.
    let until = Instant::now() + Duration::from_secs(60);
    while !project.path().join("out/bank.json").exists() {
        assert!(Instant::now() < until, "no bank after a minute");
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(100));
    interrupt(&child);
    let ended = child.wait_with_output().expect("the run ended");
    let said = String::from_utf8(ended.stderr).expect("UTF-8");
    assert_eq!(ended.status.code(), Some(130), "{said}");
    let line = "interrupted; finished: calibrate, fit, assemble; the same command goes on from there\n";
    assert!(said.ends_with(line), "{said}");
    assert_eq!(hidden_files(&project.path().join("out")), [".calibrant-lock"]);
    let again = calibrant(project.path(), &["run", "--replicates", "60"]).succeeded();
    for step in ["calibrate", "fit", "assemble"] {
        assert!(
            again.stderr.contains(&format!("{step}: unchanged, not done again")),
            "{}",
            again.stderr
        );
    }
}

#[test]
fn a_step_interrupted_between_two_files_is_no_start_for_a_later_one() {
    let project = project();
    calibrant(project.path(), &["run", "--replicates", "60"]).succeeded();
    let manifest = project.path().join("out/calibrant-run.json");
    let before = files_below(&project.path().join("out"));
    let text = fs::read_to_string(&manifest).expect("the manifest");
    let under_way = text.replacen("\"steps\"", "\"under_way\": \"calibrate\",\n  \"steps\"", 1);
    fs::write(&manifest, under_way).expect("the manifest can be written");
    calibrant(project.path(), &["fit", "--from", "out"]).refused_with("calibrate was interrupted in `out`");
    calibrant(project.path(), &["run", "--replicates", "60"]).succeeded();
    let after = files_below(&project.path().join("out"));
    calibrant(project.path(), &["fit", "--from", "out"]).succeeded();
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
}

#[test]
fn what_a_killed_process_was_writing_is_cleared_away_and_nothing_else() {
    let here = folder();
    let out = here.path().join("out");
    fs::create_dir(&out).expect("a folder");
    // All that a run leaves that is killed before it has a manifest.
    fs::write(out.join(".calibrant-lock"), "").expect("a lock");
    fs::write(out.join(".calibrant-run.json.4711-0.tmp"), "{\"for").expect("half a manifest");
    calibrant(here.path(), &["init", "p", "--quiet"]).succeeded();
    let run = [
        "run",
        "--replicates",
        "60",
        "--verdicts",
        "p/verdicts.csv",
        "--out",
        "out",
    ];
    calibrant(here.path(), &run).succeeded();
    fs::write(out.join(".fit.json.4711-3.tmp"), "half").expect("half a file");
    fs::write(out.join(".mine.tmp"), "mine").expect("a file of the user");
    calibrant(here.path(), &run).succeeded();
    let mut hidden = hidden_files(&out);
    hidden.sort_unstable();
    assert_eq!(hidden, [".calibrant-lock", ".mine.tmp"]);
    // A stranger's folder stays a stranger's, whatever its files are called.
    let other = here.path().join("other");
    fs::create_dir(&other).expect("a folder");
    fs::write(other.join(".notes.1-1.tmp"), "mine").expect("a file of the user");
    calibrant(here.path(), &["run", "--verdicts", "p/verdicts.csv", "--out", "other"])
        .refused_with("nothing in it will be touched");
    assert!(other.join(".notes.1-1.tmp").exists());
}

/// A disk that is full while files are written, as the limit on the size of a file makes it look.
#[test]
fn a_full_disk_is_an_error_and_the_same_command_goes_on() {
    let project = project();
    calibrant(project.path(), &["run", "--replicates", "60"]).succeeded();
    let undisturbed = files_below(&project.path().join("out"));
    fs::remove_dir_all(project.path().join("out")).expect("the results can be removed");
    let limited = format!(
        "trap '' XFSZ; ulimit -f 40; exec '{}' run --replicates 60",
        env!("CARGO_BIN_EXE_calibrant")
    );
    let ran = Command::new("bash")
        .args(["-c", &limited])
        .current_dir(project.path())
        .output();
    let ran = ran.expect("there is a bash");
    let said = String::from_utf8(ran.stderr).expect("UTF-8");
    assert_eq!(ran.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot write") && said.contains("make room"), "{said}");
    assert_eq!(hidden_files(&project.path().join("out")), [".calibrant-lock"]);
    calibrant(project.path(), &["run", "--replicates", "60"]).succeeded();
    assert!(undisturbed == files_below(&project.path().join("out")));
}
