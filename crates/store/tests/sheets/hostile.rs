//! Workbooks made to harm.

use calibrant_store::sheets::{Roster, read_returned};
use rust_xlsxwriter::{Format, Formula, Workbook};

use super::paper::{found, paper, read};

/// A workbook whose grading sheet has these verdict cells in its first rows.
fn workbook(write: impl Fn(&mut rust_xlsxwriter::Worksheet)) -> Vec<u8> {
    let paper = paper();
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    let head = ["unit", "criterion", "verdict", "comment", "grader"];
    for (column, name) in (0u16..).zip(head) {
        sheet.write_string(0, column, name).expect("a cell");
    }
    for (row, unit) in (1u32..).zip(&paper.units) {
        sheet.write_string(row, 0, format!("u-{}", unit.unit)).expect("a cell");
        sheet.write_string(row, 1, "dated").expect("a cell");
        sheet.write_string(row, 4, "ana").expect("a cell");
    }
    write(sheet);
    workbook.save_to_buffer().expect("memory takes bytes")
}

#[test]
fn a_cell_far_away_costs_nothing() {
    let bytes = workbook(|sheet| {
        sheet.write_string(1_048_575, 16_383, "far").expect("a cell");
        sheet.write_string(1, 2, "yes").expect("a cell");
    });
    let returned = read("a.xlsx", &bytes);
    assert_eq!(
        (returned.verdicts(), returned.findings.len()),
        (1, 0),
        "{}",
        returned.shown_findings()
    );
}

#[test]
fn dates_formulas_and_truth_values_are_told_apart() {
    let bytes = workbook(|sheet| {
        let date = Format::new().set_num_format("d-mmm");
        sheet.write_number_with_format(1, 2, 46_143.0, &date).expect("a cell");
        sheet
            .write_formula(2, 2, Formula::new("=1/0").set_result("#DIV/0!"))
            .expect("a cell");
        sheet.write_boolean(3, 2, true).expect("a cell");
        sheet
            .write_formula(4, 2, Formula::new("=1-1").set_result("0"))
            .expect("a cell");
        sheet.write_number(5, 2, 2.0).expect("a cell");
    });
    let returned = read("a.xlsx", &bytes);
    let ids: Vec<&str> = found(&returned).into_iter().map(|found| found.0).collect();
    assert_eq!(
        ids,
        ["sheet-date", "sheet-formula", "sheet-off-scale"],
        "{}",
        returned.shown_findings()
    );
    let shown = returned.shown_findings().to_string();
    assert!(
        shown.contains("a.xlsx, Sheet1!C2: the verdict is a date, `2026-05-01`"),
        "{shown}"
    );
    assert_eq!(returned.verdicts(), 2);
}

#[test]
fn two_sheets_with_verdicts_are_refused() {
    let paper = paper();
    let mut workbook = Workbook::new();
    for name in ["grading", "grading (2)"] {
        let sheet = workbook.add_worksheet();
        sheet.set_name(name).expect("a name");
        for (column, text) in [(0, "unit"), (1, "criterion"), (2, "verdict")] {
            sheet.write_string(0, column, text).expect("a cell");
        }
        sheet.write_string(1, 0, &paper.units[0].unit).expect("a cell");
        sheet.write_string(1, 1, "dated").expect("a cell");
    }
    let bytes = workbook.save_to_buffer().expect("memory takes bytes");
    let refused = read_returned("a.xlsx", &bytes, &Roster::new(&paper, ["ana"])).expect_err("two sheets");
    assert_eq!(refused.shown()[0].diagnostic.id, "sheet-twice");
}

#[test]
fn a_workbook_cut_anywhere_is_refused_without_a_panic() {
    let bytes = workbook(|_| {});
    let paper = paper();
    let roster = Roster::new(&paper, ["ana"]);
    for end in (4..bytes.len()).step_by(97) {
        assert!(read_returned("a.xlsx", &bytes[..end], &roster).is_err(), "cut at {end}");
    }
}

#[test]
fn a_workbook_with_any_byte_changed_is_read_or_refused() {
    let bytes = workbook(|sheet| {
        sheet.write_string(1, 2, "yes").expect("a cell");
    });
    let paper = paper();
    let roster = Roster::new(&paper, ["ana"]);
    for at in (0..bytes.len()).step_by(61) {
        let mut changed = bytes.clone();
        changed[at] ^= 0x55;
        let _ = read_returned("a.xlsx", &changed, &roster);
    }
}
