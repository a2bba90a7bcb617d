//! Samples over time in a bounded number of buckets: one a millisecond, and twice as wide as often as needed.

use std::collections::BTreeMap;

/// Buckets kept at most: a day of seconds, or an hour at 20 a second.
const MOST: usize = 1 << 16;

/// What fell into a bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bucket {
    pub count: u64,
    pub sum: u128,
    pub max: u64,
}

/// Directions that are told apart.
const DIRECTIONS: usize = 3;

/// Buckets of one direction or of several; all have the same width.
#[derive(Debug)]
pub struct Buckets {
    shift: u32,
    /// By number of the bucket, and direction.
    kept: BTreeMap<(u64, usize), Bucket>,
    /// The bucket that each direction's last sample fell into, with its number: the next one mostly falls there too.
    filling: [(u64, Bucket); DIRECTIONS],
}

impl Buckets {
    pub fn new() -> Self {
        Self { shift: 0, kept: BTreeMap::new(), filling: Default::default() }
    }

    /// Takes a sample of direction 0, 1 or 2.
    #[inline]
    pub fn add(&mut self, at_ms: u64, direction: usize, value: u64) {
        if self.filling[direction].0 != at_ms >> self.shift {
            self.keep(direction);
            while self.kept.len() > MOST - DIRECTIONS {
                self.widen();
            }
            self.filling[direction].0 = at_ms >> self.shift;
        }
        let bucket = &mut self.filling[direction].1;
        bucket.count += 1;
        bucket.sum += u128::from(value);
        bucket.max = bucket.max.max(value);
    }

    /// Ends the taking: what is being filled is kept too.
    pub fn settled(mut self) -> Self {
        (0..DIRECTIONS).for_each(|direction| self.keep(direction));
        self
    }

    fn keep(&mut self, direction: usize) {
        let (number, bucket) = self.filling[direction];
        if bucket.count > 0 {
            self.kept.entry((number, direction)).or_default().add(&bucket);
            self.filling[direction].1 = Bucket::default();
        }
    }

    fn widen(&mut self) {
        // Those that are being filled have numbers of the narrower kind.
        (0..DIRECTIONS).for_each(|direction| self.keep(direction));
        self.shift += 1;
        let mut wider: BTreeMap<(u64, usize), Bucket> = BTreeMap::new();
        for ((number, direction), bucket) in std::mem::take(&mut self.kept) {
            wider.entry((number >> 1, direction)).or_default().add(&bucket);
        }
        self.kept = wider;
    }

    /// Width of a bucket.
    pub fn width_ms(&self) -> u64 {
        1 << self.shift
    }

    /// Ends of the buckets in use, in milliseconds, rising.
    pub fn ends_ms(&self) -> Vec<u64> {
        let mut numbers: Vec<u64> = self.kept.keys().map(|(number, _)| *number).collect();
        numbers.dedup();
        // The first bucket of a millisecond each ends where its sample was written.
        let end = |number: u64| {
            if self.shift == 0 { number } else { (number + 1).checked_shl(self.shift).unwrap_or(u64::MAX) }
        };
        numbers.into_iter().map(end).collect()
    }

    /// One figure of a direction for each of the [ends](Self::ends_ms); absent where it has no sample.
    pub fn of(&self, direction: usize, figure: impl Fn(&Bucket) -> f64) -> Vec<Option<f64>> {
        let mut numbers: Vec<u64> = self.kept.keys().map(|(number, _)| *number).collect();
        numbers.dedup();
        numbers.into_iter().map(|number| self.kept.get(&(number, direction)).map(&figure)).collect()
    }

    /// Whether a direction has any sample.
    pub fn has(&self, direction: usize) -> bool {
        self.kept.keys().any(|(_, of)| *of == direction)
    }
}

impl Bucket {
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }

    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_nothing_is_lost() {
        let mut buckets = Buckets::new();
        for at in 0..10 * MOST as u64 {
            buckets.add(at * 3, (at % 2) as usize, at);
        }
        let buckets = buckets.settled();
        assert!(buckets.kept.len() <= MOST && buckets.width_ms() >= 16);
        let count: u64 = buckets.kept.values().map(|bucket| bucket.count).sum();
        assert_eq!(count, 10 * MOST as u64);
        assert!(buckets.ends_ms().is_sorted());
        let last = buckets.of(1, |bucket| bucket.max as f64).into_iter().flatten().next_back();
        assert_eq!(last, Some(10.0 * MOST as f64 - 1.0));
    }
}
