//! A panel with known truth, in the shape of the source's main block: for the demo, for `init`, and for tests.

use calibrant_schema::verdicts::Judgement;
use calibrant_schema::{Scale, Status, Verdicts, VerdictsBuilder};
pub use calibrant_stats::simulate::SimulationOptions;
use calibrant_stats::simulate::{SimulatedPanel, simulate};

/// Simulated verdicts, and the truth they were drawn from.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// What the judges said.
    pub verdicts: Verdicts,
    /// (system, true ability), by system.
    pub abilities: Vec<(String, f64)>,
    /// (query, criterion, true discrimination, true difficulty, judge error), by item.
    pub items: Vec<(String, String, f64, f64, f64)>,
}

/// Draws verdicts in which every judge labels every system on every criterion.
///
/// Each criterion belongs to one query. The names say that everything is simulated.
pub fn simulated_panel(options: &SimulationOptions) -> Simulated {
    let panel = simulate(options);
    let names = Names::new(options, &panel);
    let mut builder = VerdictsBuilder::default();
    for (judge, labels) in panel.labels.iter().enumerate() {
        for (at, label) in labels.iter().enumerate() {
            let (system, item) = (at / panel.query.len(), at % panel.query.len());
            builder.push(
                Judgement {
                    system: &names.systems[system],
                    query: &names.queries[panel.query[item] as usize],
                    sample: "1",
                    criterion: &names.criteria[item],
                    judge: &names.judges[judge],
                    repeat: 1,
                    level: Some(*label),
                    status: Status::Ok,
                    line: 0,
                },
                &Scale::Binary,
            );
        }
    }
    Simulated {
        verdicts: builder.finish().expect("each simulated cell is drawn once"),
        abilities: names
            .systems
            .iter()
            .cloned()
            .zip(panel.abilities.iter().copied())
            .collect(),
        items: (0..panel.query.len())
            .map(|item| {
                (
                    names.queries[panel.query[item] as usize].clone(),
                    names.criteria[item].clone(),
                    panel.discrimination[item],
                    panel.difficulty[item],
                    panel.judge_error[item],
                )
            })
            .collect(),
    }
}

struct Names {
    systems: Vec<String>,
    queries: Vec<String>,
    criteria: Vec<String>,
    judges: Vec<String>,
}

impl Names {
    fn new(options: &SimulationOptions, panel: &SimulatedPanel) -> Self {
        let numbered = |what: &str, count: usize| {
            let width = count.to_string().len();
            (1..=count).map(|number| format!("{what}-{number:0width$}")).collect()
        };
        Self {
            systems: numbered("system", options.systems),
            queries: numbered("query", options.queries),
            criteria: numbered("criterion", panel.query.len()),
            judges: numbered("judge", options.judges),
        }
    }
}
