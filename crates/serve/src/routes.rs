//! The routes: a page, a session, and the marks of whoever the session belongs to.
//!
//! No route takes the name of a grader. Whose sheet a request is about is read from its cookie and from nothing else.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use calibrant_report::sheet::{self, Standing};
use calibrant_schema::exercise::Mark;
use serde::{Deserialize, Serialize};

use crate::desk::{Desk, html};
use crate::events::Event;
use crate::requests::Refusal;
use crate::round::{Round, Trouble};
use crate::session::{Session, session_of_page};

/// Everything the routes of a sheet share.
pub(crate) struct Office {
    pub(crate) desk: Arc<Desk>,
    pub(crate) round: Arc<dyn Round>,
    /// One lock a grader: marks of two windows are recorded one after the other.
    pub(crate) turns: BTreeMap<String, Mutex<()>>,
}

/// The routes of an office.
pub(crate) fn routes(office: Arc<Office>) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/api/marks", get(marks).post(record))
        .route("/api/lock", post(lock))
        .with_state(office)
}

/// The sheet of whoever has a right cookie; for everybody else the page that turns a link into one.
async fn page(
    State(office): State<Arc<Office>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let Some(session) = office.desk.at_the_door(&headers, from) else {
        return Ok(office.desk.door());
    };
    let page = office
        .ask(session, |office, session| {
            let paper = office.round.paper(&session.grader)?;
            let marks = office.round.marks(&session.grader)?;
            Ok(sheet::served(&Standing {
                paper: &paper,
                marks: &marks,
                locked: office.round.is_locked(&session.grader)?,
                guard: &session.token.guard(),
            }))
        })
        .await?;
    Ok(html(page))
}

#[derive(Serialize)]
struct Marks {
    marks: Vec<Mark>,
    locked: bool,
}

/// The grader's own marks.
async fn marks(State(office): State<Arc<Office>>, headers: HeaderMap) -> Result<Json<Marks>, Refusal> {
    let session = session_of_page(&office.desk, &headers)?;
    let marks = office
        .ask(session, |office, session| {
            Ok(Marks {
                marks: office.round.marks(&session.grader)?,
                locked: office.round.is_locked(&session.grader)?,
            })
        })
        .await?;
    Ok(Json(marks))
}

#[derive(Deserialize)]
struct Batch {
    marks: Vec<Mark>,
}

/// What became of a batch.
#[derive(Serialize)]
struct Kept {
    /// Marks of the sheet in all.
    marks: usize,
    /// The counter of the last of them.
    last: u64,
    /// Counters of marks that were not recorded because later ones had been: to be sent again under new ones.
    late: Vec<u64>,
}

/// Records marks; the answer says "kept" when they are on the disk.
async fn record(
    State(office): State<Arc<Office>>,
    headers: HeaderMap,
    Json(batch): Json<Batch>,
) -> Result<Response, Refusal> {
    let session = session_of_page(&office.desk, &headers)?;
    let kept = office
        .ask(session, move |office, session| {
            match take_in(office, &session.grader, batch.marks) {
                Err(Trouble::Wrong(wrong)) => Ok(Err(wrong)),
                kept => kept.map(Ok),
            }
        })
        .await?;
    Ok(match kept {
        Ok(kept) => Json(kept).into_response(),
        Err(wrong) => (StatusCode::UNPROCESSABLE_ENTITY, wrong).into_response(),
    })
}

/// Records what of a batch is new.
fn take_in(office: &Office, grader: &str, mut batch: Vec<Mark>) -> Result<Kept, Trouble> {
    let turn = office.turn(grader);
    // A locked sheet is looked at even for nothing, so that a page learns of it.
    if office.round.is_locked(grader)? {
        return Err(Trouble::Locked);
    }
    let before = office.round.marks(grader)?;
    let last = before.last().map_or(0, |mark| mark.nth);
    let is_known = |mark: &Mark| match before.binary_search_by_key(&mark.nth, |known| known.nth) {
        Ok(at) => before[at].act == mark.act && before[at].unit == mark.unit && before[at].criterion == mark.criterion,
        Err(_) => false,
    };
    batch.sort_by_key(|mark| mark.nth);
    batch.dedup_by_key(|mark| mark.nth);
    batch.retain(|mark| !is_known(mark));
    let (new, late): (Vec<Mark>, Vec<Mark>) = batch.into_iter().partition(|mark| mark.nth > last);
    let kept = Kept {
        marks: before.len() + new.len(),
        last: new.last().map_or(last, |mark| mark.nth),
        late: late.iter().map(|mark| mark.nth).collect(),
    };
    if !new.is_empty() {
        office.round.record(grader, new)?;
    }
    drop(turn);
    Ok(kept)
}

/// Locks the sheet for good.
async fn lock(State(office): State<Arc<Office>>, headers: HeaderMap) -> Result<StatusCode, Refusal> {
    let session = session_of_page(&office.desk, &headers)?;
    office
        .ask(session, |office, session| {
            let turn = office.turn(&session.grader);
            office.round.lock(&session.grader)?;
            drop(turn);
            (office.desk.on)(Event::Locked {
                grader: session.grader.clone(),
            });
            Ok(())
        })
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

impl Office {
    /// The right to write on a grader's sheet, until it is dropped.
    fn turn(&self, grader: &str) -> Option<MutexGuard<'_, ()>> {
        let turn = self.turns.get(grader)?;
        Some(turn.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Asks the round on a thread that may wait. A grader is told what concerns the sheet; the rest is for whoever runs the
    /// server, since it may name what a grader must not know.
    async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        session: Session,
        question: impl FnOnce(&Office, &Session) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Refusal> {
        let office = Arc::clone(self);
        let grader = session.grader.clone();
        let answer = tokio::task::spawn_blocking(move || question(&office, &session)).await;
        let trouble = match answer {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(Trouble::Locked)) => {
                return Err((StatusCode::CONFLICT, "this sheet is locked"));
            }
            Ok(Err(trouble)) => trouble.to_string(),
            Err(reason) => reason.to_string(),
        };
        (self.desk.on)(Event::Trouble { grader, why: trouble });
        Err((
            StatusCode::SERVICE_UNAVAILABLE,
            "this could not be done; the page keeps what it sent and tries again",
        ))
    }
}
