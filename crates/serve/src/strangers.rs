//! Wrong links, counted by where they come from: after a few, a place is turned away for a while.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// Wrong tokens from one address before it is turned away.
const MOST_WRONG: u32 = 20;
/// For how long they count.
const WINDOW: Duration = Duration::from_secs(60);
/// Addresses remembered at once; beyond it, all are forgotten, since 128 random bits need no list to be safe.
const MOST_ADDRESSES: usize = 10_000;

/// Who has tried wrong tokens lately.
#[derive(Debug, Default)]
pub(crate) struct Strangers {
    wrong: BTreeMap<IpAddr, (u32, Instant)>,
}

impl Strangers {
    /// Whether an address has tried too many wrong tokens within the window.
    pub(crate) fn turns_away(&self, from: IpAddr, now: Instant) -> bool {
        let recent = |since: &Instant| now.saturating_duration_since(*since) < WINDOW;
        self.wrong
            .get(&from)
            .is_some_and(|(count, since)| *count >= MOST_WRONG && recent(since))
    }

    /// Counts a wrong token; returns whether it is the one that was too many.
    pub(crate) fn count(&mut self, from: IpAddr, now: Instant) -> bool {
        if self.wrong.len() >= MOST_ADDRESSES {
            self.wrong.clear();
        }
        let (count, since) = self.wrong.entry(from).or_insert((0, now));
        if now.saturating_duration_since(*since) >= WINDOW {
            (*count, *since) = (0, now);
        }
        *count += 1;
        *count == MOST_WRONG
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_with_many_wrong_tokens_is_turned_away_for_a_minute() {
        let (here, there) = (IpAddr::from([127, 0, 0, 1]), IpAddr::from([10, 0, 0, 1]));
        let start = Instant::now();
        let mut strangers = Strangers::default();
        for wrong in 1..=MOST_WRONG {
            assert!(!strangers.turns_away(here, start));
            assert_eq!(strangers.count(here, start), wrong == MOST_WRONG);
        }
        assert!(strangers.turns_away(here, start + WINDOW / 2));
        assert!(!strangers.turns_away(there, start));
        assert!(!strangers.turns_away(here, start + WINDOW));
        assert!(!strangers.count(here, start + WINDOW));
        assert!(!strangers.turns_away(here, start + WINDOW));
    }
}
