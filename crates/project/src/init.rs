//! A project that runs at once, without a key.

use std::fs;
use std::path::Path;

use calibrant_steps::simulate::{SimulationOptions, simulated_panel};
use calibrant_store::write_atomic;

use crate::error::ProjectError;
use crate::simulated::table;

/// Which project is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Example {
    /// A rubric for answers of a help desk, with simulated verdicts of six systems.
    #[default]
    Support,
    /// A rubric for answers to patients, with queries and answers that people can grade blind; all invented.
    Clinical,
}

impl Example {
    /// Every example, with its word.
    pub const ALL: [(&'static str, Self); 2] = [("support", Self::Support), ("clinical", Self::Clinical)];
}

/// The files of the clinical example, as `examples/clinical` holds them.
const CLINICAL: [(&str, &str); 6] = [
    (
        "calibrant.toml",
        include_str!("../../../examples/clinical/calibrant.toml"),
    ),
    ("rubric.yaml", include_str!("../../../examples/clinical/rubric.yaml")),
    (
        "queries.jsonl",
        include_str!("../../../examples/clinical/queries.jsonl"),
    ),
    (
        "responses.jsonl",
        include_str!("../../../examples/clinical/responses.jsonl"),
    ),
    ("verdicts.csv", include_str!("../../../examples/clinical/verdicts.csv")),
    ("README.md", include_str!("../../../examples/clinical/README.md")),
];

const PROJECT_FILE: &str = include_str!("init/calibrant.toml");
const RUBRIC: &str = include_str!("init/rubric.yaml");
const READ_ME: &str = include_str!("init/README.md");

/// Criteria of the rubric, in its order: the simulated verdicts are about these.
const CRITERIA: [&str; 6] = [
    "names_the_setting",
    "gives_the_steps",
    "states_the_limitation",
    "no_invented_navigation",
    "links_the_page",
    "plain_language",
];

/// Writes a project into a folder: settings, a rubric, simulated verdicts on it, and what to do next; in the clinical example
/// also queries and answers.
///
/// Returns the names of the files written.
///
/// # Errors
/// If one of the files is there already, or cannot be written.
pub fn init(folder: &Path, example: Example) -> Result<Vec<&'static str>, ProjectError> {
    let verdicts = simulated_verdicts();
    let support: [(&'static str, &str); 4] = [
        ("calibrant.toml", PROJECT_FILE),
        ("rubric.yaml", RUBRIC),
        ("verdicts.csv", &verdicts),
        ("README.md", READ_ME),
    ];
    let files: &[(&'static str, &str)] = match example {
        Example::Support => &support,
        Example::Clinical => &CLINICAL,
    };
    if let Some((name, _)) = files.iter().find(|(name, _)| folder.join(name).exists()) {
        return Err(ProjectError::refused(
            "init-exists",
            format!(
                "`{}` is there already, and init overwrites nothing",
                folder.join(name).display()
            ),
            "give another folder: calibrant init FOLDER",
        ));
    }
    fs::create_dir_all(folder).map_err(|reason| ProjectError::system(folder, "make the folder", &reason))?;
    for (name, text) in files {
        write_atomic(&folder.join(name), text.as_bytes())?;
    }
    Ok(files.iter().map(|(name, _)| *name).collect())
}

/// Six systems, twenty queries, the rubric's six criteria, three judges with errors, and one seed.
fn simulated_verdicts() -> String {
    let options = SimulationOptions {
        systems: 6,
        queries: 20,
        criteria: CRITERIA.len(),
        seed: 1,
        ..SimulationOptions::default()
    };
    let simulated = table(&simulated_panel(&options).verdicts);
    // The panel numbers its criteria query by query; here criterion k of every query is the rubric's k-th.
    let mut text = String::with_capacity(simulated.len());
    for line in simulated.lines() {
        let fields: Vec<&str> = line.split(',').collect();
        let number = fields[2]
            .rsplit('-')
            .next()
            .and_then(|number| number.parse::<usize>().ok());
        match number {
            Some(number) => {
                let criterion = CRITERIA[(number - 1) % CRITERIA.len()];
                text.push_str(&[fields[0], fields[1], criterion, fields[3], fields[4]].join(","));
            }
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdicts_are_about_the_rubric() {
        let (rubric, _) =
            calibrant_schema::Rubric::parse_yaml(RUBRIC, "rubric.yaml").expect("the shipped rubric is one");
        let ids: Vec<&str> = rubric.criteria.iter().map(|criterion| criterion.id.as_str()).collect();
        assert_eq!(ids, CRITERIA);
        let verdicts = simulated_verdicts();
        assert_eq!(verdicts.lines().count(), 1 + 6 * 20 * 6 * 3);
        assert!(
            verdicts
                .lines()
                .skip(1)
                .all(|line| CRITERIA.contains(&line.split(',').nth(2).expect("five fields")))
        );
    }
}
