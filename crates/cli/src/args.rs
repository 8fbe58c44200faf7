//! Flags that more than one command has.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, ValueEnum};

use crate::commands::Command;

/// Turns a rubric into an instrument: measurable criteria, a compact bank, systems with intervals and tiers.
#[derive(Debug, Parser)]
#[command(name = "calibrant", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags of every command.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Print the command's artifact as JSON (short for --format json)
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// How results are printed
    #[arg(long, global = true, value_enum, default_value_t = Format::Table, conflicts_with = "json")]
    pub(crate) format: Format,
    /// Say nothing but results and errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Seed of everything random: the same seed gives the same bytes
    #[arg(long, global = true, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Threads to compute with; results do not depend on it
    #[arg(long, global = true, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// When to colour messages
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub(crate) color: ColorChoice,
    /// Project file, instead of the nearest calibrant.toml above this folder
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Table,
    /// The artifact
    Json,
    /// SARIF 2.1.0, for code scanning; `check` alone
    Sarif,
    /// GitHub annotations; `check` alone
    Github,
}

/// When messages are coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Global {
    /// The format asked for.
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// Where labels come from and where results go.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// Tables of verdicts: CSV or JSONL, plain, .gz or .zst, or Parquet; every step before this one is run
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) verdicts: Vec<PathBuf>,
    /// Folder for results: new, empty, or made by calibrant
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Folder a command before left: only this step is run, in place
    #[arg(long, value_name = "DIR", conflicts_with_all = ["verdicts", "out"])]
    pub(crate) from: Option<PathBuf>,
    /// Rubric (YAML, JSON or JSONL), or a bank.json
    #[arg(long, value_name = "FILE")]
    pub(crate) rubric: Option<PathBuf>,
    /// Descriptions of the queries (JSONL): weights, clusters, types
    #[arg(long, value_name = "FILE")]
    pub(crate) queries: Option<PathBuf>,
    /// Trusted labels: judges of the table, or a file; they stay out of the panel
    #[arg(long, value_name = "ID,..|FILE")]
    pub(crate) gold: Option<String>,
    /// Use only these judges
    #[arg(long, value_name = "ID,..")]
    pub(crate) judges: Option<String>,
    /// Names of columns, as query=prompt_id,criterion=criterion_id
    #[arg(long, value_name = "ROLE=NAME,..", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,
    /// Scale of the labels where no rubric declares one: binary, 1..5 or 0,0.5,1
    #[arg(long, value_name = "SCALE")]
    pub(crate) scale: Option<String>,
    /// Divide the run: a calibration, bank and leaderboard for each block beside those of the whole [default: none]
    #[arg(long, value_name = "none|task_type|domain|tag")]
    pub(crate) by: Option<String>,
}

/// What `calibrate` takes.
#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Measurability a criterion needs to be kept [default: 0.8]
    #[arg(long, value_name = "SHARE")]
    threshold: Option<String>,
    /// Over what measurability is estimated [default: auto]
    #[arg(long, value_name = "auto|item|criterion")]
    pool: Option<String>,
    /// How labels and responses are written [default: csv]
    #[arg(long, value_name = "csv|parquet")]
    tables: Option<String>,
}

/// What `fit` takes: its own settings and those of the step before.
#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    calibrate: CalibrateArgs,
    /// Model of abilities and bank [default: 2PL]
    #[arg(long, value_name = "2PL|1PL")]
    model: Option<String>,
    /// Quadrature grid: as fine as posteriors ask for, or 41 nodes from -4 to 4 [default: refined]
    #[arg(long, value_name = "refined|fixed")]
    grid: Option<String>,
}

/// What `assemble` takes: its own settings and those of the steps before.
#[derive(Debug, Args)]
pub(crate) struct AssembleArgs {
    #[command(flatten)]
    fit: FitArgs,
    /// Criteria in the bank [default: the fewest with 95 % of the feasible utility]
    #[arg(long, value_name = "N")]
    budget: Option<String>,
    /// How the bank is chosen [default: greedy]
    #[arg(long, value_name = "greedy|plain|consensus")]
    method: Option<String>,
}

/// What `score` takes: its own settings and those of the steps before.
#[derive(Debug, Args)]
pub(crate) struct ScoreArgs {
    #[command(flatten)]
    assemble: AssembleArgs,
    /// How ability intervals are made [default: auto]
    #[arg(long, value_name = "auto|cluster|cluster-refit|delta|parametric|source")]
    interval: Option<String>,
    /// Bootstrap replicates [default: 1000]
    #[arg(long, value_name = "N")]
    replicates: Option<String>,
    /// How systems join a tier [default: adjacent]
    #[arg(long, value_name = "adjacent|anchored")]
    tiers: Option<String>,
}

/// What `report` and `run` take: the settings of the whole road, and of the pages.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    score: ScoreArgs,
    #[command(flatten)]
    charts: ChartsArgs,
}

/// The flag for figures.
#[derive(Debug, Args)]
pub(crate) struct ChartsArgs {
    /// Figures in the report; vega-lite also writes specifications into charts/ [default: svg]
    #[arg(long, value_name = "svg|vega-lite|none")]
    pub(crate) charts: Option<String>,
}

/// Flags that set keys, each with its key and the text given.
pub(crate) type Flags<'a> = Vec<(&'static str, Option<&'a str>)>;

/// The arguments of a step: what it reads, and the settings given as flags.
pub(crate) trait StepArgs {
    /// What it reads.
    fn input(&self) -> &InputArgs;
    /// Its settings and those of the steps before.
    fn flags(&self) -> Flags<'_>;
}

impl StepArgs for CalibrateArgs {
    fn input(&self) -> &InputArgs {
        &self.input
    }

    fn flags(&self) -> Flags<'_> {
        vec![
            ("assemble.threshold", self.threshold.as_deref()),
            ("calibrate.pool", self.pool.as_deref()),
            ("tables", self.tables.as_deref()),
        ]
    }
}

impl StepArgs for FitArgs {
    fn input(&self) -> &InputArgs {
        self.calibrate.input()
    }

    fn flags(&self) -> Flags<'_> {
        let mut flags = self.calibrate.flags();
        flags.extend([("fit.model", self.model.as_deref()), ("fit.grid", self.grid.as_deref())]);
        flags
    }
}

impl StepArgs for AssembleArgs {
    fn input(&self) -> &InputArgs {
        self.fit.input()
    }

    fn flags(&self) -> Flags<'_> {
        let mut flags = self.fit.flags();
        flags.extend([
            ("assemble.budget", self.budget.as_deref()),
            ("assemble.method", self.method.as_deref()),
        ]);
        flags
    }
}

impl StepArgs for ScoreArgs {
    fn input(&self) -> &InputArgs {
        self.assemble.input()
    }

    fn flags(&self) -> Flags<'_> {
        let mut flags = self.assemble.flags();
        flags.extend([
            ("score.interval", self.interval.as_deref()),
            ("score.replicates", self.replicates.as_deref()),
            ("score.tiers", self.tiers.as_deref()),
        ]);
        flags
    }
}

impl StepArgs for ReportArgs {
    fn input(&self) -> &InputArgs {
        self.score.input()
    }

    fn flags(&self) -> Flags<'_> {
        let mut flags = self.score.flags();
        flags.push(("report.charts", self.charts.charts.as_deref()));
        flags
    }
}

/// Flags that change how a command is shown or how fast it runs, never what it makes; true when a value follows.
const IDLE_FLAGS: [(&str, bool); 6] = [
    ("--threads", true),
    ("--color", true),
    ("--format", true),
    ("--json", false),
    ("--quiet", false),
    ("-q", false),
];

/// The command as typed, for the report, without the flags that cannot change a result.
pub(crate) fn as_typed(arguments: &[OsString]) -> String {
    let mut words = vec!["calibrant".to_owned()];
    let mut arguments = arguments.iter().skip(1).map(|argument| argument.to_string_lossy());
    while let Some(argument) = arguments.next() {
        let name = argument.split('=').next().unwrap_or_default();
        match IDLE_FLAGS.iter().find(|(flag, _)| *flag == name) {
            None => words.push(quoted(&argument)),
            Some((_, true)) if !argument.contains('=') => drop(arguments.next()),
            Some(_) => {}
        }
    }
    words.join(" ")
}

/// A word as a shell would take it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:@%+".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_in_the_report_leaves_out_what_changes_no_result() {
        let typed = [
            "calibrant",
            "run",
            "--threads",
            "2",
            "-q",
            "--verdicts",
            "a b.csv",
            "--color=never",
            "--seed",
            "3",
        ];
        let typed: Vec<OsString> = typed.iter().map(OsString::from).collect();
        assert_eq!(as_typed(&typed), "calibrant run --verdicts 'a b.csv' --seed 3");
    }
}
