//! How probable a figure is under a cause: Student's t with four degrees of freedom, whose heavy tails keep
//! one odd figure from deciding, or an equal mixture of two.

/// What a cause shows of one feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Around one mean.
    One(DensityPeak),
    /// Around either of two, as often.
    Either(DensityPeak, DensityPeak),
}

/// A mean and a deviation, both on the feature's scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DensityPeak {
    /// Where it lies.
    pub mean: f64,
    /// How far figures usually are from it.
    pub deviation: f64,
}

impl DensityPeak {
    /// `None` unless both are numbers and the deviation is above zero.
    pub fn new(mean: f64, deviation: f64) -> Option<Self> {
        (mean.is_finite() && deviation.is_finite() && deviation > 0.0).then_some(Self { mean, deviation })
    }

    /// With an error of measurement added, widened.
    fn scale(self, error: f64, inflation: f64) -> f64 {
        self.deviation.hypot(error) * inflation
    }

    fn ln(self, value: f64, error: f64, inflation: f64, freedom: f64) -> f64 {
        let scale = self.scale(error, inflation);
        let z = (value - self.mean) / scale;
        -scale.ln() - 0.5 * (freedom + 1.0) * (z * z / freedom).ln_1p()
    }
}

impl Shape {
    /// Log density of a figure that was measured with an error, up to a constant that is the same for all.
    pub fn ln(self, value: f64, error: f64, inflation: f64, freedom: f64) -> f64 {
        match self {
            Shape::One(peak) => peak.ln(value, error, inflation, freedom),
            Shape::Either(a, b) => {
                let (a, b) = (a.ln(value, error, inflation, freedom), b.ln(value, error, inflation, freedom));
                ln_mean_of(a, b)
            }
        }
    }

    /// Log density of each of its two peaks alone; of one peak twice the same.
    pub fn ln_each(self, value: f64, error: f64, inflation: f64, freedom: f64) -> [f64; 2] {
        let (a, b) = match self {
            Shape::One(peak) => (peak, peak),
            Shape::Either(a, b) => (a, b),
        };
        [a, b].map(|peak| peak.ln(value, error, inflation, freedom))
    }

    /// Log probability of a figure or more, of one that was cut short: beside [`Shape::ln`] as dense as a peak of the width that
    /// such a figure would have.
    pub fn ln_at_least(self, value: f64, error: f64, inflation: f64) -> f64 {
        let [a, b] = self.ln_each_at_least(value, error, inflation);
        ln_mean_of(a, b)
    }

    /// The same of each of its two peaks alone.
    pub fn ln_each_at_least(self, value: f64, error: f64, inflation: f64) -> [f64; 2] {
        let (a, b) = match self {
            Shape::One(peak) => (peak, peak),
            Shape::Either(a, b) => (a, b),
        };
        [a, b].map(|peak| {
            let above = upper_t4((value - peak.mean) / peak.scale(error, inflation));
            above.max(LEAST_ABOVE).ln() - (CUT_SHORT * inflation).ln()
        })
    }

    /// The same around the same means with other deviations.
    pub fn widened(self, factor: f64) -> Self {
        let wide = |peak: DensityPeak| DensityPeak { deviation: peak.deviation * factor, ..peak };
        match self {
            Shape::One(peak) => Shape::One(wide(peak)),
            Shape::Either(a, b) => Shape::Either(wide(a), wide(b)),
        }
    }

    /// The peak that a figure is closest to.
    pub fn nearest(self, value: f64) -> DensityPeak {
        match self {
            Shape::One(peak) => peak,
            Shape::Either(a, b) => {
                let away = |peak: DensityPeak| (value - peak.mean).abs() / peak.deviation;
                if away(a) <= away(b) { a } else { b }
            }
        }
    }

    /// Its peaks.
    pub fn peaks(self) -> impl Iterator<Item = DensityPeak> {
        let (first, second) = match self {
            Shape::One(peak) => (peak, None),
            Shape::Either(a, b) => (a, Some(b)),
        };
        std::iter::once(first).chain(second)
    }
}

/// Width of what a figure that was cut short leaves open.
pub const CUT_SHORT: f64 = 0.4;
/// Least probability of a figure above another: models are wrong more often.
const LEAST_ABOVE: f64 = 1e-4;

/// Probability that a Student's t with four degrees of freedom exceeds `z`.
fn upper_t4(z: f64) -> f64 {
    let u = 1.0 + z * z / 4.0;
    0.5 - 0.375 * (z / u.sqrt()) * (1.0 - z * z / u / 12.0)
}

/// Log of the mean of two densities whose logs are given.
pub fn ln_mean_of(a: f64, b: f64) -> f64 {
    let (high, low) = if a > b { (a, b) } else { (b, a) };
    high + (low - high).exp().ln_1p() - std::f64::consts::LN_2
}

/// `ln(1 + z^2 / freedom)` of a figure at the nearest peak: what the test of fit sums.
pub fn squared_misfit(shape: Shape, value: f64, error: f64, inflation: f64, freedom: f64) -> f64 {
    let peak = shape.nearest(value);
    let z = (value - peak.mean) / peak.scale(error, inflation);
    (z * z / freedom).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peak(mean: f64, deviation: f64) -> DensityPeak {
        DensityPeak::new(mean, deviation).unwrap()
    }

    #[test]
    fn one_odd_figure_costs_little_more_than_a_distant_one() {
        let shape = Shape::One(peak(0.0, 1.0));
        let cost = |value: f64| shape.ln(0.0, 0.0, 1.0, 4.0) - shape.ln(value, 0.0, 1.0, 4.0);
        assert!((cost(2.0) - 2.5 * 2f64.ln()).abs() < 1e-12);
        // Twenty deviations instead of ten cost under four times more likelihood ratio of a normal's 150 nats.
        assert!(cost(20.0) - cost(10.0) < 3.5);
    }

    #[test]
    fn the_probability_of_more_is_that_of_the_tables() {
        for (z, above) in [(0.0, 0.5), (2.132, 0.05), (-2.132, 0.95), (3.747, 0.01)] {
            assert!((upper_t4(z) - above).abs() < 2e-4, "{z}");
        }
    }

    #[test]
    fn a_mixture_is_as_good_as_half_of_its_nearer_peak() {
        let both = Shape::Either(peak(0.0, 0.1), peak(5.0, 0.1));
        let one = Shape::One(peak(5.0, 0.1));
        let (mixed, alone) = (both.ln(5.0, 0.0, 1.3, 4.0), one.ln(5.0, 0.0, 1.3, 4.0));
        assert!((alone - mixed - std::f64::consts::LN_2).abs() < 1e-3);
        assert_eq!(both.nearest(4.0), peak(5.0, 0.1));
    }

    #[test]
    fn what_is_no_number_or_has_no_width_is_no_peak() {
        assert!(DensityPeak::new(f64::NAN, 1.0).is_none() && DensityPeak::new(0.0, 0.0).is_none());
        assert!(DensityPeak::new(0.0, f64::INFINITY).is_none());
    }
}
