//! What holds for every request and every answer.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::desk::Desk;

/// An answer that says no, in words.
pub(crate) type Refusal = (StatusCode, &'static str);

/// Headers of every answer: nothing is guessed, kept, framed, or told to another site.
const HEADERS: [(&str, &str); 7] = [
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("x-frame-options", "DENY"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("x-robots-tag", "noindex"),
];
/// The policy of answers that are no page.
const NO_PAGE: &str = "default-src 'none'; frame-ancestors 'none'";

/// Lets a request through if it was made under a name of ours and, where it changes something, by a page of ours.
pub(crate) async fn guarded(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    let mut response = match check(&desk, request.method(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static(NO_PAGE));
    response
}

fn check(desk: &Desk, method: &Method, headers: &HeaderMap) -> Result<(), Refusal> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(header::HOST).unwrap_or_default();
    if !desk.names.allow_host(host) {
        return Err((
            StatusCode::MISDIRECTED_REQUEST,
            "nothing is served under this name; use the address of your link",
        ));
    }
    if method == Method::GET || method == Method::HEAD {
        return Ok(());
    }
    let origin = text(header::ORIGIN).unwrap_or_default();
    let site = text(HeaderName::from_static("sec-fetch-site"));
    match desk.names.allow_origin(origin, host) && site.is_none_or(|site| site == "same-origin") {
        true => Ok(()),
        false => Err((StatusCode::FORBIDDEN, "only a page of this server may ask for this")),
    }
}
