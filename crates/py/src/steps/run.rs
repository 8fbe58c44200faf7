//! `run` and `report`: the whole road, in memory or in a folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use calibrant_project::{Folder, Products, Request, Start, Step, memory};
use calibrant_report::run_card;
use calibrant_schema::Labels;
use calibrant_schema::artifact::Header;
use calibrant_schema::scores::ResponseRow;
use pyo3::prelude::*;

use crate::calls::displayed;
use crate::errors;
use crate::steps::artifact::{doubts, write};
use crate::steps::bank::Bank;
use crate::steps::blocks::Blocks;
use crate::steps::calibration::Calibration;
use crate::steps::fit::Fit;
use crate::steps::given::{Beside, Trusted, paths_of, verdicts_of};
use crate::steps::options::Asked;
use crate::steps::scores::Scores;

/// The artifacts of one run.
///
/// Made by :func:`run`, or read from the folder that ``calibrant run`` left.
#[pyclass(frozen, module = "calibrant")]
pub(crate) struct Run {
    /// What the panel says of the criteria.
    #[pyo3(get)]
    calibration: Py<Calibration>,
    /// Item parameters.
    #[pyo3(get)]
    fit: Option<Py<Fit>>,
    /// The bank.
    #[pyo3(get)]
    bank: Option<Py<Bank>>,
    /// The leaderboard.
    #[pyo3(get)]
    scores: Py<Scores>,
    /// The blocks of a run that was divided.
    #[pyo3(get)]
    blocks: Option<Py<Blocks>>,
    /// The folder of a run that was written.
    #[pyo3(get)]
    folder: Option<PathBuf>,
}

impl Run {
    fn headers(&self) -> Vec<(&'static str, &Header)> {
        let mut headers = vec![("calibration", &self.calibration.get().made.header)];
        headers.extend(self.fit.iter().map(|fit| ("fit", &fit.get().made.header)));
        headers.extend(self.bank.iter().map(|bank| ("bank", &bank.get().made.header)));
        headers.push(("scores", &self.scores.get().made.header));
        headers.extend(self.blocks.iter().map(|blocks| ("blocks", &blocks.get().made.header)));
        headers
    }
}

#[pymethods]
impl Run {
    /// Read the artifacts in the folder of a run.
    ///
    /// Parameters
    /// ----------
    /// folder : str or os.PathLike
    ///     What ``calibrant run --out`` or :func:`run` left.
    ///
    /// Raises
    /// ------
    /// InputError
    ///     If it is no such folder, or an artifact is missing or broken.
    #[staticmethod]
    fn read(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let read = py.detach(|| -> Result<Found, calibrant_project::ProjectError> {
            let opened = Folder::open(&folder)?;
            Found::in_folder(opened)
        });
        let found = read.map_err(|error| errors::of_project(py, &error))?;
        found.face(py, Some(folder))
    }

    /// What to doubt about any of the artifacts, in the order of the road.
    ///
    /// Returns
    /// -------
    /// list of Doubt
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let all: Vec<_> = self
            .headers()
            .into_iter()
            .flat_map(|(_, header)| header.warnings.clone())
            .collect();
        doubts(py, &all)
    }

    /// Write the report.
    ///
    /// Parameters
    /// ----------
    /// path : str or os.PathLike
    ///     A file that ends in ``.html`` or ``.md``.
    /// title : str, optional
    ///     The heading; without one the rubric's name.
    /// charts : {"svg", "none"}
    ///     Whether there are figures.
    ///
    /// Raises
    /// ------
    /// ArgumentError
    ///     If the file ends otherwise.
    /// FileError
    ///     If it cannot be written.
    #[pyo3(signature = (path, *, title=None, charts=None))]
    fn report(
        &self,
        py: Python<'_>,
        path: PathBuf,
        title: Option<&Bound<'_, PyAny>>,
        charts: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let (fit, bank) = (self.fit.as_ref().map(Py::get), self.bank.as_ref().map(Py::get));
        let parts = (self.calibration.get(), self.scores.get(), fit, bank);
        report_to(py, parts, &path, asked_of_report(title, charts)?)
    }

    fn __repr__(&self) -> String {
        let panel = &self.calibration.get().made.panel;
        let bank = self.bank.as_ref().map_or(0, |bank| bank.get().made.criteria.len());
        format!(
            "<Run: {} systems, {} items, bank of {bank}>",
            panel.systems, panel.items
        )
    }

    fn _repr_html_(&self) -> String {
        let bank = self.bank.as_ref().map(|bank| &*bank.get().made);
        run_card(&self.headers(), &self.scores.get().made, bank)
    }
}

/// The artifacts of a run before they have Python faces.
struct Found {
    calibration: calibrant_schema::Calibration,
    labels: Labels,
    beside: Beside,
    fit: Option<calibrant_schema::Fit>,
    bank: Option<calibrant_schema::Bank>,
    scores: calibrant_schema::Scores,
    responses: Option<Vec<ResponseRow>>,
    blocks: Option<calibrant_schema::Blocks>,
}

impl Found {
    /// What stands in a folder.
    fn in_folder(folder: Folder) -> Result<Self, calibrant_project::ProjectError> {
        let calibration: calibrant_schema::Calibration = folder.read()?;
        Ok(Self {
            labels: folder.read_labels(&calibration)?,
            beside: Beside {
                rubric: folder.read_rubric(&calibration)?.map(Arc::new),
                queries: folder.read_queries(&calibration)?.map(Arc::new),
            },
            calibration,
            fit: folder.read_if_there()?,
            bank: folder.read_if_there()?,
            scores: folder.read()?,
            responses: folder.read_responses()?,
            blocks: folder.read_if_there()?,
        })
    }

    fn of_products(products: Products) -> Result<Self, calibrant_project::ProjectError> {
        let Products {
            folder,
            calibration,
            fit,
            bank,
            scores,
            blocks,
        } = products;
        Ok(Self {
            labels: folder.read_labels(&calibration)?,
            beside: Beside {
                rubric: folder.read_rubric(&calibration)?.map(Arc::new),
                queries: folder.read_queries(&calibration)?.map(Arc::new),
            },
            calibration,
            fit,
            bank,
            scores: scores.expect("a run scores"),
            responses: folder.read_responses()?,
            blocks,
        })
    }

    fn face(self, py: Python<'_>, folder: Option<PathBuf>) -> PyResult<Run> {
        Ok(Run {
            calibration: Calibration::with(py, self.calibration, Some(self.labels), self.beside)?,
            fit: self.fit.map(|fit| Fit::face(py, fit)).transpose()?,
            bank: self.bank.map(|bank| Bank::face(py, bank)).transpose()?,
            scores: Scores::with(py, self.scores, self.responses)?,
            blocks: self.blocks.map(|blocks| Blocks::face(py, blocks)).transpose()?,
            folder,
        })
    }
}

/// The whole road: calibrate, fit, assemble, score, and with a folder the report.
///
/// Parameters
/// ----------
/// verdicts : Verdicts, frame, path or list of paths
///     The table of raw judgements; files where ``out`` is given.
/// rubric : Rubric, Bank or path, optional
///     The rubric; a file where ``out`` is given.
/// out : str or os.PathLike, optional
///     The folder for results: new, empty, or made by Calibrant. It gets the files of ``calibrant run``, and what did not change there is
///     not done again. Without one nothing is written.
/// queries : Queries or path, optional
///     Weights, clusters, task types, domains and tags of the queries; a file where ``out`` is given.
/// gold : list of str, Verdicts or path, optional
///     Trusted labels, as in :func:`calibrate`.
/// judges : list of str, optional
///     Use only these judges.
/// columns : dict of str to str, optional
///     Names of columns by role, as in :func:`calibrate`.
/// scale : str, optional
///     The scale where no rubric declares one, as in :func:`calibrate`.
/// by : {"none", "task_type", "domain", "tag"}
///     Divide the run into blocks, which are folders: only with ``out``.
/// threshold : float, default 0.8
///     Measurability a criterion needs, as in :func:`calibrate`.
/// pool : {"auto", "item", "criterion"}
///     Over what measurability is estimated, as in :func:`calibrate`.
/// model : {"2PL", "1PL"}
///     The item response model, as in :func:`fit`.
/// grid : {"refined", "fixed"}
///     The nodes of ability, as in :func:`fit`.
/// budget : int, optional
///     Criteria of the bank, as in :func:`assemble`.
/// method : {"greedy", "plain", "consensus"}
///     How the bank is chosen, as in :func:`assemble`.
/// interval : {"auto", "cluster", "cluster-refit", "delta", "parametric", "source"}
///     Where intervals of abilities come from, as in :func:`score`.
/// replicates : int, default 1000
///     Replicates of the bootstrap, as in :func:`score`.
/// tiers : {"adjacent", "anchored"}
///     How tiers are cut, as in :func:`score`.
/// tables : {"csv", "parquet"}
///     How labels and responses are written.
/// charts : {"svg", "none", "vega-lite"}
///     What the report draws.
/// title : str, optional
///     The heading of the report; without one the rubric's name.
/// seed : int, default 0
///     The seed of everything random.
///
/// Returns
/// -------
/// Run
///
/// Raises
/// ------
/// ArgumentError
///     If an option has a value it cannot have.
/// InputError
///     If a table or a file has mistakes, or the folder is not one of Calibrant's.
/// StepError
///     If a step has no meaning for the table. What was finished before stays in the folder.
/// FileError
///     If a file cannot be written.
///
/// Notes
/// -----
/// With ``out`` the files are those of ``calibrant run`` with the same options, byte for byte; no project file and no environment variable
/// is read.
#[pyfunction]
#[pyo3(signature = (verdicts, rubric=None, *, out=None, queries=None, gold=None, judges=None, columns=None, scale=None, by=None, threshold=None,
    pool=None, model=None, grid=None, budget=None, method=None, interval=None, replicates=None, tiers=None, tables=None, charts=None,
    title=None, seed=None))]
#[expect(clippy::too_many_arguments, reason = "an argument for each option")]
fn run(
    py: Python<'_>,
    verdicts: &Bound<'_, PyAny>,
    rubric: Option<&Bound<'_, PyAny>>,
    out: Option<PathBuf>,
    queries: Option<&Bound<'_, PyAny>>,
    gold: Option<&Bound<'_, PyAny>>,
    judges: Option<&Bound<'_, PyAny>>,
    columns: Option<&Bound<'_, PyAny>>,
    scale: Option<&Bound<'_, PyAny>>,
    by: Option<&Bound<'_, PyAny>>,
    threshold: Option<&Bound<'_, PyAny>>,
    pool: Option<&Bound<'_, PyAny>>,
    model: Option<&Bound<'_, PyAny>>,
    grid: Option<&Bound<'_, PyAny>>,
    budget: Option<&Bound<'_, PyAny>>,
    method: Option<&Bound<'_, PyAny>>,
    interval: Option<&Bound<'_, PyAny>>,
    replicates: Option<&Bound<'_, PyAny>>,
    tiers: Option<&Bound<'_, PyAny>>,
    tables: Option<&Bound<'_, PyAny>>,
    charts: Option<&Bound<'_, PyAny>>,
    title: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
) -> PyResult<Run> {
    let (named, gold) = Trusted::parts(gold)?;
    let asked = Asked::default()
        .set("seed", "seed", seed)?
        .set("judges", "panel", judges)?
        .set("scale", "scale", scale)?
        .columns(columns)?
        .set("by", "by", by)?
        .set("threshold", "assemble.threshold", threshold)?
        .set("pool", "calibrate.pool", pool)?
        .set("model", "fit.model", model)?
        .set("grid", "fit.grid", grid)?
        .set("budget", "assemble.budget", budget)?
        .set("method", "assemble.method", method)?
        .set("interval", "score.interval", interval)?
        .set("replicates", "score.replicates", replicates)?
        .set("tiers", "score.tiers", tiers)?
        .set("tables", "tables", tables)?
        .set("charts", "report.charts", charts)?
        .set("title", "project.name", title)?
        .gold(named);
    match out {
        Some(out) => {
            if gold.is_some() {
                return Err(in_folder(py, "gold", "gold"));
            }
            let places = Places {
                tables: paths_of(verdicts).ok_or_else(|| in_folder(py, "verdicts", "verdicts"))?,
                rubric: rubric.map(|rubric| path_of(rubric, "rubric")).transpose()?,
                queries: queries.map(|queries| path_of(queries, "queries")).transpose()?,
                out,
            };
            run_in_folder(py, asked, places)
        }
        None => {
            if asked.is_divided() {
                let help = "blocks are folders: give out";
                return Err(errors::argument(py, "by", "a run in memory is not divided", Some(help)));
            }
            let beside = Beside::given(rubric, queries)?;
            let mut request = asked.request();
            let read = verdicts_of("verdicts", verdicts, &mut request, beside.rubric.as_deref())?;
            let found = displayed(py, "run", || in_memory(&request, read, gold, beside))?;
            found.map_err(|error| errors::of_project(py, &error))?.face(py, None)
        }
    }
}

/// Where a run in a folder starts, and where it goes.
struct Places {
    tables: Vec<PathBuf>,
    rubric: Option<PathBuf>,
    queries: Option<PathBuf>,
    out: PathBuf,
}

fn path_of(value: &Bound<'_, PyAny>, argument: &'static str) -> PyResult<PathBuf> {
    value.extract().map_err(|_| in_folder(value.py(), argument, argument))
}

/// A run that is written starts from files, so that it can be done again from what its report names.
fn in_folder(py: Python<'_>, argument: &str, what: &str) -> PyErr {
    let what = format!("{what} is no file, and a run in a folder starts from files");
    let help = "give paths, or leave out `out` and write the artifacts you want";
    errors::argument(py, argument, &what, Some(help))
}

fn run_in_folder(py: Python<'_>, asked: Asked, places: Places) -> PyResult<Run> {
    let command = command(&asked, &places);
    let Places {
        tables,
        rubric,
        queries,
        out,
    } = places;
    let start = Start::Verdicts {
        tables,
        out: out.clone(),
    };
    let request = Request {
        rubric,
        queries,
        command: Some(command),
        ..asked.request_from(start)
    };
    let found = displayed(py, "run", || {
        calibrant_project::run(&request, Step::Report, &mut |_| {}).and_then(Found::of_products)
    })?;
    found
        .map_err(|error| errors::of_project(py, &error))?
        .face(py, Some(out))
}

/// The command line that makes the same run, for the report.
fn command(asked: &Asked, places: &Places) -> String {
    let mut command = "calibrant run --verdicts".to_owned();
    for table in &places.tables {
        let _ = write!(command, " {}", quoted(&table.display().to_string()));
    }
    let mut flag = |name: &str, path: &Path| {
        let _ = write!(command, " {name} {}", quoted(&path.display().to_string()));
    };
    flag("--out", &places.out);
    places.rubric.iter().for_each(|path| flag("--rubric", path));
    places.queries.iter().for_each(|path| flag("--queries", path));
    for (flag, value) in asked.flags() {
        let _ = write!(command, " {flag} {}", quoted(&value));
    }
    command
}

/// A word of a command as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:@%+".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

fn in_memory(
    request: &Request,
    read: calibrant_store::tables::ReadVerdicts,
    gold: Option<calibrant_store::tables::ReadVerdicts>,
    beside: Beside,
) -> Result<Found, calibrant_project::ProjectError> {
    let context = beside.context();
    let (calibration, labels) = memory::calibrate(request, read, gold, context)?;
    let fit = memory::fit(request, Some(&calibration), &labels, context)?;
    let bank = memory::assemble(request, &calibration, &fit, &labels, context)?;
    let (scores, responses) = memory::score(request, &labels, (Some(&fit), Some(&bank)), context)?;
    Ok(Found {
        calibration,
        labels,
        fit: Some(fit),
        bank: Some(bank),
        scores,
        responses: Some(responses),
        blocks: None,
        beside,
    })
}

/// Write the report of artifacts.
///
/// Parameters
/// ----------
/// calibration : Calibration
///     With its labels there are item curves.
/// scores : Scores
///     The leaderboard.
/// path : str or os.PathLike
///     A file that ends in ``.html`` or ``.md``.
/// fit : Fit, optional
///     Item parameters and models.
/// bank : Bank, optional
///     The bank.
/// title : str, optional
///     The heading; without one the rubric's name.
/// charts : {"svg", "none"}
///     Whether there are figures.
///
/// Raises
/// ------
/// ArgumentError
///     If the file ends otherwise.
/// FileError
///     If it cannot be written.
///
/// Notes
/// -----
/// What the sections mean is in ``docs/report.md``.
#[pyfunction]
#[pyo3(signature = (calibration, scores, path, *, fit=None, bank=None, title=None, charts=None))]
#[expect(clippy::too_many_arguments, reason = "an argument for each part")]
fn report(
    py: Python<'_>,
    calibration: &Bound<'_, Calibration>,
    scores: &Bound<'_, Scores>,
    path: PathBuf,
    fit: Option<&Bound<'_, Fit>>,
    bank: Option<&Bound<'_, Bank>>,
    title: Option<&Bound<'_, PyAny>>,
    charts: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let (fit, bank) = (fit.map(Bound::get), bank.map(Bound::get));
    let parts = (calibration.get(), scores.get(), fit, bank);
    report_to(py, parts, &path, asked_of_report(title, charts)?)
}

fn asked_of_report(title: Option<&Bound<'_, PyAny>>, charts: Option<&Bound<'_, PyAny>>) -> PyResult<Request> {
    let asked = Asked::default()
        .set("title", "project.name", title)?
        .set("charts", "report.charts", charts)?;
    Ok(asked.request())
}

/// Writes the page of the form that the file's name asks for.
fn report_to(
    py: Python<'_>,
    (calibration, scores, fit, bank): (&Calibration, &Scores, Option<&Fit>, Option<&Bank>),
    path: &Path,
    request: Request,
) -> PyResult<()> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if !["html", "md"].contains(&ending) {
        let what = format!("`{}` names no form of a report", path.display());
        return Err(errors::argument(py, "path", &what, Some("end it in .html or .md")));
    }
    let made = memory::Made {
        calibration: &calibration.made,
        labels: calibration.labels.as_deref(),
        fit: fit.map(|fit| &*fit.made),
        bank: bank.map(|bank| &*bank.made),
        scores: &scores.made,
    };
    let pages = displayed(py, "report", || {
        memory::report(&request, &made, calibration.beside.context())
    })?;
    write(py, path, if ending == "html" { &pages.html } else { &pages.markdown })
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Run>()?;
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(report, module)?)
}
