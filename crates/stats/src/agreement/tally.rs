//! Counting labels as they come: everything any coefficient needs, in memory that does not grow with the units.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::ratings::check_shape;
use super::{Moments, PairTable, Pattern, Patterns, Ratings};
use crate::{Error, Undefined};

/// The most cells of a table with one cell for every way in which the judges can label a unit; half a megabyte.
const MOST_CELLS: usize = 1 << 16;

/// What judges said, counted: units may be pushed one by one, in blocks, or merged from parts, with the same result.
///
/// A small panel is counted in one table of all ways to label a unit, `(levels + 1)^judges` cells. A larger one keeps a table for each
/// two judges and the distinct [`Patterns`], at most C(judges + levels, levels). Where even those are too many, [`Moments`] hold the
/// point estimates of a panel in fixed memory.
#[derive(Clone, Debug)]
pub struct Tally {
    judges: usize,
    levels: usize,
    units: u64,
    counts: Counts,
}

#[derive(Clone, Debug)]
enum Counts {
    /// A cell for each way to label a unit: the codes are digits in base `levels + 1`, the first judge's first, a gap the largest.
    Ways(Vec<u64>),
    Apart(Apart),
}

/// Counts of a panel with too many ways to label a unit.
#[derive(Clone, Debug)]
struct Apart {
    /// Where each pattern stands in `patterns`; never iterated.
    places: FxHashMap<Box<[u16]>, usize>,
    patterns: Vec<Pattern>,
    /// A square for each two judges `a < b`, in the order (0, 1), (0, 2), ..., (1, 2), ...
    pairs: Vec<u64>,
    /// Labels of each judge, level by level.
    labels: Vec<u64>,
    scratch: Vec<u16>,
}

impl Tally {
    /// No unit yet, for `judges` from 1 on a scale of 1 to 255 `levels`.
    ///
    /// # Errors
    /// If there is no judge, or no or too many levels.
    pub fn new(judges: usize, levels: usize) -> Result<Self, Error> {
        check_shape(judges, levels)?;
        Ok(Self::sized(judges, levels))
    }

    pub(super) fn sized(judges: usize, levels: usize) -> Self {
        let cells = u32::try_from(judges).ok().and_then(|k| (levels + 1).checked_pow(k));
        let counts = match cells {
            Some(cells) if cells <= MOST_CELLS => Counts::Ways(vec![0; cells]),
            _ => Counts::Apart(Apart::new(judges, levels)),
        };
        Self {
            judges,
            levels,
            units: 0,
            counts,
        }
    }

    /// Adds one unit: a code for each judge, a level or [`MISSING`](super::MISSING).
    ///
    /// # Errors
    /// If there is not a code for each judge, or one is neither.
    pub fn push(&mut self, codes: &[u8]) -> Result<(), Error> {
        crate::error::same_length(("a unit", codes.len()), ("the panel", self.judges))?;
        self.push_block(&Ratings::new(self.judges, self.levels, codes)?)
    }

    /// Adds the units of a block.
    ///
    /// # Errors
    /// If the block has other judges or another scale.
    pub fn push_block(&mut self, block: &Ratings) -> Result<(), Error> {
        self.check(block.judges(), block.levels())?;
        self.add_codes(block.codes());
        Ok(())
    }

    /// Adds the units of another part.
    ///
    /// # Errors
    /// If the part has other judges or another scale.
    pub fn merge(&mut self, part: &Self) -> Result<(), Error> {
        self.check(part.judges, part.levels)?;
        self.add(part);
        Ok(())
    }

    fn check(&self, judges: usize, levels: usize) -> Result<(), Error> {
        crate::error::same_length(("the panel", self.judges), ("the part's panel", judges))?;
        crate::error::same_length(("the scale", self.levels), ("the part's scale", levels))
    }

    /// Adds whole units of codes known to be right.
    pub(super) fn add_codes(&mut self, codes: &[u8]) {
        self.units += (codes.len() / self.judges) as u64;
        match &mut self.counts {
            Counts::Ways(cells) => count_ways(cells, codes, self.judges, self.levels),
            Counts::Apart(apart) => {
                for unit in codes.chunks_exact(self.judges) {
                    apart.add(unit, self.levels);
                }
            }
        }
    }

    /// Adds a part known to have the same shape.
    pub(super) fn add(&mut self, part: &Self) {
        self.units += part.units;
        match (&mut self.counts, &part.counts) {
            (Counts::Ways(whole), Counts::Ways(part)) => add_all(whole, part),
            (Counts::Apart(whole), Counts::Apart(part)) => whole.merge(part),
            _ => unreachable!("the shape alone decides how units are counted"),
        }
    }

    /// How many judges there are.
    #[must_use]
    pub fn judges(&self) -> usize {
        self.judges
    }

    /// How many levels the scale has.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// How many units were counted, those without a label included.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.units
    }

    /// How often judge `a` gave one label (rows) and judge `b` another (columns), over the units that both labelled.
    ///
    /// # Errors
    /// If there is no such judge, or the two are one.
    pub fn pair(&self, a: usize, b: usize) -> Result<PairTable, Error> {
        for judge in [a, b] {
            self.check_judge(judge)?;
        }
        if a == b {
            return Err(Error::OutOfRange {
                argument: "the second judge",
                value: b as f64,
                range: "another than the first",
            });
        }
        let (low, high) = (a.min(b), a.max(b));
        let counts = match &self.counts {
            Counts::Ways(cells) => self.pair_of_ways(cells, low, high),
            Counts::Apart(apart) => apart.pair(low, high, self.judges, self.levels).to_vec(),
        };
        let table = PairTable::new(self.levels, counts)?;
        Ok(if a < b { table } else { table.transposed() })
    }

    /// How many labels of each level a judge gave.
    ///
    /// # Errors
    /// If there is no such judge.
    pub fn labels_of(&self, judge: usize) -> Result<Vec<u64>, Error> {
        self.check_judge(judge)?;
        Ok(self.labels(judge))
    }

    /// The share of each level among a judge's labels; they sum to 1.
    ///
    /// # Errors
    /// Undefined for a judge without a label.
    ///
    /// # Panics
    /// If there is no such judge.
    ///
    /// Source: METHODS 34, 40.
    pub fn prevalence(&self, judge: usize) -> Result<Vec<f64>, Undefined> {
        assert!(judge < self.judges, "the judge is one of the panel");
        let labels = self.labels(judge);
        match labels.iter().sum::<u64>() {
            0 => Err(Undefined::NoLabels),
            all => Ok(labels.into_iter().map(|n| n as f64 / all as f64).collect()),
        }
    }

    /// The distinct ways in which units are labelled, whoever gave which label.
    #[must_use]
    pub fn patterns(&self) -> Patterns {
        let patterns = match &self.counts {
            Counts::Ways(cells) => self.patterns_of_ways(cells),
            Counts::Apart(apart) => apart.patterns.clone(),
        };
        Patterns::from_distinct(self.judges, self.levels, patterns)
    }

    /// The sums that point estimates of a panel need.
    #[must_use]
    pub fn moments(&self) -> Moments {
        self.patterns().moments()
    }

    fn check_judge(&self, judge: usize) -> Result<(), Error> {
        if judge < self.judges {
            return Ok(());
        }
        Err(Error::NoSuchIndex {
            what: "judge",
            index: judge,
            count: self.judges,
        })
    }

    fn labels(&self, judge: usize) -> Vec<u64> {
        match &self.counts {
            Counts::Ways(cells) => {
                let mut labels = vec![0; self.levels + 1];
                for (way, &units) in cells.iter().enumerate() {
                    labels[self.code(way, judge)] += units;
                }
                labels.truncate(self.levels);
                labels
            }
            Counts::Apart(apart) => apart.labels[judge * self.levels..][..self.levels].to_vec(),
        }
    }

    /// The code of `judge` in a way to label a unit; `levels` is a gap.
    fn code(&self, way: usize, judge: usize) -> usize {
        let base = self.levels + 1;
        // There are at most 2^16 ways, so that a panel counted by ways has at most 16 judges.
        let below = (self.judges - 1 - judge) as u32;
        way / base.pow(below) % base
    }

    fn pair_of_ways(&self, cells: &[u64], a: usize, b: usize) -> Vec<u64> {
        let mut table = vec![0; self.levels * self.levels];
        for (way, &units) in cells.iter().enumerate().filter(|(_, units)| **units > 0) {
            let (x, y) = (self.code(way, a), self.code(way, b));
            if x < self.levels && y < self.levels {
                table[x * self.levels + y] += units;
            }
        }
        table
    }

    fn patterns_of_ways(&self, cells: &[u64]) -> Vec<Pattern> {
        let mut patterns: BTreeMap<Box<[u16]>, u64> = BTreeMap::new();
        for (way, &units) in cells.iter().enumerate().filter(|(_, units)| **units > 0) {
            let mut counts = vec![0; self.levels + 1];
            (0..self.judges).for_each(|judge| counts[self.code(way, judge)] += 1);
            counts.truncate(self.levels);
            *patterns.entry(counts.into()).or_default() += units;
        }
        let pattern = |(counts, units)| Pattern { counts, units };
        patterns.into_iter().map(pattern).collect()
    }
}

impl Apart {
    fn new(judges: usize, levels: usize) -> Self {
        Self {
            places: FxHashMap::default(),
            patterns: Vec::new(),
            pairs: vec![0; judges * (judges - 1) / 2 * levels * levels],
            labels: vec![0; judges * levels],
            scratch: vec![0; levels],
        }
    }

    fn add(&mut self, unit: &[u8], levels: usize) {
        self.scratch.fill(0);
        let mut square = 0;
        for (judge, &code) in unit.iter().enumerate() {
            let c = usize::from(code);
            let after = &unit[judge + 1..];
            if c < levels {
                self.scratch[c] += 1;
                self.labels[judge * levels + c] += 1;
                for (place, &other) in after
                    .iter()
                    .enumerate()
                    .filter(|(_, other)| usize::from(**other) < levels)
                {
                    self.pairs[((square + place) * levels + c) * levels + usize::from(other)] += 1;
                }
            }
            square += after.len();
        }
        count_pattern(&mut self.places, &mut self.patterns, &self.scratch, 1);
    }

    fn merge(&mut self, part: &Self) {
        add_all(&mut self.pairs, &part.pairs);
        add_all(&mut self.labels, &part.labels);
        for pattern in &part.patterns {
            count_pattern(&mut self.places, &mut self.patterns, &pattern.counts, pattern.units);
        }
    }

    fn pair(&self, a: usize, b: usize, judges: usize, levels: usize) -> &[u64] {
        let square = a * (2 * judges - a - 1) / 2 + (b - a - 1);
        &self.pairs[square * levels * levels..][..levels * levels]
    }
}

fn count_pattern(places: &mut FxHashMap<Box<[u16]>, usize>, patterns: &mut Vec<Pattern>, counts: &[u16], units: u64) {
    if let Some(&place) = places.get(counts) {
        patterns[place].units += units;
    } else {
        places.insert(counts.into(), patterns.len());
        let counts = counts.into();
        patterns.push(Pattern { counts, units });
    }
}

fn add_all(whole: &mut [u64], part: &[u64]) {
    whole.iter_mut().zip(part).for_each(|(whole, part)| *whole += part);
}

/// Counts each unit in the cell of its way. The panels people have are unrolled: their number of judges is known when compiling.
fn count_ways(cells: &mut [u64], codes: &[u8], judges: usize, levels: usize) {
    match judges {
        2 => count_ways_of::<2>(cells, codes, levels),
        3 => count_ways_of::<3>(cells, codes, levels),
        4 => count_ways_of::<4>(cells, codes, levels),
        5 => count_ways_of::<5>(cells, codes, levels),
        6 => count_ways_of::<6>(cells, codes, levels),
        _ => codes
            .chunks_exact(judges)
            .for_each(|unit| cells[way(unit, levels)] += 1),
    }
}

fn count_ways_of<const JUDGES: usize>(cells: &mut [u64], codes: &[u8], levels: usize) {
    let (units, _) = codes.as_chunks::<JUDGES>();
    units.iter().for_each(|unit| cells[way(unit, levels)] += 1);
}

/// The cell of a unit: every gap is the code `levels`, since [`MISSING`](super::MISSING) is above all levels.
#[inline]
fn way(unit: &[u8], levels: usize) -> usize {
    unit.iter()
        .fold(0, |way, &code| way * (levels + 1) + usize::from(code).min(levels))
}
