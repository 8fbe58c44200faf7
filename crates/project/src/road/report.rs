//! The pages of a run and of a block.

use calibrant_report as report;
use calibrant_schema::artifact::Artifact;
use calibrant_schema::canonical::Hash;
use calibrant_schema::{Bank, Blocks, Calibration, Fit, Rubric, Scores};
use serde_json::json;

use super::Road;
use crate::charts::{self, Charts};
use crate::error::ProjectError;
use crate::folder::{ArtifactFile, REPORT_HTML, REPORT_MD};
use crate::freshness::step_key;
use crate::step::{Done, Note, Step};
use crate::truth::{TRUTH, TruthFile};

/// The page of the whole, from the folder of a block.
const WHOLE: &str = "../../../report";

/// The artifacts a report shows.
pub(crate) struct Parts<'a> {
    pub calibration: &'a Calibration,
    pub fit: Option<&'a Fit>,
    pub bank: Option<&'a Bank>,
    pub scores: &'a Scores,
    pub blocks: Option<&'a Blocks>,
}

/// The heading of a report: the project's name, else the rubric's.
pub(crate) fn title<'a>(name: Option<&'a str>, rubric: Option<&'a Rubric>) -> &'a str {
    name.or(rubric.and_then(|rubric| rubric.name.as_deref()))
        .unwrap_or("Calibrated leaderboard")
}

impl Road<'_> {
    /// Everything that the pages and the files beside them depend on.
    fn report_key(&self, parts: &Parts<'_>, charts: Charts) -> String {
        let hash = |text: String| Hash::of_bytes(text.as_bytes()).to_string();
        let mut reads = json!({
            "calibration": hash(parts.calibration.to_json()), "fit": parts.fit.map(|fit| hash(fit.to_json())),
            "bank": parts.bank.map(|bank| hash(bank.to_json())), "scores": hash(parts.scores.to_json()),
            "rubric": self.rubric_hash, "name": self.request.config.text("project.name"),
            "command": self.request.command, "truth": self.hash_of(TRUTH), "charts": charts.word(),
            "labels": self.hash_of(self.folder.labels_file()), "files": self.report_files(),
        });
        if let Some(blocks) = parts.blocks {
            reads["blocks"] = json!(hash(blocks.to_json()));
        }
        step_key(Step::Report.word(), &reads)
    }

    /// The files that the pages name.
    fn report_files(&self) -> Vec<&'static str> {
        let mut files = vec![
            self.folder.labels_file(),
            Calibration::FILE,
            Fit::FILE,
            Bank::FILE,
            Scores::FILE,
            self.folder.responses_file(),
            Blocks::FILE,
        ];
        files.retain(|file| self.folder.has(file));
        files
    }

    pub fn report(&mut self, parts: &Parts<'_>, notes: &mut dyn FnMut(Note<'_>)) -> Result<(), ProjectError> {
        let charts = self.request.charts();
        let key = self.report_key(parts, charts);
        if self.folder.is_fresh(Step::Report.word(), &key) {
            self.folder.settle(Step::Report.word())?;
            notes(Note::Step(Step::Report, Done::Unchanged));
            return Ok(());
        }
        self.begins(Step::Report, notes);
        if charts != Charts::None && self.folder.has(self.folder.labels_file()) {
            self.labels(parts.calibration)?;
        }
        let name = self.request.config.text("project.name");
        let join = self.join();
        let responses = match &self.labels {
            Some(labels) if charts != Charts::None => charts::item_curves(parts, labels, &join),
            _ => Vec::new(),
        };
        let files = self.report_files();
        let truth = TruthFile::of(&self.folder, parts.calibration)?;
        let abilities = truth.as_ref().map(TruthFile::abilities).unwrap_or_default();
        let rows = truth.as_ref().map(TruthFile::rows).unwrap_or_default();
        let known = report::Truth {
            abilities: &abilities,
            rows: &rows,
        };
        let title = title(name, self.rubric.as_ref());
        let title = match &self.block {
            Some(block) => format!("{title}: {}", block.name),
            None => title.to_owned(),
        };
        let inputs = report::Inputs {
            title: &title,
            calibration: parts.calibration,
            fit: parts.fit,
            bank: parts.bank,
            scores: parts.scores,
            rubric: self.rubric.as_ref(),
            command: self.request.command.as_deref(),
            files: &files,
            truth: truth.as_ref().map(|_| &known),
            blocks: parts.blocks,
            part_of: self.block.as_ref().map(|block| report::PartOf {
                by: block.by,
                block: &block.name,
                whole: WHOLE,
            }),
            figures: charts.figures(),
            responses: &responses,
        };
        let mut pages = vec![
            (REPORT_HTML.to_owned(), report::html(&inputs).into_bytes()),
            (REPORT_MD.to_owned(), report::markdown(&inputs).into_bytes()),
        ];
        if charts == Charts::VegaLite {
            pages.extend(charts::specifications(&inputs));
        }
        self.folder.write_step(Step::Report.word(), key, &pages)?;
        notes(Note::Step(Step::Report, Done::Made));
        Ok(())
    }
}
