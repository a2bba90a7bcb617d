//! Recognises I/Os that continue a sequential stream, by where the last ones ended.

/// Streams that are followed at the same time in each direction.
const FOLLOWED: usize = 32;

/// Ends of the streams of one direction.
#[derive(Clone, Debug)]
pub struct Streams {
    ends: [u64; FOLLOWED],
    oldest: usize,
}

impl Default for Streams {
    fn default() -> Self {
        Self { ends: [u64::MAX; FOLLOWED], oldest: 0 }
    }
}

impl Streams {
    /// Whether the I/O starts where an earlier one ended. It is remembered either way.
    #[inline]
    pub fn continues(&mut self, offset: u64, bytes: u64) -> bool {
        let end = offset.saturating_add(bytes);
        // Without an early exit the comparison of all ends takes a few vector instructions.
        let mut found = FOLLOWED;
        for (index, &known) in self.ends.iter().enumerate() {
            if known == offset {
                found = index;
            }
        }
        if let Some(known) = self.ends.get_mut(found) {
            *known = end;
            return true;
        }
        self.ends[self.oldest] = end;
        self.oldest = (self.oldest + 1) % FOLLOWED;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interleaved_streams_are_told_from_random_ones() {
        let mut streams = Streams::default();
        let starts: Vec<u64> = (0..FOLLOWED as u64).map(|s| s << 30).collect();
        for round in 0..10u64 {
            for start in &starts {
                assert_eq!(streams.continues(start + round * 4096, 4096), round > 0);
            }
        }
        assert!(!streams.continues(123 * 4096, 4096));
    }
}
