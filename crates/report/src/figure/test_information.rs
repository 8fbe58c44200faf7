//! Test information of the bank and of what it was chosen from, with the standard errors it stands for.

use calibrant_schema::Bank;

use super::axis::Axis;
use super::curves::{Curves, HIGH, IN_TABLE, LOW, positions};
use super::scene::{Figure, InText, Key, Layout, LineLabel, Look, Mark, Panel, Plot, Series};
use crate::document::{Cell, Column, Form, Table};
use crate::inputs::Inputs;
use crate::number::{count, counted, decimal, typeset};
use crate::text::Text;

/// Standard errors above this are not drawn: an error of two population standard deviations says nothing about a system.
const LARGEST_ERROR: f64 = 2.0;

/// The figure, or `None` when no item of the bank has parameters.
///
/// `I(theta) = sum_j a_j^2 P_j (1 - P_j)`; the error of an estimate from the labels alone is `1 / sqrt(I)`, that of the posterior mean
/// under a standard normal prior about `1 / sqrt(1 + I)`.
///
/// Source: `[CR26]` eq. 8; METHODS 91.
pub(crate) fn test_information(bank: &Bank, inputs: &Inputs<'_>) -> Option<Figure> {
    let curves = Curves::of(bank, inputs)?;
    let mut notes = Vec::new();
    let all = errors(&curves);
    let mut drawn = all.iter().flat_map(|curve| &curve.points);
    if drawn.any(|(_, error)| *error > LARGEST_ERROR) {
        notes.push(Text::prose("Errors above 2 are not drawn; the table has them."));
    }
    Some(Figure {
        name: "test-information",
        title: "What the bank tells along ability, and how exactly".to_owned(),
        reading: Text::prose(
            "Where the curve is high, systems are told apart well. The strokes on the ground are the systems. The second drawing \
             shows the same as standard errors: 1/√I from the labels alone, and 1/√(1+I) for the posterior mean, which the \
             prior holds together.",
        ),
        summary: Text::prose(&summary(&curves)),
        layout: Layout::Wide,
        plots: vec![information_plot(&curves, inputs), error_plot(&curves, inputs)],
        notes,
        table: table(&curves),
        in_text: InText::Sentence,
    })
}

fn bank_name(curves: &Curves) -> String {
    format!("Bank, {}", counted(curves.bank_items, "item", "items"))
}

fn pool_name(curves: &Curves, items: usize) -> String {
    match items {
        1 => format!("The one item that {}", curves.pool_items.replace("were", "was")),
        items => format!("All {} items that {}", count(items), curves.pool_items),
    }
}

fn information_plot(curves: &Curves, inputs: &Inputs<'_>) -> Plot {
    let plain = |information: f64| information;
    let mut marks = vec![Mark::Line {
        series: Series::new(bank_name(curves), Look::First),
        points: curves.along(&curves.bank, plain),
        label: LineLabel::None,
    }];
    if let Some((pool, items)) = &curves.pool {
        marks.push(Mark::Line {
            series: Series::new(pool_name(curves, *items), Look::Second),
            points: curves.along(pool, plain),
            label: LineLabel::None,
        });
    }
    marks.push(rug(inputs));
    let highest = curves
        .pool
        .iter()
        .flat_map(|(pool, _)| pool)
        .chain(&curves.bank)
        .copied();
    let panel = Panel {
        share: 1.0,
        x: Axis::fixed("Ability", "ability", LOW, HIGH),
        y: Axis::from_zero("Information I", "information", highest),
        marks,
    };
    Plot {
        title: Some(Text::prose("Information")),
        key: Key::Above,
        ..Plot::of(panel, 220.0)
    }
}

fn rug(inputs: &Inputs<'_>) -> Mark {
    Mark::Rug {
        name: Text::prose("system"),
        values: positions(inputs).into_iter().map(|(_, ability)| ability).collect(),
    }
}

/// A curve of standard errors against ability.
struct Errors {
    name: &'static str,
    look: Look,
    points: Vec<(f64, f64)>,
}

fn errors(curves: &Curves) -> Vec<Errors> {
    let alone = |information: f64| 1.0 / information.sqrt();
    let with_prior = |information: f64| 1.0 / (1.0 + information).sqrt();
    let curve = |name, look, points| Errors { name, look, points };
    let mut errors = vec![
        curve("Bank, 1/√I", Look::First, curves.along(&curves.bank, alone)),
        curve("Bank, 1/√(1+I)", Look::Fourth, curves.along(&curves.bank, with_prior)),
    ];
    if let Some((pool, _)) = &curves.pool {
        errors.push(curve("All, 1/√I", Look::Second, curves.along(pool, alone)));
        errors.push(curve("All, 1/√(1+I)", Look::Third, curves.along(pool, with_prior)));
    }
    errors
}

fn error_plot(curves: &Curves, inputs: &Inputs<'_>) -> Plot {
    let errors = errors(curves);
    let drawn = errors.iter().flat_map(|curve| &curve.points).map(|(_, error)| *error);
    let highest = drawn.filter(|error| *error <= LARGEST_ERROR).fold(0.2, f64::max);
    let mut marks = Vec::new();
    for curve in &errors {
        for run in below(&curve.points, highest) {
            marks.push(Mark::Line {
                series: Series::new(curve.name, curve.look),
                points: run,
                label: LineLabel::None,
            });
        }
    }
    marks.push(rug(inputs));
    let panel = Panel {
        share: 1.0,
        x: Axis::fixed("Ability", "ability", LOW, HIGH),
        y: Axis::from_zero("Standard error of ability", "standard_error", [highest]),
        marks,
    };
    Plot {
        title: Some(Text::prose("Standard error")),
        key: Key::Above,
        ..Plot::of(panel, 220.0)
    }
}

/// The parts of a line that lie at or below a height, each ended where the line crosses it.
fn below(points: &[(f64, f64)], highest: f64) -> Vec<Vec<(f64, f64)>> {
    let mut runs: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
    for (index, point) in points.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| points[before]);
        let crossing = before
            .filter(|before| (before.1 <= highest) != (point.1 <= highest))
            .map(|before| {
                let share = (highest - before.1) / (point.1 - before.1);
                (before.0 + share * (point.0 - before.0), highest)
            })
            .filter(|(x, _)| x.is_finite());
        runs.last_mut().expect("there is always a run").extend(crossing);
        if point.1 <= highest {
            runs.last_mut().expect("there is always a run").push(*point);
        } else {
            runs.push(Vec::new());
        }
    }
    runs.retain(|run| run.len() > 1);
    runs
}

fn summary(curves: &Curves) -> String {
    let peak = |values: &[f64]| {
        let best = curves.abilities.iter().zip(values).max_by(|x, y| x.1.total_cmp(y.1));
        let (ability, highest) = best.expect("there are abilities");
        let number = |value: f64, places| typeset(&decimal(value, places).unwrap_or_else(|| "–".to_owned()));
        format!("{} at ability {}", number(*highest, 2), number(*ability, 1))
    };
    let pool = curves.pool.as_ref().map_or_else(String::new, |(pool, items)| {
        format!(" {}: at most {}.", pool_name(curves, *items), peak(pool))
    });
    format!(
        "Curves of information against ability from −4 to 4. {}: at most {}.{pool}",
        bank_name(curves),
        peak(&curves.bank)
    )
}

fn table(curves: &Curves) -> Table {
    let mut columns = vec![
        Column::number("Ability"),
        Column::number("Bank"),
        Column::number("Bank, 1/√I"),
        Column::number("Bank, 1/√(1+I)"),
    ];
    if curves.pool.is_some() {
        columns.extend(["All", "All, 1/√I", "All, 1/√(1+I)"].map(Column::number));
    }
    let mut table = Table::new("Information and standard errors along ability", "bank.json", columns);
    for (at, ability) in curves.abilities.iter().enumerate().step_by(IN_TABLE) {
        let pool = curves.pool.as_ref().map(|(pool, _)| pool[at]);
        let mut cells: Vec<Cell> = vec![table.number(Some(*ability), Form::Decimal(1), None)];
        for information in [Some(curves.bank[at]), pool].into_iter().flatten() {
            cells.push(table.number(Some(information), Form::Decimal(3), None));
            cells.push(table.number(Some(1.0 / information.sqrt()), Form::Decimal(3), None));
            cells.push(table.number(Some(1.0 / (1.0 + information).sqrt()), Form::Decimal(3), None));
        }
        table.push(cells);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_where_it_crosses() {
        let points = [(0.0, 1.0), (1.0, 3.0), (2.0, 1.0), (3.0, 1.0)];
        let runs = below(&points, 2.0);
        assert_eq!(
            runs,
            [vec![(0.0, 1.0), (0.5, 2.0)], vec![(1.5, 2.0), (2.0, 1.0), (3.0, 1.0)]]
        );
        assert!(below(&[(0.0, 5.0), (1.0, f64::INFINITY)], 2.0).is_empty());
    }
}
