//! How unanimity is lost as systems are added.

use calibrant_schema::Calibration;
use calibrant_schema::calibration::{AttritionFit, BetaRow, GeometricRow};

use crate::document::{Block, Cell, Column, Form, HELD, Section, Table};
use crate::figure;
use crate::inputs::Inputs;
use crate::number::decimal;
use crate::text::Text;

use super::drawn_over;

pub(super) fn section(inputs: &Inputs<'_>) -> Section {
    let calibration = inputs.calibration;
    let blocks = if calibration.attrition.is_empty() {
        let reason = calibration.attrition_fit.geometric_undefined.as_ref();
        let reason = reason.map_or("no reason is recorded", |reason| reason.detail.as_str());
        vec![Block::Paragraph(Text::prose(&format!(
            "Attrition is undefined: {reason}."
        )))]
    } else {
        vec![
            drawn_over(
                inputs,
                || table(calibration),
                |table| figure::attrition(calibration, table),
            ),
            Block::Facts(facts(&calibration.attrition_fit)),
        ]
    };
    Section {
        id: "attrition",
        title: "Attrition of unanimity",
        blocks,
    }
}

fn table(calibration: &Calibration) -> Table {
    let fit = &calibration.attrition_fit;
    let mut columns = [
        "Systems",
        "Items",
        "Unanimous on all",
        "Geometric",
        "Beta",
        "Not constant",
        "Both",
    ]
    .map(Column::number);
    columns[0] = Column::name("Systems");
    let mut table = Table::new(
        "Share of items as systems are added",
        "calibration.json",
        columns.into(),
    );
    for row in calibration.attrition.iter().take(HELD) {
        let geometric = fit
            .geometric
            .as_ref()
            .map(|geometric| geometric_retention(geometric, row.systems));
        let beta = fit.beta.as_ref().map(|beta| beta_retention(beta, row.systems));
        let cells = vec![
            Cell::count(row.systems as usize),
            Cell::count(row.items),
            table.number(Some(row.retention), Form::Decimal(3), None),
            table.number(geometric, Form::Decimal(3), fit.geometric_undefined.as_ref()),
            table.number(beta, Form::Decimal(3), fit.beta_undefined.as_ref()),
            table.number(Some(row.distinguishability), Form::Decimal(3), None),
            table.number(Some(row.joint), Form::Decimal(3), None),
        ];
        table.push(cells);
    }
    table.total = calibration.attrition.len();
    table.remarks.push(Text::prose(
        "Geometric: every item loses unanimity at one rate. Beta: rates differ between items. A criterion that must be unanimous \
         everywhere is lost for having been tried on more systems, not for being worse.",
    ));
    table
}

/// Retention at m systems when every item loses unanimity at one rate.
///
/// Source: METHODS 76.
pub(crate) fn geometric_retention(geometric: &GeometricRow, systems: u32) -> f64 {
    geometric.rho.powi(systems.cast_signed())
}

/// The m-th moment of the Beta distribution, the retention at m systems.
///
/// Source: METHODS 77.
pub(crate) fn beta_retention(beta: &BetaRow, systems: u32) -> f64 {
    (0..systems)
        .map(f64::from)
        .map(|r| (beta.a + r) / (beta.a + beta.b + r))
        .product()
}

fn facts(fit: &AttritionFit) -> Vec<(&'static str, Text)> {
    let mut facts = vec![("Geometric", geometric(fit))];
    if let Some(geometric) = &fit.geometric {
        let error = match (geometric.judge_error, &geometric.judge_error_undefined) {
            (Some(error), _) => format!("{} if judges err alike and alone", number(Some(error))),
            (None, reason) => missing(reason.as_ref().map(|reason| reason.detail.as_str())),
        };
        facts.push(("Judge error", Text::prose(&error)));
    }
    facts.push(("Beta", beta(fit)));
    facts.push((
        "Most unanimous and not constant at",
        Text::prose(
            &fit.joint_peak
                .map_or_else(|| missing(None), |peak| format!("{peak} systems")),
        ),
    ));
    facts
}

fn geometric(fit: &AttritionFit) -> Text {
    let Some(row) = &fit.geometric else {
        return Text::prose(&missing(
            fit.geometric_undefined.as_ref().map(|reason| reason.detail.as_str()),
        ));
    };
    let interval = row.rho_low.zip(row.rho_high).map_or_else(String::new, |(low, high)| {
        format!(" [{}, {}]", number(Some(low)), number(Some(high)))
    });
    Text::prose(&format!(
        "rate {}{interval} a system, R² {}, RMSE {}",
        number(Some(row.rho)),
        number(row.r_squared),
        number(Some(row.rmse))
    ))
}

fn beta(fit: &AttritionFit) -> Text {
    let text = match &fit.beta {
        Some(row) => {
            let shape = |value| decimal(value, 2).unwrap_or_else(|| "–".to_owned());
            let rmse = decimal(row.rmse, 4).unwrap_or_else(|| "–".to_owned());
            format!("Beta({}, {}), RMSE {rmse}", shape(row.a), shape(row.b))
        }
        None => missing(fit.beta_undefined.as_ref().map(|reason| reason.detail.as_str())),
    };
    Text::prose(&text)
}

fn number(value: Option<f64>) -> String {
    value
        .and_then(|value| decimal(value, 3))
        .unwrap_or_else(|| "–".to_owned())
}

fn missing(reason: Option<&str>) -> String {
    format!("– ({})", reason.unwrap_or("no reason is recorded in calibration.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The r-th factor of the moment is (a + r) / (a + b + r): 3/4, then 4/5 for Beta(3, 1).
    #[test]
    fn beta_retention_is_the_moment() {
        const ROUNDING: f64 = 1e-15;
        let beta = BetaRow {
            a: 3.0,
            b: 1.0,
            rmse: 0.0,
        };
        assert!((beta_retention(&beta, 1) - 0.75).abs() < ROUNDING);
        assert!((beta_retention(&beta, 2) - 0.6).abs() < ROUNDING);
        assert_eq!(beta_retention(&beta, 0), 1.0);
    }
}
