//! The folder of a run: which files are in it, and whether it is ours.

mod read;

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use calibrant_schema::artifact::Artifact;
use calibrant_schema::calibration::Calibration;
use calibrant_schema::canonical::Hash;
use calibrant_schema::{Bank, Blocks, Fit, Labels, Rubric, Scale, Scores};
use calibrant_store::tables::{TableForm, read_labels};
use calibrant_store::{leftover_of, read_rubric, write_atomic};
use serde::{Deserialize, Serialize};

use crate::agree::{AGREE, AGREEMENT, AGREEMENT_HTML, AGREEMENT_MD};
use crate::charts::{CHART_ENDING, CHARTS};
use crate::error::ProjectError;
use crate::split::Split;
use crate::step::Step;

/// The file that says that a folder is ours and what each file in it was made from.
const MANIFEST: &str = "calibrant-run.json";

/// Format of the manifest.
const MANIFEST_FORMAT: &str = "calibrant.run/1";

/// The file whose lock keeps two runs from writing into one folder.
const LOCK: &str = ".calibrant-lock";

/// Labels after consensus.
pub const LABELS: &str = "labels.csv";
/// The same in Parquet.
pub const LABELS_PARQUET: &str = "labels.parquet";
/// One row a response.
pub const RESPONSES: &str = "responses.csv";
/// The same in Parquet.
pub const RESPONSES_PARQUET: &str = "responses.parquet";
/// The page.
pub const REPORT_HTML: &str = "report.html";
/// The same for pull requests.
pub const REPORT_MD: &str = "report.md";
/// The descriptions of queries the run was given.
pub(crate) const QUERIES: &str = "queries.jsonl";
/// The rubric the run was given, in full.
pub(crate) const RUBRIC: &str = "rubric.yaml";

/// An artifact with a file name of its own.
pub trait ArtifactFile: Artifact {
    /// Its name in a run's folder.
    const FILE: &'static str;
    /// Roles among its inputs that must be as they are now, for a later step to build on it.
    const MADE_FROM: &'static [&'static str];
}

impl ArtifactFile for Calibration {
    const FILE: &'static str = "calibration.json";
    const MADE_FROM: &'static [&'static str] = &[];
}
impl ArtifactFile for Fit {
    const FILE: &'static str = "fit.json";
    const MADE_FROM: &'static [&'static str] = &["labels", "scales", "rubric signs"];
}
impl ArtifactFile for Bank {
    const FILE: &'static str = "bank.json";
    const MADE_FROM: &'static [&'static str] = &["calibration", "fit", "rubric"];
}
impl ArtifactFile for Blocks {
    const FILE: &'static str = "blocks.json";
    const MADE_FROM: &'static [&'static str] = &[];
}
impl ArtifactFile for Scores {
    const FILE: &'static str = "scores.json";
    const MADE_FROM: &'static [&'static str] = &["labels", "fit", "bank", "rubric"];
}

/// What a step was made from, and the files it made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StepRecord {
    /// Hash of everything the step reads.
    pub(crate) key: String,
    /// SHA-256 of each file it wrote, by name.
    pub(crate) files: BTreeMap<String, String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    format: String,
    /// The step whose files were being written when the manifest was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    under_way: Option<String>,
    steps: BTreeMap<String, StepRecord>,
    /// The blocks the run was divided into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    split: Option<Split>,
}

/// A run's folder, kept from other runs as long as this value lives.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    under_way: Option<String>,
    steps: BTreeMap<String, StepRecord>,
    split: Option<Split>,
    /// Locked by the system, which lets go of it when the process ends, however it ends.
    _lock: File,
}

impl Folder {
    /// Opens a folder of ours, or makes one where there is nothing.
    ///
    /// # Errors
    /// If the path is a file, or a folder that holds something and is not ours.
    pub fn create(path: &Path) -> Result<Self, ProjectError> {
        let is_empty = match fs::read_dir(path) {
            Ok(entries) => entries.flatten().all(|entry| is_of_a_start(&entry.file_name())),
            Err(_) if !path.exists() => {
                fs::create_dir_all(path).map_err(|reason| ProjectError::system(path, "make the folder", &reason))?;
                true
            }
            Err(reason) => return Err(ProjectError::system(path, "open the folder", &reason)),
        };
        if !is_empty {
            return Self::open(path);
        }
        let folder = Self {
            path: path.to_owned(),
            under_way: None,
            steps: BTreeMap::new(),
            split: None,
            _lock: lock(path)?,
        };
        folder.remove_leftovers();
        folder.write_manifest()?;
        Ok(folder)
    }

    /// Opens a folder of ours.
    ///
    /// # Errors
    /// If it is not one.
    pub fn open(path: &Path) -> Result<Self, ProjectError> {
        // Nothing is written into a folder that is not ours, not even a lock; what is read after the lock is what counts.
        let manifest = path.join(MANIFEST);
        if !manifest.is_file() {
            return Err(if path.is_dir() { not_ours(path) } else { no_folder(path) });
        }
        let locked = lock(path)?;
        let text = fs::read_to_string(manifest).map_err(|_| not_ours(path))?;
        let manifest: Manifest = serde_json::from_str(&text).map_err(|_| not_ours(path))?;
        if manifest.format != MANIFEST_FORMAT {
            return Err(ProjectError::refused(
                "folder-format",
                format!(
                    "`{}` is `{}`, and this version writes `{MANIFEST_FORMAT}`",
                    path.display(),
                    manifest.format
                ),
                "write into another folder with --out",
            ));
        }
        let folder = Self {
            path: path.to_owned(),
            under_way: manifest.under_way,
            steps: manifest.steps,
            split: manifest.split,
            _lock: locked,
        };
        folder.remove_leftovers();
        Ok(folder)
    }

    /// Removes what a killed process was writing. The lock is ours, so nobody writes these files any more; one that
    /// cannot be removed is in nobody's way.
    fn remove_leftovers(&self) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            if entry.file_name().to_str().and_then(leftover_of).is_some() {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Refuses the start of a later step from a folder in which `step` was interrupted between two of its files.
    ///
    /// # Errors
    /// If it was.
    pub(crate) fn must_be_whole(&self, asked: Step) -> Result<(), ProjectError> {
        let before = |step: &&Step| **step < asked && self.under_way.as_deref() == Some(step.word());
        match Step::ALL.iter().find(before) {
            None => Ok(()),
            Some(step) => Err(ProjectError::refused(
                "interrupted",
                format!(
                    "{} was interrupted in `{}`, and its files are not of one run",
                    step.word(),
                    self.path.display()
                ),
                format!(
                    "run `{}` again as it was run before; it goes on from there",
                    step.word()
                ),
            )),
        }
    }

    /// The blocks the run was divided into.
    pub(crate) fn split(&self) -> Option<&Split> {
        self.split.as_ref()
    }

    /// Records the blocks, or that there are none.
    ///
    /// # Errors
    /// If the manifest cannot be written.
    pub(crate) fn set_split(&mut self, split: Option<Split>) -> Result<(), ProjectError> {
        if self.split == split {
            return Ok(());
        }
        self.split = split;
        self.write_manifest()
    }

    /// The key a step was last done under.
    pub(crate) fn key_of(&self, step: &str) -> Option<&str> {
        self.steps.get(step).map(|record| record.key.as_str())
    }

    /// Removes the files of these steps and what is recorded of them: they are of other inputs.
    ///
    /// # Errors
    /// If the manifest cannot be written.
    pub(crate) fn forget(&mut self, steps: &[&str]) -> Result<(), ProjectError> {
        // A process that was killed may have written files and not recorded them. One that is gone is what is wanted.
        for name in steps.iter().flat_map(|step| self.files_there(step)) {
            let _ = fs::remove_file(self.file(&name));
        }
        let _ = fs::remove_dir(self.file(CHARTS));
        let before = self.steps.len();
        self.steps.retain(|step, _| !steps.contains(&step.as_str()));
        if self.steps.len() == before {
            return Ok(());
        }
        self.write_manifest()
    }

    /// Removes every file of ours, and the folder unless somebody keeps other files in it.
    pub(crate) fn remove(self) {
        let files = Step::ALL.iter().flat_map(|step| self.files_there(step.word()));
        // The manifest goes last: as long as it is there, whoever comes next knows that the folder is ours to clear away.
        for name in files.chain([LOCK, MANIFEST].map(str::to_owned)) {
            let _ = fs::remove_file(self.file(&name));
        }
        let _ = fs::remove_dir(self.file(CHARTS));
        let _ = fs::remove_dir(&self.path);
    }

    /// The names of files that a step may have left here, those of its charts among them.
    fn files_there(&self, step: &str) -> Vec<String> {
        let mut names: Vec<String> = files_of(step).iter().map(|name| (*name).to_owned()).collect();
        let entries = fs::read_dir(self.file(CHARTS)).into_iter().flatten().flatten();
        let charts = entries.filter_map(|entry| Some(format!("{CHARTS}/{}", entry.file_name().to_str()?)));
        names.extend(charts.filter(|name| is_file_of(step, name) && is_chart(name)));
        names.sort_unstable();
        names
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether it has a file of this name.
    pub fn has(&self, name: &str) -> bool {
        self.file(name).is_file()
    }

    /// Whether a step was made from the same things and its files are as it left them.
    pub(crate) fn is_fresh(&self, step: &str, key: &str) -> bool {
        self.steps.get(step).is_some_and(|record| {
            record.key == key
                && record.files.iter().all(|(name, hash)| {
                    fs::read(self.file(name)).is_ok_and(|bytes| Hash::of_bytes(&bytes).to_string() == *hash)
                })
        })
    }

    /// The form of the labels, as the manifest has it.
    pub(crate) fn labels_form(&self) -> TableForm {
        self.form_of(Step::Calibrate, LABELS_PARQUET)
    }

    /// The file of the labels.
    pub(crate) fn labels_file(&self) -> &'static str {
        labels_file(self.labels_form())
    }

    /// The file of the responses.
    pub(crate) fn responses_file(&self) -> &'static str {
        responses_file(self.form_of(Step::Score, RESPONSES_PARQUET))
    }

    fn form_of(&self, step: Step, parquet: &str) -> TableForm {
        let record = self.steps.get(step.word());
        match record.is_some_and(|record| record.files.contains_key(parquet)) {
            true => TableForm::Parquet,
            false => TableForm::Csv,
        }
    }

    /// Records that a step found fresh is whole, whatever was being written when the manifest last was.
    ///
    /// # Errors
    /// If the manifest cannot be written.
    pub(crate) fn settle(&mut self, step: &str) -> Result<(), ProjectError> {
        if self.under_way.as_deref() == Some(step) {
            self.remove_unrecorded(step, None);
            self.under_way = None;
            self.write_manifest()?;
        }
        Ok(())
    }

    /// Writes a step's files, then records them; a file that the step made before and makes no more is removed.
    ///
    /// A name may lead into a folder, which is made.
    ///
    /// # Errors
    /// If a file cannot be written; what stood there before is untouched.
    pub(crate) fn write_step(
        &mut self,
        step: &str,
        key: String,
        files: &[(impl AsRef<str>, Vec<u8>)],
    ) -> Result<(), ProjectError> {
        let mut record = StepRecord {
            key,
            files: BTreeMap::new(),
        };
        let was_interrupted = self.under_way.as_deref() == Some(step);
        // Between two files of a step the folder is of two runs; the manifest says so until the step is whole.
        if files.len() > 1 {
            self.under_way = Some(step.to_owned());
            self.write_manifest()?;
        }
        for (name, bytes) in files {
            let name = name.as_ref();
            debug_assert!(is_file_of(step, name), "`{name}` is a file of {step}");
            let path = self.file(name);
            if let Some(inside) = path.parent() {
                fs::create_dir_all(inside)
                    .map_err(|reason| ProjectError::system(inside, "make the folder", &reason))?;
            }
            write_atomic(&path, bytes)?;
            record.files.insert(name.to_owned(), Hash::of_bytes(bytes).to_string());
        }
        self.under_way = None;
        self.remove_superseded(step, &record)?;
        if was_interrupted {
            self.remove_unrecorded(step, Some(&record));
        }
        self.steps.insert(step.to_owned(), record);
        self.write_manifest()
    }

    /// Removes what the step's earlier run left and this one did not make; a file that was changed since stays.
    fn remove_superseded(&self, step: &str, record: &StepRecord) -> Result<(), ProjectError> {
        let before = self.steps.get(step).map(|before| &before.files);
        for (name, hash) in before.into_iter().flatten() {
            let path = self.file(name);
            let ours = fs::read(&path).is_ok_and(|bytes| Hash::of_bytes(&bytes).to_string() == *hash);
            if ours && !record.files.contains_key(name) {
                fs::remove_file(&path).map_err(|reason| ProjectError::system(&path, "remove", &reason))?;
                // A folder that still holds something stays.
                let inside = path.parent().filter(|inside| *inside != self.path);
                inside.map(fs::remove_dir);
            }
        }
        Ok(())
    }

    /// Removes what a run of the step left that was killed before it could record it, such as labels in another form.
    fn remove_unrecorded(&self, step: &str, made: Option<&StepRecord>) {
        let records = [self.steps.get(step), made];
        let is_recorded = |name: &String| {
            records
                .into_iter()
                .flatten()
                .any(|record| record.files.contains_key(name))
        };
        for name in self.files_there(step).iter().filter(|name| !is_recorded(name)) {
            // One that is gone is what is wanted.
            let _ = fs::remove_file(self.file(name));
        }
        let _ = fs::remove_dir(self.file(CHARTS));
    }

    fn write_manifest(&self) -> Result<(), ProjectError> {
        let manifest = Manifest {
            format: MANIFEST_FORMAT.to_owned(),
            under_way: self.under_way.clone(),
            steps: self.steps.clone(),
            split: self.split.clone(),
        };
        let mut text = serde_json::to_string_pretty(&manifest).expect("the manifest serialises");
        text.push('\n');
        Ok(write_atomic(&self.file(MANIFEST), text.as_bytes())?)
    }

    /// Reads an artifact.
    ///
    /// # Errors
    /// If the file is missing, of another format, or broken.
    pub fn read<A: ArtifactFile>(&self) -> Result<A, ProjectError> {
        let path = self.file(A::FILE);
        let text = fs::read_to_string(&path).map_err(|_| self.missing(A::FILE))?;
        Ok(A::from_json(&text, &path.display().to_string())?)
    }

    /// Reads the labels; the calibration knows their scales.
    ///
    /// # Errors
    /// If the file is missing or is not a table of labels.
    pub fn read_labels(&self, calibration: &Calibration) -> Result<Labels, ProjectError> {
        let file = self.labels_file();
        if !self.has(file) {
            return Err(self.missing(file));
        }
        labels_of(&self.file(file), calibration)
    }

    /// The rubric of the run, when the calibration had one.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read_rubric(&self, calibration: &Calibration) -> Result<Option<Rubric>, ProjectError> {
        if !calibration.header.inputs.contains_key("rubric") {
            return Ok(None);
        }
        Ok(Some(read_rubric(&self.file(RUBRIC))?.value))
    }

    fn missing(&self, name: &str) -> ProjectError {
        ProjectError::refused(
            "missing-artifact",
            format!("`{}` has no {name}", self.path.display()),
            "run the step that makes it first, or give --verdicts so that every step before is run",
        )
    }
}

/// Reads labels on the scales that their calibration knows.
pub(crate) fn labels_of(path: &Path, calibration: &Calibration) -> Result<Labels, ProjectError> {
    Ok(read_labels(path, &scales_of(calibration))?)
}

/// The scale of each criterion, as the calibration of its labels knows it.
pub(crate) fn scales_of(calibration: &Calibration) -> impl Fn(&str) -> Scale {
    let scales: BTreeMap<&str, Scale> = calibration
        .criteria
        .iter()
        .filter_map(|row| Some((row.criterion.as_str(), scale_of(row.levels.as_deref()?)?)))
        .collect();
    move |criterion: &str| scales.get(criterion).cloned().unwrap_or_default()
}

/// Whether a step may write a file of this name.
fn is_file_of(step: &str, name: &str) -> bool {
    files_of(step).contains(&name) || (step == Step::Report.word() && is_chart(name))
}

/// Whether this is the name of a chart's specification.
fn is_chart(name: &str) -> bool {
    let chart = name.strip_prefix(CHARTS).and_then(|rest| rest.strip_prefix('/'));
    chart.is_some_and(|chart| chart.ends_with(CHART_ENDING) && !chart.contains('/'))
}

/// The files that a step may write, its charts apart.
fn files_of(step: &str) -> &'static [&'static str] {
    match step {
        "calibrate" => &[LABELS, LABELS_PARQUET, Calibration::FILE, RUBRIC, QUERIES],
        "fit" => &[Fit::FILE],
        "assemble" => &[Bank::FILE],
        "score" => &[Scores::FILE, RESPONSES, RESPONSES_PARQUET],
        "report" => &[REPORT_HTML, REPORT_MD],
        "blocks" => &[Blocks::FILE],
        AGREE => &[AGREEMENT, AGREEMENT_HTML, AGREEMENT_MD],
        _ => &[],
    }
}

/// Whether a file is all that a run leaves that was killed before it had a manifest.
fn is_of_a_start(name: &std::ffi::OsStr) -> bool {
    name == LOCK || name.to_str().and_then(leftover_of) == Some(MANIFEST)
}

/// The file of labels in a form.
pub(crate) fn labels_file(form: TableForm) -> &'static str {
    match form {
        TableForm::Csv => LABELS,
        TableForm::Parquet => LABELS_PARQUET,
    }
}

/// The file of responses in a form.
pub(crate) fn responses_file(form: TableForm) -> &'static str {
    match form {
        TableForm::Csv => RESPONSES,
        TableForm::Parquet => RESPONSES_PARQUET,
    }
}

/// Takes the folder for this run.
fn lock(path: &Path) -> Result<File, ProjectError> {
    let file = path.join(LOCK);
    let opened = File::options().create(true).append(true).open(&file);
    let opened = opened.map_err(|reason| ProjectError::system(&file, "open", &reason))?;
    match opened.try_lock() {
        Ok(()) => Ok(opened),
        Err(TryLockError::WouldBlock) => Err(ProjectError::refused(
            "folder-in-use",
            format!("another run is writing into `{}`", path.display()),
            "wait until it is done, or give another folder with --out",
        )),
        Err(TryLockError::Error(reason)) => Err(ProjectError::system(&file, "lock", &reason)),
    }
}

fn scale_of(values: &[f64]) -> Option<Scale> {
    let levels = values.iter().map(|value| calibrant_schema::scale::Level {
        value: *value,
        anchor: None,
    });
    Scale::levels(levels.collect()).ok()
}

fn not_ours(path: &Path) -> ProjectError {
    ProjectError::refused(
        "folder-not-ours",
        format!(
            "`{}` is not a folder that calibrant made, and nothing in it will be touched",
            path.display()
        ),
        "--out takes a folder that does not exist yet, is empty, or was made by calibrant; --from only the last",
    )
}

fn no_folder(path: &Path) -> ProjectError {
    ProjectError::refused(
        "no-folder",
        format!("there is no folder `{}`", path.display()),
        "give the folder a command before left, or --verdicts FILE --out DIR to start from a table",
    )
}
