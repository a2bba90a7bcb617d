//! Which I/Os are kept one by one: a share that both sides choose alike without talking of each I/O.
//!
//! The choice is by a hash of the sector. Whoever has too many to keep makes it stricter for both; it
//! only ever becomes stricter, so what passes the last choice was kept by both sides all along.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most I/Os that one side keeps.
const MOST: usize = 1 << 20;

/// Strictest choice: one sector in 65,536.
const LAST_BITS: u64 = 0xffff;

/// Bits that a sector's hash must not have; shared by both sides.
#[derive(Clone, Debug, Default)]
pub struct Thinning(Arc<AtomicU64>);

impl Thinning {
    /// The bits now: 0 keeps everything, each further one half.
    pub fn bits(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Halves what is kept, unless the other side has just done so. False where it is as strict as it gets.
    pub fn tighten(&self, from: u64) -> bool {
        if from >= LAST_BITS {
            return false;
        }
        // A failure means that it is stricter already.
        let _ = self.0.compare_exchange(from, (from << 1) | 1, Ordering::Relaxed, Ordering::Relaxed);
        true
    }
}

/// Whether an I/O at this sector is kept. The programs in the kernel choose by the same rule.
pub fn keeps(bits: u64, sector: u64) -> bool {
    ((sector >> 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) & bits == 0
}

/// Something that lies at a sector.
pub trait SectorAddress {
    /// First sector of 512 bytes.
    fn sector(&self) -> u64;
}

/// I/Os that one side keeps.
#[derive(Debug)]
pub struct SpanSample<T> {
    items: Vec<T>,
    thinning: Thinning,
    missed: u64,
}

impl<T: SectorAddress> SpanSample<T> {
    /// None yet.
    pub fn new(thinning: Thinning) -> Self {
        Self { items: Vec::new(), thinning, missed: 0 }
    }

    /// Keeps an I/O if it is chosen.
    pub fn push(&mut self, item: T) {
        let bits = self.thinning.bits();
        if !keeps(bits, item.sector()) {
            return;
        }
        if self.items.len() >= MOST {
            if !self.thinning.tighten(bits) {
                self.missed += 1;
                return;
            }
            self.thin();
        }
        self.items.push(item);
    }

    /// I/Os that were chosen and found no room.
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// Those that pass the last choice.
    pub fn finish(mut self) -> Vec<T> {
        self.thin();
        self.items
    }

    fn thin(&mut self) {
        let bits = self.thinning.bits();
        self.items.retain(|item| keeps(bits, item.sector()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl SectorAddress for u64 {
        fn sector(&self) -> u64 {
            *self
        }
    }

    #[test]
    fn two_sides_keep_the_same_after_one_ran_full() {
        let thinning = Thinning::default();
        let (mut many, mut few) = (SpanSample::new(thinning.clone()), SpanSample::new(thinning.clone()));
        for io in 0..3 * MOST as u64 {
            many.push(io * 8);
            if io % 2 == 0 {
                few.push(io * 8);
            }
        }
        assert_eq!(thinning.bits(), 0b11, "three times too many: a quarter is kept");
        let (many, few) = (many.finish(), few.finish());
        let even: Vec<u64> = many.iter().copied().filter(|sector| sector % 16 == 0).collect();
        assert_eq!(even, few);
        let quarter = 3 * MOST / 4;
        assert!(many.len().abs_diff(quarter) < quarter / 20, "{}", many.len());
    }

    #[test]
    fn one_sector_alone_does_not_fill_memory() {
        let mut kept = SpanSample::new(Thinning::default());
        for _ in 0..MOST + 40 {
            kept.push(0u64);
        }
        assert!(kept.items.len() <= MOST + 16 && kept.missed() > 0);
    }
}
