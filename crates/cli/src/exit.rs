//! Exit codes (DESIGN 7): few, named, documented in `docs/commands.md`.

/// Done.
pub(crate) const DONE: u8 = 0;
/// `check` found errors.
pub(crate) const FOUND: u8 = 1;
/// Wrong usage or input.
pub(crate) const INPUT: u8 = 2;
/// Interrupted; what was finished is saved.
pub(crate) const INTERRUPTED: u8 = 130;
