//! `grade serve` as a process of its own, which can be killed.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::project;

/// A running server; it is killed with its value.
pub struct Server {
    process: Child,
    /// What it said when it opened.
    pub opened: Value,
}

impl Server {
    /// Starts `grade serve` in the folder of a project.
    pub fn start(folder: &Path) -> Server {
        Server::start_with(folder, &[])
    }

    /// Starts `grade serve` with more flags.
    pub fn start_with(folder: &Path, more: &[&str]) -> Server {
        let mut arguments = vec!["grade", "serve", "--json"];
        arguments.extend(project::arguments());
        arguments.extend(more);
        Server::run(folder, &arguments)
    }

    /// Starts `grade review --serve` in the folder of a project.
    pub fn review(folder: &Path) -> Server {
        Server::run(
            folder,
            &["grade", "review", "--serve", "--json", "--rubric", "rubric.yaml"],
        )
    }

    /// Starts a command that shows one JSON object and then goes on.
    fn run(folder: &Path, arguments: &[&str]) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_calibrant"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("CALIBRANT_") {
                command.env_remove(name);
            }
        }
        let mut process = command
            .args(arguments)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut shown = String::new();
        let mut lines = BufReader::new(process.stdout.take().expect("its output is ours"));
        while !shown.ends_with("\n}\n") && lines.read_line(&mut shown).is_ok_and(|read| read > 0) {}
        if shown.is_empty() {
            let mut said = String::new();
            let _ = process.stderr.take().map(|mut stderr| stderr.read_to_string(&mut said));
            panic!("the server did not open: {said}");
        }
        Server {
            process,
            opened: serde_json::from_str(&shown).expect("what it shows is JSON"),
        }
    }

    /// The link of a grader, where it was made by this start.
    pub fn link(&self, grader: &str) -> Option<String> {
        let links = self.opened["links"].as_array().expect("links");
        let link = links
            .iter()
            .find(|link| link["grader"] == grader)
            .expect("a link for each");
        link["link"].as_str().map(str::to_owned)
    }

    /// What links begin with.
    pub fn base(&self) -> String {
        self.opened["base"].as_str().expect("an address").to_owned()
    }

    /// Ends it as a power cut would.
    pub fn kill(mut self) {
        self.process.kill().expect("it was running");
        self.process.wait().expect("it ends");
    }

    /// Ends it as Ctrl-C would; returns its exit code and what it said.
    #[cfg(unix)]
    pub fn interrupt(mut self) -> (Option<i32>, String) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().expect("kill starts");
        assert!(sent.success());
        let mut said = String::new();
        let stderr = self.process.stderr.take();
        let _ = stderr.map(|mut stderr| stderr.read_to_string(&mut said));
        let code = self.process.wait().expect("it ends").code();
        (code, said)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The folder of a round.
pub fn round_folder(folder: &Path) -> PathBuf {
    folder.join("grading/round-1")
}
