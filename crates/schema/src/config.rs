//! The project file `calibrant.toml`: its keys, their values, and where each value came from.
//!
//! One table, [`KEYS`], lists every key with its kind, default and meaning; reading, suggestions, `config show` and the
//! documentation are all made from it. Values come in layers: default, file, environment, flag; the later wins.

mod keys;
mod read;
mod settings;
mod value;

pub use keys::{KEYS, Key, Kind, environment_name, key};
pub use settings::{Config, FlagError, JudgeSettings, Setting, Shown, Source, SystemSettings};
pub use value::Value;
