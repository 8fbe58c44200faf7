//! A grading sheet as a workbook: what to do, the rubric, and a row for every answer and criterion.
//!
//! Every cell of text is written as text, so that nothing in it is ever computed. There is no clock in the file: the same
//! paper gives the same bytes.

use calibrant_schema::Scale;
use calibrant_schema::exercise::{Paper, PaperCriterion};
use rust_xlsxwriter::{
    DataValidation, DocProperties, ExcelDateTime, Format, FormatAlign, Workbook, Worksheet, XlsxError,
};

use super::SheetFile;
use super::lines::{COLUMNS, cut_note, exercise_cell, fitted, lines, spoken, unit_cell, visible_text};
use super::words::offered_words;

/// The widths of the columns of the grading sheet, in characters.
const WIDTHS: [f64; COLUMNS.len()] = [6.0, 8.0, 40.0, 70.0, 20.0, 40.0, 16.0, 30.0, 20.0, 12.0, 12.0];

/// The columns of the rubric sheet, and their widths.
const RUBRIC: [(&str, f64); 6] = [
    ("criterion", 22.0),
    ("question", 50.0),
    ("meets it", 45.0),
    ("does not meet it", 45.0),
    ("boundary", 50.0),
    ("words of the verdict", 40.0),
];

/// Where verdicts stand in [`COLUMNS`]; comments come next.
const VERDICT: u16 = 6;
const COMMENT: u16 = 7;

/// How high the rows of the grading sheet are, in points: some eight lines; the text of a cell scrolls.
const ROW_HEIGHT: f64 = 120.0;

/// The sheet of a grader as XLSX.
///
/// `page` is the name of the grader's HTML file, to which a text too long for a cell is referred.
#[must_use]
pub fn xlsx_sheet(paper: &Paper, page: &str) -> SheetFile {
    written(paper, page).expect("cells are cut to what a workbook holds")
}

fn written(paper: &Paper, page: &str) -> Result<SheetFile, XlsxError> {
    let mut workbook = Workbook::new();
    // Any fixed day will do; without one the library takes the clock.
    let day = ExcelDateTime::from_ymd(2000, 1, 1)?;
    workbook.set_properties(
        &DocProperties::new()
            .set_title("Grading sheet")
            .set_creation_datetime(&day),
    );
    let looks = Looks::new();
    instructions(workbook.add_worksheet(), paper, page, &looks)?;
    rubric(workbook.add_worksheet(), paper, &looks)?;
    let cut = grading(workbook.add_worksheet(), paper, page, &looks)?;
    Ok(SheetFile {
        bytes: workbook.save_to_buffer()?,
        cut,
    })
}

/// The formats of cells.
struct Looks {
    text: Format,
    /// What people write into; format `@`, so that a program changes nothing that is typed.
    written: Format,
    head: Format,
}

impl Looks {
    fn new() -> Self {
        let text = Format::new()
            .set_text_wrap()
            .set_align(FormatAlign::Top)
            .set_num_format("@");
        Self {
            written: text.clone().set_background_color(0x00FF_F9E5),
            head: text.clone().set_bold().set_background_color(0x00E6_EBF2),
            text,
        }
    }
}

fn grading(sheet: &mut Worksheet, paper: &Paper, page: &str, looks: &Looks) -> Result<usize, XlsxError> {
    sheet.set_name("grading")?;
    for (column, (name, width)) in (0u16..).zip(COLUMNS.iter().zip(WIDTHS)) {
        sheet.set_column_width(column, width)?;
        sheet.write_string_with_format(0, column, *name, &looks.head)?;
    }
    sheet.set_freeze_panes(1, 0)?;
    let mut cut = 0;
    for line in lines(paper) {
        let row = u32::try_from(line.row).unwrap_or(u32::MAX);
        let mut text = |text: &str| {
            let (cell, was_cut) = fitted(visible_text(text), &cut_note(page, line.answer_no));
            cut += usize::from(was_cut);
            cell
        };
        let cells = [
            line.row.to_string(),
            line.answer_no.to_string(),
            text(&spoken(&line.unit.prompt)),
            text(&spoken(&line.unit.response)),
            line.criterion.criterion.clone(),
            text(&line.criterion.card.question),
            String::new(),
            String::new(),
            unit_cell(&line.unit.unit),
            exercise_cell(&paper.exercise),
            paper.grader.clone(),
        ];
        for (column, cell) in (0u16..).zip(cells) {
            match column {
                0 | 1 => sheet.write_number_with_format(row, column, cell.parse().unwrap_or(0.0), &looks.text)?,
                VERDICT | COMMENT => sheet.write_blank(row, column, &looks.written)?,
                _ => sheet.write_string_with_format(row, column, cell, &looks.text)?,
            };
        }
        sheet.set_row_height(row, ROW_HEIGHT)?;
    }
    choices(sheet, paper)?;
    Ok(cut)
}

/// Gives every verdict cell the drop-down of its words: one rule for each run of rows that share them.
fn choices(sheet: &mut Worksheet, paper: &Paper) -> Result<(), XlsxError> {
    let scales: Vec<&Scale> = lines(paper).map(|line| &line.criterion.card.scale).collect();
    let mut first = 0;
    for run in scales.chunk_by(|one, next| offered_words(one) == offered_words(next)) {
        let (from, to) = (first + 1, first + run.len());
        first = to;
        // A list of more than 255 characters has no drop-down; its words are on the rubric sheet.
        let Ok(rule) = DataValidation::new().allow_list_strings(&offered_words(run[0])) else {
            continue;
        };
        let rule = rule
            .set_error_title("Not a word of this cell")?
            .set_error_message("Choose a word of the list, or leave the cell empty.")?;
        let row = |row: usize| u32::try_from(row).unwrap_or(u32::MAX);
        sheet.add_data_validation(row(from), VERDICT, row(to), VERDICT, &rule)?;
    }
    Ok(())
}

fn rubric(sheet: &mut Worksheet, paper: &Paper, looks: &Looks) -> Result<(), XlsxError> {
    sheet.set_name("rubric")?;
    for (column, (name, width)) in (0u16..).zip(RUBRIC) {
        sheet.set_column_width(column, width)?;
        sheet.write_string_with_format(0, column, name, &looks.head)?;
    }
    sheet.set_freeze_panes(1, 0)?;
    for (row, criterion) in (1u32..).zip(&paper.criteria) {
        for (column, text) in (0u16..).zip(card_cells(criterion)) {
            let (text, _) = fitted(visible_text(&text), "[CUT HERE. The whole text is in the rubric.]");
            sheet.write_string_with_format(row, column, text, &looks.text)?;
        }
    }
    Ok(())
}

fn card_cells(criterion: &PaperCriterion) -> [String; RUBRIC.len()] {
    let card = &criterion.card;
    let words = match &card.scale {
        Scale::Binary => offered_words(&card.scale),
        Scale::Levels(levels) => {
            let anchored = levels.iter().rev().map(|level| match &level.anchor {
                Some(anchor) => format!("{} = {anchor}", level.value),
                None => level.value.to_string(),
            });
            anchored
                .chain(offered_words(&card.scale).into_iter().skip(levels.len()))
                .collect()
        }
    };
    [
        criterion.criterion.clone(),
        card.question.clone(),
        card.pass_example.clone().unwrap_or_default(),
        card.fail_example.clone().unwrap_or_default(),
        card.boundary.clone().unwrap_or_default(),
        words.join("\n"),
    ]
}

fn instructions(sheet: &mut Worksheet, paper: &Paper, page: &str, looks: &Looks) -> Result<(), XlsxError> {
    sheet.set_name("instructions")?;
    sheet.set_column_width(0, 100.0)?;
    let named = paper
        .rubric
        .as_deref()
        .map_or_else(String::new, |name| format!(": {name}"));
    let text = [
        format!("Grading sheet of {}{named}", paper.grader),
        format!(
            "{} answers, {} rows. Each row is one answer and one criterion.",
            paper.units.len(),
            paper.cells()
        ),
        "1. Read the sheet \"rubric\" first: the question of each criterion, an answer that meets it, one that does not, and the \
         ruling on the cases between."
            .to_owned(),
        "2. On the sheet \"grading\", choose a word in the column \"verdict\" for every row. You grade alone: do not speak about \
         the answers with another grader before both of you are finished."
            .to_owned(),
        "3. \"cannot assess\": the answer does not let you decide. \"not applicable\": the question does not arise for it. \
         \"unclear\": the criterion itself can be read in two ways; say which in the comment."
            .to_owned(),
        "4. Rows may be sorted and filtered, and columns moved. Leave the columns unit, criterion, exercise and grader as they \
         are: by them your verdicts find their place."
            .to_owned(),
        format!(
            "5. A cell holds 32,767 characters. A longer text ends in a note, and the whole of it is in {page}, which comes with this sheet."
        ),
        "6. Save the file as .xlsx (or as CSV UTF-8) and send it back. An empty verdict is an open question, not a \"no\".".to_owned(),
    ];
    for (row, line) in (0u32..).zip(text) {
        let look = if row == 0 { &looks.head } else { &looks.text };
        sheet.write_string_with_format(row, 0, visible_text(&line), look)?;
    }
    Ok(())
}
