//! `init`.

use std::path::PathBuf;

use calibrant_project::ProjectError;

use crate::exit;
use crate::output::Output;

#[derive(Debug, clap::Args)]
pub(crate) struct InitArgs {
    /// Folder of the project
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
}

pub(crate) fn run(args: &InitArgs, output: &Output) -> Result<u8, ProjectError> {
    let files = calibrant_project::init(&args.folder)?;
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
