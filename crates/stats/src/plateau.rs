//! The plateau signature: a rate that neither wavers nor moves with concurrency, as a cap enforces.

use fathom_order::InOrder;

use crate::student::{deviation, mean};

/// Largest variation of the 1-s rates under a cap.
pub const MAX_VARIATION: f64 = 0.01;
/// Largest distance of a rate on the plateau from the plateau's middle, as a share.
pub const MAX_SPREAD: f64 = 0.01;
/// Least ratio of the most to the fewest I/Os in flight on the plateau.
pub const MIN_SPAN: f64 = 4.0;
/// Largest relative error of `R = N / X` on the plateau.
pub const MAX_LITTLE_ERROR: f64 = 0.02;

/// One cell as the signature needs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlateauCell {
    /// Mean I/Os in flight.
    pub in_flight: f64,
    /// Operations per second.
    pub x_per_s: f64,
    /// Mean service latency, in nanoseconds.
    pub r_ns: f64,
    /// Coefficient of variation of the 1-s rates, where enough seconds were seen.
    pub variation: Option<f64>,
}

/// A range of concurrency over which the rate stays within [`MAX_SPREAD`] of its middle.
#[derive(Clone, Debug, PartialEq)]
pub struct Plateau {
    /// Cells on it, as indices into the input, by rising concurrency.
    pub cells: Vec<usize>,
    /// Fewest I/Os in flight on it.
    pub from_in_flight: f64,
    /// Most I/Os in flight on it.
    pub to_in_flight: f64,
    /// Its middle, in operations per second.
    pub x_per_s: f64,
    /// Largest distance from the middle, as a share of it.
    pub spread: f64,
    /// Median variation of the 1-s rates over its cells; absent where no cell knows it.
    pub variation: Option<f64>,
    /// Largest relative error of `R = N / X` on it.
    pub little_error: f64,
}

impl Plateau {
    /// Ratio of the most to the fewest I/Os in flight.
    pub fn span(&self) -> f64 {
        self.to_in_flight / self.from_in_flight
    }

    /// Whether latency is explained by waiting for the rate alone.
    pub fn obeys_little(&self) -> bool {
        self.little_error <= MAX_LITTLE_ERROR
    }

    /// Whether the second-by-second rates are as even as a cap makes them; `None` if not known.
    pub fn is_even(&self) -> Option<bool> {
        self.variation.map(|v| v <= MAX_VARIATION)
    }

    /// Whether everything about it looks like an enforced rate.
    pub fn is_cap(&self) -> bool {
        self.span() >= MIN_SPAN && self.obeys_little() && self.is_even() == Some(true)
    }
}

/// Standard deviation over mean of a series of rates; `None` for fewer than three values or a mean of
/// zero. Pass whole intervals of the measured window only.
pub fn coefficient_of_variation(rates: &[f64]) -> Option<f64> {
    if rates.len() < 3 {
        return None;
    }
    let variation = deviation(rates)? / mean(rates)?.abs();
    variation.is_finite().then_some(variation)
}

/// The plateau at the top of the curve: the widest range of concurrency that contains a cell within
/// [`MAX_SPREAD`] of the highest rate and in which all cells lie within [`MAX_SPREAD`] of the middle.
///
/// `None` when it would span less than [`MIN_SPAN`] or when no two cells qualify. Cells that differ in
/// jobs count alike: a cap does not care who asks.
pub fn plateau(cells: &[PlateauCell]) -> Option<Plateau> {
    let usable = |c: &PlateauCell| [c.in_flight, c.x_per_s, c.r_ns].iter().all(|v| v.is_finite() && *v > 0.0);
    let mut order: Vec<usize> = (0..cells.len()).filter(|&i| usable(&cells[i])).collect();
    order.put_in_order_by(|&a, &b| cells[a].in_flight.total_cmp(&cells[b].in_flight));
    let top = order.iter().map(|&i| cells[i].x_per_s).max_by(f64::total_cmp)?;
    let mut widest: Option<Plateau> = None;
    for start in 0..order.len() {
        for end in start + 1..order.len() {
            let Some(found) = range(cells, &order[start..=end]) else { break };
            let reaches_top = found.cells.iter().any(|&i| cells[i].x_per_s >= top * (1.0 - MAX_SPREAD));
            let wider = widest.as_ref().is_none_or(|w| found.span() > w.span());
            if reaches_top && found.span() >= MIN_SPAN && wider {
                widest = Some(found);
            }
        }
    }
    widest
}

/// The plateau of exactly these cells; `None` when their rates differ too much.
fn range(cells: &[PlateauCell], indices: &[usize]) -> Option<Plateau> {
    let rates = || indices.iter().map(|&i| cells[i].x_per_s);
    let low = rates().min_by(f64::total_cmp)?;
    let high = rates().max_by(f64::total_cmp)?;
    let middle = (low + high) / 2.0;
    let spread = (high - low) / 2.0 / middle;
    if spread > MAX_SPREAD {
        return None;
    }
    let little = |c: &PlateauCell| (c.x_per_s * c.r_ns / 1e9 / c.in_flight - 1.0).abs();
    let mut variations: Vec<f64> = indices.iter().filter_map(|&i| cells[i].variation).collect();
    variations.retain(|v| v.is_finite());
    variations.sort_by(f64::total_cmp);
    Some(Plateau {
        from_in_flight: cells[*indices.first()?].in_flight,
        to_in_flight: cells[*indices.last()?].in_flight,
        x_per_s: middle,
        spread,
        variation: variations.get(variations.len() / 2).copied(),
        little_error: indices.iter().map(|&i| little(&cells[i])).fold(0.0, f64::max),
        cells: indices.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cell(in_flight: f64, x_per_s: f64, variation: f64) -> PlateauCell {
        PlateauCell { in_flight, x_per_s, r_ns: in_flight / x_per_s * 1e9, variation: Some(variation) }
    }

    #[test]
    fn a_cap_is_recognised_and_its_edge_found() {
        let cells: Vec<_> = [1.0f64, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]
            .map(|n| cell(n, (n * 1000.0).min(3000.0) * (1.0 + 0.004 * (n % 3.0 - 1.0)), 0.005))
            .to_vec();
        let found = plateau(&cells).unwrap();
        assert_eq!(found.cells, vec![2, 3, 4, 5, 6]);
        assert!(found.is_cap());
        assert!((found.x_per_s - 3000.0).abs() < 20.0);
    }

    #[test]
    fn a_saturating_device_is_not_a_cap() {
        let curve = |n: f64| 100_000.0 * n / (n + 8.0);
        let cells: Vec<_> = (0..9).map(|i| f64::from(1 << i)).map(|n| cell(n, curve(n), 0.02)).collect();
        assert!(plateau(&cells).is_none_or(|p| !p.is_cap()));
    }

    #[test]
    fn uneven_seconds_or_unknown_seconds_are_not_a_cap() {
        let flat = |variation| {
            [4.0, 8.0, 16.0, 32.0].map(|n| PlateauCell { variation, ..cell(n, 3000.0, 0.0) }).to_vec()
        };
        assert!(plateau(&flat(Some(0.002))).unwrap().is_cap());
        assert!(!plateau(&flat(Some(0.05))).unwrap().is_cap());
        assert_eq!(plateau(&flat(None)).unwrap().is_even(), None);
    }

    #[test]
    fn latency_that_is_not_waiting_speaks_against_a_cap() {
        let cells = [4.0, 8.0, 16.0].map(|n| PlateauCell { r_ns: 1e6, ..cell(n, 3000.0, 0.001) });
        assert!(!plateau(&cells).unwrap().obeys_little());
    }

    #[test]
    fn a_flat_stretch_below_the_top_is_not_the_plateau() {
        let cells = [cell(1.0, 100.0, 0.0), cell(4.0, 100.0, 0.0), cell(8.0, 900.0, 0.0)];
        assert_eq!(plateau(&cells), None);
    }

    #[test]
    fn variation_needs_three_seconds_and_a_rate() {
        assert_eq!(coefficient_of_variation(&[1.0, 1.0]), None);
        assert_eq!(coefficient_of_variation(&[0.0, 0.0, 0.0]), None);
        assert_eq!(coefficient_of_variation(&[f64::INFINITY, 1.0, 1.0]), None);
        assert!((coefficient_of_variation(&[90.0, 100.0, 110.0]).unwrap() - 0.1).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn any_numbers_are_taken(values in prop::collection::vec((any::<f64>(), any::<f64>(), any::<f64>(), any::<Option<f64>>()), 0..12)) {
            let cells: Vec<_> = values
                .into_iter()
                .map(|(in_flight, x_per_s, r_ns, variation)| PlateauCell { in_flight, x_per_s, r_ns, variation })
                .collect();
            if let Some(found) = plateau(&cells) {
                prop_assert!(found.span() >= MIN_SPAN && found.spread <= MAX_SPREAD);
            }
        }
    }
}
