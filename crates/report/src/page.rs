//! What pages with a script share: the policy they run under, data that cannot leave its element, and the door before them.

mod policy;

use askama::Template;

pub(crate) use policy::{Connects, policy};

/// The page before a page: it turns a link into a cookie.
pub(crate) const DOOR_SCRIPT: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("../templates/sheet/door.js"),
    include_str!("../templates/sheet/begin-door.js"),
    "})();\n",
);

#[derive(Template)]
#[template(path = "sheet/door.html")]
struct DoorTemplate<'a> {
    policy: &'a str,
    style: &'a str,
    title: &'a str,
    script: &'a str,
}

/// A page with the content policy it is to be served under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// The page, with the same policy in a `meta` element as far as one can hold it.
    pub html: String,
    /// The value of the header `Content-Security-Policy`.
    pub policy: String,
}

/// The page before a page of this title: it gives the secret of a link to the server, and holds nothing.
///
/// Source: PROTOCOLS 9, line 9.
pub(crate) fn door(style: &str, title: &str) -> Served {
    let policy = policy(style, DOOR_SCRIPT, Connects::ToItsServer);
    let template = DoorTemplate {
        policy: &policy,
        style,
        title,
        script: DOOR_SCRIPT,
    };
    Served {
        // Rendering writes into a string, and no filter of the template can fail.
        html: template.render().expect("the template renders"),
        policy: format!("{policy}; frame-ancestors 'none'"),
    }
}

/// JSON that cannot end the element it stands in, open a comment, or break a line of a script.
///
/// Source: PROTOCOLS 9, line 5.
pub(crate) fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => text.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => text.push(c),
        }
    }
    text
}
