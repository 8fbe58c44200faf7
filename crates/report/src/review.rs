//! The page on which people talk over what they differ on, and end each disagreement in writing: served or saved as a file.
//!
//! It is made like the sheet of [`crate::sheet`]: one script, one style, each allowed by its hash alone, and everything from
//! outside in a JSON block that reaches the screen as text. Votes are not counted anywhere on it.
//!
//! Source: METHODS 31, 32, 39; PROTOCOLS 4.3, points 7 to 9; PROTOCOLS 9, lines 4 and 5.

use askama::Template;
use calibrant_schema::Card;
use calibrant_schema::canonical::Hash;
use calibrant_schema::disagreement::{Anatomy, Disagreement, Disagreements, Ended, WithoutLabel};
use calibrant_schema::turn::Turn;
use serde::Serialize;

use crate::page::{self, Connects, Served, escaped, policy};
use crate::sheet;

/// The look of the sheet, and what this page has besides.
const STYLE: &str = concat!(
    include_str!("../templates/sheet/sheet.css"),
    include_str!("../templates/review/review.css"),
);
/// The page at work, its parts in the order in which they build on each other.
const SCRIPT: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("../templates/sheet/text.js"),
    include_str!("../templates/sheet/pressing.js"),
    include_str!("../templates/sheet/elements.js"),
    include_str!("../templates/review/words.js"),
    include_str!("../templates/review/forms.js"),
    include_str!("../templates/review/page.js"),
    include_str!("../templates/sheet/door.js"),
    include_str!("../templates/review/begin.js"),
    "})();\n",
);

#[derive(Template)]
#[template(path = "review/page.html")]
struct ReviewTemplate<'a> {
    policy: &'a str,
    style: &'a str,
    data: &'a str,
    script: &'a str,
}

/// A queue of disagreements with everything that is looked at beside it.
#[derive(Clone, Debug)]
pub struct Talk<'a> {
    /// The queue. Where its systems are hidden they are not on the page either.
    pub disagreements: &'a Disagreements,
    /// What was asked and answered, one a disagreement, in the order of the queue.
    pub texts: Vec<Texts<'a>>,
    /// The round; `None` when the labels came from tables.
    pub round: Option<u32>,
    /// How things stand by now.
    pub now: Now,
}

/// What a disagreement is about.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Texts<'a> {
    /// What was asked; nothing where nobody knows.
    pub prompt: &'a [Turn],
    /// What was answered; nothing where nobody knows.
    pub answer: &'a [Turn],
    /// The levels that could be given, from the worst.
    pub levels: &'a [f64],
}

/// What changes while people talk.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Now {
    /// The rubric file; nothing can be settled without one.
    pub rubric: Option<RubricNow>,
    /// One a disagreement, in the order of the queue.
    pub standing: Vec<Standing>,
}

/// The rubric file as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RubricNow {
    /// The name of the rubric.
    pub name: Option<String>,
    /// The file.
    pub file: String,
    /// Its version.
    pub version: Option<u32>,
    /// The hash of its bytes, which comes back with whatever is settled.
    pub hash: Hash,
}

/// How a disagreement stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// How it ended, if it did.
    pub ended: Option<Ended>,
    /// The criterion as the rubric now has it; `None` when it is not, or no longer, in it.
    pub card: Option<Card>,
}

/// What the script of the page reads.
#[derive(Serialize)]
struct Data<'a> {
    kind: &'static str,
    guard: &'a str,
    command: &'a [String],
    round: Option<u32>,
    judges: &'a [String],
    criteria: &'a [Anatomy],
    queue: &'a [Disagreement],
    without_label: &'a [WithoutLabel],
    texts: &'a [Texts<'a>],
    now: &'a Now,
}

impl<'a> Data<'a> {
    fn of(talk: &'a Talk<'a>) -> Data<'a> {
        let all = talk.disagreements;
        Data {
            kind: "file",
            guard: "",
            command: &[],
            round: talk.round,
            judges: &all.judges,
            criteria: &all.criteria,
            queue: &all.queue,
            without_label: &all.without_label,
            texts: &talk.texts,
            now: &talk.now,
        }
    }
}

/// The page for a server: what is settled goes to `api/settle`, and it talks to nobody else.
///
/// `guard` is a secret of the link, which the page sends along with every request. The same talk gives the same bytes.
///
/// Source: PROTOCOLS 4.3, point 8.
#[must_use]
pub fn served(talk: &Talk<'_>, guard: &str) -> Served {
    let data = Data {
        kind: "served",
        guard,
        ..Data::of(talk)
    };
    Served {
        html: rendered(&data, Connects::ToItsServer),
        policy: format!(
            "{}; frame-ancestors 'none'",
            policy(STYLE, SCRIPT, Connects::ToItsServer)
        ),
    }
}

/// The page as one file: it talks to nobody and changes nothing. Instead of settling, it words the command that does.
///
/// `command` is that command as words, up to the flags that the page adds. The same talk gives the same bytes.
#[must_use]
pub fn saved(talk: &Talk<'_>, command: &[String]) -> String {
    let data = Data {
        command,
        ..Data::of(talk)
    };
    rendered(&data, Connects::Nowhere)
}

/// The page before the served one: it gives the secret of a link to the server, and holds nothing.
///
/// Source: PROTOCOLS 9, line 9.
#[must_use]
pub fn door() -> Served {
    page::door(sheet::STYLE, "Review of disagreements")
}

fn rendered(data: &Data<'_>, connects: Connects) -> String {
    // Labels are finite, and everything else is text and whole numbers.
    let json = serde_json::to_string(data).expect("a review is JSON");
    let template = ReviewTemplate {
        policy: &policy(STYLE, SCRIPT, connects),
        style: STYLE,
        data: &escaped(&json),
        script: SCRIPT,
    };
    template.render().expect("the template renders")
}

#[cfg(test)]
mod tests;
