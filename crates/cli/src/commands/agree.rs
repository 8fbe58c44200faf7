//! `agree`.

use std::path::PathBuf;

use calibrant_project::{AGREEMENT_HTML, AGREEMENT_MD, AgreeRequest, ProjectError, Request, Start, agree};
use calibrant_report::agreement_text;
use calibrant_schema::agreement::Intervals;
use calibrant_schema::artifact::Artifact;
use clap::ValueEnum;

use super::panel::{PanelArgs, RoundArgs, Tables, graded_round, panel_request};
use super::request::set;
use crate::args::Format;
use crate::commands::Door;
use crate::exit;

#[derive(Debug, clap::Args)]
pub(crate) struct AgreeArgs {
    #[command(flatten)]
    panel: PanelArgs,
    #[command(flatten)]
    round: RoundArgs,
    /// Trusted labels: judges of the table, or a file; they stay out of agreement, and judges are held against them
    #[arg(long, value_name = "ID,..|FILE", conflicts_with = "round")]
    gold: Option<String>,
    /// Tables of the round before this one
    #[arg(long, value_name = "FILE", num_args = 1..)]
    earlier: Vec<PathBuf>,
    /// Rubric of the round before [default: that of this round, or none with --earlier-scale]
    #[arg(long, value_name = "FILE", requires = "earlier")]
    earlier_rubric: Option<PathBuf>,
    /// Scale of the labels of the round before [default: that of this round]
    #[arg(long, value_name = "SCALE", requires = "earlier")]
    earlier_scale: Option<String>,
    /// How intervals are made: by drawing responses anew, or from standard errors for large samples
    #[arg(long, value_enum, default_value_t = IntervalKind::Bootstrap, value_name = "KIND")]
    intervals: IntervalKind,
    /// Folder for agreement.json, agreement.html and agreement.md: new, empty, or made by calibrant
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// How intervals are made.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum IntervalKind {
    /// By drawing responses anew
    Bootstrap,
    /// From standard errors for large samples
    Analytic,
}

pub(crate) fn run(args: &AgreeArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    let needed = match args.round.is_given() {
        true => Tables::NotNeeded,
        false => Tables::Needed,
    };
    let round = panel_request(&args.panel, args.gold.as_deref(), (args.out.as_ref(), needed), door)?;
    let request = AgreeRequest {
        graded: graded_round(&args.round, &round, door)?,
        earlier: earlier(args, &round)?,
        out: args.out.clone(),
        intervals: match args.intervals {
            IntervalKind::Bootstrap => Intervals::Bootstrap,
            IntervalKind::Analytic => Intervals::Analytic,
        },
        round,
    };
    let agreement = agree(&request, &mut |note| door.output.on(note))?;
    door.output.result(
        || agreement.to_json(),
        || agreement_text(&agreement, door.output.style()),
    );
    if let (Some(out), Format::Table) = (&args.out, door.output.format()) {
        let path = |name: &str| out.join(name).display().to_string();
        door.output
            .data(&format!("\n{}\n{}\n", path(AGREEMENT_HTML), path(AGREEMENT_MD)));
    }
    door.output.warnings(&agreement.header.warnings);
    Ok(exit::DONE)
}

/// The round before, read as this one is but for what its own flags say.
fn earlier(args: &AgreeArgs, round: &Request) -> Result<Option<Request>, ProjectError> {
    if args.earlier.is_empty() {
        return Ok(None);
    }
    let mut request = round.clone();
    request.start = Start::Verdicts {
        tables: args.earlier.clone(),
        out: PathBuf::new(),
    };
    request.gold = None;
    request.rubric = match (&args.earlier_rubric, &args.earlier_scale) {
        (Some(rubric), _) => Some(rubric.clone()),
        // A scale is named where no rubric declares one.
        (None, Some(_)) => None,
        (None, None) => round.rubric.clone(),
    };
    if let Some(scale) = &args.earlier_scale {
        set(&mut request.config, "scale", scale)?;
    }
    Ok(Some(request))
}
