//! `grade review`.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use calibrant_project::grading::{Grading, GradingRequest, SampleOptions, rounds};
use calibrant_project::{ProjectError, Request, Review, ReviewInputs, Start, Systems, review_round, review_tables};
use calibrant_report::{Looked, disagreement_text, disagreements_text};
use calibrant_schema::Card;
use calibrant_schema::disagreement::Disagreement;

use super::address_args::AddressArgs;
use super::exercise_args::{Places, RoundArgs};
use super::{review_page, session};
use crate::commands::Door;
use crate::commands::request::{Settings, set, settings, under};
use crate::exit;

/// Where the labels come from that judges differ on, and what is looked at beside them.
#[derive(Debug, clap::Args)]
pub(crate) struct LabelArgs {
    /// Tables of verdicts, instead of a round of grading
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["round", "dir"])]
    pub(super) verdicts: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) round: RoundArgs,
    /// The rubric file that rulings are written into
    #[arg(long, value_name = "FILE")]
    pub(super) rubric: Option<PathBuf>,
    /// Queries (JSONL): prompts, and tags that disagreements may share
    #[arg(long, value_name = "FILE")]
    pub(super) queries: Option<PathBuf>,
    /// Responses (JSONL), for the texts
    #[arg(long, value_name = "FILE")]
    pub(super) responses: Option<PathBuf>,
    /// Only these judges
    #[arg(long, value_name = "ID,..")]
    pub(super) judges: Option<String>,
    /// Scale of the labels where no rubric declares one: binary, 1..5 or 0,0.5,1
    #[arg(long, value_name = "SCALE")]
    pub(super) scale: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ReviewArgs {
    #[command(flatten)]
    pub(super) labels: LabelArgs,
    /// Show one disagreement in full: prompt, answer, criterion, labels and comments
    #[arg(long, value_name = "ID")]
    show: Option<String>,
    /// Name the systems, and count them as something that disagreements may share
    #[arg(long)]
    show_systems: bool,
    /// Print the list and ask nothing, also on a terminal
    #[arg(long)]
    list: bool,
    /// Serve a page on which each disagreement is settled, behind one link, until Ctrl-C
    #[arg(long, conflicts_with_all = ["show", "list", "page"])]
    serve: bool,
    /// Save the page as one file, which words the command that settles each
    #[arg(long, value_name = "FILE", conflicts_with_all = ["show", "list"])]
    page: Option<PathBuf>,
    #[command(flatten)]
    address: AddressArgs,
}

impl ReviewArgs {
    /// Whether it runs until it is interrupted.
    pub(super) fn is_served(&self) -> bool {
        self.serve
    }
}

/// Reads the labels and what is beside them.
pub(super) fn read(args: &LabelArgs, systems: Systems, door: &Door<'_>) -> Result<Review, ProjectError> {
    let mut settings = settings(door.global, door.output)?;
    for (key, text) in [("panel", &args.judges), ("scale", &args.scale)] {
        if let Some(text) = text {
            set(&mut settings.config, key, text)?;
        }
    }
    let inside = |key: &str| {
        let path = settings.config.text(key)?;
        Some(under(settings.root.as_deref(), path))
    };
    let inputs = ReviewInputs {
        rubric: args.rubric.clone().or_else(|| inside("paths.rubric")),
        queries: args.queries.clone().or_else(|| inside("paths.queries")),
        responses: args.responses.clone(),
        ledger: args.round.ledger.clone(),
        systems,
    };
    let mut notes = |note: calibrant_project::Note<'_>| door.output.on(note);
    if args.verdicts.is_empty() {
        return review_round(open_round(args, &settings)?, &inputs, &mut notes);
    }
    let start = Start::Verdicts {
        tables: args.verdicts.clone(),
        out: PathBuf::new(),
    };
    review_tables(&Request::new(start, settings.config), &inputs, &mut notes)
}

/// A round that exists, as it was made.
fn open_round(args: &LabelArgs, settings: &Settings) -> Result<Grading, ProjectError> {
    let Places { dir, ledger } = args.round.places(settings);
    let there = rounds(&dir)?;
    let known = args
        .round
        .round
        .map_or(!there.is_empty(), |round| there.contains(&round));
    if !known {
        let which = args
            .round
            .round
            .map_or_else(|| "no round of grading".to_owned(), |round| format!("no round {round}"));
        return Err(ProjectError::refused(
            "no-round",
            format!("there is {which} in `{}`", dir.display()),
            "name its folder with --dir, begin one with `calibrant grade start`, or give tables with --verdicts",
        ));
    }
    Grading::open(&GradingRequest {
        dir,
        ledger,
        round: args.round.round,
        rubric: None,
        responses: None,
        queries: None,
        graders: Vec::new(),
        sample: SampleOptions::default(),
    })
}

pub(crate) fn run(args: &ReviewArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    let systems = match args.show_systems {
        true => Systems::Named,
        false => Systems::Hidden,
    };
    let review = read(&args.labels, systems, door)?;
    if args.serve {
        return review_page::serve(review, &args.address, door);
    }
    if let Some(file) = &args.page {
        return review_page::save(&review, &args.labels, file, door);
    }
    if let Some(id) = &args.show {
        let one = review.find(id)?;
        door.output.result(
            || json(one),
            || disagreement_text(&looked(&review, one, card(&review, one).as_ref())),
        );
        return Ok(exit::DONE);
    }
    let all = &review.disagreements;
    door.output
        .result(|| json(all), || disagreements_text(all, door.output.style()));
    let people = io::stdin().is_terminal() && io::stdout().is_terminal();
    if people && !args.list && door.output.format() == crate::args::Format::Table {
        session::run(review, door)?;
    }
    Ok(exit::DONE)
}

/// The card of the criterion, as the rubric now has it.
pub(super) fn card(review: &Review, one: &Disagreement) -> Option<Card> {
    review.criterion(one).map(calibrant_schema::Criterion::card)
}

pub(super) fn looked<'r>(review: &'r Review, one: &'r Disagreement, card: Option<&'r Card>) -> Looked<'r> {
    Looked {
        disagreement: one,
        card,
        prompt: review.prompt(one),
        answer: review.answer(one),
    }
}

pub(super) fn json(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("what is shown is plain data");
    format!("{text}\n")
}
