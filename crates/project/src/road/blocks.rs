//! The blocks of a run: each a folder of ours with everything a run has, made by the same steps from its own verdicts.
//!
//! Blocks are carried out one after the other: the steps themselves use every thread, and so one block is in memory.

use std::fs;
use std::path::Path;

use calibrant_schema::artifact::Artifact;
use calibrant_schema::blocks::{BlockRow, Stopped};
use calibrant_schema::canonical::Hash;
use calibrant_schema::config::Source;
use calibrant_schema::query::Query;
use calibrant_schema::{Bank, Blocks, By, Calibration, Diagnostics, Fit, Rubric, Scores, Verdicts, Warning};
use calibrant_steps::StepError;
use calibrant_steps::blocks::{
    Block, BlockParts, BlockPlaceInRun, BlockValues, block_row, divide, index, rubric_of_block,
};
use calibrant_store::Document;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{BlockName, Parts, Road};
use crate::error::ProjectError;
use crate::folder::{ArtifactFile, Folder, QUERIES};
use crate::freshness::step_key;
use crate::inputs::{Loaded, load_queries};
use crate::request::{Request, Start};
use crate::split::{BLOCKS, Split, SplitBlock, folders};
use crate::step::{BlockDone, Done, Note, Step};

/// The name of the index among the steps of the manifest.
const INDEX: &str = "blocks";

/// A run divided: its blocks are calibrated, and nothing more is done yet.
pub(crate) struct Division {
    split: Split,
    /// The blocks whose calibration was written now.
    made: Vec<bool>,
}

/// What a block's own run came to.
#[derive(Default)]
struct BlockRun {
    fit: Option<Fit>,
    bank: Option<Bank>,
    scores: Option<Scores>,
    stopped: Option<Stopped>,
}

impl<'a> Road<'a> {
    /// Divides the run as the request asks, and calibrates the blocks whose verdicts changed; or clears blocks away that
    /// the request does not ask for. A request that starts in a folder takes the blocks it finds there.
    pub fn divide(&mut self, notes: &mut dyn FnMut(Note<'_>)) -> Result<Option<Division>, ProjectError> {
        if let Start::Folder(_) = self.request.start {
            return self.found_division();
        }
        let Some(by) = self.request.by() else {
            self.clear_blocks()?;
            return Ok(None);
        };
        let key = step_key(
            INDEX,
            &json!({"by": by.word(), "calibrate": self.folder.key_of(Step::Calibrate.word())}),
        );
        let known = self.folder.split().filter(|split| split.by == by && split.key == key);
        let division = match known.filter(|split| self.all_calibrated(split)).cloned() {
            Some(split) => Division {
                made: vec![false; split.blocks.len()],
                split,
            },
            None => self.calibrate_blocks(by, key, notes)?,
        };
        self.loaded = None;
        self.sweep(Some(&division.split));
        self.folder.set_split(Some(division.split.clone()))?;
        Ok(Some(division))
    }

    /// The blocks of a folder of a run before.
    fn found_division(&self) -> Result<Option<Division>, ProjectError> {
        let asked = self.request.config.get("by").filter(|by| by.source == Source::Flag);
        let split = self.folder.split();
        let found = split.map_or("none", |split| split.by.word());
        if asked.is_some() && self.request.by().map_or("none", By::word) != found {
            return Err(ProjectError::refused(
                "other-blocks",
                format!("`{}` is divided by {found}", self.folder.path().display()),
                "leave out --by, or divide anew from the table: --verdicts FILE --out DIR --by ..",
            ));
        }
        Ok(split.map(|split| Division {
            made: vec![false; split.blocks.len()],
            split: split.clone(),
        }))
    }

    fn block_path(&self, by: By, block: &SplitBlock) -> std::path::PathBuf {
        self.folder.file(&block.path(by))
    }

    /// Whether every block has its calibration, made from what the manifest says.
    fn all_calibrated(&self, split: &Split) -> bool {
        let fresh = |block: &SplitBlock| {
            Folder::open(&self.block_path(split.by, block))
                .is_ok_and(|folder| folder.is_fresh(Step::Calibrate.word(), &block.key))
        };
        split.blocks.iter().all(|block| block.stopped.is_some() || fresh(block))
    }

    fn calibrate_blocks(
        &mut self,
        by: By,
        key: String,
        notes: &mut dyn FnMut(Note<'_>),
    ) -> Result<Division, ProjectError> {
        let loaded = match self.loaded.take() {
            Some(loaded) => loaded,
            None => self.load(notes)?,
        };
        let described = self.queries.as_ref().map_or(&[][..], |document| &document.value);
        let values = BlockValues::new(by, described, &loaded.query_values)?;
        let (blocks, warnings) = divide(by, &loaded.verdicts, &values, &self.join())?;
        let names: Vec<Option<&str>> = blocks.iter().map(|block| block.value.as_deref()).collect();
        let mut division = Division {
            split: Split {
                by,
                key,
                warnings: warnings.into_iter().map(Into::into).collect(),
                blocks: Vec::with_capacity(blocks.len()),
            },
            made: Vec::with_capacity(blocks.len()),
        };
        for (block, folder) in blocks.iter().zip(folders(&names)) {
            let (block, made) = self.calibrate_block(by, block, folder, &loaded, notes)?;
            division.split.blocks.push(block);
            division.made.push(made == Done::Made);
        }
        Ok(division)
    }

    /// Calibrates one block unless its verdicts, its part of the rubric and of the queries, and the settings are the same.
    fn calibrate_block(
        &self,
        by: By,
        block: &Block,
        folder: String,
        loaded: &Loaded,
        notes: &mut dyn FnMut(Note<'_>),
    ) -> Result<(SplitBlock, Done), ProjectError> {
        let verdicts = loaded.verdicts.keep(|row| block.has[row.item as usize]);
        let gold = loaded.gold.as_ref().and_then(|gold| gold_of(gold, &verdicts));
        let mut split = SplitBlock {
            value: block.value.clone(),
            folder,
            key: String::new(),
            whole: block.whole,
            stopped: None,
        };
        let items = verdicts.items().iter().map(|item| {
            (
                verdicts.queries().get(item.query),
                verdicts.criteria().get(item.criterion),
            )
        });
        let rubric = self
            .rubric
            .as_ref()
            .map(|rubric| rubric_of_block(rubric, items, block.whole));
        let queries = self
            .queries
            .as_ref()
            .and_then(|queries| queries_of(queries, |query| verdicts.queries().find(query).is_some()));
        let folder = Folder::create(&self.block_path(by, &split))?;
        let mut road = Road::of_block(self.request, folder, by, split.name(), rubric, queries);
        let (hash, gold_hash) = (content_hash(&verdicts), gold.as_ref().map(content_hash));
        let simulated = loaded.warnings.contains(&Warning::Simulated);
        split.key = road.block_key(&hash, gold_hash.as_deref(), simulated);
        let mut inside = |note: Note<'_>| {
            if let Note::Begins(_) = note {
                notes(note);
            }
        };
        if road
            .unchanged::<Calibration>(Step::Calibrate, &split.key, &mut inside)?
            .is_some()
        {
            return Ok((split, Done::Unchanged));
        }
        let mut header = road.header(&[
            ("block verdicts", Some(hash)),
            ("block gold", gold_hash),
            ("rubric", road.rubric_hash.clone()),
            ("queries", road.queries_hash.clone()),
        ]);
        if simulated {
            header.warnings.push(Warning::Simulated.into());
        }
        let key = split.key.clone();
        let made = match road.calibrate_panel(key.clone(), &verdicts, gold.as_ref(), header.clone(), &mut inside) {
            // Gold of the block that matches none of its cells is a doubt about the whole, which says so.
            Err(ProjectError::Step(StepError::GoldMatchesNothing { .. })) => {
                road.calibrate_panel(key, &verdicts, None, header, &mut inside)
            }
            made => made,
        };
        split.stopped = meaning(made, Step::Calibrate)?.err();
        if split.stopped.is_some() {
            road.folder.remove();
        }
        Ok((split, Done::Made))
    }

    /// A road for a block.
    fn of_block(
        request: &'a Request,
        folder: Folder,
        by: By,
        name: &str,
        rubric: Option<Rubric>,
        queries: Option<Document<Vec<Query>>>,
    ) -> Self {
        let hash = |document: &Document<Vec<Query>>| Hash::of_bytes(document.text.as_bytes()).to_string();
        Self {
            request,
            folder,
            rubric_hash: rubric.as_ref().map(|rubric| rubric.hash().to_string()),
            rubric,
            queries_hash: queries.as_ref().map(hash),
            queries,
            scales_hash: None,
            labels: None,
            loaded: None,
            block: Some(BlockName {
                by,
                name: name.to_owned(),
            }),
        }
    }

    /// Everything that labels and calibration of a block depend on.
    fn block_key(&self, verdicts: &str, gold: Option<&str>, simulated: bool) -> String {
        let request = self.request;
        let block = self.block.as_ref().map(|block| (block.by.word(), &block.name));
        step_key(
            Step::Calibrate.word(),
            &json!({
                "block": block, "verdicts": verdicts, "gold": gold, "rubric": self.rubric_hash,
                "queries": self.queries_hash, "panel": request.config.texts("panel"),
                "options": format!("{:?}", request.calibrate_options()),
                "simulated": simulated,
            }),
        )
    }

    /// Does the steps up to `last` for every block, and writes the index. `whole` are the scores over all blocks.
    pub fn carry_out_blocks(
        &mut self,
        division: &Division,
        last: Step,
        whole: Option<&Scores>,
        notes: &mut dyn FnMut(Note<'_>),
    ) -> Result<Blocks, ProjectError> {
        let earlier = match self.request.start {
            Start::Folder(_) => self.folder.read::<Blocks>()?.blocks,
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
            let mut road = self.road_of(split.by, block)?;
            let calibrated = road.folder.read::<Calibration>()?;
            road.take_scales(&calibrated);
            let before = |stopped: &Stopped| Step::ALL.iter().any(|step| step.word() == stopped.step && *step < last);
            run = match earlier.filter(before) {
                Some(stopped) => road.up_to(stopped),
                None => road.steps(&calibrated, last, &mut |note| match note {
                    Note::Step(step, Done::Made) => made.push(step),
                    Note::Begins(_) => notes(note),
                    _ => {}
                })?,
            };
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

    /// The road of a block that is calibrated: with its own part of the rubric and the queries, or with that of the
    /// files which the request puts in their place.
    fn road_of(&self, by: By, block: &SplitBlock) -> Result<Road<'a>, ProjectError> {
        let folder = Folder::open(&self.block_path(by, block))?;
        let calibration = folder.read::<Calibration>()?;
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
            _ => Some(folder.read_labels(&calibration)?),
        };
        let rubric = match (other_rubric, &labels) {
            (Some(rubric), Some(labels)) => {
                let items = (0..labels.items.len()).map(|item| (labels.query(item), labels.criterion(item)));
                Some(rubric_of_block(rubric, items, block.whole))
            }
            _ => folder.read_rubric(&calibration)?,
        };
        let queries = match (other_queries, &labels) {
            (Some(queries), Some(labels)) => queries_of(queries, |query| labels.queries.find(query).is_some()),
            _ if calibration.header.inputs.contains_key("queries") => load_queries(Some(&folder.file(QUERIES)))?,
            _ => None,
        };
        Ok(Road::of_block(self.request, folder, by, block.name(), rubric, queries))
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
        if last >= Step::Fit {
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

    /// Clears the blocks of a run before away.
    fn clear_blocks(&mut self) -> Result<(), ProjectError> {
        // A run that was killed may have left blocks that its manifest does not know of yet.
        self.sweep(None);
        self.folder.forget(&[INDEX])?;
        self.folder.set_split(None)
    }

    /// Removes the folders of blocks that are not among these. What is not ours stays, and so does what cannot be
    /// removed: nothing shows it any more.
    fn sweep(&self, keep: Option<&Split>) {
        for by in By::ALL {
            let folder = self.folder.file(&format!("{BLOCKS}/{}", by.word()));
            // Where case does not count, a folder may go by another case of its name.
            let kept = |name: &str| {
                keep.filter(|split| split.by == by)
                    .is_some_and(|split| split.blocks.iter().any(|block| block.folder.eq_ignore_ascii_case(name)))
            };
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                if entry.file_name().to_str().is_some_and(kept) {
                    continue;
                }
                if let Ok(block) = Folder::open(&entry.path()) {
                    block.remove();
                }
                remove_if_empty(&entry.path());
            }
            remove_if_empty(&folder);
        }
        remove_if_empty(&self.folder.file(BLOCKS));
    }
}

/// Removes a folder unless somebody keeps files in it.
fn remove_if_empty(folder: &Path) {
    let _ = fs::remove_dir(folder);
}

/// Tells a step that has no meaning for a block, which is a result, from everything else that can go wrong.
fn meaning<T>(made: Result<T, ProjectError>, step: Step) -> Result<Result<T, Stopped>, ProjectError> {
    match made {
        Ok(made) => Ok(Ok(made)),
        Err(ProjectError::Step(why)) => Ok(Err(Stopped {
            step: step.word().to_owned(),
            why: why.reason(),
        })),
        Err(other) => Err(other),
    }
}

/// The gold labels of the items of a block, if there are any.
fn gold_of(gold: &Verdicts, block: &Verdicts) -> Option<Verdicts> {
    let in_block: Vec<bool> = gold
        .items()
        .iter()
        .map(|item| {
            let query = block.queries().find(gold.queries().get(item.query));
            let criterion = block.criteria().find(gold.criteria().get(item.criterion));
            query.zip(criterion).is_some_and(|(query, criterion)| {
                let item = calibrant_schema::verdicts::Item { query, criterion };
                block.items().binary_search(&item).is_ok()
            })
        })
        .collect();
    let gold = gold.keep(|row| in_block[row.item as usize]);
    (!gold.is_empty()).then_some(gold)
}

/// The descriptions of the queries of a block, line by line as they were given; `None` where there are none.
fn queries_of(all: &Document<Vec<Query>>, has: impl Fn(&str) -> bool) -> Option<Document<Vec<Query>>> {
    // A file without mistakes has a query for each line that is not blank.
    let lines = all.text.lines().filter(|line| !line.trim().is_empty());
    let (value, lines): (Vec<Query>, Vec<&str>) = all
        .value
        .iter()
        .cloned()
        .zip(lines)
        .filter(|(query, _)| has(&query.query))
        .unzip();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let sha256 = Hash::of_bytes(text.as_bytes()).to_string();
    (!value.is_empty()).then(|| Document {
        value,
        warnings: Diagnostics::default(),
        file: all.file.clone(),
        text,
        sha256,
    })
}

/// Hash of what verdicts say: names, scales and rows, whatever file and order they came in.
fn content_hash(verdicts: &Verdicts) -> String {
    let mut hasher = Sha256::new();
    let mut name = |name: &str| {
        hasher.update((name.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
    };
    for names in [
        verdicts.systems(),
        verdicts.queries(),
        verdicts.samples(),
        verdicts.criteria(),
        verdicts.judges(),
    ] {
        name(&names.len().to_string());
        names.iter().for_each(&mut name);
    }
    for criterion in 0..verdicts.criteria().len() as u32 {
        name(&verdicts.scale(criterion).to_string());
    }
    for row in verdicts.rows() {
        let item = verdicts.items()[row.item as usize];
        for code in [item.query, item.criterion, row.system, row.sample, row.judge] {
            hasher.update(code.to_le_bytes());
        }
        hasher.update(row.repeat.to_le_bytes());
        hasher.update([row.level.unwrap_or(u8::MAX)]);
        hasher.update(row.status.as_str().as_bytes());
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
