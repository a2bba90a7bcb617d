//! A sample of a fleet whose size nobody knows beforehand: those whose names' hashes are small enough, where
//! "small enough" is halved whenever there are too many. Which volumes are in it depends on their names alone.

/// Volumes that a sample keeps at most; a risk of one in a hundred then rests on about fifty that grew more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleSize(pub usize);

impl Default for SampleSize {
    fn default() -> Self {
        Self(8192)
    }
}

/// Values of a sample of the volumes.
#[derive(Clone, Debug)]
pub struct Sample<T> {
    most: SampleSize,
    kept: Vec<(u64, T)>,
    halvings: u32,
}

/// Whether a volume whose name has this hash is in a sample after so many halvings.
pub fn is_sampled(hash: u64, halvings: u32) -> bool {
    halvings == 0 || hash.leading_zeros() >= halvings
}

/// A hash that is the same on every machine: FNV-1a, and a mix so that its upper bits depend on every byte.
pub fn hash(name: &[u8]) -> u64 {
    let fnv = name
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    let mixed = (fnv ^ (fnv >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ (mixed >> 33)
}

impl<T: Ord> Sample<T> {
    /// A sample of at most so many.
    pub fn of(most: SampleSize) -> Self {
        Self { most, kept: Vec::new(), halvings: 0 }
    }

    /// Times that the share of the volumes was halved.
    pub fn halvings(&self) -> u32 {
        self.halvings
    }

    /// Puts in a value of a volume; those that are not in the sample are left out.
    pub fn put(&mut self, hash: u64, value: T) {
        if !is_sampled(hash, self.halvings) {
            return;
        }
        self.kept.push((hash, value));
        while self.kept.len() > self.most.0.max(1) && self.halvings < u64::BITS {
            self.halvings += 1;
            let halvings = self.halvings;
            self.kept.retain(|(hash, _)| is_sampled(*hash, halvings));
        }
    }

    /// The values, ascending.
    pub fn sorted(self) -> Vec<T> {
        let mut values: Vec<T> = self.kept.into_iter().map(|(_, value)| value).collect();
        values.sort_unstable();
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_depends_on_names_alone_and_is_fair() {
        let names: Vec<String> = (0..20_000).map(|i| format!("vol-{i:08x}")).collect();
        let sample = |order: &mut dyn Iterator<Item = &String>| {
            let mut sample = Sample::of(SampleSize(1000));
            order.for_each(|name| {
                let number = u32::from_str_radix(&name[4..], 16).unwrap();
                sample.put(hash(name.as_bytes()), number);
            });
            sample.sorted()
        };
        let forward = sample(&mut names.iter());
        assert_eq!(forward, sample(&mut names.iter().rev()));
        assert!((500..=1000).contains(&forward.len()), "{}", forward.len());
        let mean = forward.iter().map(|v| f64::from(*v)).sum::<f64>() / forward.len() as f64;
        assert!((9000.0..11_000.0).contains(&mean), "{mean}");
    }
}
