//! Where differences between systems have no meaning: nothing shared, or nothing that could vary.

mod panel;

use calibrant_schema::Warning;
use panel::{Made, Row, drive, row};

/// One judge's label for each system, on four queries with two criteria each; `None`: not judged.
fn board(label: impl Fn(&str, usize) -> Option<u8>) -> Made {
    let mut rows: Vec<Row> = Vec::new();
    for system in ["a", "b", "c", "d"] {
        for query in 0..12 {
            for criterion in ["x", "y"] {
                let at = 2 * query + usize::from(criterion == "y");
                if let Some(level) = label(system, at) {
                    rows.push(row(system, &format!("q{query:02}"), criterion, "ann", level));
                }
            }
        }
    }
    drive(&rows, None)
}

/// A level that varies with system and item, no pattern the same.
fn mixed(system: &str, at: usize) -> u8 {
    let number = usize::from(system.as_bytes()[0]);
    u8::from((at * 7 + number * 5 + at * number) % 5 < 2)
}

fn unlinked(made: &Made) -> Option<(usize, String, String)> {
    let noted = made.fit.header.warnings.iter().map(|noted| noted.warning.clone());
    noted.into_iter().find_map(|warning| match warning {
        Warning::UnlinkedSystems { groups, system, other } => Some((groups, system, other)),
        _ => None,
    })
}

#[test]
fn systems_that_share_no_item_have_no_tiers() {
    let halves = |system: &str, at: usize| (system < "c") == (at < 12);
    let made = board(|system, at| halves(system, at).then(|| mixed(system, at)));
    assert_eq!(unlinked(&made), Some((2, "a".to_owned(), "c".to_owned())));
    assert_eq!(
        made.scores.tiers_undefined.as_ref().map(|why| why.reason.as_str()),
        Some("unlinked")
    );
    assert!(
        made.scores
            .systems
            .iter()
            .all(|row| row.tier.is_none() && row.ability.is_some())
    );

    // One common item is a link.
    let made = board(|system, at| (halves(system, at) || at == 1).then(|| mixed(system, at)));
    assert_eq!(unlinked(&made), None);
    assert_ne!(
        made.scores.tiers_undefined.as_ref().map(|why| why.reason.as_str()),
        Some("unlinked")
    );
}

/// Two systems pass everything and two nothing: alignment fixes all four, and no interval of width 0 is printed.
#[test]
fn intervals_that_nothing_moves_are_undefined() {
    let made = board(|system, _| Some(u8::from(system < "c")));
    for row in &made.scores.systems {
        assert_eq!((row.ability_low, row.score_low, row.tier), (None, None, None));
        assert_eq!(row.undefined["ability_low"].reason, "no_variation");
        assert_eq!(row.undefined["score_low"].reason, "no_variation");
        assert_eq!(row.undefined["tier"].reason, "no_variation");
    }
}
