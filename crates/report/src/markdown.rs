//! The document as Markdown for pull requests: names as code, every other text escaped.

use crate::document::{Block, Cell, Document, Doubt, Kind, Row, Section, Table};
use crate::figure::{Figure, InText};
use crate::inputs::Inputs;
use crate::number::{count, counted};
use crate::sections::document;
use crate::text::Text;

/// The report as GitHub-flavoured Markdown, with the same content as [`html`](crate::html).
///
/// Names stand in code spans, so that none of them is a link, a mention or mark-up; the first rows of a long table are
/// shown, and the file with the others is named. The same inputs give the same bytes.
#[must_use]
pub fn markdown(inputs: &Inputs<'_>) -> String {
    print(&document(inputs))
}

/// A document as Markdown.
pub(crate) fn print(document: &Document) -> String {
    let mut out = format!("# {}\n", prose(&document.title));
    for sentence in &document.lead {
        out.push_str(&format!("\n**{}**\n", prose(sentence)));
    }
    for section in &document.sections {
        print_section(&mut out, section);
    }
    out
}

fn print_section(out: &mut String, section: &Section) {
    out.push_str(&format!("\n## {}\n", section.title));
    for block in &section.blocks {
        out.push('\n');
        match block {
            Block::Paragraph(text) => out.push_str(&format!("{}\n", prose(text))),
            Block::Link { text, target } => out.push_str(&format!("[{}]({target}.md)\n", prose(text))),
            Block::Command(text) => out.push_str(&fenced(text)),
            Block::List(items) => items
                .iter()
                .for_each(|item| out.push_str(&format!("- {}\n", prose(item)))),
            Block::Facts(facts) => {
                facts
                    .iter()
                    .for_each(|(name, value)| out.push_str(&format!("- {name}: {}\n", prose(value))));
            }
            Block::Doubts(doubts) => doubts.iter().for_each(|doubt| print_doubt(out, doubt)),
            Block::Table(table) => print_table(out, table),
            Block::Figure(figure) => print_figure(out, figure),
        }
    }
}

fn print_doubt(out: &mut String, doubt: &Doubt) {
    out.push_str(&format!("- **{}:** {}\n", doubt.weight, prose(&doubt.message)));
    out.push_str(&format!("  Next: {}\n", prose(&doubt.action)));
}

/// The table of a figure, or a sentence where the page alone has it: a text holds no drawing.
fn print_figure(out: &mut String, figure: &Figure) {
    match figure.in_text {
        InText::Table => print_table(out, &figure.table),
        InText::Sentence => out.push_str(&format!(
            "Figure “{}”, in report.html with a table of {}: {}\n",
            escaped(&figure.title),
            counted(figure.table.total, "row", "rows"),
            prose(&figure.summary)
        )),
    }
}

fn print_table(out: &mut String, table: &Table) {
    let columns = &table.columns;
    let rule = |kind| if kind == Kind::Number { "---:" } else { "---" };
    out.push_str(&format!("{}:\n\n", table.caption));
    print_row(out, columns.iter().map(|column| escaped(&column.head)));
    print_row(out, columns.iter().map(|column| rule(column.kind).to_owned()));
    for row in table.shown() {
        print_row(out, cells(row));
    }
    let further = table.total - table.shown().len();
    if further > 0 {
        out.push_str(&format!("\n{} further rows are in {}.\n", count(further), table.file));
    }
    for (index, reason) in table.reasons.iter().enumerate() {
        let gap = if index == 0 { "\n" } else { "" };
        out.push_str(&format!("{gap}- ({}) {}\n", reason.mark, prose(&reason.reason)));
    }
    for remark in &table.remarks {
        out.push_str(&format!("\n{}\n", prose(remark)));
    }
}

fn print_row(out: &mut String, cells: impl Iterator<Item = String>) {
    out.push('|');
    for cell in cells {
        out.push_str(&format!(" {cell} |"));
    }
    out.push('\n');
}

fn cells(row: &Row) -> impl Iterator<Item = String> + '_ {
    row.cells.iter().map(|cell| match cell {
        Cell::Id(text) => code(text),
        Cell::Words(text) => prose(text),
        Cell::Link { text, target } => format!("[{}]({target}.md)", code(text)),
        Cell::Criterion { id, question: None } => code(id),
        Cell::Criterion {
            id,
            question: Some(question),
        } => format!("{}: {}", code(id), prose(question)),
        Cell::Number { value, interval, mark } => {
            let mark = mark.map_or_else(String::new, |mark| format!(" ({mark})"));
            let interval = interval
                .as_ref()
                .map_or_else(String::new, |interval| format!(" {}", escaped(interval)));
            format!("{}{mark}{interval}", escaped(value))
        }
    })
}

fn prose(text: &Text) -> String {
    escaped(text.as_str())
}

/// The text with every character that Markdown could read as its own behind a backslash.
///
/// The slashes of a link and the dot after `www` are among them, so that nothing becomes a link by itself.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, c) in text.char_indices() {
        let before = &text[..index];
        let is_mark_up = matches!(
            c,
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '!' | '&' | '$' | '@'
        );
        let opens_link = (c == '/' && (before.ends_with(':') || before.ends_with(":/")))
            || (c == '.' && before.to_ascii_lowercase().ends_with("www"));
        // At the start of a line these open a list, a heading or a rule.
        let opens_line = index == 0 && matches!(c, '-' | '+' | '=');
        if is_mark_up || opens_link || opens_line {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A name as a code span; its fence is longer than any run of backticks in it, and its pipes do not end a cell.
fn code(text: &Text) -> String {
    let raw = text.as_str();
    if raw.trim().is_empty() {
        return "(empty)".to_owned();
    }
    let fence = "`".repeat(longest_run(raw) + 1);
    let pad = if raw.starts_with(['`', ' ']) || raw.ends_with(['`', ' ']) {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{}{pad}{fence}", raw.replace('|', "\\|"))
}

fn fenced(text: &Text) -> String {
    let fence = "`".repeat(longest_run(text.as_str()).max(2) + 1);
    format!("{fence}text\n{text}\n{fence}\n")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_holds_no_mark_up() {
        assert_eq!(escaped("a|b `c` <i> *d* [e](f)"), r"a\|b \`c\` \<i\> \*d\* \[e\](f)");
        assert_eq!(escaped("see https://x.y and www.z"), r"see https:\/\/x.y and www\.z");
        assert_eq!(escaped("- item"), r"\- item");
    }

    #[test]
    fn a_name_stays_in_its_code_span_and_cell() {
        assert_eq!(code(&Text::id("a|b")), r"`a\|b`");
        assert_eq!(code(&Text::id("a``b")), "```a``b```");
        assert_eq!(code(&Text::id("`")), "`` ` ``");
        assert_eq!(code(&Text::id(" ")), "(empty)");
        assert_eq!(code(&Text::id("a\nb")), "`a⟨U+000A⟩b`");
    }
}
