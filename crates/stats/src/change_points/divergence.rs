//! The energy distance between what is before and after each split of a stretch.

/// The split with the largest energy distance, with at least `least` values on both sides; `None` where there is none,
/// or where all values are equal. Time grows with the square of the number of values.
pub(super) fn largest(values: &[f64], least: usize) -> Option<usize> {
    let least = least.max(2);
    let before = distances(values.iter());
    let mut after = distances(values.iter().rev());
    after.reverse();
    let all = *before.last()?;
    (least..(values.len() + 1).saturating_sub(least))
        .map(|at| (at, energy(at, values.len() - at, [all, before[at], after[at]])))
        .filter(|(_, energy)| *energy > 0.0)
        .max_by(|(_, one), (_, other)| one.total_cmp(other))
        .map(|(at, _)| at)
}

/// Sums of the distances between all pairs of the first so many values, from none to all.
fn distances<'a>(values: impl Iterator<Item = &'a f64>) -> Vec<f64> {
    let mut seen: Vec<f64> = Vec::new();
    let mut sums = vec![0.0];
    let mut sum = 0.0;
    for value in values {
        sum += seen.iter().map(|other| (value - other).abs()).sum::<f64>();
        seen.push(*value);
        sums.push(sum);
    }
    sums
}

/// The statistic of Matteson and James: twice the mean distance across, less the mean distances within, weighted by
/// the sizes of both sides.
fn energy(before: usize, after: usize, [all, within_before, within_after]: [f64; 3]) -> f64 {
    let (m, n) = (before as f64, after as f64);
    let across = 2.0 * (all - within_before - within_after) / (m * n);
    let within = 2.0 * within_before / (m * (m - 1.0)) + 2.0 * within_after / (n * (n - 1.0));
    m * n / (m + n) * (across - within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_split_is_where_levels_part() {
        assert_eq!(largest(&[1.0, 1.1, 0.9, 1.0, 5.0, 5.1, 4.9], 3), Some(4));
        assert_eq!(largest(&[2.0; 9], 3), None);
        assert_eq!(largest(&[1.0, 2.0, 3.0], 3), None);
        assert_eq!(largest(&[], 3), None);
    }

    #[test]
    fn sums_are_those_of_all_pairs() {
        assert_eq!(distances([1.0, 3.0, 6.0].iter()), [0.0, 0.0, 2.0, 10.0]);
    }
}
