//! One direction of a wire: bytes follow each other at a fixed rate.

/// When the wire is free, in 2^-32 ns, so that fractions of a nanosecond add up over hours.
#[derive(Clone, Debug)]
pub struct Wire {
    per_byte: u64,
    free: u128,
}

/// 2^-32 ns per byte at a rate; a rate so low that it does not fit takes 4 s a byte.
pub fn per_byte(bytes_per_s: u64) -> u64 {
    u64::try_from((1_000_000_000u128 << 32) / u128::from(bytes_per_s.max(1))).unwrap_or(u64::MAX)
}

/// Whole nanoseconds for `bytes` at so many 2^-32 ns each.
#[inline]
pub fn transfer_ns(bytes: u64, per_byte: u64) -> u64 {
    let fine = u128::from(bytes) * u128::from(per_byte) + (1 << 31);
    u64::try_from(fine >> 32).unwrap_or(u64::MAX)
}

impl Wire {
    /// A free wire.
    pub fn new(bytes_per_s: u64) -> Self {
        Self { per_byte: per_byte(bytes_per_s), free: 0 }
    }

    /// When the last byte of an I/O that is ready at `from_ns` has passed.
    #[inline]
    pub fn pass(&mut self, from_ns: u64, bytes: u64) -> u64 {
        let start = self.free.max(u128::from(from_ns) << 32);
        self.free = start + u128::from(bytes) * u128::from(self.per_byte);
        let fraction = self.free & 0xffff_ffff;
        u64::try_from((self.free >> 32) + u128::from(fraction != 0)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saturated_wire_moves_its_rate_over_a_day() {
        let mut wire = Wire::new(3_000_000_000);
        let mut at_ns = 0;
        for _ in 0..1_000_000 {
            at_ns = wire.pass(0, 259_200_000);
        }
        // 259.2 TB at 3 GB/s take 86,400 s.
        assert!(at_ns.abs_diff(86_400_000_000_000) < 86_400, "{at_ns}");
        assert_eq!(transfer_ns(3000, per_byte(3_000_000_000)), 1000);
    }
}
