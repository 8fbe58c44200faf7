//! An edit of a text, and the guard around it.

use std::ops::Range;

use super::layout::{Layout, column, line_number};
use super::removal;
use super::splice::{Splice, spliced};
use super::texts::{New, Obstacle, Sheet};
use super::{CriterionName, Edit, EditError, Edited, Wording};
use crate::artifact::Artifact;
use crate::bank::Bank;
use crate::canonical::canonical_text;
use crate::roll_up::{RollUp, RollUpRule};
use crate::rubric::print::roll_up_text;
use crate::rubric::{Criterion, Rubric, Ruling};
use crate::tree::{Site, Sites, json_sites, yaml_sites};

/// The notation of a rubric file, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Notation {
    Yaml,
    Json,
    /// A row of JSON a line.
    Rows,
}

impl Notation {
    fn of(file_name: &str) -> Notation {
        let extension = file_name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
        match extension.as_deref() {
            Some("json") => Notation::Json,
            Some("jsonl" | "ndjson") => Notation::Rows,
            _ => Notation::Yaml,
        }
    }
}

/// Makes one change in the text of a rubric file, and raises its version.
///
/// `file_name` decides the notation, as for [`Rubric::parse`]. All bytes outside [`Edited::replaced`] are those of
/// `text`: comments, order, folding, indentation, line ends and the byte order mark. A file without `version` gets
/// `version: 2`: as it stood, it was the first. Pools in JSON lines have no version.
///
/// # Errors
/// If the text is no rubric, has no such criterion, or the change cannot be made without touching more than it should:
/// then nothing is changed and the message says what to write by hand.
///
/// Source: METHODS 6, 10, 32.
pub fn apply(text: &str, file_name: &str, edit: &Edit) -> Result<Edited, EditError> {
    let (rubric, _) = Rubric::parse(text, file_name).map_err(EditError::Unreadable)?;
    let edit = &cleaned(edit)?;
    let notation = Notation::of(file_name);
    if notation == Notation::Json && Bank::is_format_of(text) {
        return Err(EditError::Unusable {
            reason: "a bank is written by `calibrant assemble`; edit the rubric it was made from".into(),
        });
    }
    let index = edit.criterion().map(|name| find(&rubric, name)).transpose()?;
    if let (Edit::Deletion { .. }, Some(index)) = (edit, index) {
        removal::may_go(&rubric, index, text, notation == Notation::Yaml)?;
    }
    let mark = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let line = index.map_or(1, |index| rubric.criteria[index].line);
    let refuse = |obstacle: Obstacle| EditError::Refused {
        reason: obstacle.reason,
        line: obstacle.line,
        by_hand: by_hand(edit, line),
    };
    let (mut splices, expected) = splices_of(&text[mark..], &rubric, edit, index, notation).map_err(refuse)?;
    for splice in &mut splices {
        splice.range = splice.range.start + mark..splice.range.end + mark;
    }
    guarded(text, file_name, splices, &expected).map_err(|reason| refuse(Obstacle { reason, line }))
}

/// The new text, if it reads as the expected rubric and keeps every byte outside the splices; else the reason against it.
fn guarded(text: &str, file_name: &str, mut splices: Vec<Splice>, expected: &Rubric) -> Result<Edited, String> {
    const MORE: &str = "this part of the file is written in a way in which the change would alter more than it should";
    let new = spliced(text, &mut splices).ok_or(MORE)?;
    let (read, _) = Rubric::parse(&new, file_name).map_err(|found| match found.iter().next() {
        Some(first) if first.id != "syntax" => format!("the rubric would then have a mistake: {}", first.what),
        _ => MORE.to_owned(),
    })?;
    if without_lines(&read) != without_lines(expected) {
        return Err(MORE.to_owned());
    }
    let (replaced, inserted) = splices.into_iter().map(|splice| (splice.range, splice.text)).unzip();
    Ok(Edited {
        text: new,
        rubric: read,
        replaced,
        inserted,
    })
}

fn without_lines(rubric: &Rubric) -> Rubric {
    let mut rubric = rubric.clone();
    rubric.criteria.iter_mut().for_each(|criterion| criterion.line = 0);
    rubric
}

/// The edit with its texts as they will be read: line ends as LF, no white space around or at the end of a line.
fn cleaned(edit: &Edit) -> Result<Edit, EditError> {
    let mut edit = edit.clone();
    match &mut edit {
        Edit::Ruling { ruling, addition, .. } => {
            clean(addition, "the text of the ruling")?;
            clean_ruling(ruling)?;
        }
        Edit::Wording { text, ruling, .. } => {
            clean(text, "the new text")?;
            clean_ruling(ruling)?;
        }
        Edit::RollUp { roll_up } => {
            if let Some(reason) = &mut roll_up.reason {
                clean(reason, "the reason")?;
            }
        }
        Edit::Deletion { .. } => {}
    }
    Ok(edit)
}

fn clean_ruling(ruling: &mut Ruling) -> Result<(), EditError> {
    clean(&mut ruling.text, "the text of the ruling")?;
    match &mut ruling.from {
        Some(from) => clean(from, "the disagreement"),
        None => Ok(()),
    }
}

fn clean(text: &mut String, name: &str) -> Result<(), EditError> {
    let lines: Vec<String> = canonical_text(text)
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    *text = lines.join("\n").trim().to_owned();
    let reason = if text.is_empty() {
        format!("{name} is empty")
    } else if let Some(control) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        format!("{name} holds the control character {}", control.escape_unicode())
    } else {
        return Ok(());
    };
    Err(EditError::Unusable { reason })
}

/// The place of the one criterion of this name.
fn find(rubric: &Rubric, name: &CriterionName) -> Result<usize, EditError> {
    let found: Vec<usize> = (0..rubric.criteria.len())
        .filter(|index| name.names(&rubric.criteria[*index]))
        .collect();
    match found[..] {
        [index] => Ok(index),
        [] => Err(EditError::NoCriterion {
            name: name.clone(),
            nearest: crate::suggest::nearest(&name.id, rubric.criteria.iter().map(|criterion| criterion.id.as_str()))
                .filter(|nearest| *nearest != name.id)
                .map(str::to_owned),
        }),
        _ => Err(EditError::SeveralQueries {
            id: name.id.clone(),
            count: found.len(),
        }),
    }
}

type Planned = (Vec<Splice>, Rubric);

/// What to splice in, and the rubric that must come of it.
fn splices_of(
    text: &str,
    rubric: &Rubric,
    edit: &Edit,
    index: Option<usize>,
    notation: Notation,
) -> Result<Planned, Obstacle> {
    let nowhere = || Obstacle {
        reason: "the places of the values cannot be told apart".into(),
        line: 1,
    };
    let sites = match (notation, index) {
        (Notation::Yaml, _) => yaml_sites(text),
        (Notation::Json, _) => json_sites(text, 0..text.len()),
        (Notation::Rows, Some(index)) => json_sites(text, row(text, rubric.criteria[index].line)),
        (Notation::Rows, None) => {
            return Err(Obstacle {
                reason: "a pool in JSON lines has no roll-up".into(),
                line: 1,
            });
        }
    };
    let sites = sites.ok_or_else(nowhere)?;
    let mut sheet = Sheet {
        text,
        sites: &sites,
        layout: Layout::of(text, &sites),
        json: notation != Notation::Yaml,
        dash: dash_offset(text, &sites),
        splices: Vec::new(),
    };
    let mut expected = rubric.clone();
    if notation != Notation::Rows {
        raise_version(&mut sheet, &mut expected)?;
    }
    let criterion = match (notation, index) {
        (Notation::Rows, _) if sites.root.entry("rubrics").is_some() => {
            return sheet.obstacle(sites.root.range.start, "the row holds all criteria of a query");
        }
        (Notation::Rows, _) => Some(&sites.root),
        (_, Some(index)) => Some(criterion_site(&sheet, index)?),
        (_, None) => None,
    };
    match (edit, index, criterion) {
        (Edit::Deletion { .. }, Some(index), _) if notation == Notation::Rows => {
            sheet.splices.push(removal::row(text, rubric.criteria[index].line));
            expected.criteria.remove(index);
        }
        (Edit::Deletion { .. }, Some(index), _) => {
            removal::item(&mut sheet, index)?;
            expected.criteria.remove(index);
        }
        (Edit::RollUp { roll_up }, ..) => set_roll_up(&mut sheet, &mut expected, roll_up)?,
        (Edit::Ruling { ruling, addition, .. }, Some(index), Some(site)) => {
            add_ruling(&mut sheet, site, &mut expected.criteria[index], ruling, addition)?;
        }
        (
            Edit::Wording {
                field, text, ruling, ..
            },
            Some(index),
            Some(site),
        ) => {
            reword(&mut sheet, site, &mut expected.criteria[index], *field, text)?;
            let after = site.entries().iter().position(|entry| entry.key == field.key());
            history(
                &mut sheet,
                site,
                &mut expected.criteria[index],
                ruling,
                after.unwrap_or(0),
            )?;
        }
        _ => return Err(nowhere()),
    }
    Ok((sheet.splices, expected))
}

/// The bytes of a line.
fn row(text: &str, line: u32) -> Range<usize> {
    let skipped = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
    let start = text
        .match_indices('\n')
        .map(|(at, _)| at + 1)
        .nth(skipped.wrapping_sub(1))
        .filter(|_| skipped > 0)
        .unwrap_or(0);
    let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
    start..end
}

/// How much farther right than `criteria:` its dashes stand.
fn dash_offset(text: &str, sites: &Sites) -> usize {
    match sites.root.entry("criteria") {
        Some(entry) if !entry.value.is_flow() => {
            column(text, entry.value.range.start).saturating_sub(column(text, entry.key_range.start))
        }
        _ => 2,
    }
}

/// The mapping of a criterion; refused when it, or the list, is or has an alias.
fn criterion_site<'s>(sheet: &Sheet<'s>, index: usize) -> Result<&'s Site, Obstacle> {
    let Some(entry) = sheet.sites.root.entry("criteria") else {
        return sheet.obstacle(0, "the list of criteria has no place of its own");
    };
    sheet.own(&entry.value)?;
    match entry.value.items().get(index) {
        Some(site) => {
            sheet.own(site)?;
            Ok(site)
        }
        None => sheet.obstacle(entry.key_range.start, "the criterion has no place of its own"),
    }
}

fn raise_version(sheet: &mut Sheet<'_>, expected: &mut Rubric) -> Result<(), Obstacle> {
    let root = &sheet.sites.root;
    let entry = root.entry("version");
    let Some(next) = expected.version.unwrap_or(1).checked_add(1) else {
        let at = entry.map_or(0, |entry| entry.key_range.start);
        return sheet.obstacle(at, "the version is as large as a version can be");
    };
    match (entry, expected.version) {
        (Some(entry), Some(_)) => {
            sheet.own(&entry.value)?;
            sheet
                .splices
                .push(Splice::over(entry.value.range.clone(), next.to_string()));
        }
        (Some(entry), None) => sheet.fill(root, entry, &New::Word(next.to_string()))?,
        (None, _) => match root.entries().iter().position(|entry| entry.key == "rubric") {
            Some(name) => sheet.insert(root, name, &[("version", New::Word(next.to_string()))]),
            None => sheet.insert_first(root, "version", &next.to_string()),
        },
    }
    expected.version = Some(next);
    Ok(())
}

/// Appends to the boundary and adds to the rulings.
fn add_ruling(
    sheet: &mut Sheet<'_>,
    site: &Site,
    criterion: &mut Criterion,
    ruling: &Ruling,
    addition: &str,
) -> Result<(), Obstacle> {
    let entry = site.entry("boundary");
    let Some(old) = &criterion.boundary else {
        reword(sheet, site, criterion, Wording::Boundary, addition)?;
        let after = entry.map_or_else(|| text_before(site, Wording::Boundary), |_| position(site, "boundary"));
        return history(sheet, site, criterion, ruling, after);
    };
    let Some(entry) = entry else {
        return sheet.obstacle(site.range.start, "the boundary has no place of its own");
    };
    let whole = format!("{old}{}{addition}", sheet.joint(Some(entry)));
    sheet.append(site, entry, addition, &whole)?;
    criterion.boundary = Some(whole);
    history(sheet, site, criterion, ruling, position(site, "boundary"))
}

fn position(site: &Site, key: &str) -> usize {
    site.entries().iter().position(|entry| entry.key == key).unwrap_or(0)
}

/// The last of the texts that come before a field, behind which it belongs.
fn text_before(site: &Site, field: Wording) -> usize {
    let before = Wording::ALL.iter().take_while(|other| **other != field);
    let places = before.filter_map(|other| site.entries().iter().position(|entry| entry.key == other.key()));
    places.last().unwrap_or(0)
}

/// Replaces or adds one of the texts that judges see.
fn reword(
    sheet: &mut Sheet<'_>,
    site: &Site,
    criterion: &mut Criterion,
    field: Wording,
    text: &str,
) -> Result<(), Obstacle> {
    match (site.entry(field.key()), field.of(criterion)) {
        (Some(entry), Some(_)) => sheet.replace(site, entry, text)?,
        (Some(entry), None) => sheet.fill(site, entry, &New::Text(text))?,
        (None, Some(_)) => {
            return sheet.obstacle(
                site.range.start,
                "the text stands under another tool's name for the key",
            );
        }
        (None, None) => sheet.insert(site, text_before(site, field), &[(field.key(), New::Text(text))]),
    }
    field.set(criterion, text.to_owned());
    Ok(())
}

/// Adds to the rulings of a criterion, behind entry `after` if there are none.
fn history(
    sheet: &mut Sheet<'_>,
    site: &Site,
    criterion: &mut Criterion,
    ruling: &Ruling,
    after: usize,
) -> Result<(), Obstacle> {
    match site.entry("rulings") {
        Some(entry) if !entry.value.items().is_empty() || entry.value.is_flow() => {
            sheet.append_ruling(site, entry, ruling)?;
        }
        Some(entry) => sheet.fill(site, entry, &New::Rulings(ruling))?,
        None => sheet.insert(site, after, &[("rulings", New::Rulings(ruling))]),
    }
    criterion.rulings.push(ruling.clone());
    Ok(())
}

fn set_roll_up(sheet: &mut Sheet<'_>, expected: &mut Rubric, roll_up: &RollUp) -> Result<(), Obstacle> {
    let root = &sheet.sites.root;
    let word = match sheet.json {
        true => roll_up_json(roll_up),
        false => roll_up_text(roll_up),
    };
    match root.entry("roll_up") {
        Some(entry) if expected.roll_up.is_none() => sheet.fill(root, entry, &New::Word(word))?,
        Some(entry) => {
            let range = entry.value.range.clone();
            sheet.own(&entry.value)?;
            if sheet.comments_in(&range) {
                return sheet.obstacle(range.start, "a comment stands inside the roll-up, and would be lost");
            }
            if line_number(sheet.text, range.start) != line_number(sheet.text, entry.key_range.start) {
                // A mapping below its key: the one line goes behind the colon.
                let text = format!(": {word}");
                sheet.splices.push(Splice::over(entry.key_range.end..range.end, text));
            } else {
                sheet.splices.push(Splice::over(range, word));
            }
        }
        None => match root.entries().iter().position(|entry| entry.key == "version") {
            Some(version) => sheet.insert(root, version, &[("roll_up", New::Word(word))]),
            None => sheet.insert_first(root, "roll_up", &word),
        },
    }
    expected.roll_up = Some(roll_up.clone());
    Ok(())
}

fn roll_up_json(roll_up: &RollUp) -> String {
    let mut map = serde_json::Map::new();
    let (key, value) = match &roll_up.rule {
        RollUpRule::All => ("rule", "all".into()),
        RollUpRule::Weighted => ("rule", "weighted".into()),
        RollUpRule::AtLeast(least) => ("at_least", (*least).into()),
        RollUpRule::Mandatory(ids) => ("mandatory", ids.clone().into()),
    };
    map.insert(key.into(), value);
    if let Some(reason) = &roll_up.reason {
        map.insert("reason".into(), reason.clone().into());
    }
    if let Some(date) = roll_up.date {
        map.insert("date".into(), date.to_string().into());
    }
    serde_json::Value::Object(map).to_string()
}

/// What to write, for whoever makes the change by hand.
fn by_hand(edit: &Edit, line: u32) -> String {
    let entry = |ruling: &Ruling| {
        let from = ruling.from.as_deref().map(|from| format!(", from: {from}"));
        let text = crate::rubric::print::quoted(&ruling.text);
        format!(
            "add `- {{date: {}, text: {text}{}}}` to its `rulings`",
            ruling.date,
            from.unwrap_or_default()
        )
    };
    match edit {
        Edit::Ruling { ruling, addition, .. } => format!(
            "in the criterion on line {line}, add {} to the end of `boundary`, {}, and raise `version`",
            crate::rubric::print::quoted(addition),
            entry(ruling)
        ),
        Edit::Wording {
            field, text, ruling, ..
        } => format!(
            "in the criterion on line {line}, write {} as `{}`, {}, and raise `version`",
            crate::rubric::print::quoted(text),
            field.key(),
            entry(ruling)
        ),
        Edit::Deletion { .. } => format!("remove the criterion on line {line}, and raise `version`"),
        Edit::RollUp { roll_up } => format!("write `roll_up: {}`, and raise `version`", roll_up_text(roll_up)),
    }
}
