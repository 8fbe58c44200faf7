//! From labels to codes: the levels of a scale, and the place of each label among them.

use calibrant_stats::agreement::{MISSING, Ratings, Tally};
use rayon::prelude::*;

/// The most levels a scale of codes has.
const MOST_LEVELS: usize = MISSING as usize;

/// Labels in one piece of a parallel pass.
const PIECE: usize = 1 << 16;

/// Why labels are not levels of one scale.
pub(crate) enum CodingError {
    /// More distinct labels than a scale has levels.
    TooManyLevels,
    /// A label that is no number.
    Infinite,
    /// A label that the levels given do not name.
    NoLevel(f64),
    /// What the kernel refused.
    Kernel(calibrant_stats::Error),
}

impl From<calibrant_stats::Error> for CodingError {
    fn from(error: calibrant_stats::Error) -> Self {
        Self::Kernel(error)
    }
}

/// The units of `judges` judges counted, with the values of the levels, ascending.
pub(crate) fn count_codes(
    codes: &[u8],
    judges: usize,
    levels: Option<&[f64]>,
) -> Result<(Tally, Vec<f64>), CodingError> {
    if let Some(levels) = levels {
        if are_codes(levels) {
            let tally = Ratings::new(judges, levels.len(), codes)?.tally();
            return Ok((tally, levels.to_vec()));
        }
        let recoded = recoded(codes, &table_of(levels), levels.len(), judges)?;
        return Ok((recoded, levels.to_vec()));
    }
    let (ratings, most) = with_levels_found(codes, judges)?;
    let tally = ratings.tally();
    let occurs = occurring(&tally)?;
    let values: Vec<f64> = (0..most).filter(|&l| occurs[l]).map(|l| l as f64).collect();
    if values.len() == most || values.is_empty() {
        return Ok((tally, (0..most).map(|l| l as f64).collect()));
    }
    Ok((recoded(codes, &table_of(&values), values.len(), judges)?, values))
}

/// Labels as codes, with the values of the levels: those given, or those that occur; NaN is a missing label.
pub(crate) fn codes_of(labels: &[f64], levels: Option<&[f64]>) -> Result<(Vec<u8>, Vec<f64>), CodingError> {
    let levels = match levels {
        Some(levels) => levels.to_vec(),
        None => distinct(labels)?,
    };
    let mut codes = vec![MISSING; labels.len()];
    if labels.len() <= PIECE {
        code_piece(labels, &levels, &mut codes)?;
    } else {
        let pieces = labels.par_chunks(PIECE).zip(codes.par_chunks_mut(PIECE));
        pieces.try_for_each(|(labels, codes)| code_piece(labels, &levels, codes))?;
    }
    // A scale has a level even where nobody gave a label.
    Ok((codes, if levels.is_empty() { vec![0.0] } else { levels }))
}

fn code_piece(labels: &[f64], levels: &[f64], codes: &mut [u8]) -> Result<(), CodingError> {
    if are_codes(levels) && code_whole_numbers(labels, levels.len(), codes) {
        return Ok(());
    }
    // Labels often come again and again: the last one found is tried first.
    let (mut last, mut last_code) = (f64::NAN, MISSING);
    for (&label, code) in labels.iter().zip(codes) {
        if label == last {
            *code = last_code;
        } else if !label.is_nan() {
            let place = levels.partition_point(|&level| level < label);
            if levels.get(place) != Some(&label) {
                return Err(CodingError::NoLevel(label));
            }
            (last, last_code) = (label, place as u8);
            *code = last_code;
        }
    }
    Ok(())
}

/// Codes of labels that are their own codes, below `levels`; says whether all of them are. Without branches: labels come in no order.
fn code_whole_numbers(labels: &[f64], levels: usize, codes: &mut [u8]) -> bool {
    let mut all = true;
    for (&label, code) in labels.iter().zip(codes) {
        let whole = label as u8;
        let fits = f64::from(whole) == label && usize::from(whole) < levels;
        *code = if fits { whole } else { MISSING };
        all &= fits | label.is_nan();
    }
    all
}

/// The labels that occur, ascending, each once.
pub(crate) fn distinct(labels: &[f64]) -> Result<Vec<f64>, CodingError> {
    if labels.len() <= PIECE {
        return distinct_of_piece(labels);
    }
    let pieces = labels.par_chunks(PIECE).map(distinct_of_piece);
    pieces.try_reduce(Vec::new, |mut whole, part| {
        for label in part {
            insert(&mut whole, label)?;
        }
        Ok(whole)
    })
}

fn distinct_of_piece(labels: &[f64]) -> Result<Vec<f64>, CodingError> {
    let mut found = Vec::new();
    let mut last = f64::NAN;
    for &label in labels {
        if label != last && !label.is_nan() {
            insert(&mut found, label)?;
            last = label;
        }
    }
    Ok(found)
}

fn insert(found: &mut Vec<f64>, label: f64) -> Result<(), CodingError> {
    if label.is_infinite() {
        return Err(CodingError::Infinite);
    }
    let place = found.partition_point(|&level| level < label);
    if found.get(place) != Some(&label) {
        if found.len() == MOST_LEVELS {
            return Err(CodingError::TooManyLevels);
        }
        // Zero has one sign.
        found.insert(place, label + 0.0);
    }
    Ok(())
}

/// Whether levels are their own codes: 0, 1, 2 and so on.
fn are_codes(levels: &[f64]) -> bool {
    levels.iter().enumerate().all(|(code, &level)| level == code as f64)
}

/// One past the largest code that is not [`MISSING`]; 0 without one.
pub(crate) fn one_past_largest(codes: &[u8]) -> u8 {
    // One more than the code of a missing label wraps to 0. Lanes of their own let registers of any width work.
    const LANES: usize = 64;
    let mut most = [0u8; LANES];
    let (whole, rest) = codes.as_chunks::<LANES>();
    for chunk in whole {
        for (most, code) in most.iter_mut().zip(chunk) {
            *most = (*most).max(code.wrapping_add(1));
        }
    }
    let rest = rest.iter().map(|code| code.wrapping_add(1));
    most.into_iter().chain(rest).max().unwrap_or(0)
}

/// One past the largest of the first codes, which mostly is that of all.
pub(crate) fn first_guess(codes: &[u8]) -> usize {
    usize::from(one_past_largest(&codes[..codes.len().min(PIECE)])).max(1)
}

/// The codes with as many levels as the largest needs.
fn with_levels_found(codes: &[u8], judges: usize) -> Result<(Ratings<'_>, usize), CodingError> {
    // The kernel checks every code anyway: mostly it confirms what the first of them say, and no second pass is needed.
    let first = first_guess(codes);
    if let Ok(ratings) = Ratings::new(judges, first, codes) {
        return Ok((ratings, first));
    }
    let most = usize::from(one_past_largest(codes)).max(1);
    Ok((Ratings::new(judges, most, codes)?, most))
}

/// Whether each level has a label.
fn occurring(tally: &Tally) -> Result<Vec<bool>, CodingError> {
    let mut occurs = vec![false; tally.levels()];
    for judge in 0..tally.judges() {
        let labels = tally.labels_of(judge)?;
        occurs.iter_mut().zip(labels).for_each(|(some, n)| *some |= n > 0);
    }
    Ok(occurs)
}

/// The code among `levels` of every byte: its place, or that of no level.
fn table_of(levels: &[f64]) -> [Option<u8>; 256] {
    let mut table = [None; 256];
    for (byte, entry) in table.iter_mut().enumerate() {
        let place = levels.iter().position(|&level| level == byte as f64);
        *entry = place.map(|place| place as u8);
    }
    table[usize::from(MISSING)] = Some(MISSING);
    table
}

fn recoded(codes: &[u8], table: &[Option<u8>; 256], levels: usize, judges: usize) -> Result<Tally, CodingError> {
    let one = |&code: &u8| table[usize::from(code)].ok_or(CodingError::NoLevel(f64::from(code)));
    let codes: Vec<u8> = codes.iter().map(one).collect::<Result<_, _>>()?;
    Ok(Ratings::new(judges, levels, &codes)?.tally())
}
