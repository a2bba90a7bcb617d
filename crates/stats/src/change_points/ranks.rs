//! Rank sums before and after each split (Wilcoxon, Mann and Whitney), in standard deviations.

/// For each split with at least `least` values on both sides, how far the sum of ranks before it is from what chance
/// would give, in standard deviations; equal values share their mean rank.
pub(super) fn differences(values: &[f64], least: usize) -> Vec<f64> {
    let ranks = ranks(values);
    let all = values.len() as f64;
    let mut sum = 0.0;
    let sums: Vec<f64> = ranks
        .iter()
        .map(|rank| {
            sum += rank;
            sum
        })
        .collect();
    (least..(values.len() + 1).saturating_sub(least))
        .map(|at| {
            let before = at as f64;
            let deviation = (before * (all - before) * (all + 1.0) / 12.0).sqrt();
            (sums[at - 1] - before * (all + 1.0) / 2.0).abs() / deviation
        })
        .collect()
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0;
    for equal in order.chunk_by(|one, other| values[*one] == values[*other]) {
        let rank = below as f64 + (equal.len() as f64 + 1.0) / 2.0;
        equal.iter().for_each(|at| ranks[*at] = rank);
        below += equal.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_a_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
    }

    #[test]
    fn the_difference_is_that_of_the_rank_sum() {
        // Ranks 1 to 3 of 6 before: a sum of 6 for 10.5, with a deviation of the square root of 5.25.
        let found = differences(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3);
        assert_eq!(found.len(), 1);
        assert!((found[0] - 4.5 / 5.25_f64.sqrt()).abs() < 1e-12);
    }
}
