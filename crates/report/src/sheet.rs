//! The sheet on which a person grades: one page, served or saved as a file, made from a [`Paper`] and nothing else.
//!
//! The page is plain JavaScript and CSS out of `templates/sheet`, joined into one script and one style, each allowed by its
//! hash alone. Everything from outside stands in a JSON block and reaches the screen as text.
//!
//! Source: METHODS 27, 28; PROTOCOLS 4.3, 9.

use askama::Template;
use calibrant_schema::exercise::{Mark, Paper};
use serde::Serialize;

pub use crate::page::Served;
use crate::page::{self, Connects, escaped, policy};

/// What pages look like on which people judge and talk.
pub(crate) const STYLE: &str = include_str!("../templates/sheet/sheet.css");
/// The sheet at work, its parts in the order in which they build on each other.
const SHEET_SCRIPT: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("../templates/sheet/text.js"),
    include_str!("../templates/sheet/state.js"),
    include_str!("../templates/sheet/pressing.js"),
    include_str!("../templates/sheet/keys.js"),
    include_str!("../templates/sheet/keep.js"),
    include_str!("../templates/sheet/elements.js"),
    include_str!("../templates/sheet/view.js"),
    include_str!("../templates/sheet/dialogs.js"),
    include_str!("../templates/sheet/page.js"),
    include_str!("../templates/sheet/screen.js"),
    include_str!("../templates/sheet/door.js"),
    include_str!("../templates/sheet/begin.js"),
    "})();\n",
);
#[derive(Template)]
#[template(path = "sheet/page.html")]
struct SheetTemplate<'a> {
    policy: &'a str,
    style: &'a str,
    data: &'a str,
    script: &'a str,
}

/// How a grader's sheet stands when its page is made.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// All that the grader may see.
    pub paper: &'a Paper,
    /// The grader's own marks so far, in the order recorded.
    pub marks: &'a [Mark],
    /// Whether the sheet is locked: it can then be read and not changed.
    pub locked: bool,
    /// A secret of this sheet that the page sends along with every request, so that no other page can make one.
    pub guard: &'a str,
}

/// What the script of a page reads.
#[derive(Serialize)]
struct Data<'a> {
    kind: &'static str,
    paper: &'a Paper,
    marks: &'a [Mark],
    locked: bool,
    guard: &'a str,
}

/// The page of a sheet for a server: it sends every mark to `api/marks` and talks to nobody else.
///
/// The same standing gives the same bytes.
///
/// Source: PROTOCOLS 4.3.
#[must_use]
pub fn served(standing: &Standing<'_>) -> Served {
    let data = Data {
        kind: "served",
        paper: standing.paper,
        marks: standing.marks,
        locked: standing.locked,
        guard: standing.guard,
    };
    let html = rendered(&data, Connects::ToItsServer);
    let policy = format!(
        "{}; frame-ancestors 'none'",
        policy(STYLE, SHEET_SCRIPT, Connects::ToItsServer)
    );
    Served { html, policy }
}

/// The page of a sheet as one file that is opened from disk: it talks to nobody, keeps marks in the browser, and gives them
/// back as a JSON file, `calibrant.marks/1`.
///
/// The same paper gives the same bytes.
///
/// Source: PROTOCOLS 4.3, point 11.
#[must_use]
pub fn offline(paper: &Paper) -> String {
    let data = Data {
        kind: "file",
        paper,
        marks: &[],
        locked: false,
        guard: "",
    };
    rendered(&data, Connects::Nowhere)
}

/// The page before a sheet: it gives the secret of a link to the server, and holds nothing.
///
/// Source: PROTOCOLS 9, line 9.
#[must_use]
pub fn door() -> Served {
    page::door(STYLE, "Grading sheet")
}

fn rendered(data: &Data<'_>, connects: Connects) -> String {
    // Papers and marks are made of texts, whole numbers and finite labels.
    let json = serde_json::to_string(data).expect("a sheet is JSON");
    let template = SheetTemplate {
        policy: &policy(STYLE, SHEET_SCRIPT, connects),
        style: STYLE,
        data: &escaped(&json),
        script: SHEET_SCRIPT,
    };
    template.render().expect("the template renders")
}

#[cfg(test)]
mod tests;
