//! The blocks of a run: each a folder of ours with everything a run has, made by the same steps from its own verdicts.
//!
//! Blocks are carried out one after the other: the steps themselves use every thread, and so one block is in memory.

mod content;
mod run;

use std::fs;
use std::path::Path;

use calibrant_schema::blocks::Stopped;
use calibrant_schema::canonical::Hash;
use calibrant_schema::config::Source;
use calibrant_schema::query::Query;
use calibrant_schema::{By, Calibration, Rubric, Warning};
use calibrant_steps::StepError;
use calibrant_steps::blocks::{Block, BlockValues, divide, not_done, rubric_of_block};
use calibrant_store::Document;
use serde_json::json;

use super::{BlockName, Road};
use crate::error::ProjectError;
use crate::folder::Folder;
use crate::freshness::step_key;
use crate::inputs::Loaded;
use crate::request::{Request, Start};
use crate::split::{BLOCKS, Split, SplitBlock, folders};
use crate::step::{Done, Note, Step};
pub(crate) use content::content_hash;
use content::{gold_of, queries_of};

/// The name of the index among the steps of the manifest.
const INDEX: &str = "blocks";

/// A run divided: its blocks are calibrated, and nothing more is done yet.
pub(crate) struct Division {
    split: Split,
    /// The blocks whose calibration was written now.
    made: Vec<bool>,
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
            tables: Vec::new(),
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
                "simulated": simulated, "tables": self.table_form().word(),
            }),
        )
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
        Err(ProjectError::Step(why)) => Ok(Err(stopped(step, &why))),
        // What stands of the step in this block is missing or of other inputs, though the whole has it.
        Err(ProjectError::Refused(why)) if NOT_DONE.contains(&why.id) => Ok(Err(Stopped {
            step: step.word().to_owned(),
            why: not_done(step.word()),
        })),
        Err(other) => Err(other),
    }
}

/// The ids of refusals that say that a step was not done since its inputs changed.
const NOT_DONE: [&str; 2] = ["missing-artifact", "stale-artifact"];

fn stopped(step: Step, why: &StepError) -> Stopped {
    Stopped {
        step: step.word().to_owned(),
        why: why.reason(),
    }
}
