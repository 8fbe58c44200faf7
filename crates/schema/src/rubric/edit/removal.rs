//! A criterion taken out of its file, with the comments that are about it.

use std::ops::Range;

use super::EditError;
use super::layout::{column, line_end, line_number, line_start, next_line, opens_line};
use super::splice::Splice;
use super::texts::{Obstacle, Sheet};
use crate::roll_up::RollUpRule;
use crate::rubric::Rubric;
use crate::tree::{Site, yaml_sites};

/// Refuses to remove the last criterion, or one that the roll-up or a violation names.
pub(super) fn may_go(rubric: &Rubric, index: usize, text: &str, yaml: bool) -> Result<(), EditError> {
    let id = &rubric.criteria[index].id;
    if rubric.criteria.len() == 1 {
        return Err(EditError::OnlyCriterion { id: id.clone() });
    }
    if rubric.criteria.iter().filter(|criterion| criterion.id == *id).count() > 1 {
        return Ok(());
    }
    let named = |holder: String, key: &str| {
        Err(EditError::StillNamed {
            id: id.clone(),
            holder,
            line: line_of(text, yaml, key, id),
        })
    };
    if let Some(RollUpRule::Mandatory(ids)) = rubric.roll_up.as_ref().map(|roll_up| &roll_up.rule)
        && ids.contains(id)
    {
        return named("the roll-up".into(), "roll_up");
    }
    match rubric
        .violations
        .iter()
        .find(|violation| violation.detected_by.contains(id))
    {
        Some(violation) => named(format!("the violation `{}`", super::shown(&violation.id)), "violations"),
        None => Ok(()),
    }
}

/// The line below a key of the file on which an id stands.
fn line_of(text: &str, yaml: bool, key: &str, id: &str) -> u32 {
    let mark = text.len() - text.trim_start_matches('\u{feff}').len();
    let text = &text[mark..];
    let sites = match yaml {
        true => yaml_sites(text),
        false => crate::tree::json_sites(text, 0..text.len()),
    };
    let entry = sites.as_ref().and_then(|sites| sites.root.entry(key));
    let Some(entry) = entry else { return 1 };
    let at = named_at(&entry.value, text, id).unwrap_or(entry.key_range.start);
    line_number(text, at)
}

fn named_at(site: &Site, text: &str, id: &str) -> Option<usize> {
    let spelled = text[site.range.clone()].trim_matches(['"', '\'']);
    let here = site.items().is_empty() && site.entries().is_empty() && spelled == id;
    here.then_some(site.range.start)
        .or_else(|| site.items().iter().find_map(|item| named_at(item, text, id)))
        .or_else(|| site.entries().iter().find_map(|entry| named_at(&entry.value, text, id)))
}

/// The whole line of a row of JSON lines.
pub(super) fn row(text: &str, line: u32) -> Splice {
    let mut start = 0;
    for _ in 1..line {
        start = next_line(text, start);
    }
    let end = next_line(text, start);
    // The last row without a line end takes the one before it along.
    let start = if end == text.len() && !text.ends_with('\n') && start > 0 {
        line_end(text, start - 1)
    } else {
        start
    };
    Splice::over(start..end, "")
}

/// Takes an item out of the list of criteria.
pub(super) fn item(sheet: &mut Sheet<'_>, index: usize) -> Result<(), Obstacle> {
    let Some(entry) = sheet.sites.root.entry("criteria") else {
        return sheet.obstacle(0, "the list of criteria has no place of its own");
    };
    let list = &entry.value;
    let range = match list.is_flow() {
        true => flow_item(sheet, list, index),
        false => match block_item(sheet, list, index) {
            Some(range) => range,
            None => {
                return sheet.obstacle(
                    list.items()[index].range.start,
                    "the dash of the criterion is not on a line of its own",
                );
            }
        },
    };
    sheet.splices.push(Splice::over(range, ""));
    Ok(())
}

/// An item between brackets with the comma and the white space on one side of it.
fn flow_item(sheet: &Sheet<'_>, list: &Site, index: usize) -> Range<usize> {
    let items = list.items();
    let range = items[index].range.clone();
    match (index.checked_sub(1).map(|before| &items[before]), items.get(index + 1)) {
        (_, Some(next)) if !sheet.comments_in(&(range.end..next.range.start)) => range.start..next.range.start,
        (Some(before), _) => before.range.end..range.end,
        (None, _) => range,
    }
}

/// The lines of an item in block form: its own, the comments that stand directly above it, those that are indented below
/// it, and the blank lines after it if blank lines are before it too, or it is the first.
///
/// A comment with a blank line on both sides is a heading of what follows and stays.
fn block_item(sheet: &Sheet<'_>, list: &Site, index: usize) -> Option<Range<usize>> {
    let text = sheet.text;
    let item = &list.items()[index];
    let dash = column(text, list.range.start);
    let own = sheet.dash_line(list, item)?;
    let mut start = own;
    let floor = index
        .checked_sub(1)
        .map_or(0, |before| next_line(text, list.items()[before].range.end));
    while let Some(above) = start.checked_sub(1).map(|end| line_start(text, end)) {
        if above < floor || !comment_at(text, above, dash) {
            break;
        }
        start = above;
    }
    let mut end = next_line(text, item.range.end);
    while end < text.len() && comment_below(text, end, dash) {
        end = next_line(text, end);
    }
    let blank_before = start == 0 || blank(text, line_start(text, start - 1));
    while (blank_before || index == 0) && end < text.len() && blank(text, end) {
        end = next_line(text, end);
    }
    if end == text.len() && !text.ends_with('\n') && start > 0 {
        start = line_end(text, start - 1);
    } else if end == text.len() && blank_before {
        // The last item of the file: the blank line that set it off goes with it.
        while start > floor && start > 0 && blank(text, line_start(text, start - 1)) {
            start = line_start(text, start - 1);
        }
    }
    Some(start..end)
}

fn blank(text: &str, at: usize) -> bool {
    text[at..line_end(text, at)].trim().is_empty()
}

/// Whether the line is a comment that stands where the dash does.
fn comment_at(text: &str, at: usize, dash: usize) -> bool {
    let line = &text[at..line_end(text, at)];
    let mark = at + line.len() - line.trim_start().len();
    line.trim_start().starts_with('#') && column(text, mark) >= dash && opens_line(text, mark)
}

/// Whether the line is a comment indented deeper than the dash.
fn comment_below(text: &str, at: usize, dash: usize) -> bool {
    let line = &text[at..line_end(text, at)];
    line.trim_start().starts_with('#') && line.len() - line.trim_start().len() > dash
}
