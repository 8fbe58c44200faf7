//! The files a request reads: hashed first, so that unchanged steps need not read them at all.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use calibrant_schema::query::Query;
use calibrant_schema::{By, Rubric, Scale, Verdicts, Warning};
use calibrant_steps::RubricJoin;
use calibrant_store::ledger::{Cards, content_hash, is_ledger};
use calibrant_store::tables::{
    Detected, LeftOut, Progress, ReadOptions, ReadVerdicts, Role, ScaleOrigin, Scales, read_gold, read_verdicts,
};
use calibrant_store::{Document, Source, read_queries, read_rubric};
use sha2::{Digest, Sha256};

use crate::error::ProjectError;
use crate::request::{Gold, Origin, Request};

/// The project file's name.
const PROJECT_FILE: &str = "calibrant.toml";

/// The project file of a folder or the nearest one above it.
pub fn find_project_file(from: &Path) -> Option<PathBuf> {
    from.ancestors()
        .map(|folder| folder.join(PROJECT_FILE))
        .find(|file| file.is_file())
}

/// SHA-256 of a file's bytes, in hexadecimal; of a ledger, of what it says.
pub(crate) fn file_hash(path: &Path) -> Result<String, ProjectError> {
    let failed = |reason| ProjectError::system(path, "read", &reason);
    let about = std::fs::metadata(path).map_err(failed)?;
    if !about.is_file() {
        return Err(ProjectError::refused(
            "not-a-file",
            format!("`{}` is not a file on disk", path.display()),
            "give a file: it is read twice, once to see whether a step has to be done again; save a pipe to a file first",
        ));
    }
    if is_ledger(path) {
        return Ok(content_hash(path)?);
    }
    let mut file = File::open(path).map_err(failed)?;
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; 1 << 20]);
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => break,
            read => hasher.update(&buffer[..read]),
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The rubric of a request and what was doubtful in its file.
pub(crate) fn load_rubric(path: Option<&PathBuf>) -> Result<Option<Document<Rubric>>, ProjectError> {
    path.map(|path| read_rubric(path)).transpose().map_err(Into::into)
}

/// The descriptions of queries of a request.
pub(crate) fn load_queries(path: Option<&PathBuf>) -> Result<Option<Document<Vec<Query>>>, ProjectError> {
    path.map(|path| read_queries(path)).transpose().map_err(Into::into)
}

/// Verdicts ready for `calibrate`.
pub(crate) struct Loaded {
    pub(crate) verdicts: Verdicts,
    pub(crate) gold: Option<Verdicts>,
    pub(crate) detected: Vec<Detected>,
    pub(crate) warnings: Vec<Warning>,
    /// What the column that the run is divided by says of each query.
    pub(crate) query_values: BTreeMap<String, String>,
}

/// Share of labels off their scale above which the scale, and not the judge, is taken to be wrong.
const MOST_OFF_SCALE: f64 = 0.1;

/// Reads the tables, each with its hash, keeps the panel and the criteria asked for, and sets gold apart.
pub(crate) fn load_verdicts(
    request: &Request,
    tables: &[(PathBuf, String)],
    rubric: Option<&Rubric>,
    progress: Progress,
) -> Result<Loaded, ProjectError> {
    let mut options = read_options(request, rubric);
    options.progress = progress;
    // The tables were hashed to see whether they have to be read at all.
    let sources = tables.iter().map(|(table, sha256)| Source::Known {
        path: table.clone(),
        sha256: sha256.clone(),
    });
    let read = read_verdicts(sources.collect(), &options)?;
    let gold = match &request.gold {
        Some(Gold::File(path)) => Some(read_gold(Source::from(path.as_path()), &options)?.verdicts),
        _ => None,
    };
    panel_of(request, read, gold, rubric)
}

/// Keeps the panel and the criteria asked for of what was read, and sets gold apart, unless it was read apart.
pub(crate) fn panel_of(
    request: &Request,
    read: ReadVerdicts,
    gold: Option<Verdicts>,
    rubric: Option<&Rubric>,
) -> Result<Loaded, ProjectError> {
    let mut warnings = Vec::new();
    if read.off_scale.count as f64 > MOST_OFF_SCALE * read.verdicts.len() as f64 {
        return Err(ProjectError::refused(
            "off-scale",
            format!(
                "{} of {} labels are off the declared scale (first: `{}`), so it is not the scale of this table",
                read.off_scale.count,
                read.verdicts.len(),
                read.off_scale.first.as_deref().unwrap_or_default()
            ),
            "declare the scale the judges used, in the rubric or with --scale",
        ));
    }
    if read.off_scale.count > 0 {
        warnings.push(Warning::OffScale {
            count: read.off_scale.count as usize,
            example: read.off_scale.first.clone().unwrap_or_default(),
        });
    }
    warnings.extend(left_out(read.left_out));
    warnings.extend(other_rubric(&read.rubric_hashes, rubric));
    if rubric.is_none() && read.rubric_hashes.len() > 1 {
        warnings.push(Warning::SeveralRubrics {
            versions: read.rubric_hashes.len(),
        });
    }
    let (gold, panel) = split_gold(request, read.verdicts, gold)?;
    let panel = select_panel(request, panel)?;
    if is_simulated(request, &panel) {
        warnings.insert(0, Warning::Simulated);
    }
    let (verdicts, joined) = RubricJoin::new(rubric).restrict(panel)?;
    warnings.extend(joined);
    Ok(Loaded {
        verdicts,
        gold,
        detected: read.detected,
        warnings,
        query_values: read.query_values,
    })
}

/// How tables are read: columns by role, the scale that somebody declared, and the scales and cards of a rubric.
#[must_use]
pub fn reading(columns: BTreeMap<String, String>, declared: Option<Scale>, rubric: Option<&Rubric>) -> ReadOptions {
    let by_criterion: HashMap<String, Scale> = rubric
        .into_iter()
        .flat_map(|rubric| &rubric.criteria)
        .filter(|criterion| declared.is_none() || criterion.scale != Scale::Binary)
        .map(|criterion| (criterion.id.clone(), criterion.scale.clone()))
        .collect();
    ReadOptions {
        columns,
        scales: Scales {
            origin: match (&declared, rubric) {
                (Some(_), _) => ScaleOrigin::Flag,
                (None, Some(_)) => ScaleOrigin::Rubric,
                (None, None) => ScaleOrigin::NotDeclared,
            },
            default: declared.unwrap_or_default(),
            by_criterion,
        },
        cards: rubric.map(Cards::of),
        judges: None,
        values_of: None,
        progress: Progress::default(),
    }
}

pub(crate) fn read_options(request: &Request, rubric: Option<&Rubric>) -> ReadOptions {
    let columns = request.config.columns().into_iter();
    let columns = columns.map(|(role, column)| (role.to_owned(), column.to_owned()));
    ReadOptions {
        values_of: request.by().and_then(|by| match by {
            By::TaskType => Some(Role::TaskType),
            By::Domain => Some(Role::Domain),
            By::Tag => None,
        }),
        ..reading(columns.collect(), request.config.scale().cloned(), rubric)
    }
}

fn split_gold(
    request: &Request,
    verdicts: Verdicts,
    apart: Option<Verdicts>,
) -> Result<(Option<Verdicts>, Verdicts), ProjectError> {
    let judges = gold_judges(request, &verdicts);
    if judges.is_empty() {
        return Ok((apart, verdicts));
    }
    let gold = verdicts.select_judges(&judges).map_err(unknown_judge)?;
    let codes: Vec<u32> = judges
        .iter()
        .filter_map(|judge| verdicts.judges().find(judge))
        .collect();
    let panel = verdicts.keep(|row| !codes.contains(&row.judge));
    if panel.is_empty() {
        return Err(ProjectError::refused(
            "only-gold",
            "every verdict is gold, so there is no panel to calibrate",
            "name fewer judges as gold, or add the verdicts of a panel",
        ));
    }
    Ok((Some(apart.unwrap_or(gold)), panel))
}

/// The judges named as gold by the request, and those the project file marks so.
fn gold_judges(request: &Request, verdicts: &Verdicts) -> Vec<String> {
    let mut judges: Vec<String> = match &request.gold {
        Some(Gold::Judges(judges)) => judges.clone(),
        _ => Vec::new(),
    };
    let marked = request
        .config
        .judges()
        .into_iter()
        .filter(|(_, settings)| settings.gold)
        .map(|(id, _)| id.to_owned());
    judges.extend(marked.filter(|id| verdicts.judges().find(id).is_some()));
    judges.sort_unstable();
    judges.dedup();
    judges
}

pub(crate) fn select_panel(request: &Request, verdicts: Verdicts) -> Result<Verdicts, ProjectError> {
    match request.config.texts("panel") {
        [] => Ok(verdicts),
        panel => verdicts.select_judges(panel).map_err(unknown_judge),
    }
}

/// Whether the verdicts are the program's own simulation, or the project file calls a judge of the panel simulated.
fn is_simulated(request: &Request, panel: &Verdicts) -> bool {
    let judges = request.config.judges();
    request.origin == Origin::Simulated
        || panel
            .judges()
            .iter()
            .any(|judge| judges.get(judge).is_some_and(|known| known.kind == Some("simulated")))
}

fn unknown_judge(error: calibrant_schema::verdicts::VerdictsError) -> ProjectError {
    ProjectError::refused(
        "unknown-judge",
        error.to_string(),
        "name judges as the table writes them",
    )
}

/// Warnings for verdicts of a ledger that are not read.
fn left_out(left_out: LeftOut) -> impl Iterator<Item = Warning> {
    let LeftOut { stale, open } = left_out;
    let stale = (!stale.is_empty()).then_some(Warning::StaleVerdicts { cells: stale });
    let open = (open > 0).then_some(Warning::OpenRounds { verdicts: open });
    stale.into_iter().chain(open)
}

/// A warning when verdicts carry the hash of another rubric than the one given.
fn other_rubric(hashes: &BTreeMap<String, u64>, rubric: Option<&Rubric>) -> Option<Warning> {
    let given = rubric?.hash().to_string();
    let others = || hashes.iter().filter(|(hash, _)| **hash != given);
    let (first, _) = others().next()?;
    Some(Warning::OtherRubric {
        verdicts: first.clone(),
        rubric: given.clone(),
        rows: others().map(|(_, rows)| *rows as usize).sum(),
    })
}
