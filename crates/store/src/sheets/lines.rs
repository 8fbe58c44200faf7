//! What the lines of a grading sheet say, whichever program it is for.

use calibrant_schema::Turn;
use calibrant_schema::exercise::{Paper, PaperCriterion, PaperUnit};

use super::grid::Content;
use super::words::looks_like_a_verdict;
use crate::tables::{guarded, unguarded};

/// The columns of a grading sheet in their order, under their house names.
pub(crate) const COLUMNS: [&str; 11] = [
    "row",
    "answer_no",
    "prompt",
    "answer",
    "criterion",
    "question",
    "verdict",
    "comment",
    "unit",
    "exercise",
    "grader",
];

/// What a spreadsheet cell holds at most, in UTF-16 units.
///
/// Source: PROTOCOLS 7.
pub(crate) const LONGEST_CELL: usize = 32_767;

/// One line: an answer and a criterion.
pub(crate) struct Line<'a> {
    pub(crate) row: usize,
    /// The place of the answer in this grader's order, from 1.
    pub(crate) answer_no: usize,
    pub(crate) unit: &'a PaperUnit,
    pub(crate) criterion: &'a PaperCriterion,
}

/// The lines of a paper in the order of its grader.
pub(crate) fn lines(paper: &Paper) -> impl Iterator<Item = Line<'_>> {
    let cells = paper.units.iter().enumerate().flat_map(|(at, unit)| {
        let asked = unit
            .criteria
            .iter()
            .filter_map(|index| paper.criteria.get(*index as usize));
        asked.map(move |criterion| (at, unit, criterion))
    });
    cells.enumerate().map(|(row, (at, unit, criterion))| Line {
        row: row + 1,
        answer_no: at + 1,
        unit,
        criterion,
    })
}

/// Turns as one text: a single one as it is, several under their roles.
pub(crate) fn spoken(turns: &[Turn]) -> String {
    match turns {
        [] => String::new(),
        [turn] => turn.text.clone(),
        turns => {
            let said: Vec<String> = turns
                .iter()
                .map(|turn| format!("[{}]\n{}", turn.role, turn.text))
                .collect();
            said.join("\n\n")
        }
    }
}

/// A text as a cell shows it: what is invisible and could deceive stands as a visible sign.
///
/// Control characters become their pictures (`␀` for NUL), bidirectional overrides, tags and zero-width spaces `\u{..}`.
/// Joiners and marks that scripts need stay, and so do tabs and line feeds.
///
/// Source: PROTOCOLS 9, row 2.
pub(crate) fn visible_text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.replace("\r\n", "\n").chars() {
        match letter {
            '\t' | '\n' => shown.push(letter),
            '\r' => shown.push('\n'),
            '\0'..='\u{1f}' => shown.push(char::from_u32(0x2400 + u32::from(letter)).expect("control pictures")),
            '\u{7f}' => shown.push('␡'),
            '\u{80}'..='\u{9f}'
            | '\u{200b}'
            | '\u{202d}'
            | '\u{202e}'
            | '\u{2060}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}'
            | '\u{e0000}'..='\u{e007f}' => shown.extend(letter.escape_unicode()),
            _ => shown.push(letter),
        }
    }
    shown
}

/// A text that fits a cell, and whether it had to be cut; `note` says where the whole stands.
pub(crate) fn fitted(text: String, note: &str) -> (String, bool) {
    if units(&text) <= LONGEST_CELL {
        return (text, false);
    }
    let room = LONGEST_CELL - units(note) - 2;
    let mut used = 0;
    let kept: String = text
        .chars()
        .take_while(|letter| {
            used += letter.len_utf16();
            used <= room
        })
        .collect();
    (format!("{kept}\n\n{note}"), true)
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The note at the end of a text that was cut.
pub(crate) fn cut_note(page: &str, answer_no: usize) -> String {
    format!("[CUT HERE. The whole text is in {page}, answer {answer_no}: read it there before you decide.]")
}

/// The id of an answer as a cell: with `u-` before it, so that no spreadsheet takes sixteen digits for a number.
pub(crate) fn unit_cell(unit: &str) -> String {
    format!("u-{unit}")
}

/// The id of an exercise as a cell.
pub(crate) fn exercise_cell(exercise: &str) -> String {
    format!("x-{exercise}")
}

/// A name as a CSV cell: with one `'` before it unless no spreadsheet could take it for a number, a date, a truth value
/// or a formula.
pub(crate) fn name_cell(name: &str) -> String {
    if is_a_plain_word(name) {
        return name.to_owned();
    }
    let guarded = guarded(name);
    if guarded.len() > name.len() {
        guarded.into_owned()
    } else {
        format!("'{name}")
    }
}

/// Words of letters alone, and names with an underscore, stay as they are in every spreadsheet; `jan1` and `wahr` do not.
fn is_a_plain_word(name: &str) -> bool {
    name.starts_with(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && (name.contains('_') || !name.contains(char::is_numeric))
        && !looks_like_a_verdict(&Content::Text(name.to_owned()))
}

/// The names a cell may stand for: itself, and itself without one `'`.
pub(crate) fn name_readings(cell: &str) -> [&str; 3] {
    let cell = cell.trim();
    [cell, unguarded(cell), cell.strip_prefix('\'').unwrap_or(cell)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_hides_is_shown_and_what_scripts_need_stays() {
        assert_eq!(visible_text("a\0b\u{202e}c\r\nd\re"), "a␀b\\u{202e}c\nd\ne");
        let needed = "می‌خواهم 👩‍⚕️ \u{200f}שלום\u{200e} ok\ttab";
        assert_eq!(visible_text(needed), needed);
    }

    #[test]
    fn a_text_is_cut_to_a_cell_between_letters_and_says_where_the_whole_is() {
        let note = cut_note("ana.html", 3);
        for letter in ["a", "é", "😀"] {
            let (cell, cut) = fitted(letter.repeat(40_000), &note);
            assert!(
                cut && units(&cell) <= LONGEST_CELL && units(&cell) >= LONGEST_CELL - 1,
                "{letter}"
            );
            assert!(cell.ends_with("ana.html, answer 3: read it there before you decide.]"));
        }
        let whole = "a".repeat(LONGEST_CELL);
        assert_eq!(fitted(whole.clone(), &note), (whole, false));
    }

    #[test]
    fn names_that_a_spreadsheet_would_change_are_guarded() {
        for name in ["dose_and_maximum", "interaction", "ana", "q_1e5", "Ünal"] {
            assert_eq!(name_cell(name), name);
        }
        for name in [
            "1E5", "00123", "jan1", "true", "WAHR", "1-2", "=1+1", "may 3", "yes", "", "'x",
        ] {
            assert_eq!(name_cell(name), format!("'{name}"));
        }
    }

    proptest! {
        #[test]
        fn every_name_is_among_the_readings_of_its_cell(name in "['=a1_-]{1,5}") {
            prop_assert!(name_readings(&name_cell(&name)).contains(&name.as_str()));
        }
    }
}
