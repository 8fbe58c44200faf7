//! Other tools' files: what people already have, read into our nouns, and our nouns written for other tools.
//!
//! A reader goes through its input once and hands what it finds to a [`Sink`], row by row, so that memory does not grow with the
//! file. It guesses nothing: a version or a shape it does not know is a mistake with its place. What a conversion cannot carry over is
//! counted as a [`Loss`], and the caller shows it. Nothing here opens a file or decides where one is written.

mod detect;
mod form;
mod health_bench;
mod health_bench_meta;
mod hugging_face;
mod inspect;
mod json_lines;
mod lm_eval;
mod loss;
mod promptfoo;
mod read;
mod rows;
mod sink;
mod wide;

pub use detect::{HEAD, ZIP_MAGIC, candidates, seen};
pub use form::{Form, UnknownForm};
pub use health_bench::write_health_bench;
pub use hugging_face::{HubFiles, HubTables, write_hugging_face};
pub use inspect::{ScoresLayout, ScoresOf, write_scores};
pub use loss::{Loss, Losses};
pub use promptfoo::write_promptfoo_config;
pub use read::{Content, ImportOptions, Input, ReadError, ReadReport, ReadSeek, read};
pub use rows::{criterion_line, is_consistent, query_line, response_line, verdict_line};
pub use sink::{Collected, CriterionRow, Place, Refusal, ResponseRow, Sink, VerdictRow};
pub use wide::{ItemForm, WideLayout, write_codebook, write_item_parameters, write_wide};
