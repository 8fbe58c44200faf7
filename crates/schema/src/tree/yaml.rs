//! YAML 1.2 as a tree.

use std::collections::BTreeMap;

use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StructureStyle, Tag};

use super::{Entry, Node, Place, Reader, Value, add_entry};

/// How many nodes aliases may copy in all. A person repeats a few texts; a "billion laughs" file repeats without end.
const MOST_COPIES: usize = 10_000;

/// Reads one YAML document; findings go to `reader`.
///
/// `None` if the text is not YAML, has a key that is no word, holds no document or more than one; the reason is then
/// among the findings, unless there is no document. Duplicate keys and tags are reported and reading goes on.
pub(crate) fn parse_yaml(text: &str, reader: &mut Reader<'_>) -> Option<Node> {
    let mut builder = Builder {
        text,
        reader,
        open: Vec::new(),
        anchors: BTreeMap::new(),
        copies: 0,
        root: None,
    };
    for event in Parser::new_from_str(text) {
        let going = match event {
            Ok((event, span)) => builder.take(event, span),
            Err(error) => {
                builder.syntax(&error);
                false
            }
        };
        if !going {
            return None;
        }
    }
    builder.root
}

/// A list or mapping whose end has not come.
struct Open {
    node: Node,
    seen: BTreeMap<String, Place>,
    /// The key of a mapping whose value has not come.
    key: Option<(String, Place)>,
    anchor: usize,
}

struct Builder<'r, 'f, 't> {
    text: &'t str,
    reader: &'r mut Reader<'f>,
    open: Vec<Open>,
    anchors: BTreeMap<usize, (Node, usize)>,
    copies: usize,
    root: Option<Node>,
}

impl Builder<'_, '_, '_> {
    /// Takes one event; `false` stops reading.
    fn take(&mut self, event: Event<'_>, span: Span) -> bool {
        let place = place_of(span);
        match event {
            Event::DocumentStart(..) if self.root.is_some() => {
                self.reader.error(
                    "many-documents",
                    place,
                    "the file holds more than one YAML document",
                    "keep one document: remove the `---` and what does not belong",
                );
                false
            }
            Event::Scalar(text, style, anchor, tag) => {
                let text_tag = self.check_tag(tag.as_deref(), place);
                let bare = style == ScalarStyle::Plain && !text_tag;
                let node = Node {
                    value: Value::Scalar {
                        text: text.into_owned(),
                        bare,
                    },
                    place,
                };
                self.place_node(node, anchor)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.check_tag(tag.as_deref(), place);
                self.begin(Value::List(Vec::new()), place, anchor)
            }
            Event::MappingStart(style, anchor, tag) => {
                self.check_tag(tag.as_deref(), place);
                let flow = style == StructureStyle::Flow;
                self.begin(
                    Value::Map {
                        entries: Vec::new(),
                        flow,
                    },
                    place,
                    anchor,
                )
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let open = self.open.pop().expect("the parser closes what it opened");
                self.place_node(open.node, open.anchor)
            }
            Event::Alias(id) => self.copy(id, place),
            _ => true,
        }
    }

    fn begin(&mut self, value: Value, place: Place, anchor: usize) -> bool {
        self.open.push(Open {
            node: Node { value, place },
            seen: BTreeMap::new(),
            key: None,
            anchor,
        });
        true
    }

    /// Puts a finished node where it belongs and remembers it under its anchor.
    fn place_node(&mut self, node: Node, anchor: usize) -> bool {
        if anchor != 0 {
            let size = size_of(&node);
            self.anchors.insert(anchor, (node.clone(), size));
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return true;
        };
        match (&mut open.node.value, open.key.take()) {
            (Value::List(nodes), _) => nodes.push(node),
            (Value::Map { .. }, None) => {
                open.key = key_of(node, self.reader);
                return open.key.is_some();
            }
            (Value::Map { entries, .. }, Some((key, key_place))) => {
                let entry = Entry {
                    key: key.clone(),
                    key_place,
                    value: node,
                };
                if let Err(first) = add_entry(entries, &mut open.seen, entry) {
                    self.reader.duplicate_key(&key, key_place, first);
                }
            }
            (Value::Scalar { .. }, _) => unreachable!("only lists and mappings are opened"),
        }
        true
    }

    /// Copies the node an alias names, within the limit.
    fn copy(&mut self, id: usize, place: Place) -> bool {
        let Some((node, size)) = self.anchors.get(&id) else {
            self.reader.error(
                "alias",
                place,
                "the alias stands inside what it names",
                "write the text out here",
            );
            return false;
        };
        self.copies += size;
        if self.copies > MOST_COPIES {
            let help = "write the texts out; a rubric seldom needs aliases";
            self.reader.error(
                "alias-bomb",
                place,
                format!("aliases copy more than {MOST_COPIES} values"),
                help,
            );
            return false;
        }
        let copy = Node { place, ..node.clone() };
        self.place_node(copy, 0)
    }

    /// Whether the tag says "text"; other tags are reported, since nothing here needs them.
    fn check_tag(&mut self, tag: Option<&Tag>, place: Place) -> bool {
        let Some(tag) = tag else { return false };
        if tag.is_yaml_core_schema_tag("str") {
            return true;
        }
        let what = format!("the YAML tag `{}` is not used here", tag.original());
        self.reader
            .error("tag", place, what, "remove the tag; quotes make a value text");
        false
    }

    fn syntax(&mut self, error: &ScanError) {
        let mark = error.marker();
        let place = Place {
            line: clamp(mark.line()),
            column: clamp(mark.col() + 1),
            length: 1,
        };
        let what = format!("this is not YAML: {}", error.info());
        let help = syntax_help(self.text, place, &error.info());
        self.reader.error("syntax", place, what, help);
    }
}

/// The key a scalar node gives, or the complaint that a list or mapping is none.
fn key_of(node: Node, reader: &mut Reader<'_>) -> Option<(String, Place)> {
    let (place, kind) = (node.place, node.kind());
    match node.value {
        Value::Scalar { text, .. } => Some((text, place)),
        Value::List(_) | Value::Map { .. } => {
            let help = "write a word before the colon; text with brackets goes in quotes";
            reader.error("key", place, format!("a key is a word, this is {kind}"), help);
            None
        }
    }
}

fn size_of(node: &Node) -> usize {
    1 + match &node.value {
        Value::Scalar { .. } => 0,
        Value::List(nodes) => nodes.iter().map(size_of).sum(),
        Value::Map { entries, .. } => entries.iter().map(|entry| 1 + size_of(&entry.value)).sum(),
    }
}

/// The span on its first line.
fn place_of(span: Span) -> Place {
    let same_line = span.start.line() == span.end.line();
    let length = if same_line {
        span.end.col().saturating_sub(span.start.col())
    } else {
        1
    };
    Place {
        line: clamp(span.start.line()),
        column: clamp(span.start.col() + 1),
        length: clamp(length),
    }
}

fn clamp(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// The next step for the mistakes people make most.
fn syntax_help(text: &str, place: Place, message: &str) -> &'static str {
    let index = usize::try_from(place.line).unwrap_or(usize::MAX).saturating_sub(1);
    let line = text.lines().nth(index).unwrap_or_default();
    let before: String = line
        .chars()
        .take(usize::try_from(place.column).unwrap_or(0).saturating_sub(1))
        .collect();
    let one_word = before.trim_start_matches([' ', '-']).split_whitespace().count() <= 1;
    if message.contains("tab") {
        "indent with spaces; YAML does not allow tabs there"
    } else if message.contains("quote") {
        "close the quotation mark, or double it if it belongs to the text"
    } else if message.contains("bracket") {
        "close the bracket, or put the text in quotes if the bracket belongs to it"
    } else if message.contains("anchor") {
        "put text that begins with `*` or `&` in quotes"
    } else if message.contains("mapping values") && one_word {
        "indent this key exactly like the other keys beside it"
    } else if message.contains("mapping values") {
        "put the text in quotes, or write it after `>` on lines of its own: a colon and a space begin a value"
    } else {
        "check indentation, quotes and brackets here and on the line before"
    }
}
