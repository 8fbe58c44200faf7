//! Information curves of the bank's most informative items.

use calibrant_schema::Bank;
use calibrant_stats::irt::information;

use super::axis::Axis;
use super::curves::{HIGH, LOW, Parameters, abilities, bank_items, item_name, positions, several_queries};
use super::scene::{Figure, InText, Key, Layout, LineLabel, Look, Mark, Panel, Plot, Series};
use crate::document::{Cell, Column, Form, Table};
use crate::inputs::Inputs;
use crate::number::{count, counted};
use crate::text::Text;

/// Room above the highest curve for the numbers.
const HEADROOM: f64 = 1.3;

/// The figure, or `None` when no item of the bank has parameters.
///
/// `I_j(theta) = a_j^2 P_j (1 - P_j)`, at most `a_j^2 / 4`, at the item's difficulty.
///
/// Source: `[CR26]` eq. 8; METHODS 91.
pub(crate) fn item_information(bank: &Bank, inputs: &Inputs<'_>) -> Option<Figure> {
    let mut items = bank_items(bank, inputs);
    let all = items.len();
    if all == 0 {
        return None;
    }
    let expected =
        |item: &(usize, &calibrant_schema::bank::BankRow, Parameters)| item.1.information.unwrap_or(f64::NEG_INFINITY);
    items.sort_by(|x, y| expected(y).total_cmp(&expected(x)).then(x.0.cmp(&y.0)));
    items.truncate(Look::ALL.len());
    items.sort_by_key(|(number, ..)| *number);
    let with_query = several_queries(bank);
    let abilities = abilities();
    let columns = vec![
        Column::number("No."),
        Column::name("Criterion"),
        Column::words("Query"),
        Column::number("Discrimination"),
        Column::number("Difficulty"),
        Column::number("Highest"),
    ];
    let mut table = Table::new("The curves", "bank.json", columns);
    let mut marks = Vec::new();
    let mut highest = 0.0_f64;
    for ((number, row, item), look) in items.iter().zip(Look::ALL) {
        let tells = |theta: f64| information(item.discrimination, item.difficulty, theta);
        let points: Vec<(f64, f64)> = abilities.iter().map(|theta| (*theta, tells(*theta))).collect();
        highest = points
            .iter()
            .map(|(_, information)| *information)
            .fold(highest, f64::max);
        marks.push(Mark::Line {
            series: Series::new(format!("{number}. {}", item_name(row, with_query)), look),
            points,
            label: LineLabel::Peak(Text::prose(&number.to_string())),
        });
        let cells = vec![
            Cell::count(*number),
            Cell::id(&row.criterion),
            Cell::id(&row.query),
            table.number(Some(item.discrimination), Form::Decimal(2), None),
            table.number(Some(item.difficulty), Form::Decimal(2), None),
            table.number(Some(tells(item.difficulty)), Form::Decimal(3), None),
        ];
        table.push(cells);
    }
    marks.push(Mark::Rug {
        name: Text::prose("system"),
        values: positions(inputs).into_iter().map(|(_, ability)| ability).collect(),
    });
    let panel = Panel {
        share: 1.0,
        x: Axis::fixed("Ability", "ability", LOW, HIGH),
        y: Axis::fixed(
            "Information of one item",
            "information",
            0.0,
            HEADROOM * highest.max(f64::MIN_POSITIVE),
        ),
        marks,
    };
    let chosen = match items.len() < all {
        true => format!(
            "The {} most informative of the bank's {} items",
            items.len(),
            count(all)
        ),
        false => format!("The bank's {}", counted(all, "item", "items")),
    };
    Some(Figure {
        name: "item-information",
        title: "Where single items tell most".to_owned(),
        reading: Text::prose(&format!(
            "{chosen}, numbered as in the bank. A curve peaks at the item's difficulty; the sharper the item, the higher and narrower. \
             The strokes on the ground are the systems."
        )),
        summary: Text::prose(&format!(
            "Information against ability from −4 to 4. {chosen}, one curve each; the table has their peaks."
        )),
        layout: Layout::Wide,
        plots: vec![Plot {
            key: Key::Above,
            ..Plot::of(panel, 230.0)
        }],
        notes: Vec::new(),
        table,
        in_text: InText::Sentence,
    })
}
