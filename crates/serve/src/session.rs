//! Who a request comes from: the cookie of a link, and the guard of its page.

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, StatusCode};

use crate::desk::Desk;
use crate::links::{Token, same};
use crate::requests::Refusal;

/// The header in which a page sends its guard.
pub(crate) const GUARD: &str = "x-calibrant-sheet";
/// How long a cookie lasts, in seconds: 90 days, longer than any round.
const COOKIE_AGE_S: u32 = 90 * 24 * 60 * 60;

/// Somebody whose link was right.
pub(crate) struct Session {
    /// Whose link it is: a grader's, or that of a review.
    pub(crate) grader: String,
    pub(crate) token: Token,
}

/// The name of the cookie: one a kind of page and exercise, so that two servers on one machine do not take each other's.
pub(crate) fn cookie_name(kind: &str, exercise: &str) -> String {
    let plain: String = exercise.chars().filter(char::is_ascii_alphanumeric).take(12).collect();
    format!("calibrant-{kind}-{plain}")
}

/// The header that gives a browser the cookie of a token: no script can read it, and no other site can make it be sent.
pub(crate) fn set_cookie(name: &str, token: &Token, is_secure: bool) -> String {
    let secure = if is_secure { "; Secure" } else { "" };
    format!(
        "{name}={}; Path=/; Max-Age={COOKIE_AGE_S}; HttpOnly; SameSite=Strict{secure}",
        token.as_str()
    )
}

/// The token in the cookies of a request.
pub(crate) fn token_of(headers: &HeaderMap, name: &str) -> Option<Token> {
    let cookies = headers
        .get_all(COOKIE)
        .into_iter()
        .filter_map(|value| value.to_str().ok());
    cookies
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(key, _)| *key == name)
        .and_then(|(_, value)| Token::read(value))
}

/// The grader a request comes from, if its cookie is right.
pub(crate) fn session(desk: &Desk, headers: &HeaderMap) -> Option<Session> {
    let token = token_of(headers, &desk.cookie)?;
    let grader = desk.links.grader_of(&token)?.to_owned();
    Some(Session { grader, token })
}

/// The grader a request of a page comes from: the cookie is right, and the page belongs to it.
///
/// Where a browser has opened the links of two graders one after the other, the older page has the younger cookie; its requests
/// are refused, so that nothing it shows can be written onto the other sheet.
pub(crate) fn session_of_page(desk: &Desk, headers: &HeaderMap) -> Result<Session, Refusal> {
    let session = session(desk, headers).ok_or((
        StatusCode::UNAUTHORIZED,
        "this browser has no page here; open your link again",
    ))?;
    let guard = headers
        .get(GUARD)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    match same(guard, &session.token.guard()) {
        true => Ok(session),
        false => Err((
            StatusCode::FORBIDDEN,
            "this page belongs to another link than the one opened last; open your link again",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_found_among_other_cookies() {
        let digits = "0a".repeat(16);
        let mut headers = HeaderMap::new();
        let line = format!("a=b; calibrant-sheet-x={digits}; c=d");
        headers.insert(COOKIE, line.parse().expect("a header"));
        assert!(token_of(&headers, "calibrant-sheet-x").is_some_and(|token| token.as_str() == digits));
        assert!(token_of(&headers, "calibrant-sheet-y").is_none());
    }

    #[test]
    fn no_script_and_no_other_site_has_the_cookie() {
        let token = Token::read(&"0a".repeat(16)).expect("a token");
        let plain = set_cookie("n", &token, false);
        assert!(plain.contains("; HttpOnly; SameSite=Strict") && !plain.contains("Secure"));
        assert!(set_cookie("n", &token, true).ends_with("; Secure"));
        assert_eq!(
            cookie_name("sheet", "ab;=\n0123456789012345"),
            "calibrant-sheet-ab0123456789"
        );
    }
}
