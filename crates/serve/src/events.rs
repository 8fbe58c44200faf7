//! What whoever runs the server is told while it runs. No answer of a grader is ever part of it.

use calibrant_schema::resolution::Outcome;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A grader opened the sheet by link.
    Entered {
        /// Who.
        grader: String,
    },
    /// A grader locked the sheet.
    Locked {
        /// Who.
        grader: String,
    },
    /// A disagreement was settled.
    Settled {
        /// Which.
        disagreement: String,
        /// As what.
        outcome: Outcome,
    },
    /// A request could not be done; the page keeps what it sent and tries again.
    Trouble {
        /// Whose request it was.
        grader: String,
        /// Why.
        why: String,
    },
    /// Too many wrong links came from one place, which is turned away for a minute.
    TurnedAway,
}
