//! Ctrl-C: what is finished is said, no file is left half written, and the exit code is 130.

use std::process;
use std::sync::Arc;
use std::time::Duration;

use calibrant_store::stop_writing;

use crate::exit;
use crate::output::Output;

/// How long a file that is being written may take; a disk that hangs longer is left to itself.
const PATIENCE: Duration = Duration::from_secs(3);

/// Ends the program in good order when it is interrupted.
///
/// Where the system has no such signals, or another part of the process listens to them already, they keep what they
/// did before: files are whole then too, because they are renamed into place.
pub(crate) fn watch(output: &Arc<Output>) {
    let output = Arc::clone(output);
    let _ = ctrlc::set_handler(move || {
        stop_writing(PATIENCE);
        output.interrupted();
        process::exit(i32::from(exit::INTERRUPTED));
    });
}
