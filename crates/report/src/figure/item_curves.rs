//! Item curves: what the model says of single items, with the systems' answers over it.

use std::collections::BTreeMap;

use calibrant_schema::Bank;
use calibrant_schema::bank::BankRow;
use calibrant_stats::irt::probability;
use calibrant_stats::proportion::wilson_interval;

use super::axis::{Axis, ends};
use super::curves::{HIGH, LOW, Parameters, abilities, bank_items, several_queries};
use super::scene::{Direction, Figure, InText, Layout, LineLabel, Look, Mark, Panel, Plot, Range, Series};
use crate::document::{Cell, Column, Form, Table};
use crate::inputs::{Inputs, ItemResponses};
use crate::number::{count, counted};
use crate::text::Text;

/// Items drawn: the first of the bank. A caller counts the responses of no more.
pub const ITEM_CURVES: usize = 12;
/// The most groups of systems, and the fewest systems that make a group worth its name.
const GROUPS: usize = 5;
const IN_A_GROUP: usize = 3;
/// Letters of an item's name above its drawing.
const NAME: usize = 30;

/// Systems of about one ability, and how they did on an item.
struct Group {
    ability: f64,
    systems: usize,
    passed: u64,
    trials: u64,
}

/// The figure, or `None` when no item of the bank has both parameters and responses.
///
/// The curve is `P(theta) = 1 / (1 + exp(-a (theta - b)))`. The points are shares of trials passed in up to five groups of systems that
/// are neighbours in ability, at the group's mean ability, with 95 % Wilson intervals.
///
/// Source: METHODS 79; PROTOCOLS 5.2.
pub(crate) fn item_curves(bank: &Bank, inputs: &Inputs<'_>) -> Option<Figure> {
    let responses: BTreeMap<(&str, &str), &ItemResponses<'_>> = inputs
        .responses
        .iter()
        .map(|item| ((item.query, item.criterion), item))
        .collect();
    let all = bank.criteria.len();
    let items: Vec<(usize, &BankRow, Parameters, Vec<Group>)> = bank_items(bank, inputs)
        .into_iter()
        .filter_map(|(number, row, item)| {
            let found = responses.get(&(row.query.as_str(), row.criterion.as_str()))?;
            Some((number, row, item, groups(found)))
        })
        .filter(|(.., groups)| !groups.is_empty())
        .take(ITEM_CURVES)
        .collect();
    if items.is_empty() {
        return None;
    }
    let stands = items
        .iter()
        .flat_map(|(.., groups)| groups)
        .map(|group| group.ability.clamp(LOW, HIGH));
    let (low, high) = ends(stands);
    let (low, high) = (low.floor().min(-3.0), high.ceil().max(3.0));
    let with_query = several_queries(bank);
    let plots = items
        .iter()
        .map(|(number, row, item, groups)| plot((*number, *row, *item), groups, (low, high), with_query));
    let chosen = match items.len() < all {
        true => format!("The first {} of the bank's {} items", items.len(), count(all)),
        false => format!("The bank's {}", counted(all, "item", "items")),
    };
    Some(Figure {
        name: "item-curves",
        title: "Items against the systems' answers".to_owned(),
        reading: Text::prose(&format!(
            "{chosen}. The line is the model's chance to pass at each ability; a point is the share passed by a group of systems of about \
             that ability, with its 95 % Wilson interval. Points far from the line by more than their interval say that the model \
             does not fit the item; with few systems the intervals are wide and say little."
        )),
        summary: Text::prose(&format!(
            "{chosen}, one small drawing each: the chance to pass against ability, with the shares observed."
        )),
        layout: Layout::Small,
        plots: plots.collect(),
        notes: Vec::new(),
        table: table(&items, inputs),
        in_text: InText::Sentence,
    })
}

/// Neighbours in ability, as even in number as can be; systems without a trial are in none.
fn groups(item: &ItemResponses<'_>) -> Vec<Group> {
    let mut systems: Vec<_> = item
        .systems
        .iter()
        .filter(|system| system.trials > 0 && system.ability.is_finite())
        .collect();
    systems.sort_by(|x, y| x.ability.total_cmp(&y.ability));
    let how_many = (systems.len() / IN_A_GROUP).clamp(1, GROUPS).min(systems.len());
    (0..how_many)
        .map(|group| {
            let members = &systems[group * systems.len() / how_many..(group + 1) * systems.len() / how_many];
            Group {
                ability: members.iter().map(|system| system.ability).sum::<f64>() / members.len() as f64,
                systems: members.len(),
                passed: members.iter().map(|system| u64::from(system.passed)).sum(),
                trials: members.iter().map(|system| u64::from(system.trials)).sum(),
            }
        })
        .collect()
}

fn plot(
    (number, row, item): (usize, &BankRow, Parameters),
    groups: &[Group],
    (low, high): (f64, f64),
    with_query: bool,
) -> Plot {
    let inside = abilities().into_iter().filter(|theta| (low..=high).contains(theta));
    let curve = inside.map(|theta| (theta, probability(item.discrimination, item.difficulty, theta)));
    let ranges = groups.iter().filter_map(|group| {
        let (from, to) = wilson_interval(group.passed, group.trials).ok()?;
        Some(Range {
            at: group.ability,
            low: from,
            middle: group.passed as f64 / group.trials as f64,
            high: to,
        })
    });
    let panel = Panel {
        share: 1.0,
        x: Axis::fixed("", "ability", low, high),
        y: Axis::share("", "share"),
        marks: vec![
            Mark::Line {
                series: Series::new("Model", Look::Second),
                points: curve.collect(),
                label: LineLabel::None,
            },
            Mark::Intervals {
                series: Series::new("Observed", Look::First),
                along: Direction::Y,
                ranges: ranges.collect(),
            },
        ],
    };
    let name = match with_query {
        true => format!(
            "{number}. {} on {}",
            Text::short_id(&row.criterion, NAME),
            Text::short_id(&row.query, NAME)
        ),
        false => format!("{number}. {}", Text::short_id(&row.criterion, NAME)),
    };
    Plot {
        title: Some(Text::prose(&name)),
        ..Plot::of(panel, 120.0)
    }
}

fn table(items: &[(usize, &BankRow, Parameters, Vec<Group>)], inputs: &Inputs<'_>) -> Table {
    let columns = vec![
        Column::number("No."),
        Column::name("Criterion"),
        Column::words("Query"),
        Column::number("Mean ability"),
        Column::number("Systems"),
        Column::number("Trials"),
        Column::number("Passed"),
        Column::number("Share passed"),
        Column::number("Model"),
    ];
    let labels = match inputs.files.contains(&"labels.parquet") {
        true => "labels.parquet",
        false => "labels.csv",
    };
    let mut table = Table::new("Groups of systems on each item", labels, columns);
    for (number, row, item, groups) in items {
        for group in groups {
            let interval = wilson_interval(group.passed, group.trials).ok();
            let share = table.with_interval(
                Some(group.passed as f64 / group.trials as f64),
                (interval.map(|(low, _)| low), interval.map(|(_, high)| high)),
                Form::Decimal(2),
                None,
            );
            let model = probability(item.discrimination, item.difficulty, group.ability);
            let cells = vec![
                Cell::count(*number),
                Cell::id(&row.criterion),
                Cell::id(&row.query),
                table.number(Some(group.ability), Form::Decimal(2), None),
                Cell::count(group.systems),
                Cell::count(usize::try_from(group.trials).unwrap_or(usize::MAX)),
                Cell::count(usize::try_from(group.passed).unwrap_or(usize::MAX)),
                share,
                table.number(Some(model), Form::Decimal(2), None),
            ];
            table.push(cells);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::SystemResponses;

    #[test]
    fn groups_are_neighbours_and_lose_nobody() {
        let systems: Vec<SystemResponses> = (0..17)
            .map(|at| SystemResponses {
                ability: f64::from((at * 7) % 17),
                passed: 1,
                trials: u32::from(at != 3),
            })
            .collect();
        let item = ItemResponses {
            criterion: "c",
            query: "q",
            systems,
        };
        let groups = groups(&item);
        assert_eq!(groups.len(), GROUPS);
        assert_eq!(groups.iter().map(|group| group.systems).sum::<usize>(), 16);
        assert!(groups.windows(2).all(|pair| pair[0].ability < pair[1].ability));
    }

    #[test]
    fn an_item_nobody_tried_has_no_group() {
        let item = ItemResponses {
            criterion: "c",
            query: "q",
            systems: Vec::new(),
        };
        assert!(groups(&item).is_empty());
    }
}
