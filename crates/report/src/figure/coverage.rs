//! How much of what could be known the bank keeps, along ability.

use calibrant_schema::Bank;

use super::axis::Axis;
use super::curves::{Curves, HIGH, IN_TABLE, LOW, positions};
use super::scene::{Direction, Figure, InText, Layout, LineLabel, Look, Mark, Panel, Plot, Series, Tone};
use crate::document::{Column, Form, Table};
use crate::inputs::Inputs;
use crate::number::{count, decimal, percent, typeset};
use crate::text::Text;

/// The information of a standard normal prior: a bank with less tells less than was known without any label.
const OF_THE_PRIOR: f64 = 1.0;

/// The figure, or `None` when the bank has no parameters or there is no fit to compare it with.
///
/// At each ability the bank's information over that of all items that could be chosen: `I_bank(theta) / I_all(theta)`. Undefined, and
/// not drawn, where the denominator is 0.
///
/// Source: METHODS 91, 95; the relative efficiency of short forms.
pub(crate) fn coverage(bank: &Bank, inputs: &Inputs<'_>) -> Option<Figure> {
    let curves = Curves::of(bank, inputs)?;
    let (pool, items) = curves.pool.as_ref()?;
    let shares: Vec<(f64, f64)> = curves
        .abilities
        .iter()
        .zip(curves.bank.iter().zip(pool))
        .filter(|(_, (_, all))| **all > 0.0)
        .map(|(ability, (of_bank, all))| (*ability, of_bank / all))
        .collect();
    let mut marks: Vec<Mark> = blind(&curves)
        .into_iter()
        .map(|(from, to)| Mark::Shade {
            across: Direction::Y,
            from,
            to,
            label: (to - from > 1.2).then(|| Text::prose("less than the prior")),
            tone: Tone::Warning,
        })
        .collect();
    let series = Series::new("Share", Look::First);
    marks.push(Mark::Area {
        series: series.clone(),
        points: shares.clone(),
    });
    marks.push(Mark::Line {
        series,
        points: shares.clone(),
        label: LineLabel::None,
    });
    let systems = positions(inputs);
    marks.push(Mark::Rug {
        name: Text::prose("system"),
        values: systems.iter().map(|(_, ability)| *ability).collect(),
    });
    let panel = Panel {
        share: 1.0,
        x: Axis::fixed("Ability", "ability", LOW, HIGH),
        y: Axis::share("Share of the information", "share"),
        marks,
    };
    Some(Figure {
        name: "coverage",
        title: "How much of the information the bank keeps".to_owned(),
        reading: Text::prose(&format!(
            "At each ability, the information of the bank's {} over that of all {} that {}. The strokes on the ground \
             are the systems: where they stand is where the bank must see. A grey band between dashes is where the bank tells less than \
             the prior does, so that its judgement there is mostly the prior's.",
            count(curves.bank_items),
            count(*items),
            curves.pool_items
        )),
        summary: Text::prose(&summary(&shares, &systems, &curves)),
        layout: Layout::Wide,
        plots: vec![Plot::of(panel, 200.0)],
        notes: Vec::new(),
        table: table(&curves, pool),
        in_text: InText::Sentence,
    })
}

/// The stretches of ability where the bank has less information than the prior.
fn blind(curves: &Curves) -> Vec<(f64, f64)> {
    let mut stretches: Vec<(f64, f64)> = Vec::new();
    let mut open = false;
    for (ability, information) in curves.abilities.iter().zip(&curves.bank) {
        match (*information < OF_THE_PRIOR, open) {
            (true, false) => stretches.push((*ability, *ability)),
            (true, true) => stretches.last_mut().expect("a stretch is open").1 = *ability,
            (false, _) => {}
        }
        open = *information < OF_THE_PRIOR;
    }
    stretches
}

fn summary(shares: &[(f64, f64)], systems: &[(&str, f64)], curves: &Curves) -> String {
    let lowest = shares.iter().min_by(|x, y| x.1.total_cmp(&y.1));
    let highest = shares.iter().max_by(|x, y| x.1.total_cmp(&y.1));
    let at = |point: Option<&(f64, f64)>| {
        point.map_or_else(
            || "–".to_owned(),
            |(ability, share)| {
                format!(
                    "{} at ability {}",
                    percent(*share).unwrap_or_else(|| "–".to_owned()),
                    typeset(&decimal(*ability, 1).unwrap_or_else(|| "–".to_owned()))
                )
            },
        )
    };
    let stretches = blind(curves);
    let inside = |ability: f64| stretches.iter().any(|(from, to)| (*from..=*to).contains(&ability));
    let unseen = systems.iter().filter(|(_, ability)| inside(*ability)).count();
    format!(
        "The bank keeps between {} and {} of the information; {} of the {} systems stand where it tells less than the prior.",
        at(lowest),
        at(highest),
        count(unseen),
        count(systems.len())
    )
}

fn table(curves: &Curves, pool: &[f64]) -> Table {
    let columns = ["Ability", "Bank", "All", "Share"].map(Column::number);
    let mut table = Table::new("Information of the bank and of all items", "bank.json", columns.into());
    let none = calibrant_schema::Undefined::new("no_information", "no item tells anything there");
    for (at, ability) in curves.abilities.iter().enumerate().step_by(IN_TABLE) {
        let share = (pool[at] > 0.0).then(|| curves.bank[at] / pool[at]);
        let cells = vec![
            table.number(Some(*ability), Form::Decimal(1), None),
            table.number(Some(curves.bank[at]), Form::Decimal(3), None),
            table.number(Some(pool[at]), Form::Decimal(3), None),
            table.number(share, Form::Percent, Some(&none)),
        ];
        table.push(cells);
    }
    table
}
