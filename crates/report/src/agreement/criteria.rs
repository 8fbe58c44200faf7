//! Agreement per criterion with the prevalence beside it, over whole answers, by pairs of judges, and by size.

use calibrant_schema::Agreement;
use calibrant_schema::agreement::{Coefficient, CoefficientRow, Intervals, Reading, Scope};

use super::{AgreementInputs, FILE, cell, paragraph, section};
use crate::document::{Block, Cell, Column, Form, HELD, Section, Table};
use crate::figure;
use crate::inputs::Figures;
use crate::number::{count, decimal};
use crate::sections::Questions;
use crate::text::Text;

/// Letters of a question in this table; the rubric has them whole.
const QUESTION: usize = 240;

/// The figures of a scope, in the order of the artifact.
fn figures(agreement: &Agreement, scope: Scope) -> Vec<Coefficient> {
    let mut known = Vec::new();
    for row in agreement.coefficients.iter().filter(|row| row.scope == scope) {
        if !known.contains(&row.coefficient) {
            known.push(row.coefficient);
        }
    }
    known
}

/// A table a criterion a row: shares first, then what is left beyond chance.
fn section_table(inputs: &AgreementInputs<'_>, shares: ShownFigures) -> Table {
    let agreement = inputs.agreement;
    let questions = Questions::of(inputs.rubric);
    let figures: Vec<Coefficient> = figures(agreement, Scope::Criterion)
        .into_iter()
        .filter(|figure| shares.shows(*figure))
        .collect();
    let mut columns = vec![Column::name("Criterion"), Column::number("Units")];
    if shares == ShownFigures::Headline {
        columns.push(Column::words("Met, by judge (%)"));
    }
    columns.extend(figures.iter().map(|figure| Column::number(&capital(figure.name()))));
    let mut table = Table::new(shares.caption(), FILE, columns);
    for row in agreement.criteria.iter().take(HELD) {
        let question = questions.of_item(None, &row.criterion);
        let mut cells = vec![
            Cell::Criterion {
                id: Text::id(&row.criterion),
                question: question
                    .filter(|_| shares == ShownFigures::Headline)
                    .map(|question| Text::short_prose(question, QUESTION)),
            },
            Cell::count(usize::try_from(row.units).unwrap_or(usize::MAX)),
        ];
        if shares == ShownFigures::Headline {
            cells.push(Cell::words(&met(agreement, &row.criterion)));
        }
        for figure in &figures {
            let found = agreement.figure(Scope::Criterion, Some(&row.criterion), *figure);
            let cell = cell(&mut table, found, *figure);
            cells.push(cell);
        }
        table.push(cells);
    }
    table.total = agreement.criteria.len();
    table
}

/// Which figures a table shows: all of them in one row would be wider than a page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ShownFigures {
    /// Raw agreement, what chance gives, and the two kappas.
    Headline,
    /// The others.
    Others,
}

impl ShownFigures {
    fn shows(self, figure: Coefficient) -> bool {
        let headline = matches!(
            figure,
            Coefficient::RawAgreement
                | Coefficient::Unanimity
                | Coefficient::ChanceAgreement
                | Coefficient::CohenKappa
                | Coefficient::ScottPi
                | Coefficient::FleissKappa
        );
        headline == (self == Self::Headline)
    }

    fn caption(self) -> &'static str {
        match self {
            Self::Headline => "Each criterion on its own",
            Self::Others => "The same by other coefficients",
        }
    }
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + letters.as_str()
    })
}

fn whole(answers: u64) -> String {
    count(usize::try_from(answers).unwrap_or(usize::MAX))
}

fn met(agreement: &Agreement, criterion: &str) -> String {
    let rows = agreement.prevalence.iter().filter(|row| row.criterion == criterion);
    let shares: Vec<String> = rows.filter_map(|row| decimal(100.0 * row.prevalence?, 1)).collect();
    match shares.len() {
        0 => "–".to_owned(),
        1..=4 => shares.join(" / "),
        _ => "see below".to_owned(),
    }
}

pub(crate) fn section_of(inputs: &AgreementInputs<'_>) -> Section {
    let agreement = inputs.agreement;
    let mut headline = section_table(inputs, ShownFigures::Headline);
    headline.remarks.push(Text::prose(
        "Raw agreement is the share of labels of pairs of judges that are alike; “by chance” is what it would be if each judge drew \
         labels in the proportions found. Cohen's kappa takes each judge's own proportions, Scott's pi (Fleiss' kappa with more \
         judges) the pooled ones. A kappa is a share of the room above chance, not of the responses.",
    ));
    headline.remarks.push(Text::prose(match agreement.intervals {
        Intervals::Bootstrap => {
            "Intervals hold 95 %: those of shares are Wilson's, the others come from drawing responses anew."
        }
        Intervals::Analytic => {
            "Intervals hold 95 %: those of shares are Wilson's, the others come from standard errors for large samples."
        }
    }));
    let mut blocks = vec![Block::Table(headline)];
    let others = section_table(inputs, ShownFigures::Others);
    if others.columns.len() > 2 {
        blocks.push(Block::Table(others));
    }
    section("criteria", "Agreement on each criterion", blocks)
}

/// Whole answers, and the pooled figure that is not a headline.
pub(crate) fn whole_answers(agreement: &Agreement) -> Section {
    let mut blocks = Vec::new();
    let columns = vec![
        Column::name("Figure"),
        Column::number("Answers"),
        Column::number("Value"),
        Column::words("Interval by"),
    ];
    let mut table = Table::new("Whole answers", FILE, columns);
    push_rows(&mut table, agreement, Scope::Response);
    table.remarks.push(Text::prose(
        "Figures beyond chance take each pattern of labels on the criteria as a category. “Not applicable” from both judges is alike \
         here; from one of them it is not.",
    ));
    blocks.push(Block::Table(table));
    if let Some(error) = agreement
        .precision
        .standard_error
        .and_then(|error| decimal(100.0 * error, 1))
    {
        blocks.push(paragraph(&format!(
            "With {} answers the standard error of this share is {error} points. Half of it takes {} answers, a quarter {}.",
            whole(agreement.precision.responses),
            whole(agreement.precision.to_halve),
            whole(agreement.precision.to_quarter)
        )));
    }
    if agreement.coefficients.iter().any(|row| row.scope == Scope::Pooled) {
        let columns = vec![
            Column::name("Figure"),
            Column::number("Units"),
            Column::number("Value"),
            Column::words("Interval by"),
        ];
        let mut pooled = Table::new(
            "Pooled over criteria, for comparison with published figures only",
            FILE,
            columns,
        );
        push_rows(&mut pooled, agreement, Scope::Pooled);
        pooled.remarks.push(Text::prose(
            "One number for a rubric hides the criterion that fails: read the table by criterion.",
        ));
        blocks.push(Block::Table(pooled));
    }
    section("whole-answers", "Whole answers", blocks)
}

fn push_rows(table: &mut Table, agreement: &Agreement, scope: Scope) {
    for row in agreement.coefficients.iter().filter(|row| row.scope == scope) {
        let value = cell(table, Some(row), row.coefficient);
        table.push(vec![
            Cell::words(&capital(row.coefficient.name())),
            Cell::count(usize::try_from(row.units).unwrap_or(usize::MAX)),
            value,
            Cell::words(row.method.as_deref().unwrap_or("–")),
        ]);
    }
}

/// Poor judges or a rare outcome, with the curves behind the sentences.
pub(super) fn readings(inputs: &AgreementInputs<'_>) -> Section {
    let agreement = inputs.agreement;
    let sentences = agreement
        .readings
        .iter()
        .filter(|reading| reading.reading != Reading::NotLow)
        .map(|reading| Text::prose(&reading.sentence));
    let sentences: Vec<Text> = sentences.collect();
    let mut blocks = Vec::new();
    blocks.push(match sentences.is_empty() {
        true => paragraph("No criterion with two levels has a kappa below .60."),
        false => Block::List(sentences),
    });
    let table = reading_table(agreement);
    let drawn = match inputs.figures {
        Figures::Drawn => figure::prevalence(agreement, reading_table(agreement)),
        Figures::LeftOut => None,
    };
    blocks.push(match drawn {
        Some(figure) => Block::Figure(Box::new(figure)),
        None => Block::Table(table),
    });
    section("readings", "Low kappa: poor judges, or a rare outcome?", blocks)
}

fn reading_table(agreement: &Agreement) -> Table {
    let columns = vec![
        Column::name("Criterion"),
        Column::number("Raw agreement"),
        Column::number("Judge error"),
        Column::number("True prevalence"),
        Column::number("Kappa"),
        Column::number("PABAK"),
        Column::number("Usual error"),
        Column::number("Kappa at usual error"),
    ];
    let mut table = Table::new("What kappas would be at other errors and prevalences", FILE, columns);
    let none = |what: &str| calibrant_schema::Undefined::new("undefined", what);
    let error = none("judges agree less often than coins");
    let reach = none("no prevalence gives these labels if judges err alike on met and unmet");
    let one = none("only one label occurs");
    let others = none("no other criterion with two levels has a judge error");
    for row in agreement.readings.iter().take(HELD) {
        let cells = vec![
            Cell::id(&row.criterion),
            table.number(row.raw_agreement, Form::Percent, None),
            table.number(row.judge_error, Form::Percent, Some(&error)),
            table.number(
                row.true_prevalence,
                Form::Percent,
                Some(if row.judge_error.is_some() { &reach } else { &error }),
            ),
            table.number(row.kappa, Form::Decimal(3), Some(&one)),
            table.number(row.pabak, Form::Decimal(3), None),
            table.number(row.usual_error, Form::Percent, Some(&others)),
            table.number(
                row.kappa_at_usual_error,
                Form::Decimal(3),
                Some(if row.usual_error.is_some() { &reach } else { &others }),
            ),
        ];
        table.push(cells);
    }
    table.total = agreement.readings.len();
    table.remarks.push(Text::prose(
        "Judge error and true prevalence are those of judges that err alike on met and unmet. PABAK is the kappa the same judges would \
         have if half of the responses met the criterion; the last column is the kappa of judges with the median error of the other \
         criteria at this criterion's prevalence.",
    ));
    table
}

/// A row for each pair of judges and scope.
pub(crate) fn pairs(agreement: &Agreement) -> Section {
    let mut figures: Vec<Coefficient> = Vec::new();
    let mut keys: Vec<&CoefficientRow> = Vec::new();
    for row in &agreement.pairs {
        if !figures.contains(&row.coefficient) {
            figures.push(row.coefficient);
        }
        if row.coefficient == Coefficient::RawAgreement {
            keys.push(row);
        }
    }
    // What is pooled leads: with many criteria the other rows are long.
    keys.sort_by_key(|row| row.scope != Scope::Pooled);
    let mut columns = vec![Column::name("Judges"), Column::words("Over"), Column::number("Units")];
    columns.extend(figures.iter().map(|figure| Column::number(&capital(figure.name()))));
    let mut table = Table::new("Each two judges", FILE, columns);
    for key in keys.iter().take(HELD) {
        let over = match (key.scope, key.criterion.as_deref()) {
            (_, Some(criterion)) => criterion,
            (Scope::Response, None) => "whole answers",
            (_, None) => "pooled over criteria",
        };
        let mut cells = vec![
            Cell::id(&key.judges.join(" and ")),
            Cell::words(over),
            Cell::count(usize::try_from(key.units).unwrap_or(usize::MAX)),
        ];
        for figure in &figures {
            let same = |row: &&CoefficientRow| {
                (row.scope, &row.criterion, &row.judges, row.coefficient)
                    == (key.scope, &key.criterion, &key.judges, *figure)
            };
            let cell = cell(&mut table, agreement.pairs.iter().find(same), *figure);
            cells.push(cell);
        }
        table.push(cells);
    }
    table.total = keys.len();
    section("pairs", "Pairs of judges", vec![Block::Table(table)])
}

/// How often each judge says that a criterion is met.
pub(super) fn prevalence(agreement: &Agreement) -> Section {
    let columns = vec![
        Column::name("Criterion"),
        Column::words("Judge"),
        Column::number("Labels"),
        Column::number("Met"),
        Column::number("Share met"),
        Column::words("Labels at each level"),
    ];
    let mut table = Table::new("What each judge says", FILE, columns);
    let silent = calibrant_schema::Undefined::new("no_label", "the judge gave no label");
    for row in agreement.prevalence.iter().take(HELD) {
        let share = table.with_interval(row.prevalence, (row.low, row.high), Form::Percent, Some(&silent));
        let levels: Vec<String> = row.levels.iter().map(u64::to_string).collect();
        table.push(vec![
            Cell::id(&row.criterion),
            Cell::id(&row.judge),
            Cell::count(usize::try_from(row.labels).unwrap_or(usize::MAX)),
            Cell::count(usize::try_from(row.met).unwrap_or(usize::MAX)),
            share,
            Cell::words(&levels.join(", ")),
        ]);
    }
    table.total = agreement.prevalence.len();
    table.remarks.push(Text::prose(
        "A graded label is met from the middle of its scale up. Intervals are Wilson's; levels are counted worst first.",
    ));
    section(
        "prevalence",
        "How often each judge says “met”",
        vec![Block::Table(table)],
    )
}

/// Disagreements on graded criteria, by how far apart they are.
pub(super) fn sizes(agreement: &Agreement) -> Section {
    let columns = vec![
        Column::name("Criterion"),
        Column::words("Labels"),
        Column::words("Levels"),
        Column::number("Pairs"),
    ];
    let mut table = Table::new("Pairs of labels by size and boundary", FILE, columns);
    for row in agreement.sizes.iter().take(HELD) {
        let kind = match row.size {
            0 => "alike".to_owned(),
            1 => "neighbours".to_owned(),
            size => format!("{size} apart"),
        };
        let levels = match row.size {
            0 => row.lower.to_string(),
            _ => format!("{} and {}", row.lower, row.higher),
        };
        table.push(vec![
            Cell::id(&row.criterion),
            Cell::words(&kind),
            Cell::words(&levels),
            Cell::count(usize::try_from(row.count).unwrap_or(usize::MAX)),
        ]);
    }
    table.total = agreement.sizes.len();
    table.remarks.push(Text::prose(
        "Many neighbours at one boundary: the scale has no text that tells these levels apart. Labels far apart: the criterion admits \
         two readings of the same response.",
    ));
    section("sizes", "How far apart disagreements are", vec![Block::Table(table)])
}
