//! Single artifacts as fragments of HTML for notebooks: doubts with their next actions first, then what the report and the
//! terminal say of the artifact. No script, nothing fetched; colours are those of the page around it, light or dark.

use askama::Template;
use calibrant_schema::artifact::Header;
use calibrant_schema::disagreement::Disagreements;
use calibrant_schema::{Agreement, Bank, Blocks, Calibration, Fit, RollUps, Rubric, Scores, Undefined};

use crate::agreement::{self, AgreementInputs};
use crate::document::{Block, Cell, Column, Form, HELD, Kind, Section, Table};
use crate::figure::Layout;
use crate::inputs::Figures;
use crate::number::{count, counted};
use crate::sections::{bank, blocks, comparison, doubts_of, judges, leaderboard, left_out, measurability};
use crate::terminal::{Style, disagreements_text, roll_ups_text};
use crate::text::Text;

/// A fragment before it is printed.
struct Card {
    title: &'static str,
    lead: Vec<Text>,
    blocks: Vec<Block>,
}

#[derive(Template)]
#[template(path = "card.html")]
struct Page<'a> {
    card: &'a Card,
}

/// A card that opens with the doubts of its artifact.
fn card((name, title): (&'static str, &'static str), lead: &str, header: Option<&Header>, said: Vec<Block>) -> String {
    let doubts = header.and_then(|header| doubts_of(&[(name, header)]));
    let card = Card {
        title,
        lead: vec![Text::prose(lead)],
        blocks: doubts
            .into_iter()
            .flat_map(|section| section.blocks)
            .chain(said)
            .collect(),
    };
    // Rendering writes into a string, and no filter of the template can fail.
    Page { card: &card }.render().expect("the template renders")
}

fn blocks_of(sections: impl IntoIterator<Item = Section>) -> impl Iterator<Item = Block> {
    sections.into_iter().flat_map(|section| section.blocks)
}

/// The leaderboard with intervals and tiers.
#[must_use]
pub fn scores_card(scores: &Scores) -> String {
    let mut said = vec![Block::Table(leaderboard::table(scores))];
    said.extend(leaderboard::rule(scores));
    let lead = format!(
        "{}, the best tier first.",
        counted(scores.systems.len(), "system", "systems")
    );
    card(("scores", "Scores."), &lead, Some(&scores.header), said)
}

/// A whole run: the doubts of all its artifacts, the leaderboard, and what its bank is worth.
#[must_use]
pub fn run_card(headers: &[(&'static str, &Header)], scores: &Scores, of_bank: Option<&Bank>) -> String {
    let mut said: Vec<Block> = blocks_of(doubts_of(headers)).collect();
    said.push(Block::Table(leaderboard::table(scores)));
    said.extend(leaderboard::rule(scores));
    said.extend(of_bank.map(|of_bank| Block::Facts(bank::facts(of_bank))));
    let lead = of_bank.map_or_else(String::new, bank::opening);
    card(("run", "Run."), &lead, None, said)
}

/// The panel, what thresholds keep, the least measurable criteria and the judges.
#[must_use]
pub fn calibration_card(calibration: &Calibration, rubric: Option<&Rubric>) -> String {
    let mut said: Vec<Block> = measurability::banner(calibration.panel.most_judges)
        .map(|banner| Block::Paragraph(Text::prose(banner)))
        .into_iter()
        .collect();
    said.push(Block::Facts(measurability::facts(calibration)));
    if !calibration.criteria.is_empty() {
        said.push(Block::Table(measurability::least(calibration, rubric)));
    }
    if !calibration.sweep.is_empty() {
        said.push(Block::Table(measurability::sweep(&calibration.sweep)));
    }
    said.extend(judges::section(calibration).blocks);
    let panel = &calibration.panel;
    let lead = format!(
        "{}, {}, {}.",
        counted(panel.systems, "system", "systems"),
        counted(panel.items, "item", "items"),
        counted(panel.judges, "judge", "judges")
    );
    card(("calibration", "Calibration."), &lead, Some(&calibration.header), said)
}

/// The fit, its models, the abilities, and what was left out.
#[must_use]
pub fn fit_card(fit: &Fit) -> String {
    let mut table = Table::new(
        "Abilities by system",
        "fit.json",
        vec![
            Column::name("System"),
            Column::number("Ability"),
            Column::number("Standard error"),
        ],
    );
    for row in fit.systems.iter().take(HELD) {
        let cells = vec![
            Cell::id(&row.system),
            table.number(Some(row.ability), Form::Decimal(2), None),
            table.number(Some(row.standard_error), Form::Decimal(2), None),
        ];
        table.push(cells);
    }
    table.total = fit.systems.len();
    let mut said = vec![Block::Table(table)];
    said.extend(blocks_of(
        [comparison::section(fit)].into_iter().chain(left_out::section(fit)),
    ));
    let lead = format!(
        "{} over {}, {}.",
        fit.model.word(),
        counted(fit.items.len(), "item", "items"),
        counted(fit.systems.len(), "system", "systems")
    );
    card(("fit", "Fit."), &lead, Some(&fit.header), said)
}

/// The bank with its certificate.
#[must_use]
pub fn bank_card(of: &Bank) -> String {
    let said = vec![Block::Facts(bank::facts(of)), Block::Table(bank_table(of))];
    card(("bank", "Bank."), &bank::opening(of), Some(&of.header), said)
}

fn bank_table(of: &Bank) -> Table {
    let columns = vec![
        Column::number("No."),
        Column::name("Criterion"),
        Column::words("Query"),
        Column::number("Weight"),
        Column::number("Difficulty"),
        Column::number("Discrimination"),
        Column::number("Information"),
        Column::number("Gain"),
        Column::number("Measurability"),
    ];
    let mut table = Table::new("Criteria in the order chosen", "bank.json", columns);
    let unfitted = Undefined::new("no_fit", "the method of this bank uses no fitted item");
    let parameter = of.utility_undefined.as_ref().unwrap_or(&unfitted);
    let unit = Undefined::new("no_unit", "no unit of it has two judges");
    for (at, row) in of.criteria.iter().enumerate().take(HELD) {
        let question = row.entry.as_ref().and_then(|entry| entry.get("question")?.as_str());
        let cells = vec![
            Cell::count(at + 1),
            Cell::Criterion {
                id: Text::id(&row.criterion),
                question: question.map(Text::prose),
            },
            Cell::id(&row.query),
            table.number(Some(row.weight), Form::Decimal(2), None),
            table.number(row.difficulty, Form::Decimal(2), Some(parameter)),
            table.number(row.discrimination, Form::Decimal(2), Some(parameter)),
            table.number(row.information, Form::Decimal(3), Some(parameter)),
            table.number(row.gain, Form::Decimal(4), Some(parameter)),
            table.number(row.measurability, Form::Decimal(3), Some(&unit)),
        ];
        table.push(cells);
    }
    table.total = of.criteria.len();
    table
}

/// Agreement by criterion, over whole answers and by pairs, and the change since an earlier round.
#[must_use]
pub fn agreement_card(of: &Agreement, rubric: Option<&Rubric>) -> String {
    let inputs = AgreementInputs {
        title: "",
        agreement: of,
        rubric,
        command: None,
        figures: Figures::LeftOut,
    };
    let compared = of.judges.len() > 1;
    let sections = [
        of.rounds.as_ref().map(agreement::rounds::section_of),
        compared.then(|| agreement::criteria::section_of(&inputs)),
        compared.then(|| agreement::criteria::whole_answers(of)),
        (!of.pairs.is_empty()).then(|| agreement::criteria::pairs(of)),
    ];
    let lead: Vec<String> = agreement::lead(of)
        .iter()
        .map(|text| text.as_str().to_owned())
        .collect();
    let said = blocks_of(sections.into_iter().flatten()).collect();
    card(("agreement", "Agreement."), &lead.join(" "), Some(&of.header), said)
}

/// The blocks of a run beside each other.
#[must_use]
pub fn blocks_card(of: &Blocks) -> String {
    let mut table = blocks::table(of);
    // The pages that names lead to stand beside the run, and a notebook does not.
    for cell in table.rows.iter_mut().flat_map(|row| &mut row.cells) {
        if let Cell::Link { text, .. } = cell {
            *cell = Cell::id(text.as_str());
        }
    }
    card(
        ("blocks", "Blocks."),
        &blocks::opening(of),
        Some(&of.header),
        vec![Block::Table(table)],
    )
}

/// Roll-up rules beside each other, and the responses between them.
#[must_use]
pub fn roll_ups_card(of: &RollUps) -> String {
    let mut table = Table::new(
        "Rules",
        "roll-ups.json",
        vec![
            Column::name("Rule"),
            Column::number("Passed"),
            Column::number("Failed"),
            Column::number("Open"),
            Column::number("Pass rate"),
            Column::words("Passes when"),
        ],
    );
    let none = Undefined::new("no_outcome", "the rule decides no response");
    for row in of.rules.iter().take(HELD) {
        let ends = (row.low, row.high);
        let cells = vec![
            Cell::id(&row.rule),
            Cell::words(&row.passed.to_string()),
            Cell::words(&row.failed.to_string()),
            Cell::words(&row.open.to_string()),
            table.with_interval(
                row.pass_rate,
                ends,
                Form::Percent,
                row.undefined.as_ref().or(Some(&none)),
            ),
            Cell::words(&row.words),
        ];
        table.push(cells);
    }
    let text = roll_ups_text(of, Style::default());
    // What follows the table of rules: each gap with exactly the responses in it.
    let gaps = text.split_once("\n\n").map_or("", |(_, gaps)| gaps).trim_end();
    let mut said = vec![Block::Table(table)];
    said.extend((!gaps.is_empty()).then(|| Block::Command(Text::lines(gaps))));
    let responses = usize::try_from(of.responses).unwrap_or(usize::MAX);
    let lead = format!("{}.", counted(responses, "response", "responses"));
    card(("roll-ups", "Roll-ups."), &lead, Some(&of.header), said)
}

/// What judges differ on.
#[must_use]
pub fn disagreements_card(of: &Disagreements) -> String {
    let text = disagreements_text(of, Style::default());
    let lead = format!(
        "{} of {}, on {}.",
        count(of.queue.len()),
        counted(of.judges.len(), "judge", "judges"),
        counted(of.criteria.len(), "criterion", "criteria")
    );
    let said = vec![Block::Command(Text::lines(text.trim_end()))];
    card(("disagreements", "Disagreements."), &lead, None, said)
}
