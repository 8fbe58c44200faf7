//! From flags, project file and environment to a request.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use calibrant_project::{Gold, ProjectError, Request, Start, Step, find_project_file, flag_of};
use calibrant_schema::config::{Config, FlagError, KEYS, Source, environment_name};
use calibrant_schema::suggest::did_you_mean;
use calibrant_schema::{Diagnostic, Diagnostics};
use calibrant_store::Findings;

use crate::args::{Flags, Global, InputArgs, StepArgs};
use crate::commands::Door;
use crate::output::Output;

/// The settings of a command and the folder that the project file's paths start from.
pub(crate) struct Settings {
    pub(crate) config: Config,
    pub(crate) root: Option<PathBuf>,
}

/// Variables that the tests of this program read.
const FOR_TESTS: [&str; 6] = [
    "CALIBRANT_DATA",
    "CALIBRANT_SEEDS",
    "CALIBRANT_REQUIRE_DATA",
    "CALIBRANT_REQUIRE_BROWSER",
    "CALIBRANT_SKIP_LOG",
    "CALIBRANT_BLESS",
];

/// Variables with this beginning may set keys.
const PREFIX: &str = "CALIBRANT_";

/// Defaults, project file, environment and the global flags; what is doubtful in the file is printed.
pub(crate) fn settings(global: &Global, output: &Output) -> Result<Settings, ProjectError> {
    let Loaded { settings, doubts, text } = load(global)?;
    output.on(calibrant_project::Note::Doubts(&doubts, &text));
    Ok(settings)
}

/// Threads that the settings ask for. Mistakes in the project file are left to the command that needs it.
pub(crate) fn threads(global: &Global) -> usize {
    let settings = load(global).ok();
    settings
        .and_then(|loaded| loaded.settings.config.whole("threads"))
        .map_or(0, |threads| threads as usize)
}

struct Loaded {
    settings: Settings,
    doubts: Diagnostics,
    text: String,
}

fn load(global: &Global) -> Result<Loaded, ProjectError> {
    let file = match &global.config {
        Some(file) => Some(file.clone()),
        None => env::current_dir().ok().and_then(|folder| find_project_file(&folder)),
    };
    let text = file.as_deref().map(read_project_file).transpose()?;
    let environment: Vec<(String, String)> = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| name.starts_with(PREFIX))
        .collect();
    let name = file
        .as_deref()
        .map_or_else(String::new, |file| file.display().to_string());
    let (mut config, mut doubts) = Config::read(text.as_deref(), &name, &environment)
        .map_err(|mistakes| ProjectError::Findings(Findings::of_text(mistakes, text.as_deref().unwrap_or_default())))?;
    doubts.extend(unknown_variables(&environment));
    if let Some(seed) = global.seed {
        set(&mut config, "seed", &seed.to_string())?;
    }
    if let Some(threads) = global.threads {
        set(&mut config, "threads", &threads.to_string())?;
    }
    let root = file.as_deref().and_then(Path::parent).map(Path::to_owned);
    Ok(Loaded {
        settings: Settings { config, root },
        doubts,
        text: text.unwrap_or_default(),
    })
}

/// Variables that begin like ours and name no setting.
fn unknown_variables(environment: &[(String, String)]) -> Vec<Diagnostic> {
    let known: Vec<String> = KEYS.iter().filter_map(environment_name).collect();
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    let unknown = environment
        .iter()
        .filter(|(name, _)| !names.contains(&name.as_str()) && !FOR_TESTS.contains(&name.as_str()));
    unknown
        .map(|(name, _)| {
            let what = format!("the environment variable {name} names no setting and is not read");
            Diagnostic::warning("unknown-variable", what, did_you_mean(name, &names))
        })
        .collect()
}

fn read_project_file(file: &Path) -> Result<String, ProjectError> {
    fs::read_to_string(file).map_err(|reason| {
        ProjectError::refused(
            "project-file",
            format!("cannot read `{}`: {reason}", file.display()),
            "check the path, or leave out --config",
        )
    })
}

/// Sets a key from a flag.
pub(crate) fn set(config: &mut Config, key: &str, text: &str) -> Result<(), ProjectError> {
    config.set_flag(key, text).map_err(|error| {
        let flag = flag_of(key);
        match error {
            FlagError::BadValue { text, wanted, .. } => {
                ProjectError::refused("flag", format!("{flag} cannot be `{text}`"), format!("write {wanted}"))
            }
            FlagError::UnknownKey { help, .. } => ProjectError::refused(
                "flag",
                format!("{flag} has no part `{}`", key.replace("columns.", "")),
                help.replace("columns.", ""),
            ),
        }
    })
}

/// Sets the name of a column from a flag, `role=name`.
pub(super) fn set_column(config: &mut Config, mapping: &str) -> Result<(), ProjectError> {
    let Some((role, column)) = mapping.split_once('=') else {
        return Err(ProjectError::refused(
            "columns",
            format!("`{mapping}` is no mapping of a column"),
            "write --columns role=name, for example --columns query=prompt_id",
        ));
    };
    set(config, &format!("columns.{role}"), column)
}

/// The step whose result a setting changes.
fn step_of(key: &str) -> Step {
    match key {
        "calibrate.pool" | "by" => Step::Calibrate,
        "fit.model" | "fit.grid" => Step::Fit,
        "assemble.threshold" | "assemble.budget" | "assemble.method" => Step::Assemble,
        "report.charts" => Step::Report,
        _ => Step::Score,
    }
}

/// A command that starts in a folder runs its own step alone, so a setting of another step would change nothing.
fn only_own_settings(step: Step, flags: &Flags<'_>) -> Result<(), ProjectError> {
    let idle = flags.iter().find(|(key, text)| text.is_some() && step_of(key) != step);
    match idle {
        None => Ok(()),
        Some((key, _)) => Err(ProjectError::refused(
            "idle-setting",
            format!(
                "`{key}` acts in {}, and --from runs {} alone",
                step_of(key).word(),
                step.word()
            ),
            format!(
                "run {} again in that folder first, or start from --verdicts",
                step_of(key).word()
            ),
        )),
    }
}

/// What is read while verdicts become labels cannot change labels that are there.
fn only_later_inputs(input: &InputArgs) -> Result<(), ProjectError> {
    let idle = [
        ("--gold", input.gold.is_some()),
        ("--judges", input.judges.is_some()),
        ("--columns", !input.columns.is_empty()),
        ("--scale", input.scale.is_some()),
    ];
    match idle.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((flag, _)) => Err(ProjectError::refused(
            "idle-setting",
            format!("`{flag}` acts while verdicts are read, and --from starts from labels"),
            "start from the table: --verdicts FILE --out DIR",
        )),
    }
}

/// The request of a command that ends with `step`.
pub(crate) fn request(step: Step, args: &impl StepArgs, door: &Door<'_>) -> Result<Request, ProjectError> {
    let (input, flags) = (args.input(), args.flags());
    if input.from.is_some() {
        only_own_settings(step, &flags)?;
        only_later_inputs(input)?;
    }
    let Settings { mut config, root } = settings(door.global, door.output)?;
    for (key, text) in &flags {
        if let Some(text) = text {
            set(&mut config, key, text)?;
        }
    }
    if let Some(judges) = &input.judges {
        set(&mut config, "panel", judges)?;
    }
    if let Some(scale) = &input.scale {
        set(&mut config, "scale", scale)?;
    }
    if let Some(by) = &input.by {
        set(&mut config, "by", by)?;
    }
    for mapping in &input.columns {
        set_column(&mut config, mapping)?;
    }
    let inside = |key: &str| config.text(key).map(|path| under(root.as_deref(), path));
    let start = start(input, &config, root.as_deref())?;
    let rubric = input.rubric.clone().or_else(|| inside("paths.rubric"));
    let queries = input.queries.clone().or_else(|| inside("paths.queries"));
    // A folder of a run before holds its own rubric; the project's is for runs of the project.
    let from_folder = matches!(start, Start::Folder(_));
    Ok(Request {
        rubric: if from_folder { input.rubric.clone() } else { rubric },
        queries: if from_folder { input.queries.clone() } else { queries },
        gold: input.gold.as_deref().map(Gold::of_text),
        command: Some(door.typed.to_owned()),
        ..Request::new(start, config)
    })
}

/// A path of the project file, which starts at the file's folder.
pub(crate) fn under(root: Option<&Path>, path: &str) -> PathBuf {
    match root {
        Some(root) if !root.as_os_str().is_empty() => root.join(path),
        _ => PathBuf::from(path),
    }
}

fn start(input: &InputArgs, config: &Config, root: Option<&Path>) -> Result<Start, ProjectError> {
    if let Some(from) = &input.from {
        return Ok(Start::Folder(from.clone()));
    }
    let from_project = input.verdicts.is_empty();
    let tables = match from_project {
        true => config
            .texts("paths.verdicts")
            .iter()
            .map(|path| under(root, path))
            .collect(),
        false => input.verdicts.clone(),
    };
    if tables.is_empty() {
        return Err(ProjectError::refused(
            "no-verdicts",
            "there is no table of verdicts to start from",
            "give one with --verdicts FILE --out DIR, name it as paths.verdicts in calibrant.toml, or try `calibrant demo`",
        ));
    }
    // The folder of a project is for its own tables; one named in the environment is for any.
    let of_environment = config
        .get("paths.out")
        .is_some_and(|setting| matches!(setting.source, Source::Environment(_)));
    let out = match &input.out {
        Some(out) => out.clone(),
        None if from_project || of_environment => under(root, config.text("paths.out").unwrap_or("out")),
        None => {
            return Err(ProjectError::refused(
                "no-out",
                "there is no folder to write results to",
                "give one with --out DIR: a new one, an empty one, or one that calibrant made",
            ));
        }
    };
    Ok(Start::Verdicts { tables, out })
}
