//! The figures of a report as Vega-Lite specifications, one file each.

use crate::document::Block;
use crate::figure::specification;
use crate::inputs::Inputs;
use crate::sections::document;

/// A figure's specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// The figure's name, of the letters a to z and hyphens: fit for a file name.
    pub name: &'static str,
    /// The specification as JSON, data included.
    pub json: String,
}

/// The specification of each figure of the report, in the order of the page.
///
/// They are Vega-Lite version 6 with their data inside; the same inputs give the same bytes. Names from outside are shown as in the page,
/// and no `<`, `>` or `&` stands in a specification, so that it may be put into a page as it is. Empty when the report has no figure.
///
/// Source: PROTOCOLS 5.3.
#[must_use]
pub fn vega_lite(inputs: &Inputs<'_>) -> Vec<Chart> {
    let document = document(inputs);
    let blocks = document.sections.iter().flat_map(|section| &section.blocks);
    blocks
        .filter_map(|block| match block {
            Block::Figure(figure) => Some(Chart {
                name: figure.name,
                json: specification(figure),
            }),
            _ => None,
        })
        .collect()
}
