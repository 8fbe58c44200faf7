//! One reader a form, and what they share.

use std::io::{self, BufRead, Read, Seek};

use crate::findings::Findings;
use crate::formats::{
    Form, Losses, Refusal, Sink, WideLayout, health_bench, health_bench_meta, inspect, lm_eval, promptfoo, wide,
};

/// What can be looked into at any place.
pub trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// A file of another tool, opened and unpacked by the caller.
pub struct Input<'a> {
    /// Its name in messages.
    pub name: String,
    /// What it holds.
    pub content: Content<'a>,
}

/// Bytes of a file.
pub enum Content<'a> {
    /// Gone through once.
    Stream(Box<dyn BufRead + 'a>),
    /// An archive, looked into at places.
    Seekable(Box<dyn ReadSeek + 'a>),
}

/// What a form leaves open and a user may say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// The system, where the file does not name one.
    pub system: Option<String>,
    /// The judge, where the file does not name one.
    pub judge: Option<String>,
    /// How a wide matrix lies.
    pub wide: WideLayout,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadReport {
    /// The version that the file states, in words.
    pub version: Option<String>,
    /// What was taken for what, a sentence each: which scorer became which criterion, what stands for the system.
    pub taken: Vec<String>,
    /// What does not survive.
    pub losses: Losses,
}

/// Why reading ended early.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The input is wrong, or of a version that is not known: every mistake with its place and the next step.
    #[error("{0}")]
    Findings(Findings),
    /// The sink takes no more.
    #[error(transparent)]
    Refusal(#[from] Refusal),
    /// The form is only written.
    #[error("`{}` is written and not read", .0.word())]
    WriteOnly(Form),
}

impl From<Findings> for ReadError {
    fn from(findings: Findings) -> Self {
        Self::Findings(findings)
    }
}

impl From<io::Error> for Refusal {
    fn from(reason: io::Error) -> Self {
        Self(reason.to_string())
    }
}

/// Reads a file of this form into the sink.
///
/// # Errors
/// If the input is not of this form or version, is damaged, or the sink takes no more. Rows handed over before stay handed over.
pub fn read(
    form: Form,
    input: Input<'_>,
    options: &ImportOptions,
    sink: &mut dyn Sink,
) -> Result<ReadReport, ReadError> {
    match form {
        Form::HealthBench => health_bench::read(input, options, sink),
        Form::HealthBenchMeta => health_bench_meta::read(input, options, sink),
        Form::LmEval => lm_eval::read(input, options, sink),
        Form::Inspect => inspect::read(input, options, sink),
        Form::Promptfoo => promptfoo::read(input, options, sink),
        Form::Wide => wide::read(input, options, sink),
        Form::PromptfooConfig => promptfoo::read_config(input, sink),
        _ => Err(ReadError::WriteOnly(form)),
    }
}
