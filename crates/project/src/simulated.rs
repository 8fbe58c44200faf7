//! Simulated verdicts as a table, so that demo and `init` take the same road as anyone's file.

use std::fmt::Write as _;
use std::io::Write as _;

use calibrant_schema::Verdicts;
use flate2::Compression;
use flate2::GzBuilder;

/// A verdict table as gzipped CSV, the same bytes for the same verdicts.
pub(crate) fn gzipped_table(verdicts: &Verdicts) -> Vec<u8> {
    // No name and no time in the header: they would make equal tables differ.
    let mut gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::default());
    gzip.write_all(table(verdicts).as_bytes())
        .expect("memory takes what is written to it");
    gzip.finish().expect("memory takes what is written to it")
}

/// A verdict table as CSV. Simulated names hold no comma and no quote.
pub(crate) fn table(verdicts: &Verdicts) -> String {
    let mut text = String::from("system,query,criterion,judge,label\n");
    for row in verdicts.rows() {
        let item = verdicts.items()[row.item as usize];
        let Some(level) = row.level else { continue };
        writeln!(
            text,
            "{},{},{},{},{level}",
            verdicts.systems().get(row.system),
            verdicts.queries().get(item.query),
            verdicts.criteria().get(item.criterion),
            verdicts.judges().get(row.judge),
        )
        .expect("text takes what is written to it");
    }
    text
}
