//! A grading sheet as CSV for people: what every spreadsheet program opens.

use calibrant_schema::exercise::Paper;
use csv::{QuoteStyle, Terminator, WriterBuilder};

use super::SheetFile;
use super::lines::{COLUMNS, cut_note, exercise_cell, fitted, lines, name_cell, spoken, unit_cell, visible_text};
use crate::tables::guarded;

/// The sheet of a grader as CSV: UTF-8 with a mark, CRLF, every cell quoted, and no cell that a spreadsheet would run.
///
/// `page` is the name of the grader's HTML file, to which a text too long for a cell is referred.
#[must_use]
pub fn csv_sheet(paper: &Paper, page: &str) -> SheetFile {
    let mut bytes = "\u{feff}".as_bytes().to_vec();
    let mut cut = 0;
    let mut writer = WriterBuilder::new()
        .quote_style(QuoteStyle::Always)
        .terminator(Terminator::CRLF)
        .from_writer(&mut bytes);
    writer.write_record(COLUMNS).expect("memory takes bytes");
    for line in lines(paper) {
        let mut text = |text: &str| {
            let (cell, was_cut) = fitted(
                guarded(&visible_text(text)).into_owned(),
                &cut_note(page, line.answer_no),
            );
            cut += usize::from(was_cut);
            cell
        };
        let record = [
            line.row.to_string(),
            line.answer_no.to_string(),
            text(&spoken(&line.unit.prompt)),
            text(&spoken(&line.unit.response)),
            name_cell(&line.criterion.criterion),
            text(&line.criterion.card.question),
            String::new(),
            String::new(),
            unit_cell(&line.unit.unit),
            exercise_cell(&paper.exercise),
            name_cell(&paper.grader),
        ];
        writer.write_record(record).expect("memory takes bytes");
    }
    writer.flush().expect("memory takes bytes");
    drop(writer);
    SheetFile { bytes, cut }
}
