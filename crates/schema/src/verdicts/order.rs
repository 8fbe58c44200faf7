//! The order of rows by several codes at once: packed into one number and sorted digit by digit.

/// Bits of a digit: its table of counts stays in the nearest cache.
const DIGIT: u32 = 11;

/// A code of a row, and how many values it can have.
pub(super) struct Field<'a, R> {
    pub(super) values: u64,
    pub(super) of: &'a dyn Fn(&R) -> u64,
}

/// The positions of `rows` in the order of `fields`, the first deciding most; equal rows stay in the order they came in.
///
/// `None` when the fields do not fit into 63 bits together.
pub(super) fn order<R>(rows: &[R], fields: &[Field<'_, R>]) -> Option<Vec<u32>> {
    let widths: Vec<u32> = fields.iter().map(|field| width(field.values)).collect();
    let bits: u32 = widths.iter().sum();
    if bits >= u64::BITS {
        return None;
    }
    let mut keys = vec![0_u64; rows.len()];
    for (field, width) in fields.iter().zip(&widths).filter(|(_, width)| **width > 0) {
        for (key, row) in keys.iter_mut().zip(rows) {
            *key = *key << width | (field.of)(row);
        }
    }
    let mut positions: Vec<u32> = (0..rows.len() as u32).collect();
    if keys.is_sorted() {
        return Some(positions);
    }
    let (mut next_keys, mut next_positions) = (vec![0; keys.len()], vec![0; keys.len()]);
    let mut shift = 0;
    while shift < bits {
        if by_digit(&keys, &positions, shift, &mut next_keys, &mut next_positions) {
            std::mem::swap(&mut keys, &mut next_keys);
            std::mem::swap(&mut positions, &mut next_positions);
        }
        shift += DIGIT;
    }
    Some(positions)
}

/// Bits that hold the numbers below `values`.
fn width(values: u64) -> u32 {
    u64::BITS - values.saturating_sub(1).leading_zeros()
}

/// Moves keys and positions into the order of one digit, equal ones in the order they were in; false when all are equal.
fn by_digit(keys: &[u64], positions: &[u32], shift: u32, to_keys: &mut [u64], to_positions: &mut [u32]) -> bool {
    let digit = |key: u64| (key >> shift) as usize & ((1 << DIGIT) - 1);
    let mut next = vec![0_usize; 1 << DIGIT];
    for key in keys {
        next[digit(*key)] += 1;
    }
    if next[digit(keys[0])] == keys.len() {
        return false;
    }
    let mut before = 0;
    for count in &mut next {
        before += std::mem::replace(count, before);
    }
    for (key, position) in keys.iter().zip(positions) {
        let at = &mut next[digit(*key)];
        to_keys[*at] = *key;
        to_positions[*at] = *position;
        *at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The order is that of a stable sort by the tuple.
        #[test]
        fn it_is_the_order_of_a_stable_sort(rows in prop::collection::vec((0_u64..3, 0_u64..5000, 0_u64..1), 0..60)) {
            let first = |row: &(u64, u64, u64)| row.0;
            let second = |row: &(u64, u64, u64)| row.1;
            let third = |row: &(u64, u64, u64)| row.2;
            let fields = [
                Field { values: 3, of: &first },
                Field { values: 5000, of: &second },
                Field { values: 1, of: &third },
            ];
            let mut expected: Vec<u32> = (0..rows.len() as u32).collect();
            expected.sort_by_key(|at| rows[*at as usize]);
            prop_assert_eq!(order(&rows, &fields), Some(expected));
        }
    }

    #[test]
    fn fields_that_do_not_fit_are_left_to_others() {
        let of = |row: &u64| *row;
        let wide = || Field {
            values: 1 << 62,
            of: &of,
        };
        assert_eq!(order(&[1], &[wide(), Field { values: 4, of: &of }]), None);
        assert_eq!(order(&[2, 1], &[wide()]), Some(vec![1, 0]));
    }
}
