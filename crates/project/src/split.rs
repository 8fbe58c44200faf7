//! What the manifest knows of the blocks of a run: their folders, safe whatever a value holds, and what each is made of.

use std::collections::BTreeSet;

use calibrant_schema::By;
use calibrant_schema::blocks::Stopped;
use calibrant_schema::canonical::Hash;
use calibrant_schema::warning::Noted;
use serde::{Deserialize, Serialize};

/// The folder that holds the folders of all blocks.
pub(crate) const BLOCKS: &str = "blocks";

/// The folder of the items without a value. Brackets are written in code in every other name, so no value has it.
const WITHOUT_VALUE: &str = "(none)";

/// The longest name of a folder: any file system takes it, and a path has room for more.
const LONGEST: usize = 80;

/// Names that a file system keeps for itself, whatever follows the first dot.
const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// The blocks a run was divided into.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Split {
    /// What it was divided by.
    pub(crate) by: By,
    /// Hash of everything the division and the calibrations of the blocks depend on.
    pub(crate) key: String,
    /// Doubts about the division, as artifacts store them.
    pub(crate) warnings: Vec<Noted>,
    /// The blocks in their order.
    pub(crate) blocks: Vec<SplitBlock>,
}

/// One block in the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SplitBlock {
    /// Its value; none for the items without one.
    pub(crate) value: Option<String>,
    /// The name of its folder below that of the way to divide.
    pub(crate) folder: String,
    /// Key of its calibration.
    pub(crate) key: String,
    /// Whether its responses are whole.
    pub(crate) whole: bool,
    /// Why it has no calibration, if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stopped: Option<Stopped>,
}

impl SplitBlock {
    /// Its name in messages and artifacts.
    pub(crate) fn name(&self) -> &str {
        self.value.as_deref().unwrap_or(calibrant_schema::blocks::WITHOUT_VALUE)
    }

    /// Its folder from the run's.
    pub(crate) fn path(&self, by: By) -> String {
        format!("{BLOCKS}/{}/{}", by.word(), self.folder)
    }
}

/// A folder name for each value, in their order: `medicine%2Fcardiology` for `medicine/cardiology`.
///
/// Letters, digits, `-`, `_` and inner dots stay; every other byte is written in code, and so is the first letter of a
/// name that a system keeps for itself. Names too long are cut, and names that differ in case alone are told apart, by
/// the beginning of their hash after a `~`, which no other name holds. `None` is the block without a value.
pub(crate) fn folders(values: &[Option<&str>]) -> Vec<String> {
    let mut names: Vec<String> = values
        .iter()
        .map(|value| value.map_or_else(|| WITHOUT_VALUE.to_owned(), coded))
        .collect();
    let mut taken = BTreeSet::new();
    for (name, value) in names.iter_mut().zip(values) {
        let is_first = taken.insert(name.to_ascii_lowercase());
        if let (false, Some(value)) = (is_first, value) {
            *name = with_hash(name, value);
        }
    }
    names
}

fn coded(value: &str) -> String {
    let mut name = String::with_capacity(value.len());
    let reserved = is_reserved(value);
    for (at, byte) in value.bytes().enumerate() {
        let at_end = at == 0 || at + 1 == value.len();
        let plain = byte.is_ascii_alphanumeric() || b"-_".contains(&byte) || (byte == b'.' && !at_end);
        match plain && !(reserved && at == 0) {
            true => name.push(char::from(byte)),
            false => name.push_str(&format!("%{byte:02X}")),
        }
    }
    match name.len() > LONGEST {
        true => with_hash(&name, value),
        false => name,
    }
}

/// Whether the part before the first dot is a device of some system: `con`, `nul.txt`, `COM1`.
fn is_reserved(value: &str) -> bool {
    let stem = value.split('.').next().unwrap_or_default().to_ascii_lowercase();
    RESERVED.iter().any(|name| match stem.strip_prefix(name) {
        Some("") => !matches!(*name, "com" | "lpt"),
        Some(number) => matches!(*name, "com" | "lpt") && number.len() == 1 && number.as_bytes()[0].is_ascii_digit(),
        None => false,
    })
}

/// The beginning of a name, and of the hash of what it stands for.
fn with_hash(name: &str, value: &str) -> String {
    const HEAD: usize = LONGEST - 17;
    let head = &name[..name.len().min(HEAD)];
    // A code is never cut in two.
    let cut = head.rfind('%').filter(|at| head.len() - at < 3 && name.len() > HEAD);
    let hash = Hash::of_bytes(value.as_bytes()).to_string();
    format!("{}~{}", &head[..cut.unwrap_or(head.len())], &hash[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_leave_its_folder() {
        for (value, folder) in [
            ("medicine/cardiology", "medicine%2Fcardiology"),
            ("..", "%2E%2E"),
            ("../../etc", "%2E.%2F..%2Fetc"),
            (".hidden", "%2Ehidden"),
            ("v1.2", "v1.2"),
            ("trailing.", "trailing%2E"),
            ("a\\b:c", "a%5Cb%3Ac"),
            ("a\0b\u{1b}[2J\n", "a%00b%1B%5B2J%0A"),
            ("(none)", "%28none%29"),
            ("100%", "100%25"),
            ("con", "%63on"),
            ("NUL.txt", "%4EUL.txt"),
            ("com1", "%63om1"),
            ("common", "common"),
            ("Zürich", "Z%C3%BCrich"),
        ] {
            assert_eq!(folders(&[Some(value)]), [folder], "{value}");
        }
    }

    #[test]
    fn names_stay_apart_where_case_does_not_count() {
        let found = folders(&[Some("LAW"), Some("Law"), Some("law"), Some("tax"), None]);
        let folded: BTreeSet<String> = found.iter().map(|name| name.to_lowercase()).collect();
        assert_eq!(folded.len(), found.len(), "{found:?}");
        assert_eq!(
            (found[0].as_str(), found[3].as_str(), found[4].as_str()),
            ("LAW", "tax", "(none)")
        );
    }

    #[test]
    fn long_names_are_short_and_stay_apart() {
        let (left, right) = (format!("{}a", "ü".repeat(5_000)), format!("{}b", "ü".repeat(5_000)));
        let found = folders(&[Some(&left), Some(&right)]);
        assert_ne!(found[0], found[1]);
        for name in &found {
            assert!(name.len() <= LONGEST, "{name}");
            let (head, _) = name.split_once('~').expect("a hash");
            assert!(head.split('%').skip(1).all(|code| code.len() == 2), "{name}");
        }
    }
}
