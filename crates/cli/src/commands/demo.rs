//! `demo`.

use std::path::PathBuf;

use calibrant_project::{Demo, DemoOptions, ProjectError, REPORT_HTML};
use calibrant_report::leaderboard_text;
use calibrant_schema::Undefined;
use calibrant_schema::artifact::Artifact;
use calibrant_schema::config::Config;
use calibrant_steps::recovery::SizeRow;

use super::request::{Settings, set, settings};
use crate::args::ChartsArgs;
use crate::commands::Door;
use crate::exit;

#[derive(Debug, clap::Args)]
pub(crate) struct DemoArgs {
    /// Folder for the simulated table and the results
    #[arg(long, value_name = "DIR", default_value = "calibrant-demo")]
    out: PathBuf,
    /// How labels and responses are written [default: csv]
    #[arg(long, value_name = "csv|parquet")]
    tables: Option<String>,
    #[command(flatten)]
    charts: ChartsArgs,
}

pub(crate) fn run(args: &DemoArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    // Of a project around the demo only the seed concerns it: its columns, scale, panel and form are of other tables.
    let Settings { config: around, .. } = settings(door.global, door.output)?;
    let mut config = Config::default();
    if let Some(seed) = around.whole("seed") {
        set(&mut config, "seed", &seed.to_string())?;
    }
    if let Some(charts) = &args.charts.charts {
        set(&mut config, "report.charts", charts)?;
    }
    if let Some(tables) = &args.tables {
        set(&mut config, "tables", tables)?;
    }
    let options = DemoOptions {
        out: args.out.clone(),
        config,
        command: Some(door.typed.to_owned()),
    };
    let demo = calibrant_project::demo(&options, &mut |note| door.output.on(note))?;
    let scores = demo.products.scores.as_ref().expect("the demo makes scores");
    door.output.result(
        || scores.to_json(),
        || text(&demo, &leaderboard_text(scores, door.output.style())),
    );
    door.output.warnings(&demo.products.warnings());
    Ok(exit::DONE)
}

/// Systems of the true ranking on one line.
const A_LINE: usize = 5;

fn text(demo: &Demo, leaderboard: &str) -> String {
    let (shape, recovery) = (&demo.shape, &demo.recovery);
    let value = |number: &Result<f64, Undefined>| match number {
        Ok(number) => format!("{number:.3}"),
        Err(why) => format!("undefined ({why})"),
    };
    let truth: Vec<String> = demo
        .truth
        .iter()
        .map(|(system, ability)| format!("{system} {ability:+.2}"))
        .collect();
    let sizes: Vec<String> = recovery
        .sizes
        .iter()
        .map(|row| format!("  {:>8}  {:>6}  {:>6}", row.size, value(&row.bank), value(&row.random)))
        .collect();
    let first = |column: fn(&SizeRow) -> &Result<f64, Undefined>| match recovery.first_reaching(column) {
        Some(size) => format!("{size} criteria"),
        None => "more criteria than the bank has".to_owned(),
    };
    format!(
        "SIMULATED: {} systems, {} criteria on {} queries, {} judges with errors, seed {}. Nobody judged anything.\n\n\
         {leaderboard}\n\
         true ranking\n{}\n\
         recovered:     rank correlation with the truth {} over all criteria\n\n\
         rank correlation with the truth by size of the bank (random: mean of {} draws)\n  \
         criteria    bank  random\n{}\n\
         the bank reaches {} with {}, random banks with {}\n\n\
         table:         {}\n\
         report:        {}\n",
        shape.systems,
        shape.queries * shape.criteria,
        shape.queries,
        shape.judges,
        shape.seed,
        truth
            .chunks(A_LINE)
            .map(|line| format!("  {}\n", line.join(", ")))
            .collect::<String>(),
        value(&recovery.pool),
        recovery.draws,
        sizes.join("\n"),
        recovery.target,
        first(|row| &row.bank),
        first(|row| &row.random),
        demo.table.display(),
        demo.products.folder.file(REPORT_HTML).display(),
    )
}
