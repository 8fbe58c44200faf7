//! A figure as a Vega-Lite specification with its data inside, for people who draw it anew.
//!
//! Every mark of the figure is a layer with rows of its own. What a layer is not given by the figure it does not have:
//! the scales, ticks, colours and dashes are those of the drawing.

use serde_json::{Map, Value, json};

use super::axis::{Axis, Scale, Unit};
use super::scene::{Bar, Direction, Figure, Key, Layout, LineLabel, Look, Mark, Panel, Plot, Range, Series, Tone};
use crate::text::Text;

/// The version of the language.
const SCHEMA: &str = "https://vega.github.io/schema/vega-lite/v6.json";
/// The four colours of the light page (report.css); a test compares them.
pub(crate) const COLOURS: [&str; 4] = ["#0b57a4", "#a8480f", "#00695c", "#7b3f98"];
const SHAPES: [&str; 4] = ["circle", "square", "triangle-up", "diamond"];
const BAND: &str = "#eef0f3";
const INK: &str = "#1a1d21";
/// Decimals of a number in a specification: finer than any drawing.
const DECIMALS: f64 = 1e6;
const SMALL: f64 = 240.0;
const WIDE: f64 = 560.0;

/// The specification as text; no `<`, `>` or `&` stands in it, so that it may be put into a page as it is.
pub(crate) fn specification(figure: &Figure) -> String {
    let plots: Vec<Value> = figure.plots.iter().map(|plot| drawing(plot, figure.layout)).collect();
    let mut top = Map::new();
    top.insert("$schema".to_owned(), json!(SCHEMA));
    top.insert("title".to_owned(), json!(figure.title));
    top.insert("description".to_owned(), json!(figure.summary.as_str()));
    match <[Value; 1]>::try_from(plots) {
        Ok([Value::Object(plot)]) => {
            let title = plot.get("title").cloned();
            top.extend(plot);
            if let Some(subtitle) = title {
                top.insert("title".to_owned(), json!({"text": figure.title, "subtitle": subtitle}));
            } else {
                top.insert("title".to_owned(), json!(figure.title));
            }
        }
        Ok([other]) => drop(top.insert("concat".to_owned(), json!([other]))),
        Err(plots) => {
            let columns = if figure.layout == Layout::Small { 3 } else { 1 };
            top.insert("concat".to_owned(), Value::Array(plots));
            top.insert("columns".to_owned(), json!(columns));
            // Each plot has series of its own.
            top.insert("resolve".to_owned(), json!({"scale": {"color": "independent"}}));
        }
    }
    let mut text = serde_json::to_string_pretty(&Value::Object(top)).expect("a value of JSON serialises");
    text.push('\n');
    without_mark_up(&text)
}

/// The characters that a page or a script could read as its own, as escapes; in JSON they stand only inside strings.
fn without_mark_up(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

fn drawing(plot: &Plot, layout: Layout) -> Value {
    let legend = Legend::of(plot);
    let width = if layout == Layout::Small { SMALL } else { WIDE };
    let whole: f64 = plot.panels.iter().map(|panel| panel.share).sum();
    let panels = plot.panels.iter().enumerate().map(|(index, panel)| {
        let context = Context {
            panel,
            legend: &legend,
            numbers: index == 0,
            height: plot.height,
        };
        let layers: Vec<Value> = panel.marks.iter().flat_map(|mark| context.layers(mark)).collect();
        json!({"width": (width * panel.share / whole).round(), "height": plot.height, "layer": layers})
    });
    let mut panels: Vec<Value> = panels.collect();
    let mut drawing = match panels.len() {
        1 => panels.remove(0),
        _ => json!({"hconcat": panels, "resolve": {"scale": {"y": "shared"}}}),
    };
    if let (Some(title), Value::Object(drawing)) = (&plot.title, &mut drawing) {
        drawing.insert("title".to_owned(), json!(title.as_str()));
    }
    drawing
}

/// The names of a plot's series with their looks.
struct Legend {
    names: Vec<String>,
    looks: Vec<Look>,
    shown: bool,
}

impl Legend {
    fn of(plot: &Plot) -> Self {
        let series = plot.series();
        Self {
            names: series
                .iter()
                .map(|(series, _)| series.name.as_str().to_owned())
                .collect(),
            looks: series.iter().map(|(series, _)| series.look).collect(),
            shown: plot.key == Key::Above,
        }
    }

    /// The colour channel; all series of the plot are in its scale, so that every layer has the same.
    fn colour(&self) -> Value {
        let colours: Vec<&str> = self.looks.iter().map(|look| COLOURS[look.colour()]).collect();
        let legend = if self.shown {
            json!({"title": null, "labelLimit": 400})
        } else {
            Value::Null
        };
        json!({
            "field": "series", "type": "nominal",
            "scale": {"domain": self.names, "range": colours}, "legend": legend,
        })
    }
}

/// What the layers of a panel share.
struct Context<'a> {
    panel: &'a Panel,
    legend: &'a Legend,
    /// Whether y has its numbers here.
    numbers: bool,
    height: f64,
}

impl Context<'_> {
    fn layers(&self, mark: &Mark) -> Vec<Value> {
        match mark {
            Mark::Line { series, points, label } => self.line(series, points, label),
            Mark::Area { series, points } => {
                let mark = json!({"type": "area", "opacity": 0.2});
                vec![self.layer(self.rows(points), mark, Some(series))]
            }
            Mark::Points { series, points } => vec![self.layer(self.rows(points), point(series.look), Some(series))],
            Mark::Intervals { series, along, ranges } => self.intervals(series, *along, ranges),
            Mark::Bars { series, bars } => vec![self.bars(series, bars)],
            Mark::Rule { at, across, label } => self.rule(*at, *across, label),
            Mark::Rug { name, values } => vec![self.rug(name, values)],
            Mark::Shade {
                across,
                from,
                to,
                label,
                tone,
            } => self.shade(*across, (*from, *to), label.as_ref(), *tone),
            Mark::Names { names } => vec![self.names(names)],
        }
    }

    fn x(&self) -> Value {
        channel(&self.panel.x, true)
    }

    fn y(&self) -> Value {
        channel(&self.panel.y, self.numbers)
    }

    /// A value of x or y as it stands in a row: a number, or the name of its row.
    fn value(&self, axis: &Axis, value: f64) -> Value {
        match &axis.scale {
            Scale::Linear(_) => number(value),
            Scale::Rows(names) => {
                let row = names.get(value.max(0.0) as usize);
                json!(row.map_or("", Text::as_str))
            }
        }
    }

    fn rows(&self, points: &[(f64, f64)]) -> Vec<Value> {
        let (x, y) = (&self.panel.x, &self.panel.y);
        let finite = points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
        finite
            .map(|(px, py)| row([(x.field, self.value(x, *px)), (y.field, self.value(y, *py))]))
            .collect()
    }

    fn layer(&self, mut values: Vec<Value>, mark: Value, series: Option<&Series>) -> Value {
        let mut encoding = json!({"x": self.x(), "y": self.y()});
        if let Some(series) = series {
            values
                .iter_mut()
                .for_each(|row| row["series"] = json!(series.name.as_str()));
            encoding["color"] = self.legend.colour();
        }
        json!({"data": {"values": values}, "mark": mark, "encoding": encoding})
    }

    fn line(&self, series: &Series, points: &[(f64, f64)], label: &LineLabel) -> Vec<Value> {
        let mut mark = json!({"type": "line", "strokeWidth": 2});
        if !series.look.dash().is_empty() {
            mark["strokeDash"] = json!(series.look.dash());
        }
        let mut layers = vec![self.layer(self.rows(points), mark, Some(series))];
        let (at, text, place) = match label {
            LineLabel::None => return layers,
            LineLabel::End(text) => (points.last(), text, json!({"type": "text", "align": "left", "dx": 6})),
            LineLabel::Peak(text) => {
                let peak = points.iter().max_by(|x, y| x.1.total_cmp(&y.1));
                (peak, text, json!({"type": "text", "baseline": "bottom", "dy": -4}))
            }
        };
        if let Some(at) = at {
            let mut rows = self.rows(&[*at]);
            rows.iter_mut().for_each(|row| row["label"] = json!(text.as_str()));
            let mut layer = self.layer(rows, place, Some(series));
            layer["encoding"]["text"] = json!({"field": "label", "type": "nominal"});
            layers.push(layer);
        }
        layers
    }

    fn intervals(&self, series: &Series, along: Direction, ranges: &[Range]) -> Vec<Value> {
        let (x, y) = (&self.panel.x, &self.panel.y);
        let (main, other) = match along {
            Direction::X => (x, y),
            Direction::Y => (y, x),
        };
        let (low, high) = (format!("{}_low", main.field), format!("{}_high", main.field));
        let rows: Vec<Value> = ranges
            .iter()
            .map(|range| {
                row([
                    (other.field, self.value(other, range.at)),
                    (main.field, number(range.middle)),
                    (&low, number(range.low)),
                    (&high, number(range.high)),
                ])
            })
            .collect();
        let mut span = self.layer(rows.clone(), json!({"type": "rule", "strokeWidth": 2}), Some(series));
        let (first, second) = match along {
            Direction::X => ("x", "x2"),
            Direction::Y => ("y", "y2"),
        };
        span["encoding"][first]["field"] = json!(low);
        span["encoding"][second] = json!({"field": high});
        vec![span, self.layer(rows, point(series.look), Some(series))]
    }

    fn bars(&self, series: &Series, bars: &[Bar]) -> Value {
        let (x, y) = (self.panel.x.field, self.panel.y.field);
        let (x2, y2) = (format!("{x}_to"), format!("{y}_to"));
        let rows = bars.iter().map(|bar| {
            row([
                (x, number(bar.x.0)),
                (&x2, number(bar.x.1)),
                (y, number(bar.y.0)),
                (&y2, number(bar.y.1)),
            ])
        });
        let mark = match series.look.index() % 2 {
            0 => json!({"type": "rect"}),
            _ => json!({"type": "rect", "fillOpacity": 0.25, "stroke": COLOURS[series.look.colour()]}),
        };
        let mut layer = self.layer(rows.collect(), mark, Some(series));
        layer["encoding"]["x2"] = json!({"field": x2});
        layer["encoding"]["y2"] = json!({"field": y2});
        layer
    }

    fn rule(&self, at: f64, across: Direction, label: &Text) -> Vec<Value> {
        let (axis, channel, text) = match across {
            Direction::Y => (
                &self.panel.x,
                "x",
                json!({"type": "text", "align": "right", "dx": -6, "y": 8}),
            ),
            Direction::X => (
                &self.panel.y,
                "y",
                json!({"type": "text", "align": "left", "dy": -6, "x": 6}),
            ),
        };
        let rows = vec![row([
            (axis.field, self.value(axis, at)),
            ("label", json!(label.as_str())),
        ])];
        let encoded = if across == Direction::Y { self.x() } else { self.y() };
        let mark = json!({"type": "rule", "color": INK, "strokeDash": [4, 3]});
        vec![
            json!({"data": {"values": rows}, "mark": mark, "encoding": {channel: encoded}}),
            json!({"data": {"values": rows}, "mark": text,
                   "encoding": {channel: encoded, "text": {"field": "label", "type": "nominal"}}}),
        ]
    }

    fn rug(&self, name: &Text, values: &[f64]) -> Value {
        let x = &self.panel.x;
        let finite = values.iter().filter(|value| value.is_finite());
        let rows: Vec<Value> = finite
            .map(|value| row([(x.field, number(*value)), ("what", json!(name.as_str()))]))
            .collect();
        let mark = json!({"type": "tick", "orient": "vertical", "size": 9, "color": INK, "y": self.height - 5.0});
        json!({"data": {"values": rows}, "mark": mark, "encoding": {"x": self.x()}})
    }

    fn shade(&self, across: Direction, (from, to): (f64, f64), label: Option<&Text>, tone: Tone) -> Vec<Value> {
        let axis = if across == Direction::X {
            &self.panel.y
        } else {
            &self.panel.x
        };
        let label = label.map_or("", Text::as_str);
        let fill = match tone {
            Tone::Clear => "transparent",
            Tone::Faint | Tone::Warning => BAND,
        };
        let mark = json!({"type": "rect", "color": fill});
        let (channel, second, place) = match across {
            Direction::X => (
                "y",
                "y2",
                json!({"type": "text", "align": "left", "x": "width", "dx": 6}),
            ),
            Direction::Y => ("x", "x2", json!({"type": "text", "align": "left", "y": 8, "dx": 4})),
        };
        let encoded = if across == Direction::X { self.y() } else { self.x() };
        let text = |rows: Vec<Value>| {
            json!({"data": {"values": rows}, "mark": place,
                   "encoding": {channel: encoded, "text": {"field": "label", "type": "nominal"}}})
        };
        if let Scale::Rows(_) = axis.scale {
            // A band of rows is each of its rows.
            let (first, last) = (from.max(0.0) as usize, to.max(0.0) as usize);
            let rows: Vec<Value> = (first..last)
                .map(|at| row([(axis.field, self.value(axis, at as f64)), ("label", json!(label))]))
                .collect();
            let top = rows.iter().take(1).cloned().collect();
            let band = json!({"data": {"values": rows}, "mark": mark, "encoding": {channel: encoded}});
            return vec![band, text(top)];
        }
        let end = format!("{}_to", axis.field);
        let rows = vec![row([
            (axis.field, number(from)),
            (&end, number(to)),
            ("label", json!(label)),
        ])];
        let band =
            json!({"data": {"values": rows}, "mark": mark, "encoding": {channel: encoded, second: {"field": end}}});
        vec![band, text(rows)]
    }

    fn names(&self, names: &[(f64, f64, Text)]) -> Value {
        let (x, y) = (&self.panel.x, &self.panel.y);
        let rows = names.iter().map(|(px, py, name)| {
            row([
                (x.field, self.value(x, *px)),
                (y.field, self.value(y, *py)),
                ("name", json!(name.as_str())),
            ])
        });
        let mark = json!({"type": "text", "align": "right", "dx": -8});
        let mut layer = self.layer(rows.collect(), mark, None);
        layer["encoding"]["text"] = json!({"field": "name", "type": "nominal"});
        layer
    }
}

fn channel(axis: &Axis, numbers: bool) -> Value {
    let title = if axis.title.is_empty() {
        Value::Null
    } else {
        json!(axis.title)
    };
    match &axis.scale {
        Scale::Rows(names) => {
            let names: Vec<&str> = names.iter().map(Text::as_str).collect();
            json!({
                "field": axis.field, "type": "nominal", "title": title, "sort": null, "scale": {"domain": names},
                "axis": {"grid": true, "labelLimit": 200},
            })
        }
        Scale::Linear(linear) => {
            let mut drawn = json!({"values": linear.ticks.iter().map(|tick| number(*tick)).collect::<Vec<_>>()});
            if linear.unit == Unit::Percent {
                drawn["format"] = json!(".0%");
            }
            if !numbers || linear.ticks.is_empty() {
                drawn["labels"] = json!(false);
                drawn["ticks"] = json!(false);
            }
            json!({
                "field": axis.field, "type": "quantitative", "title": title,
                "scale": {"domain": [number(linear.low), number(linear.high)], "nice": false, "zero": false},
                "axis": drawn,
            })
        }
    }
}

fn point(look: Look) -> Value {
    json!({"type": "point", "filled": true, "opacity": 1, "size": 45, "shape": SHAPES[look.colour()]})
}

fn row<'a>(cells: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    Value::Object(
        cells
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    )
}

/// A number to six decimals, without a negative zero; `null` for one that is not finite.
fn number(value: f64) -> Value {
    let rounded = (value * DECIMALS).round() / DECIMALS;
    let kept = if rounded.is_finite() { rounded } else { value };
    json!(kept + 0.0)
}
