//! HTTP doors over a rubric project: the pages on which people judge and settle.
//!
//! [`serve`] opens a round of grading to its graders, one personal link each, and returns when it is told to stop; [`serve_review`]
//! opens the disagreements of a round that is over. Whatever it
//! answers "saved" to is on the disk; everything else the page keeps and sends again. Async lives in here alone: a round is
//! asked on threads that may wait.
//!
//! Source: PROTOCOLS 4.3; PROTOCOLS 9, line 9 and 10.

mod address;
mod desk;
mod events;
mod links;
mod requests;
mod review;
mod round;
mod routes;
mod server;
mod session;
mod strangers;

pub use address::{Address, Transport};
pub use events::Event;
pub use round::{Round, Trouble};
pub use server::{Link, Opened, Options, serve, serve_review};
