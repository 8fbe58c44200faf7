//! The routes of a review: its page, what a ruling would change, and what settles one disagreement.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use calibrant_project::{Decided, ProjectError, Review, Settled, Signature, preview, settle};
use calibrant_report::review::{Now, served};
use calibrant_schema::canonical::Hash;
use calibrant_schema::diagnostic::Paint;
use calibrant_schema::resolution::Outcome;
use calibrant_schema::rubric::edit::{Change, Wording};
use serde::{Deserialize, Serialize};

use crate::desk::{Desk, html};
use crate::events::Event;
use crate::requests::Refusal;
use crate::session::session_of_page;

/// Whose link it is: people sit before one page together.
pub(crate) const PEOPLE: &str = "review";

/// What the routes of a review share.
pub(crate) struct Table {
    desk: Arc<Desk>,
    /// One at a time: what is settled changes what the next one sees.
    review: Mutex<Review>,
}

/// The routes of a review.
pub(crate) fn routes(desk: Arc<Desk>, review: Review) -> Router {
    let review = Mutex::new(review);
    Router::new()
        .route("/", get(page))
        .route("/api/preview", post(look_ahead))
        .route("/api/settle", post(settle_one))
        .with_state(Arc::new(Table { desk, review }))
}

/// What was decided about a disagreement, and the rubric file as it was shown.
#[derive(Deserialize)]
struct Deciding {
    disagreement: String,
    rubric: Hash,
    #[serde(default)]
    by: String,
    #[serde(flatten)]
    ends: Ends,
}

/// The ways to end. There is no majority among them.
#[derive(Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
enum Ends {
    Ruling { text: String },
    Wording { field: String, text: String, why: String },
    Slip { judge: String, label: f64, text: String },
    Deletion { text: String },
}

/// What would change.
#[derive(Serialize)]
struct Ahead {
    changes: Vec<Change>,
}

/// What was settled, and how everything stands after it.
#[derive(Serialize)]
struct Done {
    outcome: Outcome,
    /// Verdicts that were given to an earlier card of the criterion.
    stale: u64,
    now: Now,
}

/// Why nothing was settled, and how things stand where that is news.
#[derive(Serialize)]
struct Undone {
    why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<Now>,
}

/// The review for whoever has the right cookie; for everybody else the page that turns a link into one.
async fn page(
    State(table): State<Arc<Table>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let Some(session) = table.desk.at_the_door(&headers, from) else {
        return Ok(table.desk.door());
    };
    let page = table
        .ask(move |table| {
            let mut review = table.review();
            table.look_again(&mut review);
            served(&review.talk(), &session.token.guard())
        })
        .await?;
    Ok(html(page))
}

/// What an outcome would change in the rubric file. Nothing is written.
async fn look_ahead(
    State(table): State<Arc<Table>>,
    headers: HeaderMap,
    Json(deciding): Json<Deciding>,
) -> Result<Response, Refusal> {
    session_of_page(&table.desk, &headers)?;
    table
        .ask(move |table| {
            let review = table.review();
            let Some(shown) = review.rubric.as_ref().filter(|file| file.hash() == deciding.rubric) else {
                return refused(CHANGED.to_owned(), None);
            };
            let date = Signature::now(&deciding.by, None).date;
            match deciding.ends.decided() {
                Some(decided) => match preview(&review, shown, &deciding.disagreement, &decided, date) {
                    Ok(changes) => Json(Ahead { changes }).into_response(),
                    Err(error) => refused(words(&error), None),
                },
                None => refused(NO_TEXT.to_owned(), None),
            }
        })
        .await
}

/// Settles a disagreement: the answer says "done" when the rubric file and the ledger are written.
async fn settle_one(
    State(table): State<Arc<Table>>,
    headers: HeaderMap,
    Json(deciding): Json<Deciding>,
) -> Result<Response, Refusal> {
    session_of_page(&table.desk, &headers)?;
    table
        .ask(move |table| {
            let mut review = table.review();
            match attempt(&review, &deciding) {
                Ok((settled, decided, signature)) => {
                    review.note_ended(&settled, settled.ended(&decided, &signature));
                    (table.desk.on)(Event::Settled {
                        disagreement: settled.disagreement.id.clone(),
                        outcome: settled.outcome,
                    });
                    let now = review.now();
                    let (outcome, stale) = (settled.outcome, settled.stale);
                    Json(Done { outcome, stale, now }).into_response()
                }
                Err(why) => {
                    table.look_again(&mut review);
                    // Where the page shows something else than there is, it is told what there is.
                    let now = review.now();
                    let is_news = now.rubric.as_ref().is_none_or(|rubric| rubric.hash != deciding.rubric);
                    refused(why, is_news.then_some(now))
                }
            }
        })
        .await
}

const CHANGED: &str = "The rubric file changed since it was shown, so nothing was written. This is how it is now; look at it, then settle anew.";
const NO_TEXT: &str = "There is no such text of a criterion.";

fn attempt(review: &Review, deciding: &Deciding) -> Result<(Settled, Decided, Signature), String> {
    let shown = review.rubric.as_ref().filter(|file| file.hash() == deciding.rubric);
    let shown = shown.ok_or(CHANGED)?;
    if deciding.by.trim().is_empty() {
        return Err("Say who settles it.".to_owned());
    }
    let decided = deciding.ends.decided().ok_or(NO_TEXT)?;
    let signature = Signature::now(deciding.by.trim(), None);
    match settle(review, shown, &deciding.disagreement, &decided, &signature) {
        Ok(settled) => Ok((settled, decided, signature)),
        Err(ProjectError::Refused(diagnostic)) if diagnostic.id == "rubric-changed" => Err(CHANGED.to_owned()),
        Err(error) => Err(words(&error)),
    }
}

/// An error as whoever settles reads it: they run the server, or sit beside the one who does.
fn words(error: &ProjectError) -> String {
    match error {
        ProjectError::Refused(diagnostic) => format!("{}: {}", diagnostic.what, diagnostic.help),
        error => error.paint(Paint::Plain),
    }
}

fn refused(why: String, now: Option<Now>) -> Response {
    let status = match now {
        Some(_) => StatusCode::CONFLICT,
        None => StatusCode::UNPROCESSABLE_ENTITY,
    };
    (status, Json(Undone { why, now })).into_response()
}

impl Ends {
    /// As the project takes it; `None` where a criterion has no such text.
    fn decided(&self) -> Option<Decided> {
        Some(match self {
            Self::Ruling { text } => Decided::Ruling { text: text.clone() },
            Self::Wording { field, text, why } => Decided::Wording {
                field: Wording::ALL.into_iter().find(|one| one.key() == field)?,
                text: text.clone(),
                why: why.clone(),
            },
            Self::Slip { judge, label, text } => Decided::Slip {
                judge: judge.clone(),
                label: *label,
                why: text.clone(),
            },
            Self::Deletion { text } => Decided::Deletion { why: text.clone() },
        })
    }
}

impl Table {
    fn review(&self) -> MutexGuard<'_, Review> {
        self.review.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what somebody else made of the rubric file. Where that is no rubric, what was read before stays on the page,
    /// and whoever runs the server is told.
    fn look_again(&self, review: &mut Review) {
        if review.rubric.is_none() {
            return;
        }
        if let Err(error) = review.read_rubric_again() {
            (self.desk.on)(Event::Trouble {
                grader: PEOPLE.to_owned(),
                why: error.paint(Paint::Plain),
            });
        }
    }

    /// Asks on a thread that may wait for the disk.
    async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        question: impl FnOnce(&Table) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let table = Arc::clone(self);
        let answer = tokio::task::spawn_blocking(move || question(&table)).await;
        answer.map_err(|reason| {
            (self.desk.on)(Event::Trouble {
                grader: PEOPLE.to_owned(),
                why: reason.to_string(),
            });
            (
                StatusCode::SERVICE_UNAVAILABLE,
                "this could not be done; the terminal of the server says why",
            )
        })
    }
}
