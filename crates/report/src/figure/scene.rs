//! A figure before it is drawn: plots of panels of marks, with no mark-up in any of them.

use super::axis::Axis;
use super::svg::drawings;
use crate::document::Table;
use crate::number::counted;
use crate::text::Text;

/// A figure: what is drawn, how it is read, and the table behind it.
pub(crate) struct Figure {
    /// Its place in the page and the name of its specification's file.
    pub name: &'static str,
    pub title: String,
    /// How it is read.
    pub reading: Text,
    /// What it shows, in words, for readers who do not see it.
    pub summary: Text,
    pub layout: Layout,
    /// Each is one drawing.
    pub plots: Vec<Plot>,
    /// What is left out of the drawing, and why.
    pub notes: Vec<Text>,
    /// The numbers behind it.
    pub table: Table,
    /// What stands for it where nothing can be drawn.
    pub in_text: InText,
}

/// How the plots of a figure share the page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// A few plots of full width.
    Wide,
    /// Many small ones.
    Small,
}

/// What a text shows in place of a figure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum InText {
    /// The table: its numbers stand nowhere else.
    Table,
    /// A sentence: another table of the section has its numbers, or there are too many.
    Sentence,
}

/// One drawing: panels side by side on one vertical axis, usually a single one.
pub(crate) struct Plot {
    pub title: Option<Text>,
    pub panels: Vec<Panel>,
    /// Height of the panels, in the units of the drawing.
    pub height: f64,
    /// Whether the names of the series stand above the panels; otherwise each line carries its own.
    pub key: Key,
}

/// Where the names of the series stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    None,
    Above,
}

/// Marks over a pair of axes.
pub(crate) struct Panel {
    /// Share of the plot's width.
    pub share: f64,
    pub x: Axis,
    pub y: Axis,
    pub marks: Vec<Mark>,
}

/// What a mark stands for: its name, and a look that is more than a colour.
#[derive(Clone)]
pub(crate) struct Series {
    pub name: Text,
    pub look: Look,
}

/// Colour, dash and shape of a series; each of the three tells series apart on its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    First,
    Second,
    Third,
    Fourth,
    /// The same four once more, with thin dashes.
    Fifth,
    Sixth,
    Seventh,
    Eighth,
}

impl Look {
    /// Every look, in order.
    pub const ALL: [Self; 8] = [
        Self::First,
        Self::Second,
        Self::Third,
        Self::Fourth,
        Self::Fifth,
        Self::Sixth,
        Self::Seventh,
        Self::Eighth,
    ];

    /// Its place among [`Look::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }

    /// The colour, one of four.
    pub fn colour(self) -> usize {
        self.index() % 4
    }

    /// Lengths of dash and gap; none for a solid line.
    pub fn dash(self) -> &'static [u8] {
        const DASHES: [&[u8]; 8] = [
            &[],
            &[7, 4],
            &[2, 3],
            &[9, 3, 2, 3],
            &[12, 3],
            &[4, 2],
            &[1, 2],
            &[6, 2, 1, 2],
        ];
        DASHES[self.index()]
    }
}

/// Something drawn.
pub(crate) enum Mark {
    /// A line through points in order of x.
    Line {
        series: Series,
        points: Vec<(f64, f64)>,
        label: LineLabel,
    },
    /// The area from 0 to a line.
    Area {
        series: Series,
        points: Vec<(f64, f64)>,
    },
    Points {
        series: Series,
        points: Vec<(f64, f64)>,
    },
    /// Ranges with their middle.
    Intervals {
        series: Series,
        along: Direction,
        ranges: Vec<Range>,
    },
    /// Rectangles, the bars of a histogram.
    Bars {
        series: Series,
        bars: Vec<Bar>,
    },
    /// A line across the whole panel.
    Rule {
        at: f64,
        across: Direction,
        label: Text,
    },
    /// A short stroke at each value of x, on the ground of the panel.
    Rug {
        name: Text,
        values: Vec<f64>,
    },
    /// A band across the whole panel.
    Shade {
        across: Direction,
        from: f64,
        to: f64,
        label: Option<Text>,
        tone: Tone,
    },
    /// Names beside points, moved apart where they would overlap.
    Names {
        names: Vec<(f64, f64, Text)>,
    },
}

/// What a line says of itself.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum LineLabel {
    None,
    /// Its name at its right end.
    End(Text),
    /// A short name at its highest point.
    Peak(Text),
}

/// A direction in a panel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    X,
    Y,
}

/// How strongly a band is set off.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// As the ground itself; only its label is seen.
    Clear,
    Faint,
    /// Hatched by its colour: something to mind.
    Warning,
}

/// A range with its middle, at a place on the other axis; a range of one point has no known ends.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    pub at: f64,
    pub low: f64,
    pub middle: f64,
    pub high: f64,
}

/// A rectangle.
#[derive(Clone, Copy)]
pub(crate) struct Bar {
    pub x: (f64, f64),
    pub y: (f64, f64),
}

impl Figure {
    /// The numbers behind it.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// How many rows the table has, in words.
    pub fn rows(&self) -> String {
        counted(self.table.total, "row", "rows")
    }

    /// Each plot as an element of a page.
    pub fn drawings(&self) -> Vec<String> {
        drawings(self)
    }
}

impl Series {
    pub fn new(name: impl AsRef<str>, look: Look) -> Self {
        Self {
            name: Text::prose(name.as_ref()),
            look,
        }
    }
}

impl Mark {
    /// The series of a mark that belongs to one.
    pub fn series(&self) -> Option<&Series> {
        match self {
            Self::Line { series, .. }
            | Self::Area { series, .. }
            | Self::Points { series, .. }
            | Self::Intervals { series, .. }
            | Self::Bars { series, .. } => Some(series),
            Self::Rule { .. } | Self::Rug { .. } | Self::Shade { .. } | Self::Names { .. } => None,
        }
    }
}

impl Plot {
    /// A plot of one panel, without names of its series above it.
    pub fn of(panel: Panel, height: f64) -> Self {
        Self {
            title: None,
            panels: vec![panel],
            height,
            key: Key::None,
        }
    }

    /// The series drawn in it, each once, in order of their looks.
    pub fn series(&self) -> Vec<(&Series, &Mark)> {
        let mut known: Vec<(&Series, &Mark)> = Vec::new();
        for mark in self.panels.iter().flat_map(|panel| &panel.marks) {
            if let Some(series) = mark.series()
                && known.iter().all(|(other, _)| other.name != series.name)
            {
                known.push((series, mark));
            }
        }
        known
    }
}
