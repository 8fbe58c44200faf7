//! What of a request's inputs belongs to a block, and the hash of what it says.

use calibrant_schema::canonical::Hash;
use calibrant_schema::query::Query;
use calibrant_schema::verdicts::Item;
use calibrant_schema::{Diagnostics, Verdicts};
use calibrant_store::Document;
use sha2::{Digest, Sha256};

/// The gold labels of the items of a block, if there are any.
pub(super) fn gold_of(gold: &Verdicts, block: &Verdicts) -> Option<Verdicts> {
    let in_block: Vec<bool> = gold
        .items()
        .iter()
        .map(|item| {
            let query = block.queries().find(gold.queries().get(item.query));
            let criterion = block.criteria().find(gold.criteria().get(item.criterion));
            query.zip(criterion).is_some_and(|(query, criterion)| {
                let item = Item { query, criterion };
                block.items().binary_search(&item).is_ok()
            })
        })
        .collect();
    let gold = gold.keep(|row| in_block[row.item as usize]);
    (!gold.is_empty()).then_some(gold)
}

/// The descriptions of the queries of a block, line by line as they were given; `None` where there are none.
pub(super) fn queries_of(all: &Document<Vec<Query>>, has: impl Fn(&str) -> bool) -> Option<Document<Vec<Query>>> {
    // A file without mistakes has a query for each line that is not blank.
    let lines = all.text.lines().filter(|line| !line.trim().is_empty());
    let (value, lines): (Vec<Query>, Vec<&str>) = all
        .value
        .iter()
        .cloned()
        .zip(lines)
        .filter(|(query, _)| has(&query.query))
        .unzip();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let sha256 = Hash::of_bytes(text.as_bytes()).to_string();
    (!value.is_empty()).then(|| Document {
        value,
        warnings: Diagnostics::default(),
        file: all.file.clone(),
        text,
        sha256,
    })
}

/// Hash of what verdicts say: names, scales and rows, whatever file and order they came in.
pub(crate) fn content_hash(verdicts: &Verdicts) -> String {
    let mut hasher = Sha256::new();
    let mut name = |name: &str| {
        hasher.update((name.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
    };
    for names in [
        verdicts.systems(),
        verdicts.queries(),
        verdicts.samples(),
        verdicts.criteria(),
        verdicts.judges(),
    ] {
        name(&names.len().to_string());
        names.iter().for_each(&mut name);
    }
    for criterion in 0..verdicts.criteria().len() as u32 {
        name(&verdicts.scale(criterion).to_string());
    }
    for row in verdicts.rows() {
        let item = verdicts.items()[row.item as usize];
        for code in [item.query, item.criterion, row.system, row.sample, row.judge] {
            hasher.update(code.to_le_bytes());
        }
        hasher.update(row.repeat.to_le_bytes());
        hasher.update([row.level.unwrap_or(u8::MAX)]);
        hasher.update(row.status.as_str().as_bytes());
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
