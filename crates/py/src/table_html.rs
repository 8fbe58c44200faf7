//! A table as HTML for notebooks: a few rows, every text escaped, readable on light and on dark pages.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};

use crate::arrow::text;

/// Rows that are shown; the rest is counted.
pub(crate) const MOST_ROWS: usize = 20;

/// Characters of a text that are shown.
const LONGEST: usize = 80;

/// The table as one `<table>`.
pub(crate) fn html(batch: &RecordBatch) -> String {
    html_of(batch, batch.num_rows())
}

/// The first rows of a table of `rows` rows.
pub(crate) fn html_of(batch: &RecordBatch, rows: usize) -> String {
    let mut html = String::from("<table class=\"calibrant\"><thead><tr>");
    let schema = batch.schema();
    for (field, column) in schema.fields().iter().zip(batch.columns()) {
        let _ = write!(html, "<th{}>{}</th>", align(column), escaped(field.name()));
    }
    html.push_str("</tr></thead><tbody>");
    let shown = batch.num_rows().min(MOST_ROWS);
    for row in 0..shown {
        html.push_str("<tr>");
        for (field, column) in schema.fields().iter().zip(batch.columns()) {
            html.push_str(&cell(batch, field.name(), column, row));
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table>");
    if rows > shown {
        let _ = write!(html, "<p>{shown} of {rows} rows</p>");
    }
    html
}

fn cell(batch: &RecordBatch, name: &str, column: &ArrayRef, row: usize) -> String {
    let align = align(column);
    if column.is_null(row) {
        let why = batch
            .column_by_name(&format!("{name}_undefined"))
            .and_then(|why| text(why, row))
            .map(|why| format!(" title=\"{}\"", escaped(why)));
        return format!("<td{align}{}>–</td>", why.unwrap_or_default());
    }
    format!("<td{align}>{}</td>", escaped(&value(column, row)))
}

fn align(column: &ArrayRef) -> &'static str {
    match column.data_type().is_numeric() {
        true => " style=\"text-align:right;font-variant-numeric:tabular-nums\"",
        false => " style=\"text-align:left\"",
    }
}

/// A value that is there, as it is shown.
fn value(column: &ArrayRef, row: usize) -> String {
    if let Some(numbers) = column.as_primitive_opt::<Float64Type>() {
        return number(numbers.value(row));
    }
    if let Some(numbers) = column.as_primitive_opt::<Int64Type>() {
        return numbers.value(row).to_string();
    }
    if let Some(flags) = column.as_boolean_opt() {
        return if flags.value(row) { "yes" } else { "no" }.to_owned();
    }
    if let Some(whole) = column.as_primitive_opt::<arrow_array::types::UInt16Type>() {
        return whole.value(row).to_string();
    }
    let whole = text(column, row).unwrap_or_default();
    match whole.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole.to_owned(),
    }
}

/// Enough digits to compare, no more: the table itself has all of them.
fn number(value: f64) -> String {
    let whole = value.fract() == 0.0 && value.abs() < 1e15;
    match value.abs() {
        _ if whole => format!("{value}"),
        size if !(1e-4..1e6).contains(&size) => format!("{value:.3e}"),
        size if size >= 100.0 => format!("{value:.1}"),
        _ => format!("{value:.4}"),
    }
}

/// Text that cannot leave its element, with nothing in it that hides or turns other text around.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' => safe.push(' '),
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => {
                let _ = write!(safe, "\\u{{{:x}}}", character as u32);
            }
            hidden if hidden.is_control() => {
                let _ = write!(safe, "\\u{{{:x}}}", hidden as u32);
            }
            shown => safe.push(shown),
        }
    }
    safe
}
