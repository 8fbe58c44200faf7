//! `truth.json`: what is known of simulated verdicts, beside the results of the run that was made from them.

use std::fs;

use calibrant_report::KnownAbility;
use calibrant_schema::Calibration;
use serde::{Deserialize, Serialize};

use crate::error::ProjectError;
use crate::folder::Folder;

/// The file's name.
pub(crate) const TRUTH: &str = "truth.json";

const FORMAT: &str = "calibrant.truth/1";

/// Known abilities, and what a run recovered of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TruthFile {
    format: String,
    /// SHA-256 of the table that was simulated: of other verdicts this is no truth.
    verdicts: String,
    abilities: Vec<Ability>,
    findings: Vec<Finding>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Ability {
    system: String,
    ability: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Finding {
    what: String,
    found: String,
}

impl TruthFile {
    /// The truth behind the table that `calibration` was made from.
    pub(crate) fn new(calibration: &Calibration, abilities: &[(String, f64)], findings: Vec<(String, String)>) -> Self {
        let ability = |(system, ability): &(String, f64)| Ability {
            system: system.clone(),
            ability: *ability,
        };
        Self {
            format: FORMAT.to_owned(),
            verdicts: verdicts_of(calibration).unwrap_or_default().to_owned(),
            abilities: abilities.iter().map(ability).collect(),
            findings: findings
                .into_iter()
                .map(|(what, found)| Finding { what, found })
                .collect(),
        }
    }

    pub(crate) fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("the truth serialises");
        text.push('\n');
        text
    }

    /// The truth of a folder, if it has one and it is of the verdicts that `calibration` was made from.
    pub(crate) fn of(folder: &Folder, calibration: &Calibration) -> Result<Option<Self>, ProjectError> {
        let Ok(text) = fs::read_to_string(folder.file(TRUTH)) else {
            return Ok(None);
        };
        match serde_json::from_str::<Self>(&text) {
            Ok(truth) if truth.format == FORMAT => {
                Ok(Some(truth).filter(|truth| verdicts_of(calibration) == Some(&truth.verdicts)))
            }
            _ => Err(ProjectError::refused(
                "truth-unreadable",
                format!("`{}` is not a `{FORMAT}` file", folder.file(TRUTH).display()),
                "take it out of the folder, or make it again with `calibrant demo`",
            )),
        }
    }

    pub(crate) fn abilities(&self) -> Vec<KnownAbility<'_>> {
        self.abilities
            .iter()
            .map(|row| KnownAbility {
                system: &row.system,
                ability: row.ability,
            })
            .collect()
    }

    pub(crate) fn rows(&self) -> Vec<(&str, &str)> {
        self.findings
            .iter()
            .map(|finding| (finding.what.as_str(), finding.found.as_str()))
            .collect()
    }
}

/// Hash of the one table behind a calibration.
fn verdicts_of(calibration: &Calibration) -> Option<&str> {
    calibration.header.inputs.get("verdicts").map(String::as_str)
}
