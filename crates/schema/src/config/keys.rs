//! The table of keys.

/// What a value may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Any text.
    Text,
    /// A file or folder, relative to the project file.
    Path,
    /// A text, or a list of texts.
    Texts,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number, at least this.
    Whole(u64),
    /// A number strictly between 0 and 1.
    Share,
    /// A scale in the form of the `--scale` flag.
    Scale,
    /// `true` or `false`.
    Truth,
}

/// One key of the project file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// Its path, parts joined by dots; a `*` stands for a name the user chooses.
    pub path: &'static str,
    /// What its value may be.
    pub kind: Kind,
    /// The default in the form a flag would have; `None` when the key may be unset.
    pub default: Option<&'static str>,
    /// What it means, in one sentence, with what holds when it is unset.
    pub meaning: &'static str,
}

/// The columns of a verdict table that `[columns]` may map.
const COLUMNS: [&str; 12] = [
    "system",
    "query",
    "sample",
    "criterion",
    "judge",
    "repeat",
    "label",
    "status",
    "probability",
    "rubric_hash",
    "task_type",
    "domain",
];

/// Every key, in the order `config show` prints them.
pub const KEYS: &[Key] = &[
    Key {
        path: "project.name",
        kind: Kind::Text,
        default: None,
        meaning: "Name of the project in reports; the rubric's name when unset.",
    },
    Key {
        path: "paths.rubric",
        kind: Kind::Path,
        default: None,
        meaning: "The rubric file; without one the scale is 0 or 1 and every weight 1.",
    },
    Key {
        path: "paths.verdicts",
        kind: Kind::Texts,
        default: None,
        meaning: "The verdict tables (CSV or JSONL, plain, .gz or .zst, or Parquet), read in this order.",
    },
    Key {
        path: "paths.queries",
        kind: Kind::Path,
        default: None,
        meaning: "The queries file (JSON lines) with task types, domains, tags, weights and clusters.",
    },
    Key {
        path: "paths.responses",
        kind: Kind::Path,
        default: None,
        meaning: "The responses file (JSON lines) with what systems answered, for whoever grades.",
    },
    Key {
        path: "paths.grading",
        kind: Kind::Path,
        default: Some("grading"),
        meaning: "The folder of rounds of grading; it maps opaque ids to systems, so no grader sees it.",
    },
    Key {
        path: "paths.ledger",
        kind: Kind::Path,
        default: Some("verdicts.db"),
        meaning: "The ledger of verdicts and marks, an SQLite file; made where there is none.",
    },
    Key {
        path: "paths.out",
        kind: Kind::Path,
        default: Some("out"),
        meaning: "The folder that artifacts and reports of the project's own tables are written to.",
    },
    Key {
        path: "columns.*",
        kind: Kind::Text,
        default: None,
        meaning: "The name a column has in the verdict tables, where it is not the usual one.",
    },
    Key {
        path: "scale",
        kind: Kind::Scale,
        default: None,
        meaning: "The scale of the labels where the rubric declares none: binary, 1..5 or 0,0.5,1; 0 or 1 when unset.",
    },
    Key {
        path: "tables",
        kind: Kind::Word(&["csv", "parquet"]),
        default: Some("csv"),
        meaning: "How labels and responses are written: CSV for people, Parquet for size and types.",
    },
    Key {
        path: "panel",
        kind: Kind::Texts,
        default: None,
        meaning: "The judges whose verdicts are used; all of them when unset.",
    },
    Key {
        path: "by",
        kind: Kind::Word(&["none", "task_type", "domain", "tag"]),
        default: Some("none"),
        meaning: "What the run is divided by; each block is an instrument of its own beside the whole.",
    },
    Key {
        path: "seed",
        kind: Kind::Whole(0),
        default: Some("0"),
        meaning: "The seed of everything random: the same seed gives the same bytes.",
    },
    Key {
        path: "threads",
        kind: Kind::Whole(1),
        default: None,
        meaning: "How many threads compute; all processors when unset. Results do not depend on it.",
    },
    Key {
        path: "judges.*.kind",
        kind: Kind::Word(&["human", "model", "code", "simulated", "imported"]),
        default: None,
        meaning: "What the judge is; imported when unset. Results from simulated judges say so.",
    },
    Key {
        path: "judges.*.family",
        kind: Kind::Text,
        default: None,
        meaning: "The family of the judge's model; kept for later, nothing reads it yet.",
    },
    Key {
        path: "judges.*.gold",
        kind: Kind::Truth,
        default: None,
        meaning: "Whether the judge's labels are gold: trusted, and never part of the panel.",
    },
    Key {
        path: "judges.*.audit",
        kind: Kind::Truth,
        default: None,
        meaning: "Whether the judge is held out to audit rewards; kept for later, nothing reads it yet.",
    },
    Key {
        path: "systems.*.family",
        kind: Kind::Text,
        default: None,
        meaning: "The family of the system's model; kept for later, nothing reads it yet.",
    },
    Key {
        path: "systems.*.tier",
        kind: Kind::Text,
        default: None,
        meaning: "The tier the system is known to belong to; kept for later, nothing reads it yet.",
    },
    Key {
        path: "calibrate.pool",
        kind: Kind::Word(&["auto", "item", "criterion"]),
        default: Some("auto"),
        meaning: "Over what measurability is estimated; auto pools shared criteria over their queries and no others.",
    },
    Key {
        path: "fit.model",
        kind: Kind::Word(&["2PL", "1PL"]),
        default: Some("2PL"),
        meaning: "The item response model behind abilities, bank and report.",
    },
    Key {
        path: "fit.grid",
        kind: Kind::Word(&["refined", "fixed"]),
        default: Some("refined"),
        meaning: "The quadrature grid over abilities: as fine as the narrowest posterior asks for, or exactly 41 nodes from -4 to 4.",
    },
    Key {
        path: "assemble.threshold",
        kind: Kind::Share,
        default: Some("0.8"),
        meaning: "The measurability a criterion needs to enter the bank.",
    },
    Key {
        path: "assemble.budget",
        kind: Kind::Whole(1),
        default: None,
        meaning: "How many items the bank may have; the fewest that reach 0.95 of the utility of all feasible ones when unset.",
    },
    Key {
        path: "assemble.method",
        kind: Kind::Word(&["greedy", "plain", "consensus"]),
        default: Some("greedy"),
        meaning: "How the bank is chosen: greedily by information, by information one by one, or unanimous items with equal weights.",
    },
    Key {
        path: "score.interval",
        kind: Kind::Word(&["auto", "cluster", "cluster-refit", "delta", "parametric", "source"]),
        default: Some("auto"),
        meaning: "How intervals of abilities are made; auto takes cluster, or delta under 10 clusters of queries.",
    },
    Key {
        path: "score.replicates",
        kind: Kind::Whole(20),
        default: Some("1000"),
        meaning: "How many bootstrap replicates intervals are made from.",
    },
    Key {
        path: "score.tiers",
        kind: Kind::Word(&["adjacent", "anchored"]),
        default: Some("adjacent"),
        meaning: "How systems join a tier: by the neighbour above, or by the first of the tier.",
    },
    Key {
        path: "report.charts",
        kind: Kind::Word(&["svg", "vega-lite", "none"]),
        default: Some("svg"),
        meaning: "Figures in the report; vega-lite also writes each one's specification into charts/.",
    },
];

/// The key that a path of parts stands for.
#[must_use]
pub fn key<S: AsRef<str>>(path: &[S]) -> Option<&'static Key> {
    KEYS.iter().find(|key| {
        let mut parts = key.path.split('.');
        let fits = path
            .iter()
            .all(|part| parts.next().is_some_and(|known| known == "*" || known == part.as_ref()));
        fits && parts.next().is_none()
    })
}

/// The environment variable that sets a key, such as `CALIBRANT_ASSEMBLE_BUDGET`; `None` for keys with a `*`.
#[must_use]
pub fn environment_name(key: &Key) -> Option<String> {
    (!key.path.contains('*')).then(|| format!("CALIBRANT_{}", key.path.replace('.', "_").to_uppercase()))
}

/// The names a `*` below `table` may have, where they are not the user's choice.
pub(super) fn names_below(table: &str) -> Option<&'static [&'static str]> {
    (table == "columns").then_some(&COLUMNS)
}

/// What may stand below a path of parts: the next parts of every key that begins like it, each once.
pub(super) fn parts_below(path: &[String]) -> Vec<&'static str> {
    let mut below = Vec::new();
    for key in KEYS {
        let mut parts = key.path.split('.');
        let fits = path
            .iter()
            .all(|part| parts.next().is_some_and(|known| known == "*" || known == part));
        if let (true, Some(next)) = (fits, parts.next())
            && !below.contains(&next)
        {
            below.push(next);
        }
    }
    below
}
