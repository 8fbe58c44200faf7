//! Who may send a sheet back, and which cells it may have.

use std::collections::BTreeMap;

use calibrant_schema::Scale;
use calibrant_schema::exercise::{Mark, Paper, PaperUnit, WrongMark};

use super::columns::SheetColumn;
use super::lines::name_readings;

/// What the sheets of an exercise may hold: its answers and criteria, from the paper of any of its graders, and the graders.
pub struct Roster<'p> {
    paper: &'p Paper,
    units: BTreeMap<&'p str, &'p PaperUnit>,
    graders: Vec<&'p str>,
}

impl<'p> Roster<'p> {
    /// The roster of the exercise that `paper` is of, whose sheets go to `graders`.
    #[must_use]
    pub fn new(paper: &'p Paper, graders: impl IntoIterator<Item = &'p str>) -> Self {
        Self {
            paper,
            units: paper.units.iter().map(|unit| (unit.unit.as_str(), unit)).collect(),
            graders: graders.into_iter().collect(),
        }
    }

    /// The id of the exercise.
    #[must_use]
    pub fn exercise(&self) -> &'p str {
        &self.paper.exercise
    }

    /// The graders, in the order they were named.
    #[must_use]
    pub fn graders(&self) -> &[&'p str] {
        &self.graders
    }

    /// How many cells a sheet has.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.paper.cells()
    }

    /// The ids of all cells, in the order of the paper.
    pub(crate) fn cell_ids(&self) -> impl Iterator<Item = (&'p str, &'p str)> {
        super::lines::lines(self.paper).map(|line| (line.unit.unit.as_str(), line.criterion.criterion.as_str()))
    }

    /// The id of `column` that a cell stands for, if it is one of the exercise.
    pub(crate) fn read(&self, column: SheetColumn, cell: &str) -> Option<&'p str> {
        name_readings(cell).into_iter().find_map(|reading| match column {
            SheetColumn::Unit => {
                let (unit, _) = self
                    .units
                    .get_key_value(reading.strip_prefix("u-").unwrap_or(reading))?;
                Some(*unit)
            }
            SheetColumn::Criterion => {
                let criterion = self
                    .paper
                    .criteria
                    .iter()
                    .find(|criterion| criterion.criterion == reading)?;
                Some(criterion.criterion.as_str())
            }
            SheetColumn::Exercise => {
                (reading.strip_prefix("x-").unwrap_or(reading) == self.exercise()).then(|| self.exercise())
            }
            SheetColumn::Grader => self.graders.iter().find(|grader| **grader == reading).copied(),
            SheetColumn::Verdict | SheetColumn::Comment => None,
        })
    }

    /// The scale of the criterion where it is asked about the answer; both as cells write them.
    pub(crate) fn scale(&self, unit: &str, criterion: &str) -> Option<&'p Scale> {
        let unit = self.units.get(self.read(SheetColumn::Unit, unit)?)?;
        let criterion = self.read(SheetColumn::Criterion, criterion)?;
        Some(&self.paper.criterion_of(unit, criterion)?.card.scale)
    }

    pub(crate) fn check(&self, mark: &Mark) -> Result<(), WrongMark> {
        self.paper.check(mark)
    }
}
