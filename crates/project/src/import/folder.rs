//! Files of other tools as a project folder that runs at once: whole or not at all.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use calibrant_schema::query::{Query, parse_queries};
use calibrant_schema::{Criterion, Diagnostics, Rubric};
use calibrant_store::formats::{
    CriterionRow, Refusal, ResponseRow, Sink, VerdictRow, criterion_line, query_line, response_line, verdict_line,
};
use calibrant_store::{Findings, NewFolder, leftover_of, write_atomic};
use serde_json::{Value, json};

use super::summary::{Doubt, IMPORT_FORMAT, ImportSummary};
use super::{ImportRequest, Watching, import_all};
use crate::error::ProjectError;
use crate::inputs::file_hash;

/// The file that says that a folder is an import of ours, and what its files were when they were written.
pub const IMPORT_FILE: &str = "calibrant-import.json";

const PROJECT_FILE: &str = "calibrant.toml";
pub(super) const RUBRIC: &str = "rubric.yaml";
pub(super) const CRITERIA: &str = "criteria.jsonl";
pub(super) const QUERIES: &str = "queries.jsonl";
const RESPONSES: &str = "responses.jsonl";
pub(super) const VERDICTS: &str = "verdicts.jsonl";

/// Doubts about the files written that are told; one file with more of them has one cause.
const MOST_DOUBTS: usize = 5;

/// Reads files of other tools, and writes a project folder: settings, criteria, queries, responses and verdicts, as far as the
/// files have them.
///
/// Returns what was read, the names of the files written, and what is doubtful about them. The folder is new, empty, or one that
/// an import wrote and nobody changed since: its files are then replaced. The same files give the same bytes.
///
/// # Errors
/// If a file cannot be read or is in no form that is known, rows contradict each other, nothing was found in the files, or the
/// folder is not ours, was changed, or cannot be written; nothing is then written.
pub fn import_to_folder(
    request: ImportRequest,
    out: &Path,
    watching: Watching<'_>,
) -> Result<(ImportSummary, Vec<String>, Vec<Doubt>), ProjectError> {
    let target = Target::of(out)?;
    let making = target.begin()?;
    let mut sink = FolderSink::create(making.path())?;
    let summary = import_all(request, &mut sink, watching)?;
    if summary.rows == super::RowCounts::default() {
        return Err(super::refused(
            "nothing-found",
            "the files hold no criteria, queries, responses or verdicts".to_owned(),
            "check that they are the files you mean",
        ));
    }
    let found = sink.finish()?;
    let folder = making.path();
    let doubts = settle(folder, out, &found)?;
    let mut names = found.names(folder);
    names.insert(0, PROJECT_FILE.to_owned());
    write_atomic(&folder.join(PROJECT_FILE), project_file(&summary, &names).as_bytes())?;
    let marker = marker(folder, &summary, &names)?;
    write_atomic(&folder.join(IMPORT_FILE), marker.as_bytes())?;
    names.push(IMPORT_FILE.to_owned());
    target.end(making, &names)?;
    Ok((summary, names, doubts))
}

/// The folder that is to be, and what stands there now.
struct Target {
    out: PathBuf,
    /// Whether the folder is there, empty or ours.
    is_there: bool,
    /// Files an import wrote before.
    before: Vec<String>,
}

impl Target {
    fn of(out: &Path) -> Result<Self, ProjectError> {
        let mut target = Self {
            out: out.to_owned(),
            is_there: out.exists(),
            before: Vec::new(),
        };
        if !target.is_there {
            return Ok(target);
        }
        let entries = fs::read_dir(out).map_err(|reason| ProjectError::system(out, "open the folder", &reason))?;
        let is_leftover = |name: &std::ffi::OsStr| name.to_str().and_then(leftover_of).is_some();
        if entries.flatten().all(|entry| is_leftover(&entry.file_name())) {
            return Ok(target);
        }
        let Some(files) = written_before(&out.join(IMPORT_FILE)) else {
            return Err(ProjectError::refused(
                "folder-not-ours",
                format!(
                    "`{}` is not a folder that an import made, and nothing in it will be touched",
                    out.display()
                ),
                "--out takes a folder that does not exist yet, is empty, or was made by `calibrant import`",
            ));
        };
        for (name, hash) in files {
            let path = out.join(&name);
            if path.exists() && file_hash(&path)? != hash {
                return Err(ProjectError::refused(
                    "folder-changed",
                    format!(
                        "`{}` was changed since it was imported, and an import overwrites nobody's work",
                        path.display()
                    ),
                    "import into another folder with --out, or take the changed file out of this one",
                ));
            }
            target.before.push(name);
        }
        Ok(target)
    }

    fn begin(&self) -> Result<NewFolder, ProjectError> {
        let parent = match (self.is_there, self.out.parent()) {
            (true, _) => self.out.as_path(),
            (false, Some(parent)) if !parent.as_os_str().is_empty() => parent,
            (false, _) => Path::new("."),
        };
        fs::create_dir_all(parent)
            .and_then(|()| NewFolder::inside(parent))
            .map_err(|reason| ProjectError::system(parent, "make a folder in", &reason))
    }

    /// Puts the files in their place.
    fn end(self, making: NewFolder, names: &[String]) -> Result<(), ProjectError> {
        let failed = |reason| ProjectError::system(&self.out, "write the folder", &reason);
        if !self.is_there {
            return making.finish(&self.out).map_err(failed);
        }
        for gone in self.before.iter().filter(|name| !names.contains(name)) {
            // One that is gone already is what is wanted.
            let _ = fs::remove_file(self.out.join(gone));
        }
        // The marker comes last: until then the one before it tells the files that are still as they were from the new ones.
        for name in names {
            fs::rename(making.path().join(name), self.out.join(name)).map_err(failed)?;
        }
        Ok(())
    }
}

/// The files that an import wrote, each with its hash; `None` where the marker is not one.
fn written_before(marker: &Path) -> Option<BTreeMap<String, String>> {
    let marker: Value = serde_json::from_str(&fs::read_to_string(marker).ok()?).ok()?;
    if marker["format"] != IMPORT_FORMAT {
        return None;
    }
    let ours = [PROJECT_FILE, RUBRIC, CRITERIA, QUERIES, RESPONSES, VERDICTS];
    let written = marker["written"].as_object()?;
    let files = written
        .iter()
        .map(|(name, hash)| Some((name.clone(), hash.as_str()?.to_owned())));
    let files: BTreeMap<String, String> = files.collect::<Option<_>>()?;
    files.keys().all(|name| ours.contains(&name.as_str())).then_some(files)
}

fn marker(folder: &Path, summary: &ImportSummary, names: &[String]) -> Result<String, ProjectError> {
    let mut written = BTreeMap::new();
    for name in names {
        written.insert(name.clone(), file_hash(&folder.join(name))?);
    }
    let mut marker = summary.to_json();
    marker["written"] = json!(written);
    Ok(format!("{marker:#}\n"))
}

/// Rows on their way into four files.
struct FolderSink {
    criteria: Lines,
    queries: Lines,
    responses: Lines,
    verdicts: Lines,
    /// Whether a criterion belongs to one query.
    specific: bool,
}

/// What the files hold.
struct Found {
    has: Vec<(&'static str, bool)>,
    specific: bool,
}

impl Found {
    /// The files there are, in the order in which a reader wants them.
    fn names(&self, folder: &Path) -> Vec<String> {
        let there = [RUBRIC, CRITERIA, QUERIES, RESPONSES, VERDICTS];
        let there = there.into_iter().filter(|name| folder.join(name).is_file());
        there.map(str::to_owned).collect()
    }
}

impl FolderSink {
    fn create(folder: &Path) -> Result<Self, ProjectError> {
        let lines = |name: &str| {
            let path = folder.join(name);
            Lines::create(&path).map_err(|reason| ProjectError::system(&path, "write", &reason))
        };
        Ok(Self {
            criteria: lines(CRITERIA)?,
            queries: lines(QUERIES)?,
            responses: lines(RESPONSES)?,
            verdicts: lines(VERDICTS)?,
            specific: false,
        })
    }

    fn finish(self) -> Result<Found, ProjectError> {
        let mut has = Vec::new();
        for (name, lines) in [
            (CRITERIA, self.criteria),
            (QUERIES, self.queries),
            (RESPONSES, self.responses),
            (VERDICTS, self.verdicts),
        ] {
            has.push((name, lines.finish()?));
        }
        Ok(Found {
            has,
            specific: self.specific,
        })
    }
}

impl Sink for FolderSink {
    fn criterion(&mut self, row: CriterionRow) -> Result<(), Refusal> {
        self.specific |= row.query.is_some();
        self.criteria.put(&criterion_line(&row))
    }

    fn query(&mut self, row: Query) -> Result<(), Refusal> {
        self.queries.put(&query_line(&row))
    }

    fn response(&mut self, row: ResponseRow) -> Result<(), Refusal> {
        self.responses.put(&response_line(&row))
    }

    fn verdict(&mut self, row: VerdictRow) -> Result<(), Refusal> {
        self.verdicts.put(&verdict_line(&row))
    }
}

/// A file that grows line by line.
struct Lines {
    path: PathBuf,
    file: BufWriter<File>,
    any: bool,
}

impl Lines {
    fn create(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            file: BufWriter::new(File::create_new(path)?),
            any: false,
        })
    }

    fn put(&mut self, line: &str) -> Result<(), Refusal> {
        self.any = true;
        Ok(writeln!(self.file, "{line}")?)
    }

    /// Brings the file to the disk; one without a line is taken away. Says whether it stays.
    fn finish(self) -> Result<bool, ProjectError> {
        let failed = |reason: &io::Error| ProjectError::system(&self.path, "write", reason);
        let file = self.file.into_inner().map_err(|error| failed(error.error()))?;
        file.sync_all().map_err(|reason| failed(&reason))?;
        if !self.any {
            fs::remove_file(&self.path).map_err(|reason| failed(&reason))?;
        }
        Ok(self.any)
    }
}

/// Reads rubric and queries back as a run will, writes shared criteria as a rubric, and says what is doubtful.
fn settle(folder: &Path, out: &Path, found: &Found) -> Result<Vec<Doubt>, ProjectError> {
    let mut doubts = Vec::new();
    let has = |name: &str| found.has.contains(&(name, true));
    if has(CRITERIA) {
        doubts.extend(settle_rubric(folder, out, found.specific)?);
    }
    if has(QUERIES) {
        let text = text(&folder.join(QUERIES))?;
        let name = out.join(QUERIES).display().to_string();
        let (Ok((_, found)) | Err(found)) = parse_queries(&text, &name);
        doubts.extend(doubts_of(found, &text));
    }
    Ok(doubts)
}

fn settle_rubric(folder: &Path, out: &Path, specific: bool) -> Result<Vec<Doubt>, ProjectError> {
    let rows = text(&folder.join(CRITERIA))?;
    let name = out.join(CRITERIA).display().to_string();
    if specific {
        let (Ok((_, found)) | Err(found)) = Rubric::parse_rows(&rows, &name);
        return Ok(doubts_of(found, &rows));
    }
    let rubric = Rubric {
        name: rubric_name(out),
        criteria: shared_criteria(&rows)?,
        ..Rubric::default()
    };
    let yaml = rubric.to_yaml();
    let path = folder.join(RUBRIC);
    write_atomic(&path, yaml.as_bytes())?;
    let criteria = folder.join(CRITERIA);
    fs::remove_file(&criteria).map_err(|reason| ProjectError::system(&criteria, "remove", &reason))?;
    let (Ok((_, found)) | Err(found)) = Rubric::parse_yaml(&yaml, &out.join(RUBRIC).display().to_string());
    Ok(doubts_of(found, &yaml))
}

/// The criteria of a pool that all queries share.
pub(super) fn shared_criteria(rows: &str) -> Result<Vec<Criterion>, ProjectError> {
    let criterion = |row: &str| {
        let mut row: Value = serde_json::from_str(row).expect("we wrote it");
        row.as_object_mut().expect("a row is an object").remove("query");
        Criterion::from_json(&row).map_err(|mistakes| Findings::of_text(mistakes, &row.to_string()).into())
    };
    rows.lines().map(criterion).collect()
}

/// The folder's name, where it has one that is a text.
fn rubric_name(out: &Path) -> Option<String> {
    let name = out.file_name()?.to_str()?;
    (!name.chars().any(char::is_control)).then(|| name.to_owned())
}

fn text(path: &Path) -> Result<String, ProjectError> {
    fs::read_to_string(path).map_err(|reason| ProjectError::system(path, "read", &reason))
}

fn doubts_of(found: Diagnostics, text: &str) -> Vec<Doubt> {
    let lines: Vec<&str> = text.lines().collect();
    let doubt = |diagnostic: calibrant_schema::Diagnostic| {
        let at = diagnostic.span.as_ref().map(|span| span.line as usize - 1);
        let line = at.and_then(|at| lines.get(at)).map(|line| (*line).to_owned());
        Doubt { diagnostic, line }
    };
    found.into_iter().take(MOST_DOUBTS).map(doubt).collect()
}

/// The settings of a project that was imported.
fn project_file(summary: &ImportSummary, names: &[String]) -> String {
    let has = |name: &str| names.iter().any(|written| written == name);
    let mut text = String::from(
        "# What an import found. `calibrant run` takes verdicts of two systems or more to a report;\n\
         # `calibrant config show` prints every setting and where it came from.\n\n[paths]\n",
    );
    let rubric = [RUBRIC, CRITERIA].into_iter().find(|name| has(name));
    let paths = [
        ("rubric", rubric),
        ("queries", has(QUERIES).then_some(QUERIES)),
        ("responses", has(RESPONSES).then_some(RESPONSES)),
        ("verdicts", has(VERDICTS).then_some(VERDICTS)),
        ("out", Some("out")),
    ];
    for (key, name) in paths {
        if let Some(name) = name {
            text.push_str(&format!("{key} = \"{name}\"\n"));
        }
    }
    if !summary.judges.is_empty() {
        text.push_str("\n[judges]\n");
    }
    for judge in &summary.judges {
        text.push_str(&format!(
            "{} = {{kind = \"imported\"}}\n",
            toml::Value::from(judge.as_str())
        ));
    }
    text
}
