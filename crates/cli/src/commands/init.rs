//! `init`.

use std::path::PathBuf;

use calibrant_project::{Example, ProjectError};
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::exit;
use crate::output::Output;

#[derive(Debug, clap::Args)]
pub(crate) struct InitArgs {
    /// Folder of the project
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Which example: answers of a help desk, or answers to patients that people can grade (all invented)
    #[arg(long, value_name = "NAME", default_value = "support", value_parser = examples())]
    example: Example,
}

fn examples() -> impl TypedValueParser<Value = Example> {
    PossibleValuesParser::new(Example::ALL.map(|(word, _)| word)).map(|word| {
        let known = Example::ALL.iter().find(|(of, _)| *of == word);
        known.expect("the parser lets known words through").1
    })
}

pub(crate) fn run(args: &InitArgs, output: &Output) -> Result<u8, ProjectError> {
    let files = calibrant_project::init(&args.folder, args.example)?;
    output.result(
        || {
            format!(
                "{:#}\n",
                serde_json::json!({"folder": args.folder.display().to_string(), "files": files})
            )
        },
        || {
            let folder = args.folder.display();
            let step_in = if args.folder.as_os_str() == "." {
                String::new()
            } else {
                format!("cd {folder} && ")
            };
            format!(
                "wrote {} in {folder}\nthe verdicts are simulated; next: {step_in}calibrant run\n",
                files.join(", ")
            )
        },
    );
    Ok(exit::DONE)
}
