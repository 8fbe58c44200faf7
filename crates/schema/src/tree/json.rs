//! JSON as a tree.

use std::collections::BTreeMap;

use super::{Entry, Node, Place, Reader, Value, add_entry};

/// How deep lists and objects may nest.
const MOST_DEPTH: usize = 64;

/// Reads one JSON value that fills `text`, whose first line is line `first_line`; findings go to `reader`.
///
/// `None` if the text is not JSON; the reason is then among the findings. The bare words `NaN` and `Infinity`, which
/// some programs write, are read so that a reader can say what is wrong with them.
pub(crate) fn parse_json(text: &str, first_line: u32, reader: &mut Reader<'_>) -> Option<Node> {
    let mut cursor = Cursor {
        text,
        at: 0,
        line: first_line,
        column: 1,
        reader,
    };
    let node = cursor.value(0)?;
    cursor.space();
    if cursor.at < text.len() {
        return cursor.fail("there is more after the end of the value");
    }
    Some(node)
}

struct Cursor<'t, 'r, 'f> {
    text: &'t str,
    /// Bytes read.
    at: usize,
    line: u32,
    column: u32,
    reader: &'r mut Reader<'f>,
}

impl<'t> Cursor<'t, '_, '_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn advance(&mut self) {
        let Some(c) = self.peek() else { return };
        self.at += c.len_utf8();
        if c == '\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.advance();
        }
    }

    fn here(&self) -> Place {
        Place {
            line: self.line,
            column: self.column,
            length: 1,
        }
    }

    fn fail<T>(&mut self, what: &str) -> Option<T> {
        let what = format!("this is not JSON: {what}");
        self.reader.error(
            "syntax",
            self.here(),
            what,
            "check commas, quotes and brackets here and just before",
        );
        None
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        self.space();
        if depth > MOST_DEPTH {
            return self.fail("lists and objects nest too deeply");
        }
        match self.peek() {
            Some('{') => self.object(depth),
            Some('[') => self.list(depth),
            Some('"') => self.string(),
            Some(_) => self.word(),
            None => self.fail("the text ends where a value should begin"),
        }
    }

    fn list(&mut self, depth: usize) -> Option<Node> {
        let place = self.here();
        self.advance();
        let mut nodes = Vec::new();
        self.space();
        while self.peek() != Some(']') {
            nodes.push(self.value(depth + 1)?);
            self.comma(']')?;
        }
        self.advance();
        Some(Node {
            value: Value::List(nodes),
            place,
        })
    }

    fn object(&mut self, depth: usize) -> Option<Node> {
        let place = self.here();
        self.advance();
        let (mut entries, mut seen) = (Vec::new(), BTreeMap::new());
        self.space();
        while self.peek() != Some('}') {
            if self.peek() != Some('"') {
                return self.fail("a key in quotes is expected");
            }
            let key = self.string()?;
            let (Value::Scalar { text, .. }, key_place) = (key.value, key.place) else {
                unreachable!("a string is a scalar")
            };
            self.space();
            if self.peek() != Some(':') {
                return self.fail("a colon is expected after the key");
            }
            self.advance();
            let value = self.value(depth + 1)?;
            let entry = Entry {
                key: text.clone(),
                key_place,
                value,
            };
            if let Err(first) = add_entry(&mut entries, &mut seen, entry) {
                self.reader.duplicate_key(&text, key_place, first);
            }
            self.comma('}')?;
        }
        self.advance();
        Some(Node {
            value: Value::Map { entries, flow: false },
            place,
        })
    }

    /// The comma between members, or the look at the closing bracket.
    fn comma(&mut self, close: char) -> Option<()> {
        self.space();
        match self.peek() {
            Some(',') => {
                self.advance();
                self.space();
                if self.peek() == Some(close) {
                    self.fail("there is a comma too many before the bracket")
                } else {
                    Some(())
                }
            }
            Some(c) if c == close => Some(()),
            Some(_) => self.fail("a comma or a closing bracket is expected"),
            None => self.fail("the text ends before the closing bracket"),
        }
    }

    fn string(&mut self) -> Option<Node> {
        let (start, mut place) = (self.at, self.here());
        self.advance();
        loop {
            match self.peek() {
                Some('"') => break,
                Some('\\') => {
                    self.advance();
                    self.advance();
                }
                Some(c) if c >= ' ' => self.advance(),
                Some(_) => return self.fail("a string holds a raw control character or line end"),
                None => return self.fail("the text ends inside a string"),
            }
        }
        self.advance();
        place.length = self.column.saturating_sub(place.column);
        match serde_json::from_str(&self.text[start..self.at]) {
            Ok(text) => Some(Node {
                value: Value::Scalar { text, bare: false },
                place,
            }),
            Err(_) => self.fail("the string just before holds an escape that means nothing"),
        }
    }

    fn word(&mut self) -> Option<Node> {
        let (start, mut place) = (self.at, self.here());
        while self
            .peek()
            .is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        {
            self.advance();
        }
        place.length = self.column.saturating_sub(place.column);
        let word: &'t str = &self.text[start..self.at];
        let known = matches!(word, "true" | "false" | "null" | "NaN" | "Infinity" | "-Infinity");
        if known || serde_json::from_str::<serde_json::Number>(word).is_ok() {
            return Some(Node {
                value: Value::Scalar {
                    text: word.to_owned(),
                    bare: true,
                },
                place,
            });
        }
        self.column = place.column;
        self.fail("a value is expected: text in quotes, a number, true, false, null, a list or an object")
    }
}
