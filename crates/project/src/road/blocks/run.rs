//! The steps of every block, one block after the other, and the index of what they came to.

use calibrant_schema::artifact::Artifact;
use calibrant_schema::blocks::{BlockRow, Stopped};
use calibrant_schema::canonical::Hash;
use calibrant_schema::query::Query;
use calibrant_schema::{Bank, Blocks, Calibration, Fit, Rubric, Scores, Undefined};
use calibrant_steps::StepError;
use calibrant_steps::blocks::{BlockParts, BlockPlaceInRun, block_row, can_score, index, rubric_of_block};
use calibrant_store::{Document, Findings, read_queries_part, read_rubric_part};

use super::content::queries_of;
use super::{Division, INDEX, meaning, stopped};
use crate::error::ProjectError;
use crate::folder::{ArtifactFile, Folder, QUERIES, RUBRIC};
use crate::request::Start;
use crate::road::{Parts, Road};
use crate::split::{Split, SplitBlock};
use crate::step::{BlockDone, Done, Note, Step};

/// What a block's own run came to.
#[derive(Default)]
struct BlockRun {
    fit: Option<Fit>,
    bank: Option<Bank>,
    scores: Option<Scores>,
    stopped: Option<Stopped>,
}

/// The part of the rubric and of the queries of a block.
type BlockInputs = (Option<Rubric>, Option<Document<Vec<Query>>>);

impl<'a> Road<'a> {
    /// Does the steps up to `last` for every block, and writes the index. `whole` are the scores over all blocks.
    pub fn carry_out_blocks(
        &mut self,
        division: &Division,
        last: Step,
        whole: Option<&Scores>,
        notes: &mut dyn FnMut(Note<'_>),
    ) -> Result<Blocks, ProjectError> {
        let earlier = match self.request.start {
            // A command that was refused or killed may have left blocks without an index.
            Start::Folder(_) if self.folder.has(Blocks::FILE) => self.folder.read::<Blocks>()?.blocks,
            Start::Folder(_) => Vec::new(),
            Start::Verdicts { .. } => Vec::new(),
        };
        let split = &division.split;
        let mut rows = Vec::with_capacity(split.blocks.len());
        for at in 0..split.blocks.len() {
            let folder = split.blocks[at].path(split.by);
            let row = earlier.iter().find(|row| row.folder == folder);
            let stopped = row.and_then(|row| row.stopped.clone());
            rows.push(self.carry_out_block(division, at, last, stopped, whole, notes)?);
        }
        let scores = whole.and_then(|_| self.hash_of(Scores::FILE));
        let mut header = self.header(&[
            ("calibration", self.hash_of(Calibration::FILE)),
            ("scores", scores),
            ("rubric", self.rubric_hash.clone()),
            ("queries", self.queries_hash.clone()),
        ]);
        header.warnings.clone_from(&split.warnings);
        let blocks = index(split.by, header, rows);
        let text = blocks.to_json().into_bytes();
        let key = Hash::of_bytes(&text).to_string();
        if !self.folder.is_fresh(INDEX, &key) {
            self.folder.write_step(INDEX, key, &[(Blocks::FILE, text)])?;
        }
        Ok(blocks)
    }

    fn carry_out_block(
        &self,
        division: &Division,
        at: usize,
        last: Step,
        earlier: Option<Stopped>,
        whole: Option<&Scores>,
        notes: &mut dyn FnMut(Note<'_>),
    ) -> Result<BlockRow, ProjectError> {
        let (split, block) = (&division.split, &division.split.blocks[at]);
        let mut made = Vec::new();
        if division.made[at] {
            made.push(Step::Calibrate);
        }
        let mut calibration = None;
        let mut run = BlockRun {
            stopped: block.stopped.clone(),
            ..BlockRun::default()
        };
        if block.stopped.is_none() {
            let folder = Folder::open(&self.block_path(split.by, block))?;
            let calibrated = folder.read::<Calibration>()?;
            run = self.run_block(
                (split, block),
                folder,
                &calibrated,
                (last, earlier),
                &mut |note| match note {
                    Note::Step(step, Done::Made) => made.push(step),
                    Note::Begins(_) => notes(note),
                    _ => {}
                },
            )?;
            calibration = Some(calibrated);
        }
        notes(Note::Block(BlockDone {
            by: split.by,
            block: block.name(),
            made: &made,
            stopped: run.stopped.as_ref(),
            place: (at + 1, split.blocks.len()),
        }));
        let place = BlockPlaceInRun {
            value: block.value.as_deref(),
            folder: &block.path(split.by),
            whole,
        };
        let parts = BlockParts {
            calibration: calibration.as_ref(),
            fit: run.fit.as_ref(),
            bank: run.bank.as_ref(),
            scores: run.scores.as_ref(),
            stopped: run.stopped.as_ref(),
        };
        Ok(block_row(place, parts))
    }

    /// The steps of a block that is calibrated.
    fn run_block(
        &self,
        place: (&Split, &SplitBlock),
        mut folder: Folder,
        calibration: &Calibration,
        ask: (Step, Option<Stopped>),
        notes: &mut dyn FnMut(Note<'_>),
    ) -> Result<BlockRun, ProjectError> {
        let ((split, block), (last, earlier)) = (place, ask);
        let (rubric, queries) = match self.inputs_of(block, &folder, calibration) {
            Ok(inputs) => inputs,
            Err(ProjectError::Findings(found)) if last > Step::Calibrate => {
                folder.forget(&Step::ALL.map(Step::word)[1..])?;
                return Ok(BlockRun {
                    stopped: Some(unreadable(&found)),
                    ..BlockRun::default()
                });
            }
            Err(ProjectError::Findings(_)) => return Ok(BlockRun::default()),
            Err(other) => return Err(other),
        };
        let mut road = Road::of_block(self.request, folder, split.by, block.name(), rubric, queries);
        road.take_scales(calibration);
        let before = |stopped: &Stopped| Step::ALL.iter().any(|step| step.word() == stopped.step && *step < last);
        match earlier.filter(before) {
            Some(stopped) => Ok(road.up_to(stopped)),
            None => road.steps(calibration, last, notes),
        }
    }

    /// The part of the rubric and of the queries of a block: its own, or that of the files which the request puts in
    /// their place.
    fn inputs_of(
        &self,
        block: &SplitBlock,
        folder: &Folder,
        calibration: &Calibration,
    ) -> Result<BlockInputs, ProjectError> {
        let from_folder = matches!(self.request.start, Start::Folder(_));
        let other_rubric = self
            .rubric
            .as_ref()
            .filter(|_| from_folder && self.request.rubric.is_some());
        let other_queries = self
            .queries
            .as_ref()
            .filter(|_| from_folder && self.request.queries.is_some());
        let labels = match (other_rubric, other_queries) {
            (None, None) => None,
            _ => Some(folder.read_labels(calibration)?),
        };
        let has = |role: &str| calibration.header.inputs.contains_key(role);
        let rubric = match (other_rubric, &labels) {
            (Some(rubric), Some(labels)) => {
                let items = (0..labels.items.len()).map(|item| (labels.query(item), labels.criterion(item)));
                Some(rubric_of_block(rubric, items, block.whole))
            }
            _ if has("rubric") => Some(read_rubric_part(&folder.file(RUBRIC))?.value),
            _ => None,
        };
        let queries = match (other_queries, &labels) {
            (Some(queries), Some(labels)) => queries_of(queries, |query| labels.queries.find(query).is_some()),
            _ if has("queries") => Some(read_queries_part(&folder.file(QUERIES))?),
            _ => None,
        };
        Ok((rubric, queries))
    }

    /// The steps of a block up to `last`. A step without meaning ends them, and files of a run before are cleared away.
    fn steps(
        &mut self,
        calibration: &Calibration,
        last: Step,
        notes: &mut dyn FnMut(Note<'_>),
    ) -> Result<BlockRun, ProjectError> {
        let mut run = BlockRun::default();
        let stopped = self.try_steps(&mut run, calibration, last, notes)?;
        if let Err(stopped) = stopped {
            let left: Vec<&str> = Step::ALL
                .iter()
                .map(|step| step.word())
                .skip_while(|step| *step != stopped.step)
                .collect();
            self.folder.forget(&left)?;
            run.stopped = Some(stopped);
            return Ok(run);
        }
        self.later_artifacts(&mut run);
        Ok(run)
    }

    fn try_steps(
        &mut self,
        run: &mut BlockRun,
        calibration: &Calibration,
        last: Step,
        notes: &mut dyn FnMut(Note<'_>),
    ) -> Result<Result<(), Stopped>, ProjectError> {
        if let Start::Folder(_) = self.request.start {
            self.folder.must_be_whole(last)?;
        }
        let can_score = self.rubric.as_ref().map(can_score);
        if last >= Step::Fit {
            // What is only monitored stays out of a fit.
            if let Some(Err(why @ StepError::BlockOnlyMonitored)) = &can_score {
                return Ok(Err(stopped(Step::Fit, why)));
            }
            match meaning(self.fit(calibration, last, notes), Step::Fit)? {
                Ok(fit) => run.fit = Some(fit),
                Err(stopped) => return Ok(Err(stopped)),
            }
        }
        if let (Some(fit), true) = (&run.fit, last >= Step::Assemble) {
            match meaning(self.assemble(calibration, fit, last, notes), Step::Assemble)? {
                Ok(bank) => run.bank = Some(bank),
                Err(stopped) => return Ok(Err(stopped)),
            }
        }
        if last >= Step::Score {
            if let Some(Err(why)) = can_score {
                return Ok(Err(stopped(Step::Score, &why)));
            }
            let scores = self.score(calibration, run.fit.as_ref(), run.bank.as_ref(), last, notes);
            match meaning(scores, Step::Score)? {
                Ok(scores) => run.scores = Some(scores),
                Err(stopped) => return Ok(Err(stopped)),
            }
        }
        if let (Some(scores), true) = (&run.scores, last >= Step::Report) {
            let parts = Parts {
                calibration,
                fit: run.fit.as_ref(),
                bank: run.bank.as_ref(),
                scores,
                blocks: None,
            };
            self.report(&parts, notes)?;
        }
        Ok(Ok(()))
    }

    /// What a step before left that is not asked for now, where it is still of these inputs.
    fn later_artifacts(&self, run: &mut BlockRun) {
        if run.fit.is_none() {
            run.fit = self.read_current(Step::Fit).ok();
        }
        if run.fit.is_some() && run.bank.is_none() {
            run.bank = self.read_current(Step::Assemble).ok();
        }
        if run.bank.is_some() && run.scores.is_none() {
            run.scores = self.read_current(Step::Score).ok();
        }
    }

    /// What stands of a block that stopped in an earlier command.
    fn up_to(&self, stopped: Stopped) -> BlockRun {
        let mut run = BlockRun::default();
        self.later_artifacts(&mut run);
        run.stopped = Some(stopped);
        run
    }

    /// The scores a command before left, where they are still of these inputs.
    pub fn current_scores(&self) -> Option<Scores> {
        let step = |step: Step| self.folder.key_of(step.word()).is_some();
        self.read_current(Step::Score).ok().filter(|_| step(Step::Score))
    }
}

/// A block whose own rubric or queries cannot be read: nothing after its calibration has a meaning.
fn unreadable(found: &Findings) -> Stopped {
    let first = found.shown().first().map(|finding| &finding.diagnostic);
    let why = first.map_or("it says nothing", |first| first.what.as_str());
    Stopped {
        step: Step::Fit.word().to_owned(),
        why: Undefined::new(
            "inputs_of_block",
            format!("the part of the rubric or of the queries that concerns the block cannot stand alone: {why}"),
        ),
    }
}
