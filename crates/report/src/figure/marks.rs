//! Marks as SVG: each kind drawn into the frame of its panel.

use super::axis::Scale;
use super::canvas::{Anchor, Canvas};
use super::labels::spread;
use super::scene::{Bar, Direction, LineLabel, Look, Mark, Range, Series, Tone};
use super::svg::Frame;
use crate::text::Text;

/// Radius of a point.
const POINT: f64 = 3.6;
/// A label that moved further than this gets a line back to what it names.
const NEAR: f64 = 5.0;

/// Every mark of a panel, in its order, then the labels of its lines.
pub(super) fn draw(canvas: &mut Canvas, frame: &Frame<'_>) {
    for mark in &frame.panel.marks {
        match mark {
            Mark::Line { series, points, .. } => {
                let class = format!("line c{}", series.look.colour());
                canvas.polyline(&frame.points(points), &class, series.look.dash());
            }
            Mark::Area { series, points } => area(canvas, frame, series, points),
            Mark::Points { series, points } => {
                for at in frame.points(points) {
                    point(canvas, at, series.look);
                }
            }
            Mark::Intervals { series, along, ranges } => {
                for range in ranges {
                    interval(canvas, frame, series.look, *along, *range);
                }
            }
            Mark::Bars { series, bars } => bars.iter().for_each(|bar| rectangle(canvas, frame, series, *bar)),
            Mark::Rule { at, across, label } => rule(canvas, frame, *at, *across, label),
            Mark::Rug { values, .. } => rug(canvas, frame, values),
            Mark::Shade {
                across,
                from,
                to,
                label,
                tone,
            } => shade(canvas, frame, (*from, *to), *across, label.as_ref(), *tone),
            Mark::Names { names } => names_beside(canvas, frame, names),
        }
    }
    end_labels(canvas, frame);
    peak_labels(canvas, frame);
}

/// What a series looks like, for the key.
pub(super) fn sample(canvas: &mut Canvas, series: &Series, mark: &Mark, (x, y): (f64, f64), width: f64) {
    let colour = series.look.colour();
    match mark {
        Mark::Line { .. } => {
            let class = format!("line c{colour}");
            canvas.polyline(&[(x, y), (x + width, y)], &class, series.look.dash());
        }
        Mark::Points { .. } => point(canvas, (x + 0.5 * width, y), series.look),
        Mark::Intervals { .. } => {
            canvas.line((x, y), (x + width, y), &format!("range c{colour}"));
            point(canvas, (x + 0.5 * width, y), series.look);
        }
        Mark::Bars { .. } | Mark::Area { .. } => {
            let class = format!("bar c{colour}{}", hollow(series.look));
            canvas.rectangle((x + 0.3 * width, y - 5.0), (x + 0.9 * width, y + 5.0), &class);
        }
        Mark::Rule { .. } | Mark::Rug { .. } | Mark::Shade { .. } | Mark::Names { .. } => {}
    }
}

/// Bars of every second look are outlines, so that they differ without colour.
fn hollow(look: Look) -> &'static str {
    if look.index() % 2 == 1 { " hollow" } else { "" }
}

fn area(canvas: &mut Canvas, frame: &Frame<'_>, series: &Series, points: &[(f64, f64)]) {
    let mut outline = frame.points(points);
    let (Some(first), Some(last)) = (outline.first().copied(), outline.last().copied()) else {
        return;
    };
    let ground = frame.y(0.0);
    outline.extend([(last.0, ground), (first.0, ground)]);
    canvas.polygon(&outline, &format!("area c{}", series.look.colour()));
}

/// A point in the shape of its look: circle, square, triangle, diamond.
fn point(canvas: &mut Canvas, (x, y): (f64, f64), look: Look) {
    let class = format!("dot c{}", look.colour());
    match look.colour() {
        0 => canvas.circle((x, y), POINT, &class),
        1 => canvas.rectangle((x - 3.4, y - 3.4), (x + 3.4, y + 3.4), &class),
        2 => canvas.polygon(&[(x, y - 4.6), (x + 4.4, y + 3.4), (x - 4.4, y + 3.4)], &class),
        _ => canvas.polygon(&[(x, y - 4.8), (x + 4.8, y), (x, y + 4.8), (x - 4.8, y)], &class),
    }
}

fn interval(canvas: &mut Canvas, frame: &Frame<'_>, look: Look, along: Direction, range: Range) {
    let at = |value| match along {
        Direction::X => (frame.x(value), frame.y(range.at)),
        Direction::Y => (frame.x(range.at), frame.y(value)),
    };
    if range.low < range.high {
        canvas.line(at(range.low), at(range.high), &format!("range c{}", look.colour()));
    }
    point(canvas, at(range.middle), look);
}

fn rectangle(canvas: &mut Canvas, frame: &Frame<'_>, series: &Series, bar: Bar) {
    /// Free space between neighbouring bars.
    const SLIT: f64 = 0.7;
    let (x1, x2) = (frame.x(bar.x.0), frame.x(bar.x.1));
    let (y1, y2) = (frame.y(bar.y.0), frame.y(bar.y.1));
    let (mut left, mut right) = (x1.min(x2), x1.max(x2));
    let (mut top, mut bottom) = (y1.min(y2), y1.max(y2));
    if matches!(frame.panel.y.scale, Scale::Linear(_)) && frame.y(0.0) >= bottom - 0.01 && x2 > x1 && right - left > 4.0
    {
        left += SLIT;
        right -= SLIT;
    }
    if bottom - top > 4.0 {
        top += SLIT;
        bottom -= SLIT * f64::from(u8::from(bottom < frame.bottom - 0.01));
    }
    let class = format!("bar c{}{}", series.look.colour(), hollow(series.look));
    canvas.rectangle((left, top), (right, bottom), &class);
}

fn rule(canvas: &mut Canvas, frame: &Frame<'_>, at: f64, across: Direction, label: &Text) {
    let letter = canvas.letter;
    match across {
        Direction::Y => {
            let x = frame.x(at);
            canvas.line((x, frame.top), (x, frame.bottom), "rule");
            let left_half = x < 0.5 * (frame.left + frame.right);
            let (anchor, x, room) = match left_half {
                true => (Anchor::Start, x + 6.0, frame.right - x),
                false => (Anchor::End, x - 6.0, x - frame.left),
            };
            let label = canvas.fitted(label, room - 8.0);
            canvas.text((x, frame.top + letter), anchor, "label", &label);
        }
        Direction::X => {
            let y = frame.y(at);
            canvas.line((frame.left, y), (frame.right, y), "rule");
            let label = canvas.fitted(label, frame.right - frame.left - 8.0);
            canvas.text((frame.left + 6.0, y - 4.0), Anchor::Start, "label", &label);
        }
    }
}

fn rug(canvas: &mut Canvas, frame: &Frame<'_>, values: &[f64]) {
    for value in values.iter().filter(|value| value.is_finite()) {
        let x = frame.x(*value);
        canvas.line((x, frame.bottom), (x, frame.bottom - 9.0), "rug");
    }
}

fn shade(
    canvas: &mut Canvas,
    frame: &Frame<'_>,
    (from, to): (f64, f64),
    across: Direction,
    label: Option<&Text>,
    tone: Tone,
) {
    let class = match tone {
        Tone::Clear => None,
        Tone::Faint => Some("band"),
        Tone::Warning => Some("band mind"),
    };
    let letter = canvas.letter;
    let (low, high) = match across {
        Direction::X => ((frame.left, frame.y(from)), (frame.right, frame.y(to))),
        Direction::Y => ((frame.x(from), frame.top), (frame.x(to), frame.bottom)),
    };
    if let Some(class) = class {
        canvas.rectangle((low.0, low.1.min(high.1)), (high.0, low.1.max(high.1)), class);
    }
    let Some(label) = label else { return };
    match across {
        Direction::X => canvas.text(
            (frame.right + 6.0, low.1 + 1.2 * letter),
            Anchor::Start,
            "label soft",
            label.as_str(),
        ),
        Direction::Y => {
            let label = canvas.fitted(label, high.0 - low.0 - 8.0);
            canvas.text((low.0 + 4.0, frame.top + letter), Anchor::Start, "label soft", &label);
        }
    }
}

/// Names left of their points.
fn names_beside(canvas: &mut Canvas, frame: &Frame<'_>, names: &[(f64, f64, Text)]) {
    let letter = canvas.letter;
    let wanted: Vec<f64> = names.iter().map(|(_, y, _)| frame.y(*y)).collect();
    let places = spread(
        &wanted,
        1.12 * letter,
        frame.top + 0.5 * letter,
        frame.bottom - 0.5 * letter,
    );
    for (((x, _, name), wanted), place) in names.iter().zip(&wanted).zip(places) {
        let x = frame.x(*x);
        canvas.line((x - 5.0, *wanted), (x - 16.0, place), "leader");
        let name = canvas.fitted(name, x - 20.0 - frame.left);
        canvas.text((x - 19.0, place + 0.35 * letter), Anchor::End, "name", &name);
    }
}

fn end_labels(canvas: &mut Canvas, frame: &Frame<'_>) {
    let letter = canvas.letter;
    let mut ends: Vec<((f64, f64), &Text, &Series)> = Vec::new();
    for mark in &frame.panel.marks {
        if let Mark::Line {
            series,
            points,
            label: LineLabel::End(text),
        } = mark
            && let Some(last) = frame.points(points).last()
        {
            ends.push((*last, text, series));
        }
    }
    let wanted: Vec<f64> = ends.iter().map(|((_, y), ..)| *y).collect();
    let places = spread(&wanted, 1.2 * letter, frame.top, frame.bottom);
    for (((x, y), text, series), place) in ends.into_iter().zip(places) {
        if (place - y).abs() > NEAR {
            canvas.line((x + 1.0, y), (x + 5.0, place), "leader");
        }
        let text = canvas.fitted(text, frame.beside);
        let class = format!("label c{}", series.look.colour());
        canvas.text((x + 7.0, place + 0.35 * letter), Anchor::Start, &class, &text);
    }
}

fn peak_labels(canvas: &mut Canvas, frame: &Frame<'_>) {
    let letter = canvas.letter;
    let mut peaks: Vec<((f64, f64), &Text, &Series)> = Vec::new();
    for mark in &frame.panel.marks {
        let Mark::Line {
            series,
            points,
            label: LineLabel::Peak(text),
        } = mark
        else {
            continue;
        };
        let highest = frame.points(points).into_iter().min_by(|x, y| x.1.total_cmp(&y.1));
        peaks.extend(highest.map(|at| (at, text, series)));
    }
    // The labels stand in one line below the top, each with a stroke down to its peak.
    let at = frame.top + letter;
    let widest = peaks
        .iter()
        .map(|(_, text, _)| canvas.width(text.as_str()))
        .fold(0.0, f64::max);
    let wanted: Vec<f64> = peaks.iter().map(|((x, _), ..)| *x).collect();
    let places = spread(&wanted, widest + 8.0, frame.left + widest, frame.right - widest);
    for (((x, y), text, series), place) in peaks.into_iter().zip(places) {
        canvas.line((place, at + 0.3 * letter), (x, y - 2.0), "leader");
        let class = format!("label c{}", series.look.colour());
        canvas.text((place, at), Anchor::Middle, &class, text.as_str());
    }
}
