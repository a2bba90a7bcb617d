//! Many metrics at once: levels that keep the chance of any false finding, or the share of them.

use fathom_order::InOrder;

/// The level that each p-value is held against so that the chance of any false finding stays at `alpha`
/// (Holm 1979): the smallest against `alpha / m`, the next against `alpha / (m-1)`, and all others against
/// the level at which the first one failed.
pub fn holm_levels(p_values: &[f64], alpha: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.put_in_order_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut levels = vec![alpha; p_values.len()];
    let mut failed = None;
    for (rank, at) in order.into_iter().enumerate() {
        let level = failed.unwrap_or(alpha / (p_values.len() - rank) as f64);
        levels[at] = level;
        if failed.is_none() && p_values[at].is_nan() | (p_values[at] > level) {
            failed = Some(level);
        }
    }
    levels
}

/// P-values adjusted so that among those below `q` at most a share `q` is expected to be false (Benjamini
/// and Hochberg 1995). For maps of many cells, which are drawn as exploratory.
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.put_in_order_by(|&a, &b| p_values[b].total_cmp(&p_values[a]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least = 1.0f64;
    for (from_top, at) in order.into_iter().enumerate() {
        let rank = p_values.len() - from_top;
        least = least.min(p_values[at] * p_values.len() as f64 / rank as f64);
        adjusted[at] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holm_steps_down_until_one_fails() {
        let levels = holm_levels(&[0.02, 0.001, 0.9], 0.05);
        assert_eq!(levels, vec![0.025, 0.05 / 3.0, 0.05]);
        // The first fails, so no other is held against more.
        assert_eq!(holm_levels(&[0.04, 0.03], 0.05), vec![0.025, 0.025]);
        assert!(holm_levels(&[], 0.05).is_empty());
        assert_eq!(holm_levels(&[f64::NAN, 0.01], 0.05), vec![0.05, 0.025]);
    }

    /// `scipy.stats.false_discovery_control`.
    #[test]
    fn benjamini_hochberg_as_published() {
        let adjusted = benjamini_hochberg(&[0.01, 0.04, 0.03, 0.005, 0.2]);
        for (found, truth) in adjusted.iter().zip([0.025, 0.05, 0.05, 0.025, 0.2]) {
            assert!((found - truth).abs() < 1e-12);
        }
    }
}
