//! Findings as text, in the form of the house style.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::{Diagnostic, Severity, Span};

/// Whether rendered findings carry colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Paint {
    /// Text only.
    #[default]
    Plain,
    /// With escape sequences for a terminal.
    Colour,
}

/// How many characters of a line are shown before, in and after the span.
const MOST_AROUND: usize = 60;

/// The width given to the renderer: wider than any line it is handed, so that it never cuts on its own.
const WIDTH: usize = 4_000;

/// A character as it is shown: itself, or `\u{..}` when it is invisible or would move the text around it.
pub fn visible(c: char) -> impl Iterator<Item = char> {
    let escaped = is_hidden(c).then(|| c.escape_unicode());
    let shown = (!is_hidden(c)).then_some(c);
    escaped.into_iter().flatten().chain(shown)
}

/// Control, soft-hyphen, zero-width, bidirectional, annotation and tag characters, and the two that are none.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}')
}

pub(super) fn render(diagnostic: &Diagnostic, source: Option<&str>, paint: Paint) -> String {
    let what = visible_text(&diagnostic.what);
    let help = visible_text(&diagnostic.help);
    let label = diagnostic.label.as_deref().map(visible_text).unwrap_or_default();
    let file = diagnostic
        .span
        .as_ref()
        .map(|span| visible_text(&span.file))
        .unwrap_or_default();
    let line = diagnostic.span.as_ref().and_then(|span| ShownLine::new(span, source?));

    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(what.as_str());
    // The name by which a doubt is looked up and silenced; an error cannot be silenced.
    let title = match diagnostic.severity {
        Severity::Error => title,
        Severity::Warning | Severity::Note => title.id(diagnostic.id),
    };
    let mut group = Group::with_title(title);
    if let Some(span) = &diagnostic.span {
        group = group.element(
            Origin::path(file.as_str())
                .line(span.line as usize)
                .char_column(span.column as usize),
        );
        if let Some(line) = &line {
            let mark = AnnotationKind::Primary.span(line.start..line.end);
            let mark = if label.is_empty() {
                mark
            } else {
                mark.label(label.as_str())
            };
            group = group.element(
                Snippet::source(line.text.as_str())
                    .line_start(span.line as usize)
                    .annotation(mark),
            );
        }
    }
    let mut groups = vec![group];
    if !help.is_empty() {
        groups.push(Group::with_title(Level::HELP.secondary_title(help.as_str())));
    }
    let renderer = match paint {
        Paint::Plain => Renderer::plain(),
        Paint::Colour => Renderer::styled(),
    };
    tighten(&renderer.term_width(WIDTH).render(&groups))
}

/// Drops the lines that hold nothing but the margin or the mark between a place and its line.
fn tighten(rendered: &str) -> String {
    let mut text = String::with_capacity(rendered.len());
    for line in rendered.lines().filter(|line| !is_margin(line)) {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Whether a line is empty, one `|` or one `:::`, white space and escape sequences aside.
fn is_margin(line: &str) -> bool {
    let mut mark = String::new();
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        match c {
            '\u{1b}' => {
                characters.by_ref().find(|&c| c == 'm');
            }
            ' ' => {}
            '|' | ':' => mark.push(c),
            _ => return false,
        }
    }
    matches!(mark.as_str(), "" | "|" | ":::")
}

fn visible_text(text: &str) -> String {
    text.chars().flat_map(visible).collect()
}

/// One line of a source as it is shown: cut around the span, invisible characters escaped.
struct ShownLine {
    text: String,
    /// Bytes of `text` that the span covers.
    start: usize,
    end: usize,
}

impl ShownLine {
    fn new(span: &Span, source: &str) -> Option<ShownLine> {
        let source = source.strip_prefix('\u{feff}').unwrap_or(source);
        let line = source.split('\n').nth((span.line as usize).checked_sub(1)?)?;
        let line = line.strip_suffix('\r').unwrap_or(line);
        let first = (span.column as usize).saturating_sub(1);
        let begin = first.saturating_sub(MOST_AROUND);
        let length = (span.length as usize).min(MOST_AROUND);
        let part = |skip: usize, take: usize| line.chars().skip(skip).take(take).flat_map(one_column);

        let mut text = String::from(if begin > 0 { "…" } else { "" });
        text.extend(part(begin, first - begin));
        let start = text.len();
        text.extend(part(first, length));
        let end = text.len();
        text.extend(part(first + length, MOST_AROUND));
        if line.chars().nth(first + length + MOST_AROUND).is_some() {
            text.push('…');
        }
        Some(ShownLine { text, start, end })
    }
}

/// A character of a source line as it is shown; a tab is a space, so that carets stand where they belong.
fn one_column(c: char) -> impl Iterator<Item = char> {
    visible(if c == '\t' { ' ' } else { c })
}
