//! The layers of the file and of the environment.

use super::keys::{KEYS, environment_name, key, names_below, parts_below};
use super::settings::{Config, Source, parts};
use super::value;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::suggest;
use crate::tree::{self, Entry, Node, Reader, Value as NodeValue, shown};

impl Config {
    /// The defaults, over them the project file, over that the environment.
    ///
    /// `text` is the file's text, if there is a file; `environment` the variables as name and value, in any order:
    /// those that name no key are none of our business. Returns the settings with warnings.
    ///
    /// # Errors
    /// If the file is not TOML, has an unknown key or a value of the wrong kind, or a variable has; every mistake is
    /// reported.
    pub fn read<N: AsRef<str>, V: AsRef<str>>(
        text: Option<&str>,
        file_name: &str,
        environment: &[(N, V)],
    ) -> Result<(Config, Diagnostics), Diagnostics> {
        let mut config = Config::default();
        let mut reader = Reader::new(file_name);
        if let Some(root) = text.and_then(|text| tree::parse_toml(text, &mut reader)) {
            let mut path = Vec::new();
            read_table(&root, &mut path, &mut config, &mut reader);
        }
        read_environment(environment, &mut config, &mut reader);
        if reader.found.has_errors() {
            Err(reader.found)
        } else {
            Ok((config, reader.found))
        }
    }
}

fn read_table(node: &Node, path: &mut Vec<String>, config: &mut Config, reader: &mut Reader<'_>) {
    let NodeValue::Map { entries, .. } = &node.value else {
        return;
    };
    for entry in entries {
        path.push(entry.key.clone());
        read_entry(entry, path, config, reader);
        path.pop();
    }
}

fn read_entry(entry: &Entry, path: &mut Vec<String>, config: &mut Config, reader: &mut Reader<'_>) {
    let table = path
        .split_last()
        .map_or("", |(_, above)| above.last().map_or("", String::as_str));
    let known_name = names_below(table).is_none_or(|names| names.contains(&entry.key.as_str()));
    let below = parts_below(path);
    let is_table = matches!(entry.value.value, NodeValue::Map { .. });
    match key(path) {
        Some(key) if known_name => {
            let line = entry.key_place.line;
            if let Some(value) = value::of_node(key.kind, &path.join("."), &entry.value, reader) {
                config.set(path.clone(), value, Source::File { line });
            }
        }
        None if !below.is_empty() && is_table => read_table(&entry.value, path, config, reader),
        None if !below.is_empty() => {
            let help = format!("write [{}] on a line of its own and its keys below", path.join("."));
            reader.wrong_type::<()>(&entry.value, &path.join("."), "a table", &help);
        }
        _ => unknown(entry, path, reader),
    }
}

fn unknown(entry: &Entry, path: &[String], reader: &mut Reader<'_>) {
    let above = path.split_last().map_or(&[][..], |(_, above)| above);
    let known = match above {
        [table] if names_below(table).is_some() => names_below(table).unwrap_or_default().to_vec(),
        _ => parts_below(above),
    };
    let inside = if above.is_empty() {
        "the project file".to_owned()
    } else {
        format!("[{}]", shown(&above.join(".")))
    };
    let mut help = suggest::did_you_mean(&entry.key, &known);
    // A key that stands in the wrong table is a commoner slip than a new word.
    let elsewhere = KEYS
        .iter()
        .find(|key| key.path.rsplit('.').next() == Some(entry.key.as_str()));
    if let (Some(key), false) = (elsewhere, help.starts_with("did you mean")) {
        help = format!("did you mean `{}`?", key.path);
    }
    let diagnostic = Diagnostic::error(
        "unknown-key",
        format!("unknown key `{}` in {inside}", shown(&entry.key)),
        help,
    );
    reader.labelled(diagnostic, entry.key_place, "not known here");
}

fn read_environment<N: AsRef<str>, V: AsRef<str>>(
    environment: &[(N, V)],
    config: &mut Config,
    reader: &mut Reader<'_>,
) {
    for key in KEYS {
        let Some(name) = environment_name(key) else { continue };
        let Some((_, text)) = environment.iter().find(|(known, _)| known.as_ref() == name) else {
            continue;
        };
        match value::of_text(key.kind, text.as_ref()) {
            Ok(value) => config.set(parts(key.path), value, Source::Environment(name)),
            Err(wanted) => {
                let what = format!("the environment variable {name} cannot be `{}`", shown(text.as_ref()));
                reader.found.push(Diagnostic::error(
                    "bad-variable",
                    what,
                    format!("set it to {wanted}, or unset it"),
                ));
            }
        }
    }
}
