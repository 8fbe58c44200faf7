//! Where every value of a text stands, byte by byte, for edits that leave all other bytes alone.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle};

/// A value and the bytes it takes up.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    /// Its bytes. A collection in block form begins at its first dash or key and ends with its last value; a block
    /// scalar is its content without the indentation of its first line and the white space at its end; nothing at all is
    /// empty.
    pub range: Range<usize>,
    pub form: Form,
    /// The number of its anchor; 0 without one.
    pub anchor: usize,
}

/// How a value is written.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    Scalar(Style),
    List {
        flow: bool,
        items: Vec<Site>,
    },
    Map {
        flow: bool,
        entries: Vec<SiteEntry>,
    },
    /// An alias.
    Alias,
}

/// One key of a mapping with its value.
#[derive(Debug, Clone)]
pub(crate) struct SiteEntry {
    pub key: String,
    pub key_range: Range<usize>,
    pub value: Site,
}

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Without quotes.
    Plain,
    /// Between `'`.
    Single,
    /// Between `"`, with the escapes of YAML.
    Double,
    /// After `|`.
    Literal,
    /// After `>`.
    Folded,
    /// Between `"`, with the escapes of JSON.
    Json,
}

/// A text with the place of all its values.
#[derive(Debug, Clone)]
pub(crate) struct Sites {
    pub root: Site,
    /// The anchors that some alias uses.
    pub aliased: BTreeSet<usize>,
    /// The bytes of every comment.
    pub comments: Vec<Range<usize>>,
}

impl Site {
    /// The entry of a mapping under a key.
    pub(crate) fn entry(&self, key: &str) -> Option<&SiteEntry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// The entries of a mapping; none of anything else.
    pub(crate) fn entries(&self) -> &[SiteEntry] {
        match &self.form {
            Form::Map { entries, .. } => entries,
            _ => &[],
        }
    }

    /// The items of a list; none of anything else.
    pub(crate) fn items(&self) -> &[Site] {
        match &self.form {
            Form::List { items, .. } => items,
            _ => &[],
        }
    }

    /// Whether it is a list or mapping between brackets.
    pub(crate) fn is_flow(&self) -> bool {
        matches!(self.form, Form::List { flow: true, .. } | Form::Map { flow: true, .. })
    }
}

/// The places of a YAML text that holds one document.
///
/// `None` if it does not parse, or holds what has no place of its own.
pub(crate) fn yaml_sites(text: &str) -> Option<Sites> {
    let mut builder = Builder {
        text,
        open: Vec::new(),
        root: None,
        aliased: BTreeSet::new(),
        comments: Vec::new(),
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.ok()?;
        builder.take(&event, span)?;
    }
    Some(Sites {
        root: builder.root?,
        aliased: builder.aliased,
        comments: builder.comments,
    })
}

/// A collection whose end has not come.
struct Open {
    site: Site,
    key: Option<(String, Range<usize>)>,
}

struct Builder<'t> {
    text: &'t str,
    open: Vec<Open>,
    root: Option<Site>,
    aliased: BTreeSet<usize>,
    comments: Vec<Range<usize>>,
}

impl Builder<'_> {
    fn take(&mut self, event: &Event<'_>, span: Span) -> Option<()> {
        let range = span.byte_range()?;
        match event {
            Event::Comment(..) => self.comments.push(range),
            Event::Scalar(value, style, anchor, _) => self.scalar(value, *style, *anchor, range)?,
            Event::Alias(id) => {
                self.aliased.insert(*id);
                self.place(site(range, Form::Alias, 0))?;
            }
            Event::SequenceStart(style, anchor, _) => {
                let flow = *style == StructureStyle::Flow;
                let items = Vec::new();
                self.begin(site(range, Form::List { flow, items }, *anchor));
            }
            Event::MappingStart(style, anchor, _) => {
                let flow = *style == StructureStyle::Flow;
                let entries = Vec::new();
                self.begin(site(range, Form::Map { flow, entries }, *anchor));
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let mut site = self.open.pop()?.site;
                if site.is_flow() {
                    site.range.end = range.end;
                } else {
                    site.range = first_dash(self.text, &site)..last_end(&site);
                }
                self.place(site)?;
            }
            _ => {}
        }
        Some(())
    }

    fn begin(&mut self, site: Site) {
        self.open.push(Open { site, key: None });
    }

    fn scalar(&mut self, value: &str, style: ScalarStyle, anchor: usize, mut range: Range<usize>) -> Option<()> {
        let style = match style {
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted => Style::Single,
            ScalarStyle::DoubleQuoted => Style::Double,
            ScalarStyle::Literal => Style::Literal,
            ScalarStyle::Folded => Style::Folded,
        };
        if matches!(style, Style::Literal | Style::Folded) {
            range.end = range.start + self.text[range.clone()].trim_end().len();
        }
        let wants_key = matches!(
            self.open.last(),
            Some(Open {
                site: Site {
                    form: Form::Map { .. },
                    ..
                },
                key: None
            })
        );
        if wants_key {
            self.open.last_mut()?.key = Some((value.to_owned(), range));
            return Some(());
        }
        self.place(site(range, Form::Scalar(style), anchor))
    }

    /// Puts a finished value where it belongs.
    fn place(&mut self, site: Site) -> Option<()> {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(site);
            return Some(());
        };
        match &mut open.site.form {
            Form::List { items, .. } => items.push(site),
            Form::Map { entries, .. } => {
                // A key that is an alias or a collection has no word.
                let (key, key_range) = open.key.take()?;
                entries.push(SiteEntry {
                    key,
                    key_range,
                    value: site,
                });
            }
            Form::Scalar(_) | Form::Alias => return None,
        }
        Some(())
    }
}

fn site(range: Range<usize>, form: Form, anchor: usize) -> Site {
    Site { range, form, anchor }
}

/// Where a collection in block form begins: the parser announces a list that is not indented behind its first dash.
fn first_dash(text: &str, site: &Site) -> usize {
    let start = site.range.start;
    if !matches!(site.form, Form::List { .. }) || text[start..].starts_with("- ") || text[start..].starts_with("-\n") {
        return start;
    }
    let mut end = start;
    while end > 0 {
        let line = text[..end].rfind('\n').map_or(0, |newline| newline + 1);
        let before = &text[line..end];
        if before.trim_start().starts_with('-') {
            return line + before.len() - before.trim_start().len();
        }
        end = line.saturating_sub(1);
    }
    start
}

/// Where the last value of a collection ends; a key without a value ends its mapping.
fn last_end(site: &Site) -> usize {
    match &site.form {
        Form::List { items, .. } => items.last().map(|item| item.range.end),
        Form::Map { entries, .. } => entries
            .last()
            .map(|entry| entry.value.range.end.max(entry.key_range.end)),
        Form::Scalar(_) | Form::Alias => None,
    }
    .unwrap_or(site.range.end)
    .max(site.range.start)
}

/// The places of one JSON value that fills `text[range]` apart from white space; the text must be JSON.
///
/// `None` if it is not.
pub(crate) fn json_sites(text: &str, range: Range<usize>) -> Option<Sites> {
    let mut cursor = Json {
        bytes: &text.as_bytes()[..range.end],
        text,
        at: range.start,
    };
    let root = cursor.value()?;
    Some(Sites {
        root,
        aliased: BTreeSet::new(),
        comments: Vec::new(),
    })
}

struct Json<'t> {
    bytes: &'t [u8],
    text: &'t str,
    at: usize,
}

impl Json<'_> {
    fn peek(&mut self) -> Option<u8> {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn value(&mut self) -> Option<Site> {
        match self.peek()? {
            b'{' => self.object(),
            b'[' => self.list(),
            b'"' => Some(site(self.string()?, Form::Scalar(Style::Json), 0)),
            _ => Some(site(self.word(), Form::Scalar(Style::Plain), 0)),
        }
    }

    fn object(&mut self) -> Option<Site> {
        let start = self.at;
        self.at += 1;
        let mut entries = Vec::new();
        while self.peek()? != b'}' {
            let key_range = self.string()?;
            let key = serde_json::from_str(&self.text[key_range.clone()]).ok()?;
            (self.peek()? == b':').then_some(())?;
            self.at += 1;
            let value = self.value()?;
            entries.push(SiteEntry { key, key_range, value });
            self.comma()?;
        }
        self.at += 1;
        Some(site(start..self.at, Form::Map { flow: true, entries }, 0))
    }

    fn list(&mut self) -> Option<Site> {
        let start = self.at;
        self.at += 1;
        let mut items = Vec::new();
        while self.peek()? != b']' {
            items.push(self.value()?);
            self.comma()?;
        }
        self.at += 1;
        Some(site(start..self.at, Form::List { flow: true, items }, 0))
    }

    fn comma(&mut self) -> Option<()> {
        if self.peek()? == b',' {
            self.at += 1;
        }
        Some(())
    }

    fn string(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        (self.bytes.get(start) == Some(&b'"')).then_some(())?;
        self.at += 1;
        loop {
            match self.bytes.get(self.at)? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(start..self.at)
    }

    fn word(&mut self) -> Range<usize> {
        let start = self.at;
        while self
            .bytes
            .get(self.at)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
        {
            self.at += 1;
        }
        start..self.at
    }
}
