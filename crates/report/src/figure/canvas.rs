//! SVG as text: the one place where an element is written and a text is escaped.

use std::fmt::Write;

use crate::text::Text;

/// Share of a text that is cut that its end has.
const TAIL: f64 = 0.35;

/// Elements written so far.
pub(super) struct Canvas {
    out: String,
    /// Height of the letters, in the units of the drawing.
    pub letter: f64,
}

/// Where a text has its place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

impl Canvas {
    pub fn new(letter: f64) -> Self {
        Self {
            out: String::new(),
            letter,
        }
    }

    /// The whole element, to be put into a page.
    ///
    /// The id is that of its title and description, which name it for readers who do not see it.
    pub fn finish(self, (width, height): (f64, f64), class: &str, (id, title, summary): (&str, &str, &str)) -> String {
        format!(
            "<svg class=\"plot {class}\" role=\"img\" viewBox=\"0 0 {} {}\" aria-labelledby=\"{id}-title {id}-desc\">\
             <title id=\"{id}-title\">{}</title><desc id=\"{id}-desc\">{}</desc>\n{}</svg>",
            place(width),
            place(height),
            escaped(title),
            escaped(summary),
            self.out
        )
    }

    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(place);
        self.push(format_args!(
            "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"
        ));
    }

    pub fn rectangle(&mut self, (left, top): (f64, f64), (right, bottom): (f64, f64), class: &str) {
        let [x, y, width, height] = [left, top, (right - left).max(0.0), (bottom - top).max(0.0)].map(place);
        self.push(format_args!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>"
        ));
    }

    /// A line through points; a dash is a list of lengths.
    pub fn polyline(&mut self, points: &[(f64, f64)], class: &str, dash: &[u8]) {
        if points.len() < 2 {
            return;
        }
        let dash = match dash {
            [] => String::new(),
            _ => {
                let lengths: Vec<String> = dash.iter().map(u8::to_string).collect();
                format!(" stroke-dasharray=\"{}\"", lengths.join(" "))
            }
        };
        self.push(format_args!(
            "<path class=\"{class}\"{dash} d=\"{}\"/>",
            outline(points, "")
        ));
    }

    /// A filled shape.
    pub fn polygon(&mut self, points: &[(f64, f64)], class: &str) {
        if points.len() < 3 {
            return;
        }
        self.push(format_args!("<path class=\"{class}\" d=\"{}\"/>", outline(points, "Z")));
    }

    pub fn circle(&mut self, (x, y): (f64, f64), radius: f64, class: &str) {
        let [x, y, r] = [x, y, radius].map(place);
        self.push(format_args!(
            "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>"
        ));
    }

    pub fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let [x, y] = [x, y].map(place);
        let anchor = match anchor {
            Anchor::Start => String::new(),
            _ => format!(" text-anchor=\"{}\"", anchor.word()),
        };
        self.push(format_args!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{anchor}>{}</text>",
            escaped(text)
        ));
    }

    /// The text cut to a width, with an ellipsis for its middle: names that begin alike often end differently.
    pub fn fitted(&self, text: &Text, width: f64) -> String {
        let text = text.as_str();
        if self.width(text) <= width {
            return text.to_owned();
        }
        let free = (width - self.letter * letter_width('…')).max(0.0);
        let tail = self.taken(text.chars().rev(), TAIL * free);
        let tail: String = tail.chars().rev().collect();
        let tail = after_code(&tail);
        let head = self.taken(text.chars(), free - self.width(tail));
        format!("{}…{}", before_code(&head).trim_end(), tail.trim_start())
    }

    /// As many letters as fit a width.
    fn taken(&self, letters: impl Iterator<Item = char>, width: f64) -> String {
        let mut kept = String::new();
        let mut used = 0.0;
        for c in letters {
            used += self.letter * letter_width(c);
            if used > width {
                break;
            }
            kept.push(c);
        }
        kept
    }

    /// About how wide a text is: the browser's font is not known here, so this errs on the wide side.
    pub fn width(&self, text: &str) -> f64 {
        self.letter * text.chars().map(letter_width).sum::<f64>()
    }

    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        self.out.write_fmt(element).expect("a string takes what is written");
        self.out.push('\n');
    }
}

/// The head of a text that was cut, without the beginning of a shown code point, such as `⟨U+20`.
fn before_code(head: &str) -> &str {
    match head.rfind('⟨') {
        Some(at) if is_of_code(&head[at + '⟨'.len_utf8()..]) => &head[..at],
        _ => head,
    }
}

/// The tail of a text that was cut, without the end of a shown code point, such as `2E⟩`.
fn after_code(tail: &str) -> &str {
    match tail.split_once('⟩') {
        Some((code, after)) if is_of_code(code) => after,
        _ => tail,
    }
}

/// Whether a text may be a part of a code point between its brackets.
fn is_of_code(part: &str) -> bool {
    part.len() <= "U+10FFFF".len()
        && part
            .bytes()
            .all(|byte| matches!(byte, b'U' | b'+' | b'0'..=b'9' | b'A'..=b'F'))
}

/// Width of a letter in letter heights, for the sans-serif fonts of the page.
fn letter_width(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.33,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' => 0.42,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '…' => 0.95,
        'A'..='Z' | '⟨' | '⟩' => 0.7,
        '\u{1100}'.. => 1.05,
        'c' | 'k' | 's' | 'v' | 'x' | 'y' | 'z' | '_' => 0.53,
        _ => 0.6,
    }
}

fn outline(points: &[(f64, f64)], end: &str) -> String {
    let mut path = String::with_capacity(points.len() * 12);
    for (index, (x, y)) in points.iter().enumerate() {
        let step = if index == 0 { 'M' } else { 'L' };
        write!(path, "{step}{} {}", place(*x), place(*y)).expect("a string takes what is written");
    }
    path + end
}

/// A place in the drawing, to a tenth; one that is not finite cannot come here, because axes and marks hold none.
pub(super) fn place(value: f64) -> String {
    let value = if value.is_finite() { value } else { 0.0 };
    let shown = format!("{value:.1}");
    let shown = shown.strip_suffix(".0").unwrap_or(&shown);
    if shown == "-0" {
        "0".to_owned()
    } else {
        shown.to_owned()
    }
}

/// The text with every character that XML could read as its own as a reference.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_short_and_finite() {
        assert_eq!(
            [0.0, -0.01, 12.0, 3.1482, f64::NAN].map(place),
            ["0", "0", "12", "3.1", "0"]
        );
    }

    #[test]
    fn a_text_is_cut_to_its_width() {
        let canvas = Canvas::new(10.0);
        assert_eq!(canvas.fitted(&Text::id("short"), 100.0), "short");
        for raw in ["x".repeat(100), format!("model-{}-v2", "x".repeat(50))] {
            let cut = canvas.fitted(&Text::id(&raw), 100.0);
            assert!(cut.contains('…') && canvas.width(&cut) <= 100.0, "{cut}");
            assert_eq!(cut.chars().last(), raw.chars().last());
        }
    }

    #[test]
    fn a_cut_spares_shown_code_points() {
        let canvas = Canvas::new(10.0);
        let name = Text::id(&"ab\u{202e}".repeat(12));
        for width in 20..400 {
            let cut = canvas.fitted(&name, f64::from(width));
            let rest = cut.replace("⟨U+202E⟩", "");
            assert!(
                cut.contains('…') && rest.chars().all(|c| "ab…".contains(c)),
                "{width}: {cut}"
            );
        }
        assert_eq!((before_code("x⟨y⟩"), after_code("y⟩x")), ("x⟨y⟩", "y⟩x"));
    }

    #[test]
    fn mark_up_becomes_text() {
        assert_eq!(escaped("<a b=\"c\">&'"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;");
    }
}
