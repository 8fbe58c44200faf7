//! The steps on tables in memory: nothing is written, and the artifacts are those that the road writes from the same inputs.
//!
//! An artifact names what it was made from by hash. Labels, calibration, fit and bank have here the hash of the file that a
//! run would write of them. Verdicts that were read from files have the hashes of those files; others have a hash of what they
//! say, under a role of their own, so that nobody looks for a file with it.

use std::path::Path;

use calibrant_report as report;
use calibrant_schema::agreement::{Agreement, Intervals};
use calibrant_schema::artifact::{Artifact, Header};
use calibrant_schema::canonical::Hash;
use calibrant_schema::disagreement::Disagreements;
use calibrant_schema::query::{Query, parse_queries};
use calibrant_schema::roll_up::RollUpRule;
use calibrant_schema::scores::ResponseRow;
use calibrant_schema::{Bank, Calibration, Fit, Labels, RollUps, Rubric, Scale, Scores, Verdicts};
use calibrant_steps::RubricJoin;
use calibrant_steps::assemble::AssembleInputs;
use calibrant_steps::disagreements::{Beside, Systems};
use calibrant_steps::plan::QueryFacts;
use calibrant_steps::score::ScoreInputs;
use calibrant_store::tables::{Format, ReadVerdicts, TableForm, labels_table, parse_labels, read_gold, read_verdicts};
use calibrant_store::{Document, Findings, Source};
use serde_json::json;

use crate::agree::compared;
use crate::charts::item_curves;
use crate::error::ProjectError;
use crate::folder::scales_of;
use crate::inputs::{Loaded, file_hash, panel_of, read_options};
use crate::panel::Panel;
use crate::request::{Gold, Request};
use crate::road::{Parts, content_hash, scales_hash, signs_hash, title, verdict_roles};
use crate::roll_ups::compared_rules;
use crate::simulated::table;

/// What stands beside verdicts and labels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'a> {
    /// The rubric; without one every weight is 1.
    pub rubric: Option<&'a Rubric>,
    /// Descriptions of the queries.
    pub queries: Option<&'a Document<Vec<Query>>>,
}

impl Context<'_> {
    fn rubric_hash(&self) -> Option<String> {
        self.rubric.map(|rubric| rubric.hash().to_string())
    }

    fn queries_hash(&self) -> Option<String> {
        self.queries
            .map(|document| Hash::of_bytes(document.text.as_bytes()).to_string())
    }

    fn described(&self) -> &[Query] {
        self.queries.map_or(&[], |document| &document.value)
    }
}

/// Trusted labels of a file, read on the scales of the request and the rubric.
///
/// # Errors
/// If the file cannot be read, or a row is wrong.
pub fn gold_of_file(request: &Request, path: &Path, rubric: Option<&Rubric>) -> Result<ReadVerdicts, ProjectError> {
    Ok(read_gold(Source::from(path), &read_options(request, rubric))?)
}

/// Verdicts to labels and measurability, as `calibrate` does it. `gold` are trusted labels apart from the table; judges of
/// the table are named as such by the request.
///
/// # Errors
/// As `calibrate`.
pub fn calibrate(
    request: &Request,
    verdicts: ReadVerdicts,
    gold: Option<ReadVerdicts>,
    context: Context<'_>,
) -> Result<(Calibration, Labels), ProjectError> {
    let (loaded, mut header) = panel(request, verdicts, gold, context)?;
    if let Some(hash) = context.queries_hash() {
        header.inputs.insert("queries".to_owned(), hash);
    }
    let join = RubricJoin::new(context.rubric);
    let options = request.calibrate_options();
    Ok(calibrant_steps::calibrate(
        &loaded.verdicts,
        loaded.gold.as_ref(),
        &join,
        header,
        &options,
    )?)
}

/// The labels by consensus of a panel, as `calibrate` makes them.
///
/// # Errors
/// As `calibrate`, where it reads and selects.
pub fn consensus(request: &Request, verdicts: ReadVerdicts, context: Context<'_>) -> Result<Labels, ProjectError> {
    let loaded = panel_of(request, verdicts, None, context.rubric)?;
    Ok(calibrant_steps::consensus(
        &loaded.verdicts,
        &RubricJoin::new(context.rubric),
    ))
}

/// Labels to item parameters and abilities, as `fit` does it; `calibration` is that of the labels, if there is one, and its rows
/// name their scales in the order of the file.
///
/// # Errors
/// As `fit`.
pub fn fit(
    request: &Request,
    calibration: Option<&Calibration>,
    labels: &Labels,
    context: Context<'_>,
) -> Result<Fit, ProjectError> {
    let join = RubricJoin::new(context.rubric);
    let header = request.opening(&[
        ("labels", Some(labels_hash(labels)?)),
        (
            "scales",
            Some(calibration.map_or_else(|| scales_of_labels(labels), scales_hash)),
        ),
        ("rubric signs", signs_hash(&join, context.rubric)),
    ]);
    Ok(calibrant_steps::fit(labels, &join, header, &request.fit_options())?)
}

/// Items to a bank, as `assemble` does it.
///
/// # Errors
/// As `assemble`.
pub fn assemble(
    request: &Request,
    calibration: &Calibration,
    fit: &Fit,
    labels: &Labels,
    context: Context<'_>,
) -> Result<Bank, ProjectError> {
    let header = request.opening(&[
        ("calibration", Some(artifact_hash(calibration))),
        ("fit", Some(artifact_hash(fit))),
        ("rubric", context.rubric_hash()),
    ]);
    let join = RubricJoin::new(context.rubric);
    let inputs = AssembleInputs {
        calibration,
        fit,
        labels,
        join: &join,
    };
    Ok(calibrant_steps::assemble(inputs, header, &request.assemble_options())?)
}

/// Labels to scores, and every response with its outcome, as `score` does it. Without a fit the labels are of new systems on
/// a given bank.
///
/// # Errors
/// As `score`.
pub fn score(
    request: &Request,
    labels: &Labels,
    (fit, bank): (Option<&Fit>, Option<&Bank>),
    context: Context<'_>,
) -> Result<(Scores, Vec<ResponseRow>), ProjectError> {
    let role = if fit.is_some() { "bank" } else { "given bank" };
    let header = request.opening(&[
        ("labels", Some(labels_hash(labels)?)),
        ("fit", fit.map(artifact_hash)),
        (role, bank.map(artifact_hash)),
        ("rubric", context.rubric_hash()),
        ("queries", context.queries_hash()),
    ]);
    let facts = QueryFacts::new(labels, context.described())?;
    let join = RubricJoin::new(context.rubric);
    let inputs = ScoreInputs {
        labels,
        join: &join,
        fit,
        bank,
        facts: &facts,
    };
    Ok(calibrant_steps::score(inputs, header, &request.score_options())?)
}

/// How alike judges are, as `agree` says it.
///
/// # Errors
/// As `agree`.
pub fn agree(
    request: &Request,
    verdicts: ReadVerdicts,
    gold: Option<ReadVerdicts>,
    earlier: Option<(ReadVerdicts, Option<&Rubric>)>,
    intervals: Intervals,
    context: Context<'_>,
) -> Result<Agreement, ProjectError> {
    let of = |verdicts, gold, context: Context<'_>| -> Result<Panel, ProjectError> {
        let (loaded, header) = panel(request, verdicts, gold, context)?;
        Ok(Panel {
            rubric: context.rubric.cloned(),
            verdicts: loaded.verdicts,
            gold: loaded.gold,
            header,
        })
    };
    let now = of(verdicts, gold, context)?;
    let before = earlier.map(|(verdicts, rubric)| of(verdicts, None, Context { rubric, queries: None }));
    compared(&now, before.transpose()?.as_ref(), intervals, request.seed())
}

/// What roll-up rules make of the same responses, as `roll-up` says it.
///
/// # Errors
/// As `roll-up`.
pub fn roll_ups(
    request: &Request,
    verdicts: ReadVerdicts,
    rules: &[RollUpRule],
    context: Context<'_>,
) -> Result<RollUps, ProjectError> {
    let (loaded, header) = panel(request, verdicts, None, context)?;
    let panel = Panel {
        rubric: context.rubric.cloned(),
        verdicts: loaded.verdicts,
        gold: None,
        header,
    };
    compared_rules(panel, rules)
}

/// What judges differ on, as `grade review` lists it.
///
/// # Errors
/// If judges are chosen that the table does not have, or table and rubric have nothing in common.
pub fn disagreements(
    request: &Request,
    verdicts: ReadVerdicts,
    systems: Systems,
    context: Context<'_>,
) -> Result<Disagreements, ProjectError> {
    let loaded = panel_of(request, verdicts, None, context.rubric)?;
    let beside = Beside {
        rubric: context.rubric,
        queries: context.described(),
        exercise: None,
        systems,
    };
    let mut found = calibrant_steps::disagreements(&loaded.verdicts, &beside);
    found.settle(&[], context.rubric);
    Ok(found)
}

/// The artifacts of one run, in memory.
#[derive(Clone, Copy, Debug)]
pub struct Made<'a> {
    /// Measurability.
    pub calibration: &'a Calibration,
    /// The labels behind item curves; without them there are none.
    pub labels: Option<&'a Labels>,
    /// Item parameters.
    pub fit: Option<&'a Fit>,
    /// The bank.
    pub bank: Option<&'a Bank>,
    /// The leaderboard.
    pub scores: &'a Scores,
}

/// A report as pages.
#[derive(Clone, Debug)]
pub struct Pages {
    /// One HTML file.
    pub html: String,
    /// The same for pull requests.
    pub markdown: String,
}

/// The report of artifacts in memory; no file is named in it, because none was written.
#[must_use]
pub fn report(request: &Request, made: &Made<'_>, context: Context<'_>) -> Pages {
    let charts = request.charts();
    let parts = Parts {
        calibration: made.calibration,
        fit: made.fit,
        bank: made.bank,
        scores: made.scores,
        blocks: None,
    };
    let join = RubricJoin::new(context.rubric);
    let curves = made.labels.map(|labels| item_curves(&parts, labels, &join));
    let inputs = report::Inputs {
        title: title(request.config.text("project.name"), context.rubric),
        calibration: made.calibration,
        fit: made.fit,
        bank: made.bank,
        scores: made.scores,
        rubric: context.rubric,
        command: request.command.as_deref(),
        files: &[],
        truth: None,
        blocks: None,
        part_of: None,
        figures: charts.figures(),
        responses: curves.as_deref().unwrap_or_default(),
    };
    Pages {
        html: report::html(&inputs),
        markdown: report::markdown(&inputs),
    }
}

/// Labels from the text of `labels.csv`, on the scales that their calibration knows.
///
/// # Errors
/// If it is not a table of labels.
pub fn labels_of_text(text: &str, calibration: &Calibration) -> Result<Labels, ProjectError> {
    Ok(parse_labels(text, &scales_of(calibration))?)
}

/// Verdicts, read as the request says and on the scales of the rubric.
///
/// # Errors
/// If a table cannot be read or has mistakes.
pub fn read(request: &Request, tables: Vec<Source>, rubric: Option<&Rubric>) -> Result<ReadVerdicts, ProjectError> {
    Ok(read_verdicts(tables, &read_options(request, rubric))?)
}

/// Queries from the text of their file, which messages call `file`.
///
/// # Errors
/// If a line is wrong.
pub fn queries_of_text(file: &str, text: String) -> Result<Document<Vec<Query>>, ProjectError> {
    let (value, warnings) = parse_queries(&text, file).map_err(|mistakes| Findings::of_text(mistakes, &text))?;
    Ok(Document {
        value,
        warnings,
        file: file.to_owned(),
        sha256: Hash::of_bytes(text.as_bytes()).to_string(),
        text,
    })
}

/// The panel of verdicts, and the opening of what is made from it.
fn panel(
    request: &Request,
    verdicts: ReadVerdicts,
    gold: Option<ReadVerdicts>,
    context: Context<'_>,
) -> Result<(Loaded, Header), ProjectError> {
    let gold_hash = match (&request.gold, &gold) {
        (Some(Gold::File(path)), _) => Some(("gold", file_hash(path)?)),
        (_, Some(gold)) => match file_hashes(gold).as_deref() {
            Some([one]) => Some(("gold", one.clone())),
            _ => Some(("gold in memory", content_hash(&gold.verdicts))),
        },
        _ => None,
    };
    let (role, hash) = gold_hash.map_or(("gold", None), |(role, hash)| (role, Some(hash)));
    let mut header = request.opening(&[("rubric", context.rubric_hash()), (role, hash)]);
    match file_hashes(&verdicts) {
        Some(hashes) => header.inputs.extend(verdict_roles(hashes)),
        None => {
            let hash = content_hash(&verdicts.verdicts);
            header.inputs.insert("verdicts in memory".to_owned(), hash);
        }
    }
    request.note_panel(&mut header);
    on_the_rubrics_scales(&verdicts.verdicts, context.rubric)?;
    let loaded = panel_of(request, verdicts, gold.map(|gold| gold.verdicts), context.rubric)?;
    header.warnings = loaded.warnings.iter().cloned().map(Into::into).collect();
    Ok((loaded, header))
}

/// The hashes of the files that verdicts were read from; none if a part of them came from elsewhere, or of the files only a part
/// was kept.
fn file_hashes(read: &ReadVerdicts) -> Option<Vec<String>> {
    let files = &read.detected;
    let rows: u64 = files.iter().map(|file| file.rows).sum();
    let whole = files.iter().all(|file| file.format != Format::Memory) && rows == read.verdicts.len() as u64;
    (!files.is_empty() && whole).then(|| files.iter().map(|file| file.sha256.clone()).collect())
}

/// Refuses verdicts that were read on another scale than the rubric declares: their levels would mean other labels.
fn on_the_rubrics_scales(verdicts: &Verdicts, rubric: Option<&Rubric>) -> Result<(), ProjectError> {
    let graded = rubric.into_iter().flat_map(|rubric| &rubric.criteria);
    for criterion in graded.filter(|criterion| criterion.scale != Scale::Binary) {
        let Some(code) = verdicts.criteria().find(&criterion.id) else {
            continue;
        };
        let scale = verdicts.scale(code);
        if scale.level_count() != criterion.scale.level_count()
            || (0..=u8::MAX)
                .take(scale.level_count())
                .any(|level| scale.value(level) != criterion.scale.value(level))
        {
            return Err(ProjectError::refused(
                "other-scale",
                format!(
                    "the verdicts on `{}` were read on the scale {scale}, and the rubric declares {}",
                    criterion.id, criterion.scale
                ),
                "read the verdicts with this rubric",
            ));
        }
    }
    Ok(())
}

/// The hash of the scales of labels that come without a calibration: of each item, as a calibration by item has them.
fn scales_of_labels(labels: &Labels) -> String {
    let levels = |item: usize| {
        let scale = labels.scale(item);
        let values = (0..scale.level_count()).filter_map(|level| Some(scale.value(u8::try_from(level).ok()?)));
        (*scale != Scale::Binary).then(|| values.collect::<Vec<f64>>())
    };
    let scales: Vec<_> = (0..labels.items.len())
        .map(|item| (labels.criterion(item), levels(item)))
        .collect();
    Hash::of_json(&json!(scales)).to_string()
}

/// The hash of the file that a run would write these labels to.
fn labels_hash(labels: &Labels) -> Result<String, ProjectError> {
    Ok(Hash::of_bytes(&labels_table(labels, TableForm::Csv)?).to_string())
}

/// The hash of an artifact's file.
fn artifact_hash<A: Artifact>(artifact: &A) -> String {
    Hash::of_bytes(artifact.to_json().as_bytes()).to_string()
}

/// Simulated verdicts as the table that `demo` writes.
#[must_use]
pub fn simulated_table(verdicts: &Verdicts) -> String {
    table(verdicts)
}

/// Verdicts that were drawn or put together in memory, as if they had been read.
#[must_use]
pub fn in_memory(verdicts: Verdicts) -> ReadVerdicts {
    ReadVerdicts {
        verdicts,
        detected: Vec::new(),
        off_scale: Default::default(),
        rubric_hashes: Default::default(),
        left_out: Default::default(),
        query_values: Default::default(),
    }
}
