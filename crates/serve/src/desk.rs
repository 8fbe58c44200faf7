//! Who is let in: links, cookies and wrong tries, alike for every page that is served.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router, middleware};
use calibrant_report::sheet::Served;
use serde::Deserialize;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::TimeoutLayer;

use crate::address::Names;
use crate::events::Event;
use crate::links::{Links, Token};
use crate::requests::{Refusal, guarded};
use crate::session::{Session, session, set_cookie, token_of};
use crate::strangers::Strangers;

/// The largest request, in bytes: a batch of marks of the page is a tenth of it.
const MOST_BYTES: usize = 1 << 20;
/// How long one request may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// What every page shares before it is a page.
pub(crate) struct Desk {
    pub(crate) links: Links,
    pub(crate) names: Names,
    pub(crate) cookie: String,
    /// Whether cookies go over TLS alone.
    pub(crate) is_secure: bool,
    pub(crate) strangers: Mutex<Strangers>,
    pub(crate) door: Served,
    pub(crate) on: Box<dyn Fn(Event) + Send + Sync>,
}

/// The routes of a page behind its desk: with the exchange of links, the limits and the checks that hold for every request.
pub(crate) fn behind(desk: &Arc<Desk>, page: Router) -> Router {
    Router::new()
        .route("/session", post(enter))
        .with_state(Arc::clone(desk))
        .merge(page)
        .fallback(|| async { (StatusCode::NOT_FOUND, "there is nothing here") })
        .layer(RequestBodyLimitLayer::new(MOST_BYTES))
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, PATIENCE))
        .layer(middleware::from_fn_with_state(Arc::clone(desk), guarded))
}

/// A page under its policy.
pub(crate) fn html(page: Served) -> Response {
    ([(header::CONTENT_SECURITY_POLICY, page.policy)], Html(page.html)).into_response()
}

#[derive(Deserialize)]
struct Entering {
    token: String,
}

/// Takes the token of a link for a cookie.
async fn enter(
    State(desk): State<Arc<Desk>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Json(entering): Json<Entering>,
) -> Result<Response, Refusal> {
    let too_many = || (StatusCode::TOO_MANY_REQUESTS, "too many wrong links; wait a minute");
    if desk.turns_away(from) {
        return Err(too_many());
    }
    let token = Token::read(&entering.token);
    let found = token
        .as_ref()
        .and_then(|token| Some((token, desk.links.grader_of(token)?)));
    let Some((token, grader)) = found else {
        desk.count_stranger(from);
        return Err((StatusCode::FORBIDDEN, "this link is not valid, or no longer"));
    };
    (desk.on)(Event::Entered {
        grader: grader.to_owned(),
    });
    let cookie = set_cookie(&desk.cookie, token, desk.is_secure);
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}

impl Desk {
    /// The session of a request for a page; a cookie that is wrong is counted.
    pub(crate) fn at_the_door(&self, headers: &HeaderMap, from: SocketAddr) -> Option<Session> {
        let session = session(self, headers);
        if session.is_none() && token_of(headers, &self.cookie).is_some() {
            self.count_stranger(from);
        }
        session
    }

    /// The page that turns a link into a session.
    pub(crate) fn door(&self) -> Response {
        html(self.door.clone())
    }

    fn turns_away(&self, from: SocketAddr) -> bool {
        let strangers = self.strangers.lock().unwrap_or_else(PoisonError::into_inner);
        strangers.turns_away(from.ip(), Instant::now())
    }

    fn count_stranger(&self, from: SocketAddr) {
        let mut strangers = self.strangers.lock().unwrap_or_else(PoisonError::into_inner);
        if strangers.count(from.ip(), Instant::now()) {
            drop(strangers);
            (self.on)(Event::TurnedAway);
        }
    }
}
