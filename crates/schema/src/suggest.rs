//! "Did you mean": the known word nearest to a mistyped one.

/// Names closer than this share most of their letters; below it a suggestion misleads more than it helps.
const LEAST_SIMILARITY: f64 = 0.7;

/// The longest word for which a suggestion is sought: nobody mistypes a longer key, and comparing is quadratic.
const LONGEST_WORD: usize = 64;

/// The candidate nearest to `word`, or `None` when none is near.
///
/// Nearness is the Damerau-Levenshtein distance over the longer length, case ignored; at equal distance the
/// earlier candidate is taken.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.is_empty() || word.chars().count() > LONGEST_WORD {
        return None;
    }
    let word = word.to_lowercase();
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates {
        if candidate.len() > 4 * LONGEST_WORD {
            continue;
        }
        let similarity = strsim::normalized_damerau_levenshtein(&word, &candidate.to_lowercase());
        if similarity >= LEAST_SIMILARITY && best.is_none_or(|(so_far, _)| similarity > so_far) {
            best = Some((similarity, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// A sentence that names the nearest candidate, or else lists them all in the order given.
#[must_use]
pub fn did_you_mean(word: &str, candidates: &[&str]) -> String {
    match nearest(word, candidates.iter().copied()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => format!("known here: {}", candidates.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_a_stranger_is_not() {
        let keys = ["id", "question", "weight", "boundary"];
        assert_eq!(nearest("wieght", keys), Some("weight"));
        assert_eq!(nearest("Boundry", keys), Some("boundary"));
        assert_eq!(nearest("colour", keys), None);
        assert_eq!(nearest("", keys), None);
        assert_eq!(nearest(&"w".repeat(10_000), keys), None);
        assert_eq!(
            did_you_mean("colour", &keys),
            "known here: id, question, weight, boundary"
        );
    }

    #[test]
    fn the_earlier_of_two_equals_is_taken() {
        assert_eq!(nearest("mix_words", ["max_words", "min_words"]), Some("max_words"));
    }
}
