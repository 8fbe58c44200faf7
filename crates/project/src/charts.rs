//! What a report draws: the setting, the responses behind item curves, the specifications beside the page.

use std::collections::BTreeMap;

use calibrant_report::{Figures, ITEM_CURVES, Inputs, ItemResponses, SystemResponses, vega_lite};
use calibrant_schema::Labels;
use calibrant_steps::RubricJoin;
use calibrant_steps::observe::item_responses;

use crate::road::Parts;

/// The folder of the specifications, inside the run's.
pub(crate) const CHARTS: &str = "charts";

/// How the name of a specification ends.
pub(crate) const CHART_ENDING: &str = ".vl.json";

/// The setting `report.charts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charts {
    /// No figure.
    None,
    /// Figures in the page.
    Svg,
    /// Figures in the page, and a file for each beside it.
    VegaLite,
}

impl Charts {
    /// The setting of this word; figures in the page for any other.
    pub fn of(word: Option<&str>) -> Self {
        match word {
            Some("none") => Self::None,
            Some("vega-lite") => Self::VegaLite,
            _ => Self::Svg,
        }
    }

    /// The word in flags and files.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Svg => "svg",
            Self::VegaLite => "vega-lite",
        }
    }

    pub fn figures(self) -> Figures {
        match self {
            Self::None => Figures::LeftOut,
            Self::Svg | Self::VegaLite => Figures::Drawn,
        }
    }
}

/// How the systems did on the items that have curves: the first of the bank.
pub(crate) fn item_curves<'a>(parts: &Parts<'a>, labels: &Labels, join: &RubricJoin<'_>) -> Vec<ItemResponses<'a>> {
    let abilities: BTreeMap<&str, f64> = parts
        .scores
        .systems
        .iter()
        .filter_map(|row| Some((row.system.as_str(), row.ability.or(row.bank_ability)?)))
        .collect();
    let chosen = parts.bank.iter().flat_map(|bank| &bank.criteria);
    chosen
        .filter_map(|row| Some((row, labels.find(&row.query, &row.criterion)?)))
        .take(ITEM_CURVES)
        .map(|(row, item)| {
            let counts = item_responses(labels, join, item);
            let systems = counts.into_iter().zip(0..).filter_map(|((passed, trials), system)| {
                Some(SystemResponses {
                    ability: *abilities.get(labels.systems.get(system))?,
                    passed,
                    trials,
                })
            });
            ItemResponses {
                criterion: &row.criterion,
                query: &row.query,
                systems: systems.collect(),
            }
        })
        .collect()
}

/// The specification of each figure as a file of the folder.
pub(crate) fn specifications(inputs: &Inputs<'_>) -> Vec<(String, Vec<u8>)> {
    let charts = vega_lite(inputs).into_iter();
    charts
        .map(|chart| {
            (
                format!("{CHARTS}/{}{CHART_ENDING}", chart.name),
                chart.json.into_bytes(),
            )
        })
        .collect()
}
