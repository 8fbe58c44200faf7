//! Several tables on their way into one [`calibrant_schema::Verdicts`].

use std::collections::BTreeMap;
use std::path::Path;

use calibrant_schema::verdicts::{Judgement, VerdictsError};
use calibrant_schema::{Diagnostic, Scale, Span, VerdictsBuilder};

use crate::findings::Findings;
use crate::ledger::is_ledger;
use crate::stored::{Compression, Source, Stored, unpacked_name};
use crate::tables::columns::Columns;
use crate::tables::delimited::Delimited;
use crate::tables::json_rows::JsonRows;
use crate::tables::judge_filter::JudgeFilter;
use crate::tables::judgement::{Ids, OnScale, RowReader, Shape};
use crate::tables::lines::{Lines, Step};
#[cfg(feature = "parquet")]
use crate::tables::parquet::ParquetFile;
use crate::tables::query_values::QueryValues;
use crate::tables::role::Role;
use crate::tables::row::Row;
use crate::tables::shown::{shown, shown_sentence};
use crate::tables::verdicts::{Detected, Format, LeftOut, OffScale, ReadOptions, ReadVerdicts};

pub(crate) fn read_shaped(
    sources: Vec<Source>,
    options: &ReadOptions,
    shape: &Shape,
) -> Result<ReadVerdicts, Findings> {
    let mut reading = Reading::new(options, shape);
    for source in sources {
        reading.table(source);
    }
    reading.finish()
}

/// Tables being read.
pub(crate) struct Reading<'a> {
    pub(crate) options: &'a ReadOptions,
    pub(crate) shape: &'a Shape,
    pub(crate) builder: VerdictsBuilder,
    pub(crate) findings: Findings,
    detected: Vec<Detected>,
    pub(super) off_scale: OffScale,
    pub(super) left_out: LeftOut,
    pub(crate) rubric_hashes: BTreeMap<String, u64>,
    query_values: QueryValues,
    pub(crate) judges: JudgeFilter,
    /// Lines of the files before the one being read: rows are numbered through all files.
    pub(crate) lines_before: u32,
    ends: Vec<u32>,
}

impl<'a> Reading<'a> {
    fn new(options: &'a ReadOptions, shape: &'a Shape) -> Self {
        Self {
            options,
            shape,
            builder: VerdictsBuilder::default(),
            findings: Findings::default(),
            detected: Vec::new(),
            off_scale: OffScale::default(),
            left_out: LeftOut::default(),
            rubric_hashes: BTreeMap::new(),
            query_values: QueryValues::default(),
            judges: JudgeFilter::new(options.judges.as_deref()),
            lines_before: 0,
            ends: Vec::new(),
        }
    }

    fn table(&mut self, source: Source) {
        let name = source.name();
        let path = source.path().map(Path::to_owned);
        if let Some(path) = path.as_deref().filter(|path| is_ledger(path)) {
            let known = source.known_hash().map(str::to_owned);
            self.lines_before += self.ledger_table(&name, path, known);
            self.ends.push(self.lines_before);
            return;
        }
        #[cfg(feature = "arrow")]
        let source = match source {
            Source::Batches { name, batches } => {
                self.lines_before += self.arrow_table(&name, batches);
                self.ends.push(self.lines_before);
                return;
            }
            source => source,
        };
        let stored = match source.open() {
            Ok(stored) => stored,
            Err(cannot_open) => {
                for finding in cannot_open.shown() {
                    self.findings.push(finding.diagnostic.clone(), None);
                }
                return;
            }
        };
        if stored.is_parquet() || is_parquet(&name) {
            let rows = self.parquet_table(&name, path.as_deref(), stored);
            self.lines_before += rows;
            self.ends.push(self.lines_before);
            return;
        }
        let mut lines = Lines::new(name, stored, &self.findings);
        let before = self.findings.len();
        let lines_read = match lines.first_byte(&mut self.findings) {
            None if self.findings.len() > before => 0,
            None => {
                self.findings.push(empty_file(lines.name()), None);
                0
            }
            Some(_) if lines.holds_parquet() => {
                let name = lines.name().to_owned();
                self.parquet_table(&name, path.as_deref(), lines.into_stored())
            }
            Some(b'{' | b'[') => self.jsonl(lines),
            Some(_) if is_jsonl(lines.name()) => self.jsonl(lines),
            Some(_) => self.csv(lines),
        };
        self.lines_before += lines_read;
        self.ends.push(self.lines_before);
    }

    fn csv(&mut self, lines: Lines) -> u32 {
        let mut row = Row::default();
        let Some(mut table) = Delimited::open(lines, &mut row, &mut self.findings) else {
            return 0;
        };
        let name = table.lines.name().to_owned();
        let found = Columns::find(table.header(), &self.options.columns, self.shape.required);
        let Some(columns) = self.found_columns(found, &name, &row) else {
            return 0;
        };
        let before = self.findings.len();
        let mut rows = 0;
        loop {
            match table.next(&mut row, &mut self.findings) {
                Step::Read => self.row(&name, &row, &columns),
                Step::Skipped => {}
                Step::End => break,
            }
            rows += 1;
            self.options.progress.row(table.lines.stored());
            if self.options.progress.is_stopped() {
                break;
            }
        }
        if rows == 0 && self.findings.len() == before {
            self.findings.push(header_only(&name), None);
        }
        let form = Form::of(Format::Csv, Some(table.delimiter()), table.lines.stored());
        self.detect(&name, form, &columns, rows);
        table.lines.line()
    }

    fn jsonl(&mut self, lines: Lines) -> u32 {
        let name = lines.name().to_owned();
        let mut table = JsonRows::new(lines);
        let mut row = Row::default();
        let mut columns = None;
        let mut rows = 0;
        loop {
            match table.next(&mut row, &mut self.findings) {
                Step::Skipped => continue,
                Step::End => break,
                Step::Read => rows += 1,
            }
            self.options.progress.row(table.lines.stored());
            if self.options.progress.is_stopped() {
                break;
            }
            let Some(known) = self.json_columns(&name, table.keys(), &row, &mut columns) else {
                break;
            };
            self.row(&name, &row, known);
        }
        if let Some(columns) = &columns {
            let form = Form::of(Format::Jsonl, None, table.lines.stored());
            self.detect(&name, form, columns, rows);
        }
        table.lines.line()
    }

    /// The columns of a JSON table as far as they are known at this row; `None` when they are in doubt, which was reported.
    fn json_columns<'c>(
        &mut self,
        name: &str,
        keys: &[String],
        row: &Row,
        columns: &'c mut Option<Columns>,
    ) -> Option<&'c Columns> {
        match columns {
            Some(known) => {
                if known.len() < keys.len() {
                    // Rows after a doubt would be read by the wrong key.
                    self.found_columns(known.extend(keys), name, row)?;
                }
                Some(known)
            }
            none => {
                let found = Columns::find(keys, &self.options.columns, self.shape.required);
                let found = self.found_columns(found, name, row)?;
                Some(none.insert(found))
            }
        }
    }

    fn found_columns<T>(&mut self, found: Result<T, Vec<Diagnostic>>, name: &str, row: &Row) -> Option<T> {
        let mistakes = match found {
            Ok(found) => return Some(found),
            Err(mistakes) => mistakes,
        };
        for mistake in mistakes {
            row.report(name, usize::MAX, mistake, &mut self.findings);
        }
        None
    }

    pub(crate) fn row(&mut self, file: &str, row: &Row, columns: &Columns) {
        let reader = RowReader { file, row, columns };
        let Some(ids) = reader.ids(self.shape, &mut self.findings) else {
            return;
        };
        if !self.judges.keeps(ids.judge) {
            return;
        }
        let Some(outcome) = reader.outcome(&self.options.scales, ids.criterion, &mut self.findings) else {
            return;
        };
        if outcome.on_scale == OnScale::No {
            self.off_scale
                .add(|| off_scale_example(&reader, &ids, self.options.scales.of(ids.criterion)));
        }
        self.count_rubric_hash(reader.text(Role::RubricHash));
        if let Some(role) = self.options.values_of {
            let value = reader.text(role);
            if let Err(mistake) = self.query_values.take(role, ids.query, value, file, row) {
                let column = columns.of(role).unwrap_or(usize::MAX);
                row.report(file, column, *mistake, &mut self.findings);
            }
        }
        // A table with mistakes gives no verdicts: its rows are only looked through for more of them.
        if !self.findings.is_empty() {
            return;
        }
        let judgement = Judgement {
            system: ids.system,
            query: ids.query,
            sample: ids.sample,
            criterion: ids.criterion,
            judge: ids.judge,
            repeat: ids.repeat,
            level: outcome.level,
            status: outcome.status,
            line: self.lines_before + row.line,
        };
        self.builder.push(judgement, self.options.scales.of(ids.criterion));
    }

    fn count_rubric_hash(&mut self, hash: &str) {
        if let Some(count) = self.rubric_hashes.get_mut(hash) {
            *count += 1;
        } else if !hash.is_empty() {
            self.rubric_hashes.insert(hash.to_owned(), 1);
        }
    }

    /// Reads a Parquet file; returns how many rows it has.
    #[cfg(feature = "parquet")]
    fn parquet_table(&mut self, name: &str, path: Option<&Path>, stored: Stored) -> u32 {
        let mut form = Form::of(Format::Parquet, None, &stored);
        let (file, sha256) = match ParquetFile::open(name, path, stored) {
            Ok(opened) => opened,
            Err(mistake) => {
                self.findings.push(*mistake, None);
                return 0;
            }
        };
        (form.sha256, form.bytes) = (sha256, file.bytes());
        let found = Columns::find(file.columns(), &self.options.columns, self.shape.required);
        let columns = match found {
            Ok(columns) => columns,
            Err(mistakes) => {
                for mistake in mistakes {
                    self.findings.push(in_file(mistake, name), None);
                }
                return 0;
            }
        };
        if file.rows() == 0 {
            self.findings.push(header_only(name), None);
        }
        let rows = self.parquet(&file, &columns);
        self.detect(name, form, &columns, rows.into());
        rows
    }

    #[cfg(not(feature = "parquet"))]
    fn parquet_table(&mut self, name: &str, _: Option<&Path>, _: Stored) -> u32 {
        self.findings.push(crate::tables::form::not_built(name), None);
        0
    }

    fn detect(&mut self, file: &str, form: Form, columns: &Columns, rows: u64) {
        let (used, not_asked): (Vec<_>, Vec<_>) = columns
            .found()
            .into_iter()
            .partition(|found| self.options.asks_for(found.role));
        let mut ignored = columns.ignored();
        ignored.extend(not_asked.into_iter().map(|found| found.column));
        self.options.progress.file_done(form.bytes);
        self.add_detected(Detected {
            file: file.to_owned(),
            format: form.format,
            delimiter: form.delimiter,
            compression: form.compression,
            columns: used,
            ignored,
            rows,
            sha256: form.sha256,
        });
    }

    pub(super) fn add_detected(&mut self, detected: Detected) {
        self.detected.push(detected);
    }

    fn finish(mut self) -> Result<ReadVerdicts, Findings> {
        if self.options.progress.is_stopped() {
            return Err(interrupted().into());
        }
        if self.findings.is_empty() {
            self.findings = self.judges.absent();
        }
        if self.findings.is_empty() && self.builder.is_empty() {
            self.findings.push(no_verdicts(), None);
        }
        self.findings.into_result()?;
        let (detected, ends) = (self.detected, self.ends);
        let verdicts = self
            .builder
            .finish()
            .map_err(|error| duplicate(&error, &detected, &ends))?;
        Ok(ReadVerdicts {
            verdicts,
            detected,
            off_scale: self.off_scale,
            left_out: self.left_out,
            rubric_hashes: self.rubric_hashes,
            query_values: self.query_values.into_values(),
        })
    }
}

/// How a table is written down.
struct Form {
    format: Format,
    delimiter: Option<char>,
    compression: Compression,
    sha256: String,
    /// How many bytes of it are read.
    bytes: u64,
}

impl Form {
    fn of(format: Format, delimiter: Option<char>, stored: &Stored) -> Self {
        Self {
            format,
            delimiter,
            compression: stored.compression(),
            sha256: stored.sha256(),
            bytes: stored.bytes_read(),
        }
    }
}

impl OffScale {
    fn add(&mut self, example: impl FnOnce() -> String) {
        self.count += 1;
        self.first.get_or_insert_with(example);
    }
}

fn is_jsonl(name: &str) -> bool {
    let name = unpacked_name(name).to_lowercase();
    [".jsonl", ".ndjson", ".json"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

fn is_parquet(name: &str) -> bool {
    let ending = unpacked_name(name).rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"))
}

/// A mistake about a file without lines, with its name.
#[cfg(feature = "parquet")]
fn in_file(mut mistake: Diagnostic, name: &str) -> Diagnostic {
    mistake.what = format!("`{name}`: {}", mistake.what);
    mistake
}

fn off_scale_example(reader: &RowReader<'_>, ids: &Ids<'_>, scale: &Scale) -> String {
    let place = match &reader.row.number {
        Some(number) => format!("row {}", number.row),
        None => reader.row.line.to_string(),
    };
    format!(
        "{}:{place}: label `{}` of criterion `{}` is not on the scale {scale}",
        reader.file,
        shown(reader.text(Role::Label).trim()),
        shown(ids.criterion),
    )
}

fn interrupted() -> Diagnostic {
    Diagnostic::error("interrupted", "the reading was interrupted", "read the tables again")
}

fn empty_file(name: &str) -> Diagnostic {
    Diagnostic::error(
        "empty-table",
        format!("`{name}` is empty"),
        "give a table with a header and a row per verdict: system, query, criterion, judge, label",
    )
}

fn no_verdicts() -> Diagnostic {
    Diagnostic::error(
        "no-verdicts",
        "there is no verdict to read",
        "name a table of verdicts, and at least one of its judges",
    )
}

fn header_only(name: &str) -> Diagnostic {
    Diagnostic::error(
        "no-rows",
        format!("`{name}` has a header and no rows"),
        "check that the program that wrote it found any verdicts",
    )
}

/// Both rows of a cell that has two, by file and line.
fn duplicate(error: &VerdictsError, detected: &[Detected], ends: &[u32]) -> Findings {
    let VerdictsError::DuplicateCell { first, second, .. } = error else {
        return Diagnostic::error("verdicts", error.to_string(), "mend the table").into();
    };
    let place = |line: u32| {
        let at = ends.partition_point(|end| *end < line);
        let before = at.checked_sub(1).map_or(0, |at| ends[at]);
        (detected[at].file.clone(), line - before)
    };
    let ((first_file, first_line), (file, line)) = (place(*first), place(*second));
    let lines = |file: &str| {
        detected.iter().any(|found| {
            found.file == file && !matches!(found.format, Format::Parquet | Format::Ledger | Format::Memory)
        })
    };
    let unit = |file: &str| if lines(file) { "line" } else { "row" };
    let first_place = if first_file == file {
        format!("{} {first_line}", unit(&file))
    } else if lines(&first_file) {
        format!("{first_file}:{first_line}")
    } else {
        format!("row {first_line} of {first_file}")
    };
    let what = shown_sentence(&error.to_string());
    let help = format!(
        "the first row is {first_place}; keep one of the two, or tell them apart: `repeat` numbers the judgements of one judge, `sample` the answers of one system"
    );
    if !lines(&file) {
        return Diagnostic::error("duplicate-cell", format!("`{file}`, row {line}: {what}"), help).into();
    }
    Diagnostic::error("duplicate-cell", what, help)
        .at(Span {
            file,
            line,
            column: 1,
            length: 0,
        })
        .labelled(format!("the same cell as {first_place}"))
        .into()
}
