//! What the tests of the grading page share: a project, a server that can be killed, and a browser that is driven.
#![allow(dead_code, reason = "each test file uses a part")]

pub mod driver;
pub mod http;
pub mod project;
pub mod server;
