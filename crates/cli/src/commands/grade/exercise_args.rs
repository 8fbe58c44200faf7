//! Flags that name a round, and what it is made from.

use std::path::{Path, PathBuf};

use calibrant_project::ProjectError;
use calibrant_project::grading::{GradingRequest, SampleOptions, Units, rounds};

use crate::commands::Door;
use crate::commands::request::{Settings, settings, under};

/// Which round.
#[derive(Debug, clap::Args)]
pub(crate) struct RoundArgs {
    /// Round of grading [default: the newest]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) round: Option<u32>,
    /// Folder of rounds [default: grading]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Ledger of verdicts and marks [default: verdicts.db]
    #[arg(long, value_name = "FILE")]
    pub(super) ledger: Option<PathBuf>,
}

/// Which round, and what it is made from where it does not exist yet.
#[derive(Debug, clap::Args)]
pub(crate) struct ExerciseArgs {
    #[command(flatten)]
    pub(crate) round: RoundArgs,
    /// Rubric (YAML, JSON or JSONL)
    #[arg(long, value_name = "FILE")]
    rubric: Option<PathBuf>,
    /// What systems answered (JSONL)
    #[arg(long, value_name = "FILE")]
    responses: Option<PathBuf>,
    /// What was asked (JSONL), shown beside the answers
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Who grades [default: the judges of kind human in calibrant.toml]
    #[arg(long, value_name = "ID,..", value_delimiter = ',')]
    graders: Vec<String>,
    /// Answers in a new round, balanced over systems and queries
    #[arg(long = "n", value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..))]
    answers: u32,
    /// Answers shown twice, far apart: whether graders agree with themselves
    #[arg(long, value_name = "K", default_value_t = 0)]
    retest: u32,
    /// Take the answers of the round before, for a paired comparison, instead of new ones
    #[arg(long)]
    same_units: bool,
}

/// Where rounds and the ledger lie.
pub(crate) struct Places {
    /// The folder of rounds.
    pub(crate) dir: PathBuf,
    /// The ledger.
    pub(crate) ledger: PathBuf,
}

impl RoundArgs {
    /// The folder of rounds, where it was named.
    pub(crate) fn dir(&self) -> Option<&Path> {
        self.dir.as_deref()
    }

    /// Where rounds and the ledger lie, by flag, environment or project file.
    pub(crate) fn places(&self, settings: &Settings) -> Places {
        let inside = |key: &str, default: &str| {
            let path = settings.config.text(key).unwrap_or(default);
            under(settings.root.as_deref(), path)
        };
        Places {
            dir: self.dir.clone().unwrap_or_else(|| inside("paths.grading", "grading")),
            ledger: self
                .ledger
                .clone()
                .unwrap_or_else(|| inside("paths.ledger", "verdicts.db")),
        }
    }
}

impl ExerciseArgs {
    /// What is asked for, by flag, environment or project file.
    pub(crate) fn request(&self, door: &Door<'_>) -> Result<GradingRequest, ProjectError> {
        let settings = settings(door.global, door.output)?;
        let Places { dir, ledger } = self.round.places(&settings);
        let inside = |key: &str| {
            settings
                .config
                .text(key)
                .map(|path| under(settings.root.as_deref(), path))
        };
        let there = rounds(&dir)?;
        let exists = match self.round.round {
            Some(round) => there.contains(&round),
            None => !there.is_empty(),
        };
        let mut graders = self.graders.clone();
        // A round keeps the graders it was made for, whoever is in the project file by now.
        if graders.is_empty() && !exists {
            let judges = settings.config.judges().into_iter();
            graders.extend(
                judges
                    .filter(|(_, judge)| judge.kind == Some("human"))
                    .map(|(id, _)| id.to_owned()),
            );
        }
        Ok(GradingRequest {
            dir,
            ledger,
            round: self.round.round,
            rubric: self.rubric.clone().or_else(|| inside("paths.rubric")),
            responses: self.responses.clone().or_else(|| inside("paths.responses")),
            queries: self.queries.clone().or_else(|| inside("paths.queries")),
            graders,
            sample: SampleOptions {
                answers: self.answers as usize,
                retest: self.retest as usize,
                units: if self.same_units { Units::Same } else { Units::New },
                seed: settings.config.whole("seed").unwrap_or(0),
            },
        })
    }
}
