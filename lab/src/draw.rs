//! Draws the numbers of cases: the same seed draws the same cases.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A source of random choices.
pub struct Draw {
    random: Xoshiro256PlusPlus,
}

impl Draw {
    /// Of a seed; two streams of one seed have nothing in common.
    pub fn new(seed: u64, stream: u64) -> Self {
        Self { random: Xoshiro256PlusPlus::seed_from_u64(seed ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15)) }
    }

    /// Even between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// Even in its logarithm, with two significant digits, as people choose numbers.
    pub fn round(&mut self, low: f64, high: f64) -> u64 {
        let drawn = self.between(low.ln(), high.ln()).exp();
        let unit = 10f64.powf((drawn.log10().floor() - 1.0).max(0.0));
        ((drawn / unit).round() * unit).max(1.0) as u64
    }

    /// Whether something with this probability happens.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.between(0.0, 1.0) < probability
    }

    /// One of them; they are not empty.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        let index = self.between(0.0, choices.len() as f64) as usize;
        choices[index.min(choices.len() - 1)]
    }

    /// One of the numbers below `count`; 0 where there is none.
    pub fn below(&mut self, count: usize) -> usize {
        (self.between(0.0, count as f64) as usize).min(count.saturating_sub(1))
    }

    /// Bytes that nothing compresses.
    pub fn noise(&mut self, bytes: usize) -> Vec<u8> {
        let mut noise = vec![0; bytes];
        self.random.fill_bytes(&mut noise);
        noise
    }

    /// A seed for something else.
    pub fn seed(&mut self) -> u64 {
        self.random.next_u64() >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_stay_in_their_range_and_are_repeated_by_their_seed() {
        let mut draw = Draw::new(1, 2);
        let drawn: Vec<u64> = (0..1000).map(|_| draw.round(300.0, 50_000.0)).collect();
        assert!(drawn.iter().all(|n| (299..=50_001).contains(n)), "{drawn:?}");
        assert!(drawn.iter().all(|n| *n < 1000 || n % 100 == 0), "two digits");
        assert!(drawn.iter().any(|n| *n < 1000) && drawn.iter().any(|n| *n > 20_000));
        let mut again = Draw::new(1, 2);
        assert!(drawn.iter().all(|n| *n == again.round(300.0, 50_000.0)));
        assert_ne!(Draw::new(1, 3).seed(), Draw::new(1, 2).seed());
        assert!((0..100).all(|_| [4, 5].contains(&draw.pick(&[4, 5]))));
    }
}
