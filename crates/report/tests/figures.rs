//! Figures: what each has, what none may have, and what becomes of data that cannot be drawn.

#![allow(
    clippy::disallowed_methods,
    reason = "the crate is pure; its tests read the style sheet"
)]

mod sample;

use std::collections::BTreeSet;

use calibrant_report::{Figures, Inputs, html, markdown, vega_lite};
use roxmltree::{Document, Node};
use sample::{Sample, Shape, responses, sample};
use serde_json::Value;

/// Every figure, in the order of the page.
const ALL: [&str; 9] = [
    "leaderboard",
    "test-information",
    "coverage",
    "item-information",
    "wright-map",
    "item-curves",
    "measurability",
    "sweep",
    "attrition",
];

fn with<T>(sample: &Sample, look: impl FnOnce(&Inputs<'_>) -> T) -> T {
    let responses = responses(sample);
    look(&Inputs {
        title: "A run",
        calibration: &sample.calibration,
        fit: Some(&sample.fit),
        bank: Some(&sample.bank),
        scores: &sample.scores,
        rubric: Some(&sample.rubric),
        command: None,
        files: &[],
        blocks: None,
        part_of: None,
        truth: None,
        figures: Figures::Drawn,
        responses: &responses,
    })
}

/// The figures of a page, each parsed as XML, by name.
fn figures(page: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for part in page.split("<figure id=\"figure-").skip(1) {
        let name = part.split('"').next().expect("an id ends").to_owned();
        let inside = part.split("</figure>").next().expect("a figure ends");
        found.push((name, format!("<figure id=\"figure-{inside}</figure>")));
    }
    found
}

fn parsed(figure: &str) -> Document<'_> {
    Document::parse(figure).unwrap_or_else(|reason| panic!("{reason}\n{figure}"))
}

fn text_of(node: Node<'_, '_>) -> String {
    node.descendants()
        .filter(Node::is_text)
        .filter_map(|node| node.text())
        .collect()
}

/// Names that try to leave their place in HTML, SVG or JSON.
fn hostile() -> Vec<String> {
    let mut names: Vec<String> = [
        "<script>alert(1)</script>",
        "</script></svg></figure><img src=x onerror=alert(1)>",
        "\"onload=\"alert(1)' x='",
        "a\u{202e}b\u{200b}c\u{7}\u{2028}d",
        "]]><!-- &lt; &#60; --> \u{fffe}",
        "datum.x + alert(1)",
        "",
    ]
    .map(str::to_owned)
    .into();
    names.push("x".repeat(10_000));
    names
}

fn hostile_sample() -> Sample {
    let names = hostile();
    sample(&Shape {
        systems: names.clone(),
        criteria: names.clone(),
        queries: names.clone(),
        judges: names,
    })
}

#[test]
fn each_figure_is_there_with_a_title_a_description_and_a_table() {
    let sample = sample(&Shape::numbered(9, 3, 8));
    let page = with(&sample, html);
    let found = figures(&page);
    assert_eq!(found.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ALL);
    for (name, figure) in &found {
        let figure = parsed(figure);
        let drawings: Vec<Node<'_, '_>> = figure.descendants().filter(|node| node.has_tag_name("svg")).collect();
        assert!(!drawings.is_empty(), "{name}");
        for drawing in drawings {
            assert_eq!(drawing.attribute("role"), Some("img"), "{name}");
            let labels: Vec<&str> = drawing
                .attribute("aria-labelledby")
                .expect("a drawing has a name")
                .split(' ')
                .collect();
            for (tag, id) in ["title", "desc"].iter().zip(labels) {
                let label = drawing
                    .children()
                    .find(|node| node.has_tag_name(*tag))
                    .expect("it is there");
                assert_eq!(label.attribute("id"), Some(id), "{name}");
                assert!(!text_of(label).trim().is_empty(), "{name}: an empty {tag}");
            }
        }
        let rows = figure.descendants().filter(|node| node.has_tag_name("tr")).count();
        assert!(rows > 1, "{name} has no rows");
    }
}

#[test]
fn what_is_drawn_stands_in_the_table() {
    let sample = sample(&Shape::numbered(9, 3, 8));
    let page = with(&sample, html);
    let found = figures(&page);
    let table = |name: &str| {
        let (_, figure) = found
            .iter()
            .find(|(known, _)| known == name)
            .expect("the figure is there");
        text_of(
            parsed(figure)
                .descendants()
                .find(|node| node.has_tag_name("details"))
                .expect("a table is behind it"),
        )
    };
    let leaderboard = table("leaderboard");
    for row in &sample.scores.systems {
        let ability = format!("{:.2}", row.ability.expect("an ability")).replace('-', "−");
        assert!(
            leaderboard.contains(&row.system) && leaderboard.contains(&ability),
            "{leaderboard}"
        );
    }
    let attrition = table("attrition");
    for row in &sample.calibration.attrition {
        assert!(attrition.contains(&format!("{:.3}", row.retention)), "{attrition}");
    }
    // A row of the specification is a row of the table.
    let specification = specification(&sample, "measurability");
    let counted: f64 = layers(&specification)
        .iter()
        .filter(|layer| layer["mark"]["type"] == "rect")
        .flat_map(rows)
        .map(|row| row["count_to"].as_f64().expect("a count") - row["count"].as_f64().expect("a count"))
        .sum();
    assert_eq!(counted, sample.calibration.criteria.len() as f64);
}

fn specification(sample: &Sample, name: &str) -> Value {
    let charts = with(sample, vega_lite);
    let chart = charts
        .into_iter()
        .find(|chart| chart.name == name)
        .expect("the figure is there");
    serde_json::from_str(&chart.json).expect("a specification is JSON")
}

/// The layers of a specification, whatever its views are put into.
fn layers(view: &Value) -> Vec<Value> {
    let inner = ["concat", "hconcat"]
        .iter()
        .filter_map(|key| view[*key].as_array())
        .flatten();
    let own = view["layer"].as_array().into_iter().flatten().cloned();
    inner.flat_map(layers).chain(own).collect()
}

fn rows(layer: &Value) -> Vec<Value> {
    layer["data"]["values"].as_array().expect("data are inline").clone()
}

#[test]
fn ids_are_unique_and_no_number_is_broken() {
    for sample in [sample(&Shape::numbered(9, 3, 8)), hostile_sample(), undrawable()] {
        let page = with(&sample, html);
        let mut ids = BTreeSet::new();
        for part in page.split(" id=\"").skip(1) {
            let id = part.split('"').next().expect("an id ends");
            assert!(ids.insert(id.to_owned()), "{id} is there twice");
        }
        for (name, figure) in figures(&page) {
            let figure = parsed(&figure);
            for node in figure.descendants().filter(Node::is_element) {
                for attribute in node.attributes() {
                    if [
                        "d", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height", "viewBox",
                    ]
                    .contains(&attribute.name())
                    {
                        let value = attribute.value();
                        assert!(
                            value.chars().all(|c| c.is_ascii_digit() || " .-MLZ".contains(c)),
                            "{name}: {} is {value}",
                            attribute.name()
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn everything_drawn_is_inside_the_drawing() {
    for sample in [
        sample(&Shape::numbered(70, 3, 40)),
        hostile_sample(),
        sample(&Shape::numbered(2, 1, 1)),
    ] {
        for (name, figure) in figures(&with(&sample, html)) {
            let figure = parsed(&figure);
            for drawing in figure.descendants().filter(|node| node.has_tag_name("svg")) {
                let size: Vec<f64> = drawing
                    .attribute("viewBox")
                    .expect("a drawing has a size")
                    .split(' ')
                    .map(|side| side.parse().expect("a number"))
                    .collect();
                for node in drawing.descendants().filter(Node::is_element) {
                    for (attribute, side) in [
                        ("x", 2),
                        ("x1", 2),
                        ("x2", 2),
                        ("cx", 2),
                        ("y", 3),
                        ("y1", 3),
                        ("y2", 3),
                        ("cy", 3),
                    ] {
                        if let Some(place) = node.attribute(attribute) {
                            let place: f64 = place.parse().expect("a number");
                            assert!(
                                (-0.1..=size[side] + 0.1).contains(&place),
                                "{name}: {attribute} of <{}> is {place} of {}",
                                node.tag_name().name(),
                                size[side]
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn hostile_names_stay_text_in_drawings_and_specifications() {
    let sample = hostile_sample();
    let page = with(&sample, html);
    let found = figures(&page);
    assert_eq!(found.len(), ALL.len());
    for (name, figure) in &found {
        for node in parsed(figure).descendants().filter(Node::is_element) {
            let tag = node.tag_name().name();
            assert!(
                !["script", "img", "style", "a", "image", "use", "foreignObject"].contains(&tag),
                "{name}: <{tag}>"
            );
            for attribute in node.attributes() {
                assert!(!attribute.name().starts_with("on"), "{name}: {}", attribute.name());
            }
        }
    }
    assert!(found[0].1.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(found[0].1.contains("⟨U+202E⟩"));
    for chart in with(&sample, vega_lite) {
        for forbidden in ['<', '>', '&', '\u{2028}', '\u{202e}', '\u{200b}', '\u{7}'] {
            assert!(!chart.json.contains(forbidden), "{}: {forbidden:?}", chart.name);
        }
        let value: Value = serde_json::from_str(&chart.json).expect("a specification is JSON");
        assert_eq!(value["$schema"], "https://vega.github.io/schema/vega-lite/v6.json");
    }
    let names: Vec<Value> = layers(&specification(&sample, "leaderboard"))
        .iter()
        .flat_map(rows)
        .map(|row| row["system"].clone())
        .collect();
    assert!(names.contains(&Value::from("<script>alert(1)</script>")));
}

/// What the language asks of a layer; the compiler itself accepts every specification of these figures.
#[test]
fn specifications_say_what_they_encode() {
    let sample = sample(&Shape::numbered(9, 3, 8));
    let charts = with(&sample, vega_lite);
    assert_eq!(charts.iter().map(|chart| chart.name).collect::<Vec<_>>(), ALL);
    for chart in charts {
        let value: Value = serde_json::from_str(&chart.json).expect("a specification is JSON");
        assert!(
            value["title"].is_string() && value["description"].is_string(),
            "{}",
            chart.name
        );
        let layers = layers(&value);
        assert!(!layers.is_empty(), "{}", chart.name);
        for layer in layers {
            let rows = rows(&layer);
            assert!(!rows.is_empty(), "{}: a layer without data", chart.name);
            let mark = layer["mark"]["type"].as_str().expect("a mark has a type");
            assert!(
                ["line", "area", "point", "rule", "rect", "tick", "text"].contains(&mark),
                "{mark}"
            );
            for (channel, encoding) in layer["encoding"].as_object().expect("a layer encodes") {
                let field = encoding["field"].as_str().expect("a channel has a field");
                for row in &rows {
                    assert!(
                        !row[field].is_null(),
                        "{}: {channel} of {mark} has no {field} in {row}",
                        chart.name
                    );
                }
                if !channel.ends_with('2') {
                    let kind = encoding["type"].as_str().expect("a channel has a type");
                    assert!(["quantitative", "nominal"].contains(&kind), "{kind}");
                }
                if encoding["type"] == "quantitative" {
                    assert!(rows.iter().all(|row| row[field].is_number()), "{}: {field}", chart.name);
                }
            }
        }
    }
}

/// Nothing to draw: no ability, no measurability, one threshold, no attrition, an empty bank, no item.
fn undrawable() -> Sample {
    let mut sample = sample(&Shape::numbered(3, 2, 2));
    for row in &mut sample.scores.systems {
        row.ability = None;
        row.bank_ability = Some(f64::NAN);
    }
    for row in &mut sample.calibration.criteria {
        row.measurability = None;
        row.kept = false;
    }
    sample.calibration.sweep.truncate(1);
    sample.calibration.attrition.clear();
    sample.bank.criteria.clear();
    sample.fit.items.clear();
    sample
}

#[test]
fn what_cannot_be_drawn_is_a_sentence_or_a_table() {
    let sample = undrawable();
    let page = with(&sample, html);
    assert_eq!(figures(&page).len(), 0);
    assert!(with(&sample, vega_lite).is_empty());
    for said in [
        "There are no curves of information",
        "There is no map of systems and items",
        "There are no item curves",
        "Attrition is undefined",
        "What each threshold keeps",
    ] {
        assert!(page.contains(said), "{said}");
    }
}

/// A consensus bank may hold items that the screen keeps out of other banks: it is compared with all items, so never above 100 %.
#[test]
fn a_consensus_bank_is_compared_with_all_fitted_items() {
    let mut sample = sample(&Shape::numbered(9, 3, 8));
    sample.bank.method = calibrant_schema::bank::Method::Consensus;
    sample.bank.threshold = None;
    for row in &mut sample.bank.criteria {
        (row.discrimination, row.difficulty) = (None, None);
    }
    sample.bank.criteria.truncate(5);
    let shares = layers(&specification(&sample, "coverage"));
    let mut shares = shares.iter().flat_map(rows).filter_map(|row| row["share"].as_f64());
    assert!(shares.all(|share| share <= 1.0 + 1e-9));
    let page = with(&sample, html);
    assert!(page.contains(&format!("All {} items that were fitted", sample.fit.items.len())));
}

#[test]
fn constant_and_single_values_are_drawn() {
    let mut sample = sample(&Shape::numbered(1, 1, 2));
    for row in &mut sample.scores.systems {
        row.ability = Some(0.0);
        (row.ability_low, row.ability_high) = (Some(0.0), Some(0.0));
    }
    for item in &mut sample.fit.items {
        (item.discrimination, item.difficulty) = (1.0, 0.0);
    }
    for row in &mut sample.calibration.sweep {
        row.threshold = 0.5;
        row.pairwise_kappa = Some(-0.2);
    }
    let found = figures(&with(&sample, html));
    assert!(found.len() >= 7, "{}", found.len());
    found.iter().for_each(|(_, figure)| drop(parsed(figure)));
    // Extreme but finite numbers do not break a path either.
    sample.scores.systems[0].ability_high = Some(1e300);
    sample.fit.items[0].difficulty = -1e300;
    sample.bank.criteria[0].difficulty = Some(1e300);
    sample.bank.criteria[0].discrimination = Some(1e-300);
    figures(&with(&sample, html))
        .iter()
        .for_each(|(_, figure)| drop(parsed(figure)));
}

fn without<'a>(inputs: &Inputs<'a>) -> Inputs<'a> {
    Inputs {
        figures: Figures::LeftOut,
        ..*inputs
    }
}

#[test]
fn a_report_can_be_without_figures() {
    let sample = sample(&Shape::numbered(9, 3, 8));
    let page = with(&sample, |inputs| html(&without(inputs)));
    assert!(!page.contains("<figure") && !page.contains("<svg"));
    // The tables behind two figures stand nowhere else.
    assert!(page.contains("What each threshold keeps") && page.contains("Share of items as systems are added"));
    assert!(with(&sample, |inputs| vega_lite(&without(inputs))).is_empty());
    assert!(with(&sample, |inputs| markdown(&without(inputs))).contains("Share of items as systems are added"));
}

#[test]
fn a_large_run_makes_a_page_of_bearable_size() {
    /// What a reader's machine opens without delay.
    const BEARABLE: usize = 1_500_000;
    let sample = sample(&Shape::numbered(60, 57, 1_000));
    let page = with(&sample, html);
    assert!(page.len() < BEARABLE, "{} bytes", page.len());
    assert_eq!(figures(&page).len(), ALL.len());
}

#[test]
fn names_beyond_the_drawing_are_counted() {
    let sample = sample(&Shape::numbered(80, 2, 4));
    let page = with(&sample, html);
    assert!(page.contains("The first 60 systems are drawn; 20 further ones are in the table."));
}

/// The specifications carry the colours of the light page.
#[test]
fn specifications_have_the_colours_of_the_page() {
    let css = include_str!("../templates/report.css");
    let light = css.split("@media").next().expect("the light palette comes first");
    let sample = sample(&Shape::numbered(9, 3, 8));
    let text: String = with(&sample, vega_lite).into_iter().map(|chart| chart.json).collect();
    for colour in 0..4 {
        let hex = light
            .split_once(&format!("--c{colour}: "))
            .expect("the palette has the colour")
            .1
            .split(';')
            .next()
            .expect("a declaration ends");
        assert!(text.contains(hex), "--c{colour} is {hex}");
    }
}
