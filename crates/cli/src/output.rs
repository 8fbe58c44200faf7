//! Printing: results to standard output, everything else to standard error.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use calibrant_project::{BlockDone, Done, Note, ProjectError};
use calibrant_report::{Style, short_name, warnings_text};
use calibrant_schema::Pool;
use calibrant_schema::diagnostic::{Paint, visible};
use calibrant_schema::warning::Noted;
use calibrant_store::Compression;
use calibrant_store::tables::{Detected, Format as TableFormat, How};

use crate::args::{ColorChoice, Format, Global};
use crate::progress::Line;

/// Where and how to print.
pub(crate) struct Output {
    format: Format,
    quiet: bool,
    paint: Paint,
    width: usize,
    lost: AtomicBool,
    line: Line,
    finished: Mutex<Finished>,
}

/// What a request has finished so far.
#[derive(Default)]
struct Finished {
    steps: Vec<&'static str>,
    /// Blocks finished, and how many there are.
    blocks: Option<(usize, usize)>,
}

/// Width of a table where nobody says how wide the terminal is.
const WIDTH: usize = 100;

impl Output {
    pub(crate) fn new(global: &Global) -> Self {
        let colour = match global.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            }
        };
        Self {
            format: global.format(),
            quiet: global.quiet,
            paint: if colour { Paint::Colour } else { Paint::Plain },
            width: env::var("COLUMNS")
                .ok()
                .and_then(|columns| columns.parse().ok())
                .unwrap_or(WIDTH),
            lost: AtomicBool::new(false),
            line: Line::new(global.quiet),
            finished: Mutex::default(),
        }
    }

    /// How tables are laid out.
    pub(crate) fn style(&self) -> Style {
        Style { width: self.width }
    }

    /// Whether messages are coloured.
    pub(crate) fn paint(&self) -> Paint {
        self.paint
    }

    /// The format asked for.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// A result: the artifact's JSON, or its text for people.
    pub(crate) fn result(&self, json: impl FnOnce() -> String, text: impl FnOnce() -> String) {
        match self.format {
            Format::Json => self.data(&json()),
            // `dispatch` refuses the formats of `check` for every other command.
            Format::Table | Format::Sarif | Format::Github => self.data(&text()),
        }
    }

    /// Text to standard output. A reader that went away is no error of ours; any other failure is remembered.
    pub(crate) fn data(&self, text: &str) {
        self.line.clear();
        let mut out = io::stdout().lock();
        if let Err(reason) = out.write_all(text.as_bytes()).and_then(|()| out.flush())
            && reason.kind() != io::ErrorKind::BrokenPipe
        {
            self.lost.store(true, Ordering::Relaxed);
        }
    }

    /// Whether something meant for standard output could not be written.
    pub(crate) fn lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// A line to standard error, unless quiet.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.line.clear();
            let _ = writeln!(io::stderr().lock(), "{text}");
        }
    }

    /// Warnings, each with its next action.
    pub(crate) fn warnings(&self, warnings: &[Noted]) {
        if !warnings.is_empty() {
            self.note(warnings_text(warnings).trim_end());
        }
    }

    /// That the program was interrupted, always, with what is finished and need not be done again.
    pub(crate) fn interrupted(&self) {
        self.line.clear();
        let finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(io::stderr().lock(), "{}", finished.in_words());
    }

    /// An error, always.
    pub(crate) fn failure(&self, error: &ProjectError) {
        self.line.clear();
        let _ = writeln!(io::stderr().lock(), "{}", error.paint(self.paint).trim_end());
    }

    /// What a request says while it is carried out.
    pub(crate) fn on(&self, note: Note<'_>) {
        self.finished
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take_in(note);
        match note {
            Note::Read(detected) => self.note(&detected_text(detected)),
            Note::Doubts(doubts, text) if !doubts.is_empty() => {
                self.note(doubts.paint(Some(text), self.paint).trim_end())
            }
            Note::Doubts(..) => {}
            Note::Pooled(calibration) => self.note(match calibration.pool {
                Pool::Item => "measurability: per item, each criterion belongs to one query (--pool criterion pools)",
                Pool::Criterion => "measurability: per criterion, pooled over its queries (--pool item does not)",
            }),
            Note::Step(step, Done::Unchanged) => self.note(&format!("{}: unchanged, not done again", step.word())),
            Note::Step(step, Done::Made) => self.note(&format!("{}: done", step.word())),
            Note::Block(block) => self.note(&block_text(&block)),
            Note::Begins(work) => self.line.begin(&work),
        }
    }
}

impl Finished {
    fn take_in(&mut self, note: Note<'_>) {
        match note {
            Note::Step(step, _) => self.steps.push(step.word()),
            Note::Block(block) => self.blocks = Some(block.place),
            _ => {}
        }
    }

    fn in_words(&self) -> String {
        let mut parts: Vec<String> = self.steps.iter().map(|step| (*step).to_owned()).collect();
        parts.extend(self.blocks.map(|(done, of)| format!("{done} of {of} blocks")));
        match parts.is_empty() {
            true => "interrupted before a step was finished; the same command starts again".to_owned(),
            false => format!(
                "interrupted; finished: {}; the same command goes on from there",
                parts.join(", ")
            ),
        }
    }
}

/// Characters of a block's name in a line.
const LONGEST_BLOCK: usize = 60;

/// What was done for a block, on one line.
fn block_text(block: &BlockDone<'_>) -> String {
    let made: Vec<&str> = block.made.iter().map(|step| step.word()).collect();
    let done = match (block.stopped, made.as_slice()) {
        (Some(stopped), _) => format!("no {}: {}", stopped.step, shown(&stopped.why.detail)),
        (None, []) => "unchanged, not done again".to_owned(),
        (None, made) => format!("{} done", made.join(", ")),
    };
    format!("{} {}: {done}", block.by.word(), short_name(block.block, LONGEST_BLOCK))
}

/// Unused columns are named up to this many.
const MOST_NAMED: usize = 12;

/// How a table was understood, on one line.
fn detected_text(detected: &Detected) -> String {
    let format = match (detected.format, detected.delimiter) {
        (TableFormat::Jsonl, _) => "JSON lines".to_owned(),
        (TableFormat::Parquet, _) => "Parquet".to_owned(),
        (TableFormat::Ledger, _) => "ledger".to_owned(),
        (TableFormat::Memory, _) => "in memory".to_owned(),
        (TableFormat::Csv, Some('\t')) => "CSV with tabs".to_owned(),
        (TableFormat::Csv, Some(delimiter)) => format!("CSV with `{delimiter}`"),
        (TableFormat::Csv, None) => "CSV".to_owned(),
    };
    let columns: Vec<String> = detected
        .columns
        .iter()
        .map(|column| match column.how {
            How::Name => column.role.word().to_owned(),
            How::Alias | How::Flag => format!("{} <- {}", column.role.word(), shown(&column.column)),
        })
        .collect();
    let mut text = format!(
        "{}: {} rows, {format}{}; {}",
        detected.file,
        detected.rows,
        match detected.compression {
            Compression::Plain => "",
            Compression::Gzip => ", gzip",
            Compression::Zstd => ", zstd",
        },
        columns.join(", "),
    );
    if detected.ignored.len() > MOST_NAMED {
        text.push_str(&format!("; {} other columns are not used", detected.ignored.len()));
    } else if !detected.ignored.is_empty() {
        let ignored: Vec<String> = detected.ignored.iter().map(|column| shown(column)).collect();
        text.push_str(&format!("; not used: {}", ignored.join(", ")));
    }
    text
}

/// A name out of a file, hidden characters made visible.
fn shown(name: &str) -> String {
    name.chars().flat_map(visible).collect()
}
