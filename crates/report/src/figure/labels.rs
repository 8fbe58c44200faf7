//! Labels that would lie on each other, moved apart.

/// Places at least `gap` apart and inside `low..=high`, in the order of the places wanted, each as near to its own as it can be.
///
/// The squares of all moves together are least: this is the isotonic regression of the places less `gap` for each label before.
/// Where there is not enough room for all, the last ones stand below `high`.
pub(super) fn spread(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|x, y| wanted[*x].total_cmp(&wanted[*y]).then(x.cmp(y)));
    // Blocks of (sum, members), merged while a block lies above the one after it.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (rank, at) in order.iter().enumerate() {
        blocks.push((wanted[*at] - gap * rank as f64, 1));
        while let [.., before, last] = blocks[..]
            && before.0 / before.1 as f64 > last.0 / last.1 as f64
        {
            blocks.truncate(blocks.len() - 2);
            blocks.push((before.0 + last.0, before.1 + last.1));
        }
    }
    let highest = (high - gap * wanted.len().saturating_sub(1) as f64).max(low);
    let means = blocks
        .iter()
        .flat_map(|(sum, members)| std::iter::repeat_n((sum / *members as f64).clamp(low, highest), *members));
    let mut places = vec![0.0; wanted.len()];
    for ((rank, at), mean) in order.iter().enumerate().zip(means) {
        places[*at] = mean + gap * rank as f64;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_with_room_stay() {
        assert_eq!(spread(&[30.0, 10.0], 12.0, 0.0, 100.0), [30.0, 10.0]);
        assert_eq!(spread(&[], 12.0, 0.0, 100.0), [0.0; 0]);
    }

    #[test]
    fn labels_in_one_place_move_both_ways() {
        assert_eq!(spread(&[50.0, 50.0, 50.0], 10.0, 0.0, 100.0), [40.0, 50.0, 60.0]);
        assert_eq!(spread(&[0.0, 0.0], 10.0, 0.0, 100.0), [0.0, 10.0]);
        assert_eq!(spread(&[100.0, 100.0], 10.0, 0.0, 100.0), [90.0, 100.0]);
    }
}
