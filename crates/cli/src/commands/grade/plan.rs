//! `grade plan`.

use calibrant_project::ProjectError;
use calibrant_stats::Error;
use calibrant_stats::agreement::planner::{
    standard_error, units_for_half_width, units_for_standard_error, units_to_see_difference,
};
use calibrant_stats::proportion::wilson_interval;
use serde::Serialize;

use crate::exit;
use crate::output::Output;

/// The level of every interval.
const LEVEL: f64 = 0.95;

/// What `grade plan` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct PlanArgs {
    /// Answers in the round
    #[arg(long = "n", value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..))]
    answers: u32,
    /// Share of answers that graders are thought to agree on
    #[arg(long, value_name = "SHARE", default_value_t = 0.6)]
    share: f64,
    /// How far the 95 % interval may reach to each side
    #[arg(long, value_name = "SHARE")]
    half_width: Option<f64>,
    /// Two shares, as .80,.85: how many answers a round needs to see them apart
    #[arg(long, value_name = "FROM,TO", value_delimiter = ',', num_args = 1)]
    difference: Vec<f64>,
}

/// What a round of a size says, and the sizes that say more.
#[derive(Debug, Serialize)]
struct Plan {
    answers: u32,
    share: f64,
    standard_error: f64,
    low: f64,
    high: f64,
    answers_for_half_the_error: u64,
    answers_for_a_quarter_of_the_error: u64,
    half_width: Option<f64>,
    answers_for_half_width: Option<u64>,
    difference: Option<[f64; 2]>,
    answers_for_difference: Option<u64>,
}

pub(crate) fn run(args: &PlanArgs, output: &Output) -> Result<u8, ProjectError> {
    let plan = plan(args)?;
    output.result(|| format!("{:#}\n", serde_json::json!(plan)), || text(&plan));
    Ok(exit::DONE)
}

fn plan(args: &PlanArgs) -> Result<Plan, ProjectError> {
    let (n, p) = (args.answers, args.share);
    let error = standard_error(p, n.into()).map_err(refused)?;
    let agreed = (p * f64::from(n)).round() as u64;
    let (low, high) = wilson_interval(agreed, n.into()).expect("a round has an answer");
    let share_of_error = |share: f64| match error > 0.0 {
        true => units_for_standard_error(p, error * share).map_err(refused),
        // Graders that always agree, or never, leave no error to halve.
        false => Ok(n.into()),
    };
    let difference = match args.difference.as_slice() {
        [] => None,
        [from, to] => Some([*from, *to]),
        _ => {
            let help = "write two shares, as --difference .80,.85";
            return Err(ProjectError::refused("flag", "--difference takes two shares", help));
        }
    };
    Ok(Plan {
        answers: n,
        share: p,
        standard_error: error,
        low,
        high,
        answers_for_half_the_error: share_of_error(0.5)?,
        answers_for_a_quarter_of_the_error: share_of_error(0.25)?,
        half_width: args.half_width,
        answers_for_half_width: args
            .half_width
            .map(|half| units_for_half_width(p, half, LEVEL).map_err(refused))
            .transpose()?,
        difference,
        answers_for_difference: difference
            .map(|[from, to]| units_to_see_difference(from, to, LEVEL).map_err(refused))
            .transpose()?,
    })
}

fn refused(error: Error) -> ProjectError {
    ProjectError::refused("flag", error.to_string(), "write shares between 0 and 1, such as 0.6")
}

fn text(plan: &Plan) -> String {
    let mut rows = vec![
        (
            format!("agreement {} on {} answers", plan.share, plan.answers),
            format!("standard error {:.3}", plan.standard_error),
        ),
        (
            "95 % interval (Wilson)".to_owned(),
            format!("{:.3} to {:.3}", plan.low, plan.high),
        ),
        (
            "half that error".to_owned(),
            format!("{} answers", plan.answers_for_half_the_error),
        ),
        (
            "a quarter of it".to_owned(),
            format!("{} answers", plan.answers_for_a_quarter_of_the_error),
        ),
    ];
    if let (Some(half), Some(answers)) = (plan.half_width, plan.answers_for_half_width) {
        rows.push((format!("an interval of +-{half}"), format!("{answers} answers")));
    }
    if let (Some([from, to]), Some(answers)) = (plan.difference, plan.answers_for_difference) {
        rows.push((
            format!("to see {from} and {to} apart"),
            format!("{answers} answers in each round, not the same ones; seen half the time"),
        ));
    }
    let width = rows
        .iter()
        .map(|(what, _)| what.chars().count())
        .max()
        .unwrap_or_default();
    rows.iter()
        .map(|(what, says)| format!("{what:width$}  {says}\n"))
        .collect()
}
