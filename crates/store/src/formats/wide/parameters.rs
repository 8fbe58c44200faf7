//! Item parameters for R, in the two forms its packages have.

use std::io::{self, Write};

use calibrant_schema::{Fit, Labels};

use super::write::{ItemNames, NA};
use crate::formats::Losses;

/// How an item's curve is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemForm {
    /// `logit P = a1 theta + d`, with `d = -a b`: mirt.
    SlopeIntercept,
    /// `logit P = a (theta - b)`: ltm, and TAM's form of item response theory.
    SlopeDifficulty,
}

impl ItemForm {
    /// Both, in this order.
    pub const ALL: [Self; 2] = [Self::SlopeIntercept, Self::SlopeDifficulty];

    /// The word in the name of a file.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::SlopeIntercept => "slope-intercept",
            Self::SlopeDifficulty => "slope-difficulty",
        }
    }

    fn columns(self) -> [&'static str; 5] {
        match self {
            Self::SlopeIntercept => ["item", "a1", "d", "se_a1", "se_d"],
            Self::SlopeDifficulty => ["item", "a", "b", "se_a", "se_b"],
        }
    }

    /// The equation, the conversion and what is not known, for the page beside the files.
    #[must_use]
    pub fn told(self) -> &'static str {
        match self {
            Self::SlopeIntercept => {
                "logit P = a1 * theta + d, as mirt has it, with a1 the discrimination and d = -a1 * b. There is no guessing and no \
                 upper bound (g = 0, u = 1). se_a1 is the standard error of the fit. se_d is NA: it needs the covariance of a1 and b, \
                 which a fit does not keep; sqrt(b^2 se_a^2 + a^2 se_b^2) would leave it out and may be far off."
            }
            Self::SlopeDifficulty => {
                "logit P = a * (theta - b), as ltm and TAM's form of item response theory have it. se_a and se_b are the standard errors \
                 of the fit."
            }
        }
    }
}

/// Writes the item parameters of a fit, a row an item under the name it has in [`write_wide`](super::write_wide)'s matrix of `labels`.
///
/// Abilities have mean 0 and variance 1 before the labels, and slopes are per unit of ability on the logit, without 1.7. An item that the fit left out
/// has `NA` throughout.
///
/// # Errors
/// If writing fails.
pub fn write_item_parameters(
    out: &mut impl Write,
    fit: &Fit,
    labels: Option<&Labels>,
    form: ItemForm,
) -> io::Result<Losses> {
    let names = ItemNames::new(labels, Some(fit));
    let mut table = csv::Writer::from_writer(out);
    table.write_record(form.columns())?;
    let number = |value: Option<f64>| value.map_or_else(|| NA.to_owned(), |value| value.to_string());
    let mut rows: Vec<[String; 5]> = Vec::with_capacity(fit.items.len());
    for item in &fit.items {
        let (a, b) = (item.discrimination, item.difficulty);
        let (location, error) = match form {
            ItemForm::SlopeIntercept => (0.0 - a * b, None),
            ItemForm::SlopeDifficulty => (b, item.difficulty_error),
        };
        rows.push([
            names.name(&item.query, &item.criterion),
            number(Some(a)),
            number(Some(location)),
            number(item.discrimination_error),
            number(error),
        ]);
    }
    for item in &fit.dropped {
        if let Some(name) = names.known(&item.query, &item.criterion) {
            rows.push([name, NA.into(), NA.into(), NA.into(), NA.into()]);
        }
    }
    rows.sort();
    for row in rows {
        table.write_record(row)?;
    }
    table.flush()?;
    let mut losses = Losses::default();
    if form == ItemForm::SlopeIntercept {
        let why = "they need the covariance of slope and difficulty, which a fit does not keep";
        losses.add_many("standard errors of intercepts", why, fit.items.len() as u64);
    }
    Ok(losses)
}
