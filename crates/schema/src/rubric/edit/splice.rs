//! Pieces of new text and the bytes they replace.

use std::ops::Range;

/// New text for a range of bytes of the old one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Splice {
    pub range: Range<usize>,
    pub text: String,
}

impl Splice {
    pub(super) fn at(at: usize, text: impl Into<String>) -> Splice {
        Splice {
            range: at..at,
            text: text.into(),
        }
    }

    pub(super) fn over(range: Range<usize>, text: impl Into<String>) -> Splice {
        Splice {
            range,
            text: text.into(),
        }
    }
}

/// Puts the splices into the text, those of one place in the order given.
///
/// `None` if two of them overlap. The result holds every byte outside the ranges, in order.
pub(super) fn spliced(text: &str, splices: &mut [Splice]) -> Option<String> {
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let mut out = String::with_capacity(text.len() + splices.iter().map(|splice| splice.text.len()).sum::<usize>());
    let mut at = 0;
    for splice in splices.iter() {
        out.push_str(text.get(at..splice.range.start)?);
        out.push_str(&splice.text);
        at = splice.range.end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}
