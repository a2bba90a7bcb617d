//! A trace's I/Os as the target takes them: within its span, in whole blocks.

use fathom_engine::pattern::{Draft, Geometry};
use fathom_record::Direction;
use fathom_record::workload::{TraceFit, TraceSource};
use fathom_sizing::TracedIo;

/// How I/Os of a trace come to lie on a target.
#[derive(Clone, Copy, Debug)]
pub struct TraceMapping {
    first_byte: u64,
    /// A multiple of the block.
    span_bytes: u64,
    block_bytes: u64,
    largest_bytes: u64,
    extent_bytes: u64,
    how: TraceFit,
    /// What had to be changed so far.
    pub changed: AdjustmentCounts,
}

/// How many I/Os differ from the trace's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AdjustmentCounts {
    /// Lie elsewhere because of where the target ends.
    pub moved: u64,
    /// Begin at the start of their block, or are longer so as to be made of whole ones.
    pub rounded: u64,
    /// Are shorter, because none may be so long.
    pub cut: u64,
}

impl TraceMapping {
    /// Into the part of a target that is used.
    pub fn new(traced: &TraceSource, geometry: &Geometry) -> Self {
        let block_bytes = geometry.block_bytes;
        let whole = |bytes: u64| bytes / block_bytes * block_bytes;
        Self {
            first_byte: geometry.first_byte,
            span_bytes: whole(geometry.span_bytes).max(block_bytes),
            block_bytes,
            largest_bytes: whole(u64::from(geometry.largest_io_bytes)).max(block_bytes),
            extent_bytes: traced.extent_bytes.max(1),
            how: traced.fit,
            changed: AdjustmentCounts::default(),
        }
    }

    /// What is issued for an I/O of the trace; never beyond the span.
    pub fn place(&mut self, io: &TracedIo) -> Draft {
        let most = self.largest_bytes.min(self.span_bytes);
        let whole = io.bytes.checked_next_multiple_of(self.block_bytes).unwrap_or(most);
        let bytes = whole.min(most);
        self.changed.cut += u64::from(bytes < whole);
        let asked = match self.how {
            TraceFit::Wrap => io.offset,
            TraceFit::Scale => {
                let scaled =
                    u128::from(io.offset) * u128::from(self.span_bytes) / u128::from(self.extent_bytes);
                u64::try_from(scaled).unwrap_or(u64::MAX)
            }
        };
        let start = asked / self.block_bytes * self.block_bytes;
        let unaligned = self.how == TraceFit::Wrap && start != asked;
        self.changed.rounded += u64::from(unaligned || whole != io.bytes);
        let latest = self.span_bytes - bytes;
        let placed = if start <= latest { start } else { (start % self.span_bytes).min(latest) };
        self.changed.moved += u64::from(placed != io.offset / self.block_bytes * self.block_bytes);
        let direction = if io.write { Direction::Write } else { Direction::Read };
        // No longer than the geometry's largest, which has 32 bits.
        Draft { direction, offset: self.first_byte + placed, bytes: bytes as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(how: TraceFit, extent_bytes: u64) -> TraceMapping {
        let traced =
            TraceSource { file: "t".into(), device: None, columns: String::new(), fit: how, extent_bytes };
        let geometry = Geometry::new(1 << 20, 1_000_000, 4096, (4096, 65536)).unwrap();
        TraceMapping::new(&traced, &geometry)
    }

    fn placed(fit: &mut TraceMapping, offset: u64, bytes: u64) -> (u64, u32) {
        let draft = fit.place(&TracedIo { at_ns: 0, offset, bytes, write: false });
        (draft.offset - (1 << 20), draft.bytes)
    }

    #[test]
    fn what_fits_stays_and_what_does_not_begins_again() {
        let mut fit = fit(TraceFit::Wrap, 1 << 40);
        let span = 244 * 4096;
        assert_eq!(placed(&mut fit, 8192, 4096), (8192, 4096));
        assert_eq!(fit.changed, AdjustmentCounts::default());
        assert_eq!(placed(&mut fit, 8192 + 512, 600), (8192, 4096));
        assert_eq!(fit.changed, AdjustmentCounts { rounded: 1, ..AdjustmentCounts::default() });
        assert_eq!(placed(&mut fit, 7 * span + 4096, 4096), (4096, 4096));
        assert_eq!(placed(&mut fit, span - 4096, 8192), (span - 8192, 8192), "not beyond the end");
        assert_eq!(fit.changed, AdjustmentCounts { rounded: 1, moved: 2, cut: 0 });
        assert_eq!(placed(&mut fit, 0, 1 << 20), (0, 65536));
        assert_eq!(fit.changed.cut, 1);
        for offset in [0, u64::MAX, u64::MAX - 5000, 1 << 63] {
            let (start, bytes) = placed(&mut fit, offset, u64::MAX);
            assert!(start + u64::from(bytes) <= span, "{offset}");
        }
    }

    #[test]
    fn scaled_addresses_keep_their_order_over_the_whole_target() {
        let mut fit = fit(TraceFit::Scale, 10_000_000_000);
        let starts: Vec<u64> = (0..100).map(|at| placed(&mut fit, at * 100_000_000, 4096).0).collect();
        assert!(starts.is_sorted());
        assert!((starts[50] as f64 / (244.0 * 4096.0) - 0.5).abs() < 0.01, "{}", starts[50]);
        assert_eq!(placed(&mut fit, 10_000_000_000 - 4096, 4096).0, 243 * 4096);
    }
}
