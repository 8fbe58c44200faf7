//! `grade serve`.

use std::sync::{Arc, mpsc};
use std::thread;

use calibrant_project::ProjectError;
use calibrant_project::grading::Grading;
use calibrant_serve::{Event, Link, Opened, Options, serve};

use super::address_args::AddressArgs;
use super::exercise_args::ExerciseArgs;
use crate::commands::Door;
use crate::exit;
use crate::output::Output;

/// The file of the links, in the folder of the round.
const LINKS: &str = "links.json";

/// What `grade serve` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    exercise: ExerciseArgs,
    #[command(flatten)]
    address: AddressArgs,
    /// Give these graders a new link, which ends the one before
    #[arg(long, value_name = "GRADER,..", value_delimiter = ',')]
    new_link: Vec<String>,
}

pub(crate) fn run(args: &ServeArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    let grading = Grading::open(&args.exercise.request(door)?)?;
    let options = Options {
        address: args.address.address(),
        links: grading.folder().join(LINKS),
        renew: args.new_link.clone(),
    };
    let round = grading.exercise().round;
    listening(door.output, |on| {
        serve(
            Arc::new(grading),
            &options,
            |opened| show(opened, round, door.output),
            on,
        )
    })?;
    door.output
        .note("stopped; what was saved is in the ledger, and the links work again after the next start");
    Ok(exit::DONE)
}

/// Serves, and prints on this thread what happens on those of the server.
pub(super) fn listening(
    output: &Output,
    serving: impl FnOnce(Box<dyn Fn(Event) + Send + Sync>) -> Result<(), ProjectError>,
) -> Result<(), ProjectError> {
    let (say, said) = mpsc::channel::<Option<Event>>();
    thread::scope(|scope| {
        // The server may outlast its threads' senders, so the end is said.
        let happened = say.clone();
        let printing = scope.spawn(move || {
            said.into_iter()
                .map_while(|event| event)
                .for_each(|event| tell(&event, output))
        });
        let done = serving(Box::new(move |event| drop(happened.send(Some(event)))));
        drop(say.send(None));
        drop(printing);
        done
    })
}

/// The links, and what to do with them.
fn show(opened: &Opened, round: u32, output: &Output) {
    output.result(
        || {
            let links: Vec<_> = opened
                .links
                .iter()
                .map(|link| serde_json::json!({"grader": link.grader, "link": link.url}))
                .collect();
            let shown = serde_json::json!({
                "round": round, "address": opened.address.to_string(), "base": opened.base, "links": links,
            });
            format!("{shown:#}\n")
        },
        || opened.links.iter().map(link_text).collect(),
    );
    if let Some(port) = opened.port_lost {
        output.note(&format!(
            "port {port} is taken, so links given out before lead nowhere: free it, or make new ones with --new-link"
        ));
    }
    output.note(&format!(
        "round {round} is open at {}; each link is for one grader alone; Ctrl-C stops",
        opened.base
    ));
}

fn link_text(link: &Link) -> String {
    let grader: String = link
        .grader
        .chars()
        .flat_map(calibrant_schema::diagnostic::visible)
        .collect();
    match &link.url {
        Some(url) => format!("{grader}  {url}\n"),
        None => format!("{grader}  the link given out before (another: --new-link)\n"),
    }
}

fn tell(event: &Event, output: &Output) {
    let visible = |text: &str| -> String { text.chars().flat_map(calibrant_schema::diagnostic::visible).collect() };
    match event {
        Event::Entered { grader } => output.note(&format!("{} opened the sheet", visible(grader))),
        Event::Locked { grader } => output.note(&format!("{} locked the sheet", visible(grader))),
        Event::Settled { disagreement, outcome } => {
            output.note(&format!("{disagreement} is settled as a {}", outcome.word()));
        }
        Event::Trouble { grader, why } => output.note(&format!(
            "a request of {} could not be done; the page keeps its marks and tries again: {}",
            visible(grader),
            why.trim_end()
        )),
        Event::TurnedAway => output.note("many wrong links came from one address; it is turned away for a minute"),
    }
}
