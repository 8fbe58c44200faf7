//! Systems and items on one scale, and items against the systems' answers.

use crate::document::{Block, Section};
use crate::figure::{item_curves, wright_map};
use crate::inputs::{Figures, Inputs};
use crate::text::Text;

use super::drawn;

/// The section, or `None` without figures or without anything fitted: its numbers stand elsewhere.
pub(super) fn section(inputs: &Inputs<'_>) -> Option<Section> {
    let fitted = inputs.fit.is_some() || inputs.bank.is_some();
    if inputs.figures == Figures::LeftOut || !fitted {
        return None;
    }
    let absent = |what: &str| Block::Paragraph(Text::prose(what));
    let map = drawn(inputs, || wright_map(inputs)).unwrap_or_else(|| {
        absent("There is no map of systems and items: no item or no system has a place on the scale.")
    });
    let curves = drawn(inputs, || item_curves(inputs.bank?, inputs)).unwrap_or_else(|| {
        absent("There are no item curves: no item of a bank has both parameters and labels in this folder.")
    });
    Some(Section {
        id: "scale",
        title: "Systems and items on one scale",
        blocks: vec![map, curves],
    })
}
