//! Kappa against prevalence at fixed judge errors, with the criteria of a rubric on the curves.

use calibrant_schema::Agreement;
use calibrant_schema::agreement::PrevalenceReading;

use super::axis::Axis;
use super::scene::{Direction, Figure, InText, Key, Layout, LineLabel, Look, Mark, Panel, Plot, Series};
use crate::document::Table;
use crate::number::percent;
use crate::text::Text;

/// Judge errors whose curves are drawn.
const ERRORS: [(f64, Look); 4] = [
    (0.02, Look::Second),
    (0.05, Look::Third),
    (0.1, Look::Fourth),
    (0.2, Look::Fifth),
];
/// Points of a curve; the ends, where kappa is 0, are among them.
const STEPS: usize = 100;
/// Letters of a criterion's name in the drawing.
const NAME: usize = 26;
/// Names that have room.
const NAMED: usize = 24;

/// The figure over its table, or `None` when no criterion has both a kappa and a true prevalence.
///
/// `kappa = (1 - 2e)^2 pi (1 - pi) / (q (1 - q))`, `q = pi (1 - e) + (1 - pi) e`: what two judges with error e have at a true
/// prevalence pi.
///
/// Source: METHODS 41, 132.
pub(crate) fn prevalence(agreement: &Agreement, table: Table) -> Option<Figure> {
    let known = |row: &PrevalenceReading| Some((row.true_prevalence?, row.kappa?));
    let points: Vec<(f64, f64, Text)> = agreement
        .readings
        .iter()
        .filter_map(|row| known(row).map(|(pi, kappa)| (pi, kappa, Text::short_id(&row.criterion, NAME))))
        .filter(|(pi, kappa, _)| pi.is_finite() && kappa.is_finite())
        .collect();
    if points.is_empty() {
        return None;
    }
    let mut marks: Vec<Mark> = ERRORS.iter().map(|(error, look)| curve(*error, *look)).collect();
    marks.push(Mark::Points {
        series: Series::new("criteria", Look::First),
        points: points.iter().map(|(pi, kappa, _)| (*pi, *kappa)).collect(),
    });
    let unnamed = points.len().saturating_sub(NAMED);
    marks.push(Mark::Names {
        names: points.iter().take(NAMED).cloned().collect(),
    });
    marks.push(Mark::Rule {
        at: 0.0,
        across: Direction::X,
        label: Text::prose("chance"),
    });
    let kappas = points.iter().map(|(_, kappa, _)| *kappa).chain([0.0, 1.0]);
    let panel = Panel {
        share: 1.0,
        x: Axis::share("True prevalence of “met”", "prevalence"),
        y: Axis::around("Kappa", "kappa", kappas),
        marks,
    };
    Some(Figure {
        name: "prevalence",
        title: "Kappa against prevalence".to_owned(),
        reading: Text::prose(
            "A line is the kappa of two judges that are wrong with a fixed chance, whatever the truth: the same judges have a low kappa \
             where one outcome is rare. A point is a criterion of this rubric. A point on a high line far to a side is a rare outcome; a \
             point on a low line is judge error.",
        ),
        summary: Text::prose(&format!(
            "Curves of kappa over prevalence for judge errors of 2, 5, 10 and 20 %, falling to 0 at both ends, with {} of the criteria \
             as points.",
            points.len()
        )),
        layout: Layout::Wide,
        plots: vec![Plot {
            key: Key::Above,
            ..Plot::of(panel, 260.0)
        }],
        notes: match unnamed {
            0 => Vec::new(),
            more => vec![Text::prose(&format!("{more} points have no room for their names."))],
        },
        table,
        in_text: InText::Table,
    })
}

fn curve(error: f64, look: Look) -> Mark {
    let at = |step: usize| {
        let pi = step as f64 / STEPS as f64;
        let met = pi * (1.0 - error) + (1.0 - pi) * error;
        let kappa = (1.0 - 2.0 * error).powi(2) * pi * (1.0 - pi) / (met * (1.0 - met));
        (pi, kappa)
    };
    Mark::Line {
        series: Series::new(format!("error {}", percent(error).unwrap_or_default()), look),
        points: (0..=STEPS).map(at).collect(),
        label: LineLabel::None,
    }
}
