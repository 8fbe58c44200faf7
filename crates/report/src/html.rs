//! The document as one HTML file: no script, nothing fetched, every text escaped by the template engine, or by the canvas of
//! the figures.

use askama::Template;

use crate::document::{Block, Cell, Document, Kind};
use crate::figure::Layout;
use crate::inputs::Inputs;
use crate::sections::document;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    document: &'a Document,
}

/// The report as a page that opens from disk: one file without script or network, light and dark, fit for print.
///
/// Ids are shown with their hidden characters made visible, and very long ones without their middle. Numbers that the
/// artifacts leave undefined are dashes with their reason below the table. The same inputs give the same bytes.
///
/// Source: PROTOCOLS 5.4, 9.
#[must_use]
pub fn html(inputs: &Inputs<'_>) -> String {
    print(&document(inputs))
}

/// A document as a page.
pub(crate) fn print(document: &Document) -> String {
    // Rendering writes into a string, and no filter of the template can fail.
    Page { document }.render().expect("the template renders")
}
