//! Rows of delimited text as spreadsheets and people leave it, with the place of every cell.
//!
//! More lenient than the reader of tables: the delimiter may be named by a `sep=` line, quotes may have been made typographic,
//! rows may be shorter or longer than the header. A quote that is never closed, or text behind a closing quote, is still a mistake.

use calibrant_schema::Diagnostic;

use super::grid::{At, Content, GridCell, GridRow};

/// Delimiters that are tried, the likeliest first.
pub(crate) const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];

/// Quotes that open a cell in a file whose quotes an editor made typographic, and those that close it.
const SMART_OPEN: [char; 4] = ['“', '„', '”', '«'];
const SMART_CLOSE: [char; 3] = ['”', '“', '»'];

/// How cells are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) delimiter: char,
    pub(crate) smart_quotes: bool,
}

/// The delimiter that a first line `sep=;` names, and where the table begins.
pub(crate) fn named_delimiter(text: &str) -> Option<(char, usize)> {
    let end = text.find('\n').unwrap_or(text.len());
    let line = text[..end].trim_matches([' ', '"', '\r']);
    let rest = line.strip_prefix("sep=").or_else(|| line.strip_prefix("SEP="))?;
    let mut letters = rest.chars();
    let delimiter = letters.next().unwrap_or('\t');
    letters
        .next()
        .is_none()
        .then_some((delimiter, (end + 1).min(text.len())))
}

/// Whether an editor made the quotes of the file typographic: its first cell opens with one, and no plain quote is left.
pub(crate) fn has_smart_quotes(text: &str) -> bool {
    text.trim_start().starts_with(SMART_OPEN) && !text.contains('"')
}

/// All rows of the text from the byte `from` on, blank ones included, and what is wrong with its quotes.
pub(crate) fn rows(file: &str, text: &str, from: usize, dialect: Dialect) -> (Vec<GridRow>, Vec<Diagnostic>) {
    let mut scan = Scan::new(file, text, from, dialect);
    let mut rows = Vec::new();
    while let Some(row) = scan.row() {
        rows.push(row);
    }
    (rows, scan.mistakes)
}

struct Scan<'a> {
    file: &'a str,
    letters: std::iter::Peekable<std::str::Chars<'a>>,
    dialect: Dialect,
    line: u32,
    column: u32,
    mistakes: Vec<Diagnostic>,
}

impl<'a> Scan<'a> {
    fn new(file: &'a str, text: &'a str, from: usize, dialect: Dialect) -> Self {
        Self {
            file,
            letters: text[from..].chars().peekable(),
            dialect,
            line: if from > 0 { 2 } else { 1 },
            column: 1,
            mistakes: Vec::new(),
        }
    }

    fn take(&mut self) -> Option<char> {
        let letter = self.letters.next()?;
        if letter == '\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
        Some(letter)
    }

    fn here(&self) -> At {
        At::Line {
            line: self.line,
            column: self.column,
            length: 1,
        }
    }

    /// The next row; `None` at the end of the text.
    fn row(&mut self) -> Option<GridRow> {
        self.letters.peek()?;
        let mut row = GridRow::default();
        let mut column = 0;
        loop {
            let (text, at) = self.cell();
            let content = if text.is_empty() {
                Content::Empty
            } else {
                Content::Text(text)
            };
            row.cells.push((column, GridCell { content, at }));
            column += 1;
            match self.take() {
                Some(letter) if letter == self.dialect.delimiter => {}
                _ => return Some(row),
            }
        }
    }

    /// One cell; what comes next is a delimiter, a line feed or the end.
    fn cell(&mut self) -> (String, At) {
        let start = self.here();
        let mut text = String::new();
        let next = self.letters.peek().copied();
        if next.is_some_and(|letter| self.opens(letter)) {
            self.take();
            let closed = self.quoted(&mut text);
            let next = self.letters.peek().copied();
            if !closed {
                let help = "close the quote, or write it twice (\"\") inside of a quoted cell";
                let what = "a quote is opened and never closed";
                self.mistakes.push(start.finding(self.file, "open-quote", what, help));
            } else if next.is_some_and(|letter| !self.ends(letter)) {
                let help =
                    "write a quote inside of a quoted cell twice (\"\"), or take the quotes around the cell away";
                let what = "text follows the closing quote of a cell";
                self.mistakes
                    .push(self.here().finding(self.file, "after-quote", what, help));
                self.plain(&mut text);
            }
        } else {
            self.plain(&mut text);
        }
        (text, self.stretch(start))
    }

    /// The place from `start` to here, or to its first letter when the cell runs over several lines.
    fn stretch(&self, start: At) -> At {
        match start {
            At::Line { line, column, .. } if line == self.line => At::Line {
                line,
                column,
                length: self.column - column,
            },
            other => other,
        }
    }

    fn opens(&self, letter: char) -> bool {
        letter == '"' || (self.dialect.smart_quotes && SMART_OPEN.contains(&letter))
    }

    fn closes(&self, letter: char) -> bool {
        letter == '"' || (self.dialect.smart_quotes && SMART_CLOSE.contains(&letter))
    }

    fn ends(&self, letter: char) -> bool {
        letter == self.dialect.delimiter || letter == '\n'
    }

    fn plain(&mut self, text: &mut String) {
        while let Some(letter) = self.letters.peek().copied() {
            if self.ends(letter) {
                return;
            }
            text.push(letter);
            self.take();
        }
    }

    /// The rest of a quoted cell up to its closing quote; whether there was one.
    ///
    /// A doubled plain quote stands for one. Typographic quotes are not doubled, so one of them closes the cell only where
    /// the cell can end.
    fn quoted(&mut self, text: &mut String) -> bool {
        while let Some(letter) = self.take() {
            if !self.closes(letter) {
                text.push(letter);
                continue;
            }
            let next = self.letters.peek().copied();
            if letter == '"' && next == Some('"') {
                text.push('"');
                self.take();
            } else if letter == '"' || next.is_none_or(|next| self.ends(next)) {
                return true;
            } else {
                text.push(letter);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str, delimiter: char) -> Vec<Vec<String>> {
        let dialect = Dialect {
            delimiter,
            smart_quotes: has_smart_quotes(text),
        };
        let (rows, mistakes) = rows("a.csv", text, 0, dialect);
        assert_eq!(mistakes, [], "{text:?}");
        rows.iter()
            .map(|row| row.cells.iter().map(|(_, cell)| cell.content.text()).collect())
            .collect()
    }

    #[test]
    fn quotes_of_every_kind_hold_a_cell_together() {
        for text in ["\"a,\"\"b\"\"\n\",c", "“a,\"b\"\n”,“c”"] {
            // A plain quote inside keeps the second file from being a smart-quoted one.
            if text.contains('“') {
                assert!(!has_smart_quotes(text));
                continue;
            }
            assert_eq!(texts(text, ','), [["a,\"b\"\n", "c"]]);
        }
        assert_eq!(texts("“a, “b” c”,d\n„e, f“,g", ','), [["a, “b” c", "d"], ["e, f", "g"]]);
    }

    #[test]
    fn a_sep_line_names_the_delimiter() {
        for (text, delimiter) in [("sep=;\na;b", ';'), ("\"sep=|\"\na|b", '|'), ("sep=\t\na\tb", '\t')] {
            let (found, from) = named_delimiter(text).expect("the line names one");
            assert_eq!((found, &text[from..from + 1]), (delimiter, "a"));
        }
        assert_eq!(named_delimiter("separate,b\n"), None);
        assert_eq!(named_delimiter("sep=;;\n"), None);
    }

    #[test]
    fn mistakes_of_quoting_have_their_place() {
        let dialect = Dialect {
            delimiter: ',',
            smart_quotes: false,
        };
        let (_, mistakes) = rows("a.csv", "a,b\n\"x\"y,2\nü,\"z\n", 0, dialect);
        let places: Vec<_> = mistakes
            .iter()
            .map(|mistake| {
                let span = mistake.span.as_ref().expect("a place");
                (mistake.id, span.line, span.column)
            })
            .collect();
        assert_eq!(places, [("after-quote", 2, 4), ("open-quote", 3, 3)]);
    }

    proptest! {
        #[test]
        fn written_records_are_read_back(rows in prop::collection::vec(prop::collection::vec("[a\",;\t\n 'é“]{0,6}", 3), 1..8)) {
            let mut writer = csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Always).from_writer(Vec::new());
            for row in &rows {
                writer.write_record(row).expect("memory takes bytes");
            }
            let text = String::from_utf8(writer.into_inner().expect("memory takes bytes")).expect("UTF-8");
            prop_assert_eq!(&texts(&text, ','), &rows);
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in "[a\",;\n“”\u{0}]{0,40}", delimiter in prop::sample::select(&DELIMITERS[..])) {
            let dialect = Dialect { delimiter, smart_quotes: has_smart_quotes(&text) };
            let _ = rows("a.csv", &text, named_delimiter(&text).map_or(0, |(_, from)| from), dialect);
        }
    }
}
