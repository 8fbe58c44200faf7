//! Sheets that came back: read, compared with each other and with the ledger, and recorded.

mod compare;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use calibrant_schema::Diagnostic;
use calibrant_schema::exercise::{Mark, Sheet};
use calibrant_store::Findings;
use calibrant_store::sheets::{LARGEST_SHEET, Returned, ReturnedForm, Roster, read_returned};

use super::Grading;
use crate::clock::now;
use crate::error::ProjectError;

use compare::{Said, said};

/// How sheets are taken in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectOptions {
    /// What becomes of a file with mistakes.
    pub mistakes: OnMistakes,
    /// What becomes of a verdict that says otherwise than the one recorded.
    pub changes: OnChanges,
}

/// What becomes of a file with mistakes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnMistakes {
    /// Nothing of it is recorded.
    #[default]
    Refuse,
    /// Its rows without mistakes are recorded.
    TakeTheRest,
}

/// What becomes of a verdict that says otherwise than the one recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnChanges {
    /// It is a mistake: the file may be an old one.
    #[default]
    Refuse,
    /// It replaces the one recorded, which stays in the history.
    Replace,
}

/// What became of one file.
#[derive(Debug)]
pub struct CollectedFile {
    /// The file as the user named it.
    pub file: String,
    /// What it is and says; `None` when it could not be read at all.
    pub returned: Option<Returned>,
    /// What is wrong with it; empty when nothing is.
    pub findings: Findings,
    /// An earlier file of this call with the same bytes; nothing more was done with this one.
    pub same_as: Option<String>,
    /// Marks that were new, and are recorded.
    pub recorded: usize,
    /// Verdicts and comments that were recorded before.
    pub known: usize,
    /// Verdicts that replaced other ones.
    pub changed: usize,
}

impl CollectedFile {
    /// Whether something was wrong with the file.
    #[must_use]
    pub fn has_mistakes(&self) -> bool {
        !self.findings.is_empty()
    }

    fn new(file: &Path) -> Self {
        Self {
            file: file.display().to_string(),
            returned: None,
            findings: Findings::default(),
            same_as: None,
            recorded: 0,
            known: 0,
            changed: 0,
        }
    }
}

/// Takes in returned sheets of a round: pages' results, workbooks and CSV, in any order and more than once.
///
/// A file is taken whole or, unless `options` say otherwise, not at all. What is recorded already is counted and left alone,
/// so the same file may be collected again. An empty verdict takes nothing back.
///
/// # Errors
/// If the ledger cannot be read or written. What is wrong with a file is in its findings.
pub fn collect(
    grading: &Grading,
    files: &[PathBuf],
    options: CollectOptions,
) -> Result<Vec<CollectedFile>, ProjectError> {
    let graders: Vec<&str> = grading.exercise().graders().collect();
    let paper = grading.paper(graders[0])?;
    let roster = Roster::new(&paper, graders);
    let mut collected: Vec<CollectedFile> = Vec::new();
    let mut seen: Vec<(Vec<u8>, String)> = Vec::new();
    for path in files {
        let mut file = CollectedFile::new(path);
        match bytes_of(path) {
            Err(finding) => file.findings = finding.into(),
            Ok(bytes) => {
                file.same_as = seen
                    .iter()
                    .find(|(other, _)| *other == bytes)
                    .map(|(_, name)| name.clone());
                if file.same_as.is_none() {
                    read(&mut file, &bytes, &roster);
                    seen.push((bytes, file.file.clone()));
                }
            }
        }
        collected.push(file);
    }
    let mut by_grader: BTreeMap<String, Vec<Said>> = BTreeMap::new();
    for file in &mut collected {
        take(grading, file, options, &mut by_grader)?;
    }
    Ok(collected)
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, Box<Diagnostic>> {
    let refused = |reason: &std::io::Error| {
        let what = format!("cannot read `{}`: {reason}", path.display());
        Box::new(Diagnostic::error(
            "cannot-read",
            what,
            "check the path and its permissions",
        ))
    };
    let file = fs::File::open(path).map_err(|reason| refused(&reason))?;
    let mut bytes = Vec::new();
    // One byte more than the limit shows that it is passed.
    file.take(LARGEST_SHEET + 1)
        .read_to_end(&mut bytes)
        .map_err(|reason| refused(&reason))?;
    Ok(bytes)
}

fn read(file: &mut CollectedFile, bytes: &[u8], roster: &Roster<'_>) {
    match read_returned(&file.file, bytes, roster) {
        Ok(returned) => {
            file.findings = returned.shown_findings();
            file.returned = Some(returned);
        }
        Err(findings) => file.findings = findings,
    }
}

/// Compares a file with the others of its grader and with the ledger, and records what is new.
fn take(
    grading: &Grading,
    file: &mut CollectedFile,
    options: CollectOptions,
    by_grader: &mut BTreeMap<String, Vec<Said>>,
) -> Result<(), ProjectError> {
    let Some(returned) = &file.returned else {
        return Ok(());
    };
    let Some(grader) = returned.grader.clone() else {
        return Ok(());
    };
    let before = grading.marks(&grader)?;
    let sheet = Sheet::of(&before);
    let mut cells = said(returned);
    let mut mistakes: Vec<Diagnostic> = Vec::new();
    // A page that goes on where the ledger stands may change its own mind.
    let follows = returned.form == ReturnedForm::Page && continues(&before, &returned.marks);
    let others = by_grader.entry(grader.clone()).or_default();
    cells.retain(|cell| {
        let mistake = cell
            .against_others(&file.file, others)
            .or_else(|| match options.changes {
                OnChanges::Refuse if !follows => cell.against_ledger(&file.file, &sheet, &grader),
                _ => None,
            });
        let good = mistake.is_none();
        mistake.into_iter().for_each(|mistake| mistakes.push(mistake));
        good
    });
    if !mistakes.is_empty() {
        let mut all = returned.findings.clone();
        summed_up(&file.file, mistakes)
            .into_iter()
            .for_each(|mistake| all.push(mistake));
        file.findings = returned.shown(all);
    }
    let refused = file.has_mistakes() && options.mistakes == OnMistakes::Refuse;
    let (marks, known) = match returned.form {
        ReturnedForm::Page => page_marks(returned, &cells, &before, follows),
        _ => new_marks(&cells, &sheet),
    };
    file.known = known;
    let changed = cells.iter().filter(|cell| cell.changes(&sheet)).count();
    others.extend(cells);
    if refused {
        return Ok(());
    }
    if let Some(locked) = refused_by_lock(grading, &grader, &marks, &before)? {
        file.findings = locked.into();
        return Ok(());
    }
    let taken = grading.record(&grader, marks)?;
    file.recorded = taken.recorded;
    file.changed = changed;
    Ok(())
}

/// How many cells that are decided otherwise elsewhere are shown; an old or a wrong file has them by the hundred.
const MOST_DIFFERENCES: usize = 5;

/// The first differences, and how many more there are.
fn summed_up(file: &str, mut differences: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let more = differences.len().saturating_sub(MOST_DIFFERENCES);
    if more > 0 {
        let id = differences[0].id;
        let help = differences[0].help.clone();
        differences.truncate(MOST_DIFFERENCES);
        differences.push(Diagnostic::error(
            id,
            format!("{file}: {more} verdicts more differ"),
            help,
        ));
    }
    differences
}

/// Whether a page's marks can follow those recorded: each that was recorded is the same, and the rest is counted higher.
fn continues(before: &[Mark], marks: &[Mark]) -> bool {
    let last = before.iter().map(|mark| mark.nth).max().unwrap_or(0);
    let by_counter: BTreeMap<u64, &Mark> = before.iter().map(|mark| (mark.nth, mark)).collect();
    marks.iter().all(|mark| match by_counter.get(&mark.nth) {
        Some(earlier) => (&earlier.unit, &earlier.criterion, &earlier.act) == (&mark.unit, &mark.criterion, &mark.act),
        None => mark.nth > last,
    })
}

/// The marks of a page that are not recorded yet, and how many are.
///
/// Where the page does not go on from the ledger, because a sheet in another form came between, its marks are counted anew;
/// the same act at the same time is the same mark. Marks on cells that are mistakes stay out.
fn page_marks(returned: &Returned, cells: &[Said], before: &[Mark], follows: bool) -> (Vec<Mark>, usize) {
    let good = |mark: &&Mark| match &mark.criterion {
        Some(criterion) => cells.iter().any(|cell| cell.is_of(&mark.unit, criterion)) || !mark.act.decides(),
        None => true,
    };
    let recorded = |mark: &&Mark| {
        let same = |earlier: &&Mark| {
            (&earlier.unit, &earlier.criterion, &earlier.act, &earlier.at)
                == (&mark.unit, &mark.criterion, &mark.act, &mark.at)
        };
        before
            .iter()
            .any(|earlier| same(&earlier) || follows && earlier.nth == mark.nth)
    };
    let good: Vec<&Mark> = returned.marks.iter().filter(good).collect();
    let mut new: Vec<Mark> = good
        .iter()
        .filter(|mark| !recorded(mark))
        .map(|mark| (*mark).clone())
        .collect();
    if !follows {
        let last = before.iter().map(|mark| mark.nth).max().unwrap_or(0);
        (last + 1..).zip(&mut new).for_each(|(nth, mark)| mark.nth = nth);
    }
    let known = good.len() - new.len();
    (new, known)
}

/// What cells say that the sheet does not, as marks that are counted on, and how much of it is recorded.
fn new_marks(cells: &[Said], sheet: &Sheet) -> (Vec<Mark>, usize) {
    let at = now();
    let acts = cells
        .iter()
        .flat_map(|cell| cell.new_acts(sheet).into_iter().map(move |act| (cell, act)));
    let marks = (sheet.last() + 1..)
        .zip(acts)
        .map(|(nth, (cell, act))| Mark {
            unit: cell.unit.clone(),
            criterion: Some(cell.criterion.clone()),
            act,
            at: at.clone(),
            nth,
        })
        .collect();
    (marks, cells.iter().map(|cell| cell.known(sheet)).sum())
}

/// A locked sheet takes nothing new; a file that says what it holds already is no mistake.
fn refused_by_lock(
    grading: &Grading,
    grader: &str,
    marks: &[Mark],
    before: &[Mark],
) -> Result<Option<Diagnostic>, ProjectError> {
    let Some(since) = grading.locked(grader)? else {
        return Ok(None);
    };
    let new = marks
        .iter()
        .filter(|mark| !before.iter().any(|earlier| earlier.nth == mark.nth))
        .count();
    let what =
        format!("the sheet of `{grader}` is locked since {since}, and the file holds {new} verdicts or comments more");
    let help = "a locked sheet stays as it is; what should be different is settled when the disagreements are reviewed";
    Ok((new > 0).then(|| Diagnostic::error("sheet-locked", what, help)))
}
