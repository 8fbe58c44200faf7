//! The steps of a request under way; a step whose inputs did not change is not done again.

mod blocks;
mod report;

use std::path::{Path, PathBuf};

use calibrant_schema::artifact::{Artifact, Header};
use calibrant_schema::canonical::Hash;
use calibrant_schema::query::Query;
use calibrant_schema::{Bank, By, Calibration, Fit, Labels, Rubric, Scores, Verdicts};
use calibrant_steps::assemble::AssembleInputs;
use calibrant_steps::calibrate::CalibrateOptions;
use calibrant_steps::plan::QueryFacts;
use calibrant_steps::score::ScoreInputs;
use calibrant_steps::{RubricJoin, assemble, calibrate, fit, score};
use calibrant_store::Document;
use calibrant_store::tables::{Progress, TableForm, labels_table, responses_table};
use serde_json::{Value, json};

use crate::error::ProjectError;
use crate::folder::{ArtifactFile, Folder, QUERIES, RUBRIC, labels_file, responses_file};
use crate::freshness::step_key;
use crate::inputs::{Loaded, file_hash, load_queries, load_rubric, load_verdicts};
use crate::request::{Gold, Origin, Request, Start};
use crate::step::{Done, Note, Reading, Step, Work};

pub(crate) use blocks::content_hash;
pub(crate) use report::{Parts, title};

/// What stands behind a role of an artifact's `inputs`, when it is not what it was.
fn other(role: &str) -> String {
    match role {
        "labels" => "other labels".to_owned(),
        "scales" => "labels on another scale".to_owned(),
        "rubric signs" => "a rubric with other signs".to_owned(),
        _ => format!("another {role}"),
    }
}

/// A request under way.
pub(crate) struct Road<'a> {
    request: &'a Request,
    pub folder: Folder,
    rubric: Option<Rubric>,
    rubric_hash: Option<String>,
    queries: Option<Document<Vec<Query>>>,
    queries_hash: Option<String>,
    /// Hash of the scales of the criteria, which the labels alone do not tell.
    scales_hash: Option<String>,
    labels: Option<Labels>,
    /// The tables of verdicts, each with its hash, once the calibration was asked for.
    tables: Vec<(PathBuf, String)>,
    /// The verdicts, from their reading until the blocks are calibrated.
    loaded: Option<Loaded>,
    /// The block it is for; none for the whole.
    block: Option<BlockName>,
}

/// The block that a road is for.
struct BlockName {
    by: By,
    name: String,
}

impl<'a> Road<'a> {
    pub fn start(request: &'a Request, notes: &mut dyn FnMut(Note<'_>)) -> Result<Self, ProjectError> {
        let folder = match &request.start {
            Start::Verdicts { out, .. } => Folder::create(out)?,
            Start::Folder(path) => Folder::open(path)?,
        };
        // Whether the file is a bank at all comes first: as a rubric it would be refused line by line.
        request.bank.as_deref().map(read_bank).transpose()?;
        // A bank to score new systems on is also the rubric they were judged by, unless another is given.
        let document = load_rubric(request.rubric.as_ref().or(request.bank.as_ref()))?;
        if let (Some(document), Some(_)) = (&document, &request.rubric) {
            notes(Note::Doubts(&document.warnings, &document.text));
        }
        let before = match &request.start {
            Start::Folder(_) => Some(folder.read::<Calibration>()?),
            Start::Verdicts { .. } => None,
        };
        let rubric = match (document, &before) {
            (Some(document), _) => Some(document.value),
            (None, Some(calibration)) => folder.read_rubric(calibration)?,
            (None, None) => None,
        };
        let kept = before.filter(|calibration| calibration.header.inputs.contains_key("queries"));
        let kept = kept.map(|_| folder.file(QUERIES));
        let queries = load_queries(request.queries.as_ref().or(kept.as_ref()))?;
        if let Some(document) = &queries {
            notes(Note::Doubts(&document.warnings, &document.text));
        }
        Ok(Self {
            request,
            folder,
            rubric_hash: rubric.as_ref().map(|rubric| rubric.hash().to_string()),
            rubric,
            queries_hash: queries
                .as_ref()
                .map(|document| Hash::of_bytes(document.text.as_bytes()).to_string()),
            queries,
            scales_hash: None,
            labels: None,
            tables: Vec::new(),
            loaded: None,
            block: None,
        })
    }

    fn join(&self) -> RubricJoin<'_> {
        RubricJoin::new(self.rubric.as_ref())
    }

    /// Tells that a step begins.
    fn begins(&self, step: Step, notes: &mut dyn FnMut(Note<'_>)) {
        notes(Note::Begins(Work {
            step,
            block: self.block.as_ref().map(|block| block.name.as_str()),
            reading: None,
        }));
    }

    /// The form of the tables that are written.
    fn table_form(&self) -> TableForm {
        self.request.table_form(self.folder.labels_form())
    }

    /// The opening of an artifact made from these inputs.
    fn header(&self, inputs: &[(&str, Option<String>)]) -> Header {
        let of_block = self.block.iter();
        Header {
            settings: of_block
                .flat_map(|block| [("by", block.by.word()), ("block", block.name.as_str())])
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect(),
            ..self.request.opening(inputs)
        }
    }

    /// SHA-256 of a file of the folder as it is now; a file changed by hand is another file.
    fn hash_of(&self, name: &str) -> Option<String> {
        file_hash(&self.folder.file(name)).ok()
    }

    /// Hash of what stands behind a role of an artifact's `inputs`, as it is now.
    fn input(&self, role: &str) -> Option<String> {
        match role {
            "rubric" => self.rubric_hash.clone(),
            "rubric signs" => self.signs_hash(),
            "scales" => self.scales_hash.clone(),
            "queries" => self.queries_hash.clone(),
            "labels" => self.hash_of(self.folder.labels_file()),
            "calibration" => self.hash_of(Calibration::FILE),
            "fit" => self.hash_of(Fit::FILE),
            "bank" => self.hash_of(Bank::FILE),
            _ => None,
        }
    }

    /// Hash of what a fit reads of the rubric: weights may change without a new fit.
    fn signs_hash(&self) -> Option<String> {
        signs_hash(&self.join(), self.rubric.as_ref())
    }

    /// Reads an artifact that a later step builds on, and refuses one made from other things than those at hand.
    fn read_current<A: ArtifactFile>(&self, step: Step) -> Result<A, ProjectError> {
        let artifact: A = self.folder.read()?;
        for role in A::MADE_FROM {
            if artifact.header().inputs.get(*role) != self.input(role).as_ref() {
                return Err(ProjectError::refused(
                    "stale-artifact",
                    format!("{} was made from {}", A::FILE, other(role)),
                    format!(
                        "run `calibrant {} --from {}` first",
                        step.word(),
                        self.folder.path().display()
                    ),
                ));
            }
        }
        Ok(artifact)
    }

    /// The artifact of a step that need not be done again: made from the same things, whole, and readable.
    fn unchanged<A: ArtifactFile>(
        &mut self,
        step: Step,
        key: &str,
        notes: &mut dyn FnMut(Note<'_>),
    ) -> Result<Option<A>, ProjectError> {
        let artifact = self
            .folder
            .is_fresh(step.word(), key)
            .then(|| self.folder.read().ok())
            .flatten();
        if artifact.is_some() {
            self.folder.settle(step.word())?;
            notes(Note::Step(step, Done::Unchanged));
        }
        Ok(artifact)
    }

    fn labels(&mut self, calibration: &Calibration) -> Result<&Labels, ProjectError> {
        if self.labels.is_none() {
            self.labels = Some(self.folder.read_labels(calibration)?);
        }
        Ok(self.labels.as_ref().expect("the labels were just read"))
    }

    pub fn calibrate(&mut self, notes: &mut dyn FnMut(Note<'_>)) -> Result<Calibration, ProjectError> {
        let calibration = self.calibration(notes)?;
        self.take_scales(&calibration);
        Ok(calibration)
    }

    /// Notes the scales that the labels beside a calibration stand on.
    fn take_scales(&mut self, calibration: &Calibration) {
        self.scales_hash = Some(scales_hash(calibration));
    }

    fn calibration(&mut self, notes: &mut dyn FnMut(Note<'_>)) -> Result<Calibration, ProjectError> {
        let Start::Verdicts { tables, .. } = &self.request.start else {
            return self.folder.read();
        };
        let hashes = tables
            .iter()
            .map(|table| file_hash(table))
            .collect::<Result<Vec<_>, _>>()?;
        self.tables = tables.iter().cloned().zip(hashes.iter().cloned()).collect();
        let gold_hash = match &self.request.gold {
            Some(Gold::File(path)) => Some(file_hash(path)?),
            _ => None,
        };
        let options = self.request.calibrate_options();
        let key = self.calibrate_key(&hashes, gold_hash.as_deref(), &options);
        if let Some(artifact) = self.unchanged(Step::Calibrate, &key, notes)? {
            return Ok(artifact);
        }
        let loaded = self.load(notes)?;
        let mut header = self.header(&[
            ("rubric", self.rubric_hash.clone()),
            ("queries", self.queries_hash.clone()),
            ("gold", gold_hash),
        ]);
        header.inputs.extend(verdict_roles(hashes));
        header.warnings = loaded.warnings.iter().cloned().map(Into::into).collect();
        let calibration = self.calibrate_panel(key, &loaded.verdicts, loaded.gold.as_ref(), header, notes)?;
        if self.request.by().is_some() {
            self.loaded = Some(loaded);
        }
        Ok(calibration)
    }

    /// Reads the tables.
    fn load(&self, notes: &mut dyn FnMut(Note<'_>)) -> Result<Loaded, ProjectError> {
        let progress = Progress::default();
        let tables = self.tables.iter();
        let sizes = tables.filter_map(|(table, _)| std::fs::metadata(table).ok());
        notes(Note::Begins(Work {
            step: Step::Calibrate,
            block: None,
            reading: Some(Reading {
                progress: &progress,
                bytes: sizes.map(|about| about.len()).sum(),
            }),
        }));
        let loaded = load_verdicts(self.request, &self.tables, self.rubric.as_ref(), progress.clone())?;
        loaded.detected.iter().for_each(|detected| notes(Note::Read(detected)));
        Ok(loaded)
    }

    /// Calibrates a panel and writes what comes of it; `header` has the inputs and the doubts met while reading.
    fn calibrate_panel(
        &mut self,
        key: String,
        verdicts: &Verdicts,
        gold: Option<&Verdicts>,
        mut header: Header,
        notes: &mut dyn FnMut(Note<'_>),
    ) -> Result<Calibration, ProjectError> {
        self.begins(Step::Calibrate, notes);
        self.request.note_panel(&mut header);
        let options = self.request.calibrate_options();
        let (calibration, labels) = calibrate(verdicts, gold, &self.join(), header, &options)?;
        self.write_calibration(key, &calibration, &labels)?;
        self.labels = Some(labels);
        notes(Note::Pooled(&calibration));
        notes(Note::Step(Step::Calibrate, Done::Made));
        Ok(calibration)
    }

    /// Everything that labels and calibration depend on.
    fn calibrate_key(&self, verdicts: &[String], gold: Option<&str>, options: &CalibrateOptions) -> String {
        let request = self.request;
        let gold_judges = request.gold.as_ref().filter(|gold| matches!(gold, Gold::Judges(_)));
        step_key(
            Step::Calibrate.word(),
            &json!({
                "verdicts": verdicts, "rubric": self.rubric_hash, "queries": self.queries_hash, "gold file": gold,
                "gold": format!("{gold_judges:?}"), "judges": format!("{:?}", request.config.judges()),
                "columns": request.config.columns(), "scale": request.config.scale().map(ToString::to_string),
                "panel": request.config.texts("panel"), "options": format!("{options:?}"),
                "simulated": request.origin == Origin::Simulated, "tables": self.table_form().word(),
            }),
        )
    }

    fn write_calibration(
        &mut self,
        key: String,
        calibration: &Calibration,
        labels: &Labels,
    ) -> Result<(), ProjectError> {
        let form = self.table_form();
        let mut files = vec![
            (labels_file(form), labels_table(labels, form)?),
            (Calibration::FILE, calibration.to_json().into_bytes()),
        ];
        if let Some(rubric) = &self.rubric {
            files.push((RUBRIC, rubric.to_yaml().into_bytes()));
        }
        if let Some(queries) = &self.queries {
            files.push((QUERIES, queries.text.clone().into_bytes()));
        }
        self.folder.write_step(Step::Calibrate.word(), key, &files)
    }

    /// Whether a step of a request that starts in a folder is only to be read, because a later one was asked for.
    fn only_read(&self, step: Step, last: Step) -> bool {
        matches!(self.request.start, Start::Folder(_)) && step < last
    }

    pub fn fit(
        &mut self,
        calibration: &Calibration,
        last: Step,
        notes: &mut dyn FnMut(Note<'_>),
    ) -> Result<Fit, ProjectError> {
        if self.only_read(Step::Fit, last) {
            return self.read_current(Step::Fit);
        }
        let options = self.request.fit_options();
        let labels_hash = self.hash_of(self.folder.labels_file());
        let (signs, scales) = (self.signs_hash(), self.scales_hash.clone());
        let key = step_key(
            Step::Fit.word(),
            &json!({
                "labels": labels_hash, "scales": scales, "rubric signs": signs, "model": options.model.word(),
                "grid": self.request.config.text("fit.grid"), "seed": self.request.seed(),
            }),
        );
        if let Some(artifact) = self.unchanged(Step::Fit, &key, notes)? {
            return Ok(artifact);
        }
        self.begins(Step::Fit, notes);
        let header = self.header(&[("labels", labels_hash), ("scales", scales), ("rubric signs", signs)]);
        self.labels(calibration)?;
        let labels = self.labels.as_ref().expect("the labels were just read");
        let made = fit(labels, &self.join(), header, &options)?;
        self.folder
            .write_step(Step::Fit.word(), key, &[(Fit::FILE, made.to_json().into_bytes())])?;
        notes(Note::Step(Step::Fit, Done::Made));
        Ok(made)
    }

    pub fn assemble(
        &mut self,
        calibration: &Calibration,
        fit: &Fit,
        last: Step,
        notes: &mut dyn FnMut(Note<'_>),
    ) -> Result<Bank, ProjectError> {
        if self.only_read(Step::Assemble, last) {
            return self.read_current(Step::Assemble);
        }
        let options = self.request.assemble_options();
        let (calibration_hash, fit_hash) = (self.hash_of(Calibration::FILE), self.hash_of(Fit::FILE));
        let key = step_key(
            Step::Assemble.word(),
            &json!({
                "calibration": calibration_hash, "fit": fit_hash, "labels": self.hash_of(self.folder.labels_file()),
                "rubric": self.rubric_hash, "options": format!("{options:?}"), "seed": self.request.seed(),
            }),
        );
        if let Some(artifact) = self.unchanged(Step::Assemble, &key, notes)? {
            return Ok(artifact);
        }
        self.begins(Step::Assemble, notes);
        let header = self.header(&[
            ("calibration", calibration_hash),
            ("fit", fit_hash),
            ("rubric", self.rubric_hash.clone()),
        ]);
        self.labels(calibration)?;
        let labels = self.labels.as_ref().expect("the labels were just read");
        let inputs = AssembleInputs {
            calibration,
            fit,
            labels,
            join: &self.join(),
        };
        let bank = assemble(inputs, header, &options)?;
        self.folder
            .write_step(Step::Assemble.word(), key, &[(Bank::FILE, bank.to_json().into_bytes())])?;
        notes(Note::Step(Step::Assemble, Done::Made));
        Ok(bank)
    }

    pub fn given_bank(&self) -> Result<Option<Bank>, ProjectError> {
        self.request.bank.as_deref().map(read_bank).transpose()
    }

    /// What scores are made from, by role.
    fn score_inputs(&self, fit: Option<&Fit>) -> Result<[(&'static str, Option<String>); 5], ProjectError> {
        let bank = match &self.request.bank {
            Some(path) => ("given bank", Some(file_hash(path)?)),
            None => ("bank", self.hash_of(Bank::FILE)),
        };
        Ok([
            ("labels", self.hash_of(self.folder.labels_file())),
            ("fit", self.hash_of(Fit::FILE).filter(|_| fit.is_some())),
            bank,
            ("rubric", self.rubric_hash.clone()),
            ("queries", self.queries_hash.clone()),
        ])
    }

    pub fn score(
        &mut self,
        calibration: &Calibration,
        fit: Option<&Fit>,
        bank: Option<&Bank>,
        last: Step,
        notes: &mut dyn FnMut(Note<'_>),
    ) -> Result<Scores, ProjectError> {
        if self.only_read(Step::Score, last) {
            return self.read_current(Step::Score);
        }
        let options = self.request.score_options();
        let inputs = self.score_inputs(fit)?;
        let reads: serde_json::Map<String, Value> = inputs
            .iter()
            .map(|(role, hash)| ((*role).to_owned(), json!(hash)))
            .collect();
        let form = self.table_form();
        let key = step_key(
            Step::Score.word(),
            &json!({"inputs": reads, "options": score_words(&options), "tables": form.word()}),
        );
        if let Some(artifact) = self.unchanged(Step::Score, &key, notes)? {
            return Ok(artifact);
        }
        self.begins(Step::Score, notes);
        let header = self.header(&inputs);
        self.labels(calibration)?;
        let labels = self.labels.as_ref().expect("the labels were just read");
        let facts = QueryFacts::new(
            labels,
            self.queries.as_ref().map_or(&[][..], |document| &document.value),
        )?;
        let join = self.join();
        let inputs = ScoreInputs {
            labels,
            join: &join,
            fit,
            bank,
            facts: &facts,
        };
        let (scores, responses) = score(inputs, header, &options)?;
        let files = [
            (Scores::FILE, scores.to_json().into_bytes()),
            (responses_file(form), responses_table(&responses, form)?),
        ];
        self.folder.write_step(Step::Score.word(), key, &files)?;
        notes(Note::Step(Step::Score, Done::Made));
        Ok(scores)
    }
}

/// The scales that the labels beside a calibration stand on, which the labels alone do not tell.
pub(crate) fn scales_hash(calibration: &Calibration) -> String {
    let scales: Vec<_> = calibration
        .criteria
        .iter()
        .map(|row| (&row.criterion, &row.levels))
        .collect();
    Hash::of_json(&json!(scales)).to_string()
}

/// What a fit reads of the rubric; none without one.
pub(crate) fn signs_hash(join: &RubricJoin<'_>, rubric: Option<&Rubric>) -> Option<String> {
    rubric.map(|_| Hash::of_json(&json!(join.signs())).to_string())
}

/// The roles of tables of verdicts among the inputs of an artifact, in their order.
pub(crate) fn verdict_roles(hashes: impl IntoIterator<Item = String>) -> impl Iterator<Item = (String, String)> {
    hashes.into_iter().enumerate().map(|(at, hash)| match at {
        0 => ("verdicts".to_owned(), hash),
        at => (format!("verdicts {}", at + 1), hash),
    })
}

fn read_bank(path: &Path) -> Result<Bank, ProjectError> {
    let text = std::fs::read_to_string(path).map_err(|reason| ProjectError::system(path, "read the bank", &reason))?;
    Ok(Bank::from_json(&text, &path.display().to_string())?)
}

/// The options of `score` that its result depends on.
fn score_words(options: &calibrant_steps::score::ScoreOptions) -> Value {
    json!({
        "interval": options.interval.word(), "replicates": options.replicates, "seed": options.seed,
        "tiers": format!("{:?}", options.tiers),
    })
}
