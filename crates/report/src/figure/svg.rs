//! A plot as inline SVG: its size, its key, its axes. Colours are classes of the page, so light, dark and print follow it.

use super::axis::{Axis, Linear, Scale};
use super::canvas::{Anchor, Canvas};
use super::marks;
use super::scene::{Direction, Figure, Key, Layout, LineLabel, Mark, Panel, Plot};

/// Space between a number and its axis.
const GAP: f64 = 7.0;
/// Space between panels.
const BETWEEN: f64 = 26.0;
/// The widest a row's name or a line's label may be, as a share of the drawing.
const NAME_SHARE: f64 = 0.38;
/// The outermost parts of a drawing stay this far inside it.
const EDGE: f64 = 4.0;

/// For which width of a page a drawing is made.
#[derive(Clone, Copy)]
enum Made {
    /// The width of a paragraph.
    Wide,
    /// A phone, which shows it in place of the wide one.
    Narrow,
    /// One of many beside each other.
    Small,
}

impl Made {
    /// Width of the drawing and height of its letters; the page never shows it so small that letters have less than 11 px (report.css).
    fn size(self) -> (f64, f64) {
        match self {
            Self::Wide => (560.0, 13.0),
            Self::Narrow => (360.0, 12.5),
            Self::Small => (240.0, 12.0),
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Narrow => "narrow",
            Self::Small => "small-one",
        }
    }
}

/// The drawings of a figure as elements of a page; of a plot's wide and narrow drawing the page shows the one that fits.
pub(crate) fn drawings(figure: &Figure) -> Vec<String> {
    let made: &[Made] = match figure.layout {
        Layout::Wide => &[Made::Wide, Made::Narrow],
        Layout::Small => &[Made::Small],
    };
    let several = figure.plots.len() > 1;
    let mut drawings = Vec::new();
    for (index, plot) in figure.plots.iter().enumerate() {
        let title = match &plot.title {
            Some(title) if several => format!("{}: {title}", figure.title),
            _ => figure.title.clone(),
        };
        for made in made {
            let id = format!("figure-{}-{}-{}", figure.name, index + 1, made.class());
            drawings.push(drawing(plot, *made, &id, &title, figure.summary.as_str()));
        }
    }
    drawings
}

/// The rectangle of a panel, and how its axes fill it.
pub(super) struct Frame<'a> {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    /// Room for a line's label right of the frame.
    pub beside: f64,
    pub panel: &'a Panel,
}

impl Frame<'_> {
    /// The place of a value of x, kept inside the frame.
    pub fn x(&self, value: f64) -> f64 {
        let (low, high) = self.panel.x.domain();
        (self.left + (value - low) / (high - low) * (self.right - self.left)).clamp(self.left, self.right)
    }

    /// The place of a value of y, kept inside the frame; rows run downwards, numbers upwards.
    pub fn y(&self, value: f64) -> f64 {
        let (low, high) = self.panel.y.domain();
        let share = (value - low) / (high - low) * (self.bottom - self.top);
        let place = match self.panel.y.scale {
            Scale::Linear(_) => self.bottom - share,
            Scale::Rows(_) => self.top + share,
        };
        place.clamp(self.top, self.bottom)
    }

    /// The places of the points that are finite.
    pub fn points(&self, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let finite = points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
        finite.map(|(x, y)| (self.x(*x), self.y(*y))).collect()
    }
}

fn drawing(plot: &Plot, made: Made, id: &str, title: &str, summary: &str) -> String {
    let (width, letter) = made.size();
    let mut canvas = Canvas::new(letter);
    let mut top = EDGE;
    if let Some(title) = &plot.title {
        top += letter;
        let title = canvas.fitted(title, width - 2.0 * EDGE);
        canvas.text((0.0, top), Anchor::Start, "panel", &title);
        top += 0.7 * letter;
    }
    if plot.key == Key::Above {
        top = key(&mut canvas, plot, width, top);
    }
    if plot.panels.iter().any(|panel| !panel.y.title.is_empty()) {
        top += 1.5 * letter;
    }
    let bottom = top + plot.height;
    for (index, frame) in frames(&canvas, plot, width, top, bottom).iter().enumerate() {
        axes(&mut canvas, frame, index == 0);
        marks::draw(&mut canvas, frame);
    }
    let below = 1.4 * letter
        + if plot.panels.iter().any(|panel| !panel.x.title.is_empty()) {
            1.5 * letter
        } else {
            0.0
        };
    canvas.finish((width, bottom + below + EDGE), made.class(), (id, title, summary))
}

/// Where the first panel begins: right of its widest number or name.
fn first_left(canvas: &Canvas, plot: &Plot, width: f64) -> f64 {
    let widest = plot.panels.first().map_or(0.0, |panel| match &panel.y.scale {
        Scale::Linear(linear) => widest(canvas, linear),
        Scale::Rows(names) => names
            .iter()
            .map(|name| canvas.width(name.as_str()))
            .fold(0.0, f64::max)
            .min(NAME_SHARE * width),
    });
    (widest + GAP).max(EDGE)
}

fn widest(canvas: &Canvas, linear: &Linear) -> f64 {
    let labels = linear.labels();
    labels.iter().map(|(_, label)| canvas.width(label)).fold(0.0, f64::max)
}

/// What must stay free right of the last panel: labels of lines, or half of the last number of x.
fn right_margin(canvas: &Canvas, plot: &Plot, width: f64) -> f64 {
    let marks = plot.panels.last().map_or(&[][..], |panel| &panel.marks);
    let label = |mark: &Mark| match mark {
        Mark::Line {
            label: LineLabel::End(text),
            ..
        } => canvas.width(text.as_str()).min(NAME_SHARE * width) + GAP,
        Mark::Shade {
            across: Direction::X,
            label: Some(text),
            ..
        } => canvas.width(text.as_str()) + GAP,
        _ => 0.0,
    };
    let half_a_number = 1.6 * canvas.letter;
    marks.iter().map(label).fold(half_a_number, f64::max)
}

fn frames<'a>(canvas: &Canvas, plot: &'a Plot, width: f64, top: f64, bottom: f64) -> Vec<Frame<'a>> {
    let left = first_left(canvas, plot, width);
    let gaps = BETWEEN * plot.panels.len().saturating_sub(1) as f64;
    let free = width - left - right_margin(canvas, plot, width) - gaps;
    let whole: f64 = plot.panels.iter().map(|panel| panel.share).sum();
    let mut at = left;
    let mut frames = Vec::new();
    for panel in &plot.panels {
        let right = at + free * panel.share / whole;
        frames.push(Frame {
            left: at,
            right,
            top,
            bottom,
            beside: NAME_SHARE * width,
            panel,
        });
        at = right + BETWEEN;
    }
    frames
}

/// The names of the series with a sample of each, in lines as long as the drawing; returns where the next thing begins.
fn key(canvas: &mut Canvas, plot: &Plot, width: f64, top: f64) -> f64 {
    const SAMPLE: f64 = 26.0;
    let letter = canvas.letter;
    let (mut x, mut y) = (0.0, top + letter);
    for (series, mark) in plot.series() {
        let name = canvas.fitted(&series.name, width - SAMPLE - 2.0 * EDGE);
        let room = SAMPLE + GAP + canvas.width(&name);
        if x > 0.0 && x + room > width {
            (x, y) = (0.0, y + 1.4 * letter);
        }
        marks::sample(canvas, series, mark, (x, y - 0.35 * letter), SAMPLE);
        canvas.text((x + SAMPLE + GAP, y), Anchor::Start, "key", &name);
        x += room + 2.0 * GAP;
    }
    y + 0.8 * letter
}

/// Both axes of a panel; numbers of y only where the panel is the first of its plot.
fn axes(canvas: &mut Canvas, frame: &Frame<'_>, first: bool) {
    let panel = frame.panel;
    y_axis(canvas, frame, &panel.y, first);
    x_axis(canvas, frame, &panel.x);
}

fn y_axis(canvas: &mut Canvas, frame: &Frame<'_>, axis: &Axis, first: bool) {
    let letter = canvas.letter;
    match &axis.scale {
        Scale::Linear(linear) => {
            for (tick, label) in linear.labels() {
                let y = frame.y(tick);
                canvas.line((frame.left, y), (frame.right, y), "grid");
                if first {
                    canvas.text((frame.left - GAP, y + 0.35 * letter), Anchor::End, "tick", &label);
                }
            }
        }
        Scale::Rows(names) => {
            for (row, name) in names.iter().enumerate() {
                let y = frame.y(row as f64 + 0.5);
                canvas.line((frame.left, y), (frame.right, y), "grid");
                let name = canvas.fitted(name, frame.left - GAP);
                canvas.text((frame.left - GAP, y + 0.35 * letter), Anchor::End, "name", &name);
            }
        }
    }
    if !axis.title.is_empty() {
        let left = if first { 0.0 } else { frame.left };
        canvas.text((left, frame.top - 0.7 * letter), Anchor::Start, "title", &axis.title);
    }
}

fn x_axis(canvas: &mut Canvas, frame: &Frame<'_>, axis: &Axis) {
    let letter = canvas.letter;
    canvas.line((frame.left, frame.bottom), (frame.right, frame.bottom), "axis");
    let below = frame.bottom + 1.4 * letter;
    if let Scale::Linear(linear) = &axis.scale {
        for (tick, label) in linear.labels() {
            let x = frame.x(tick);
            canvas.line((x, frame.top), (x, frame.bottom), "grid");
            canvas.line((x, frame.bottom), (x, frame.bottom + 4.0), "axis");
            canvas.text((x, below), Anchor::Middle, "tick", &label);
        }
    }
    let middle = 0.5 * (frame.left + frame.right);
    if !axis.title.is_empty() {
        canvas.text((middle, below + 1.4 * letter), Anchor::Middle, "title", &axis.title);
    }
}
