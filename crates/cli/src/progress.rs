//! One line on a terminal about the work under way, taken away when the work is done.
//!
//! It is drawn by a thread of its own, so that it moves while a step computes, and it knows nothing but what it is
//! told: the step, the block, and counters of the tables being read. Nothing is drawn where nobody looks.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use calibrant_project::Work;
use calibrant_report::short_name;
use calibrant_store::tables::Progress;

/// Time between two drawings; work that is done sooner is not shown at all.
const TICK: Duration = Duration::from_millis(120);

/// To the first column, and erase the line.
const ERASE: &str = "\r\u{1b}[2K";

/// Cut what is too wide instead of breaking the line, and break lines again.
const NO_WRAP: [&str; 2] = ["\u{1b}[?7l", "\u{1b}[?7h"];

/// Characters of a block's name in the line.
const LONGEST: usize = 30;

/// The line, or nothing where it would be in the way.
#[derive(Default)]
pub(crate) struct Line {
    shared: Option<Arc<Shared>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    work: Option<Shown>,
    drawn: bool,
    ticks: usize,
    ended: bool,
}

/// What the line says.
struct Shown {
    words: String,
    since: Instant,
    /// Counters of the tables being read, and the bytes they have.
    reading: Option<(Progress, u64)>,
}

impl Line {
    /// A line where standard error is a terminal that understands it, and nobody asked for quiet.
    pub(crate) fn new(quiet: bool) -> Self {
        let set = |name: &str| env::var(name).unwrap_or_default();
        let in_ci = !matches!(set("CI").as_str(), "" | "false" | "0");
        let understands = if cfg!(unix) {
            !matches!(set("TERM").as_str(), "" | "dumb")
        } else {
            set("TERM") != "dumb"
        };
        match !quiet && !in_ci && understands && io::stderr().is_terminal() {
            true => Self {
                shared: Some(Arc::default()),
                thread: Mutex::default(),
            },
            false => Self::default(),
        }
    }

    /// Shows this work from now on.
    pub(crate) fn begin(&self, work: &Work<'_>) {
        let Some(shared) = &self.shared else { return };
        let words = match work.block {
            Some(block) => format!("{} of {}", work.step.word(), short_name(block, LONGEST)),
            None => work.step.word().to_owned(),
        };
        shared.lock().work = Some(Shown {
            words,
            since: Instant::now(),
            reading: work.reading.map(|reading| (reading.progress.clone(), reading.bytes)),
        });
        shared.changed.notify_one();
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let shared = Arc::clone(shared);
            *thread = thread::Builder::new().spawn(move || shared.draw_until_ended()).ok();
        }
    }

    /// Takes the line away, because the work is over or something else is about to be printed.
    pub(crate) fn clear(&self) {
        if let Some(shared) = &self.shared {
            let mut state = shared.lock();
            state.work = None;
            state.erase();
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.clear();
        if let Some(shared) = &self.shared {
            shared.lock().ended = true;
            shared.changed.notify_one();
        }
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// A panic elsewhere leaves nothing half done here.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draw_until_ended(&self) {
        let mut state = self.lock();
        while !state.ended {
            state = match state.work {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(_) => {
                    let waited = self.changed.wait_timeout(state, TICK);
                    let (state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
                    // A notice means that other work began: it has its own time to wait.
                    let mut state = state;
                    if waited.timed_out() {
                        state.draw();
                    }
                    state
                }
            };
        }
    }
}

impl State {
    fn draw(&mut self) {
        const FRAMES: [char; 4] = ['|', '/', '-', '\\'];
        let Some(work) = &self.work else { return };
        let frame = FRAMES[self.ticks % FRAMES.len()];
        let [no_wrap, wrap] = NO_WRAP;
        let text = line(work, work.since.elapsed());
        let mut err = io::stderr().lock();
        let _ = write!(err, "{ERASE}{no_wrap}{frame} {text}{wrap}");
        let _ = err.flush();
        self.ticks += 1;
        self.drawn = true;
    }

    fn erase(&mut self) {
        if self.drawn {
            let mut err = io::stderr().lock();
            let _ = write!(err, "{ERASE}");
            let _ = err.flush();
            self.drawn = false;
        }
    }
}

/// What the line says after this time: `score of medicine: 12 s`, or how far tables are read and how fast.
fn line(work: &Shown, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    let Some((progress, bytes)) = &work.reading else {
        return format!("{}: {seconds} s", work.words);
    };
    let (rows, read) = (progress.rows(), progress.bytes());
    let share = (100 * read).checked_div(*bytes).unwrap_or(100);
    let rate = megabytes(read) / elapsed.as_secs_f64().max(TICK.as_secs_f64());
    format!(
        "{}: reading, {rows} rows, {share} % of {:.1} MB, {rate:.1} MB/s, {seconds} s",
        work.words,
        megabytes(*bytes)
    )
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_is_done_and_for_how_long() {
        let mut work = Shown {
            words: "score of law".to_owned(),
            since: Instant::now(),
            reading: None,
        };
        assert_eq!(line(&work, Duration::from_millis(12_900)), "score of law: 12 s");
        work.reading = Some((Progress::default(), 2_500_000));
        assert_eq!(
            line(&work, Duration::from_secs(1)),
            "score of law: reading, 0 rows, 0 % of 2.5 MB, 0.0 MB/s, 1 s"
        );
    }
}
