//! One slope for all items, or one each.

use calibrant_schema::fit::{Convergence, ModelRow};
use calibrant_schema::{Fit, Warning};

use crate::document::{Block, Cell, Column, Form, Section, Table};
use crate::number::{count, counted, decimal, typeset};
use crate::text::Text;

pub(crate) fn section(fit: &Fit) -> Section {
    let mut blocks = vec![Block::Facts(facts(fit)), Block::Table(table(&fit.comparison.models))];
    let few_systems = fit
        .header
        .warnings
        .iter()
        .find(|noted| matches!(noted.warning, Warning::FewSystems { .. }));
    blocks.extend(
        few_systems.map(|noted| Block::Paragraph(Text::prose(&format!("Read this with care: {}.", noted.message)))),
    );
    Section {
        id: "models",
        title: "The fit and its models",
        blocks,
    }
}

fn facts(fit: &Fit) -> Vec<(&'static str, Text)> {
    let comparison = &fit.comparison;
    let grid = &fit.grid;
    let per_parameter = comparison
        .gain_per_parameter
        .and_then(|gain| decimal(gain, 3))
        .map_or_else(
            || "–".to_owned(),
            |gain| {
                format!(
                    "{gain} for each of {}; AIC asks for more than 1",
                    counted(comparison.extra_parameters, "further parameter", "further parameters")
                )
            },
        );
    vec![
        (
            "Abilities by",
            Text::prose(&format!(
                "{} over {}",
                fit.model.word(),
                counted(fit.items.len(), "item", "items")
            )),
        ),
        ("Stopped", Text::prose(&stopped(&fit.convergence))),
        (
            "Grid",
            Text::prose(&format!(
                "{} nodes from {} to {}{}",
                grid.nodes,
                typeset(&grid.low.to_string()),
                typeset(&grid.high.to_string()),
                if grid.refined { ", refined" } else { "" }
            )),
        ),
        (
            "Gain of 2PL over 1PL",
            Text::prose(&format!("{} in log-likelihood", fixed(comparison.gain, 2))),
        ),
        ("Gain per parameter", Text::prose(&per_parameter)),
        ("AIC prefers", Text::prose(comparison.aic_prefers.word())),
        (
            "BIC prefers",
            Text::prose(&format!(
                "{} with {} responses as the sample size, {} with {} systems",
                comparison.bic_responses_prefers.word(),
                count(usize::try_from(comparison.responses).unwrap_or(usize::MAX)),
                comparison.bic_systems_prefers.word(),
                comparison.systems
            )),
        ),
    ]
}

fn stopped(convergence: &Convergence) -> String {
    let verdict = if convergence.converged {
        "converged"
    } else {
        "did not converge"
    };
    format!(
        "{verdict} after {}: {} (gradient {}, tolerance {})",
        counted(convergence.iterations, "iteration", "iterations"),
        convergence.stopped,
        scientific(convergence.gradient),
        scientific(convergence.tolerance)
    )
}

fn table(models: &[ModelRow]) -> Table {
    let columns = vec![
        Column::name("Model"),
        Column::number("Parameters"),
        Column::number("Log-likelihood"),
        Column::number("AIC"),
        Column::number("BIC, responses"),
        Column::number("BIC, systems"),
        Column::words("Converged"),
    ];
    let mut table = Table::new("Models", "fit.json", columns);
    for row in models {
        let cells = vec![
            Cell::id(row.model.word()),
            Cell::count(row.parameters),
            table.number(Some(row.log_likelihood), Form::Decimal(2), None),
            table.number(Some(row.aic), Form::Decimal(1), None),
            table.number(Some(row.bic_responses), Form::Decimal(1), None),
            table.number(Some(row.bic_systems), Form::Decimal(1), None),
            Cell::words(if row.convergence.converged { "yes" } else { "no" }),
        ];
        table.push(cells);
    }
    table.remarks.push(Text::prose(
        "Log-likelihood: marginal, at the maximum of the posterior, without the prior's terms. Less is better for AIC and BIC.",
    ));
    table
}

fn fixed(value: f64, places: usize) -> String {
    decimal(value, places).map_or_else(|| "–".to_owned(), |shown| typeset(&shown))
}

fn scientific(value: f64) -> String {
    if value.is_finite() {
        typeset(&format!("{value:.0e}"))
    } else {
        "–".to_owned()
    }
}
