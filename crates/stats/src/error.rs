//! What a caller can get wrong: arguments outside their range or of the wrong shape.

/// An argument that no data could justify: out of range, not finite, or of the wrong length.
///
/// The message reads after "cannot ...:". A statistic the data do not define is an [`Undefined`](crate::Undefined) instead.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// An argument lies outside the range it must have.
    #[error("{argument} is {value}, which is not {range}")]
    OutOfRange {
        /// The argument in words.
        argument: &'static str,
        /// The value given.
        value: f64,
        /// The range it must have, as the end of the sentence "which is not ...".
        range: &'static str,
    },
    /// One entry of a list is outside the range it must have.
    #[error("{list}: entry {index} is {value}, which is not {range}")]
    EntryOutOfRange {
        /// The list in words.
        list: &'static str,
        /// The entry's position from 0.
        index: usize,
        /// The value given.
        value: f64,
        /// The range it must have, as the end of the sentence "which is not ...".
        range: &'static str,
    },
    /// Two arguments that must have one length do not.
    #[error("{left} has {left_length} entries, {right} has {right_length}")]
    Length {
        /// The first argument in words.
        left: &'static str,
        /// Its length.
        left_length: usize,
        /// The second argument in words.
        right: &'static str,
        /// Its length.
        right_length: usize,
    },
    /// A count of a part exceeds the count of the whole.
    #[error("{part} ({have}) exceed {whole} ({of})")]
    PartExceedsWhole {
        /// The part in words, in the plural.
        part: &'static str,
        /// The count of the part.
        have: u64,
        /// The whole in words.
        whole: &'static str,
        /// The count of the whole.
        of: u64,
    },
    /// The items of a plan are not sorted by query.
    #[error("item {index} belongs to query {query}, but an earlier item to query {earlier}: sort the items by query")]
    ItemsNotSorted {
        /// The first item out of order.
        index: usize,
        /// Its query.
        query: u32,
        /// The larger query of the item before it.
        earlier: u32,
    },
    /// An index points past the end of what it indexes.
    #[error("{what} {index} does not exist: there are {count}")]
    NoSuchIndex {
        /// What is indexed, in the singular.
        what: &'static str,
        /// The index given.
        index: usize,
        /// How many there are.
        count: usize,
    },
}

/// Checks that two lists have one length.
pub(crate) fn same_length(left: (&'static str, usize), right: (&'static str, usize)) -> Result<(), Error> {
    if left.1 == right.1 {
        return Ok(());
    }
    Err(Error::Length {
        left: left.0,
        left_length: left.1,
        right: right.0,
        right_length: right.1,
    })
}

/// Checks that every entry of a list is finite and at least zero.
pub(crate) fn all_nonnegative(list: &'static str, values: &[f64]) -> Result<(), Error> {
    first_bad(list, values, "finite and at least 0", |x| x.is_finite() && x >= 0.0)
}

/// Checks that every entry of a list is finite.
pub(crate) fn all_finite(list: &'static str, values: &[f64]) -> Result<(), Error> {
    first_bad(list, values, "finite", f64::is_finite)
}

/// Checks that every entry of a list is `good`, which `range` says in words.
pub(crate) fn first_bad(
    list: &'static str,
    values: &[f64],
    range: &'static str,
    good: impl Fn(f64) -> bool,
) -> Result<(), Error> {
    match values.iter().position(|&x| !good(x)) {
        None => Ok(()),
        Some(index) => Err(Error::EntryOutOfRange {
            list,
            index,
            value: values[index],
            range,
        }),
    }
}
