//! What a demand's I/Os count as before a volume's limits.

use super::drawn_demand::{Demand, Form, Io, Sum};
use super::slow_simulator::Piece;
use super::volume_offers::{Kind, MIB};

/// How a demand's I/Os are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountingRule {
    pub bound: Bound,
    /// A tick's I/Os and bytes of each direction, and what its I/Os of a trace count as together, are whole numbers
    /// after the margin, and none of a tick's I/Os is told from another.
    pub whole: bool,
    /// Disks join a trace's I/Os that follow each other.
    pub joins: bool,
}

impl CountingRule {
    pub fn of(bound: Bound) -> Self {
        Self { bound, whole: false, joins: true }
    }
}

/// How sums of I/Os of which no single one is known are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The least that they may count: all bytes in whole units.
    Least,
    /// The most that they may count, each I/O being 512 bytes or more.
    Most,
}

/// What the limit on operations is asked for: operations of a type's unit at most, times the margin.
pub fn operations(demand: &Demand, kind: Kind, counting: CountingRule) -> Vec<Piece> {
    let unit = kind.unit();
    let counting = CountingRule { joins: counting.joins && kind.is_disk(), ..counting };
    let together = true;
    pieces(demand, counting, together, |sum| units(sum, unit, counting.bound), |bytes| bytes.div_ceil(unit))
}

/// What the volume's limit on bytes is asked for: of a disk a MiB for each operation.
pub fn bytes(demand: &Demand, kind: Kind, counting: CountingRule) -> Vec<Piece> {
    if kind.is_disk() {
        let mut pieces = operations(demand, kind, counting);
        pieces.iter_mut().for_each(|piece| piece.cost *= MIB);
        return pieces;
    }
    pieces(demand, CountingRule { joins: false, ..counting }, false, |sum| sum.bytes, |bytes| bytes)
}

/// `together`: a trace's directions are rounded to whole numbers as one.
fn pieces(
    demand: &Demand,
    counting: CountingRule,
    together: bool,
    of_sum: impl Fn(Sum) -> u64,
    of_io: impl Fn(u64) -> u64,
) -> Vec<Piece> {
    let margin = demand.margin_percent;
    let ios = match &demand.form {
        Form::Table(rows) => {
            let rows = rows.iter().enumerate().filter_map(|(tick, row)| Some((tick, row.as_ref()?)));
            let of = |(tick, sums): (usize, &[Sum; 2])| {
                let [read, write] = sums.map(|sum| {
                    if !counting.whole {
                        return Piece { tick, ios: sum.ios, cost: of_sum(sum) * margin };
                    }
                    let grown = |amount: u64| (amount * margin).div_ceil(100);
                    let sum = Sum { ios: grown(sum.ios), bytes: grown(sum.bytes) };
                    Piece { tick, ios: sum.ios, cost: of_sum(sum) * 100 }
                });
                Piece { tick, ios: read.ios + write.ios, cost: read.cost + write.cost }
            };
            return rows.map(of).filter(|piece| piece.ios > 0).collect();
        }
        Form::Trace(ios) => ios,
    };
    let mut runs = Runs::default();
    let mut of = |io: &Io| {
        let before = if counting.joins { runs.before(io) } else { 0 };
        let cost = (of_io(before + io.bytes) - of_io(before)) * margin;
        Piece { tick: (io.at_us / 1_000_000 / demand.tick_s) as usize, ios: 1, cost }
    };
    let pieces: Vec<Piece> = ios.iter().map(&mut of).collect();
    if !counting.whole {
        return pieces;
    }
    // One piece a tick.
    let mut ticks = vec![[(0u64, 0u64); 2]; demand.ticks()];
    for (io, piece) in ios.iter().zip(&pieces) {
        let (ios, cost) = &mut ticks[piece.tick][usize::from(io.writes)];
        (*ios, *cost) = (*ios + 1, *cost + piece.cost);
    }
    let whole = |(tick, directions): (usize, [(u64, u64); 2])| {
        let ios = directions.iter().map(|(ios, _)| (ios * margin).div_ceil(100)).sum();
        let costs = directions.map(|(_, cost)| cost);
        let cost = if together {
            costs.iter().sum::<u64>().next_multiple_of(100)
        } else {
            costs.iter().map(|cost| cost.next_multiple_of(100)).sum()
        };
        Piece { tick, ios, cost }
    };
    ticks.into_iter().enumerate().map(whole).filter(|piece| piece.ios > 0).collect()
}

/// Follows I/Os that continue each other.
#[derive(Default)]
struct Runs {
    end: Option<(u64, bool)>,
    bytes: u64,
}

impl Runs {
    /// Bytes of the run that an I/O continues.
    fn before(&mut self, io: &Io) -> u64 {
        let before = if self.end == Some((io.offset, io.writes)) { self.bytes } else { 0 };
        self.end = Some((io.offset + io.bytes, io.writes));
        self.bytes = before + io.bytes;
        before
    }
}

/// Operations that a direction's I/Os of a tick count as.
fn units(sum: Sum, unit: u64, bound: Bound) -> u64 {
    if sum.ios == 0 {
        return 0;
    }
    match bound {
        Bound::Least => sum.bytes.div_ceil(unit).max(sum.ios),
        // Each I/O is a few whole units and one sector; the margin leaves parts of one.
        Bound::Most => sum.ios + (sum.bytes + 511).saturating_sub(512 * sum.ios) / unit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::drawn_demand::tests::of;

    #[test]
    fn bounds_enclose_whatever_the_sizes_are() {
        let unit = MIB / 4;
        for sizes in [vec![4096, MIB], vec![unit; 3], vec![unit + 512, 512, 7 * unit + 512], vec![393_216; 5]]
        {
            let sum = Sum { ios: sizes.len() as u64, bytes: sizes.iter().sum() };
            let truth: u64 = sizes.iter().map(|bytes| bytes.div_ceil(unit)).sum();
            let of = |bound| units(sum, unit, bound);
            assert!(of(Bound::Least) <= truth && truth <= of(Bound::Most), "{sizes:?}");
        }
        // Both are reached.
        let sum = Sum { ios: 3, bytes: 7 * unit + 3 * 512 };
        assert_eq!((units(sum, unit, Bound::Least), units(sum, unit, Bound::Most)), (8, 10));
        assert_eq!(units(Sum::default(), unit, Bound::Most), 0);
    }

    #[test]
    fn a_trace_counts_each_io_by_itself() {
        let io = |at_us, bytes, writes| Io { at_us, bytes, offset: 0, writes };
        let ios = [io(0, 393_216, false), io(1_500_000, 512, true), io(1_600_000, MIB, false)];
        let mut demand = of(Form::Trace(ios.to_vec()));
        demand.margin_percent = 130;
        let seen = |counting| {
            let pieces = operations(&demand, Kind::Gp3, counting);
            pieces.iter().map(|piece| (piece.tick, piece.ios, piece.cost)).collect::<Vec<_>>()
        };
        assert_eq!(seen(CountingRule::of(Bound::Least)), [(0, 1, 260), (1, 1, 130), (1, 1, 520)]);
        // 1.3 reads, 1.3 writes: 2 each; 5.2 units and 1.3 are 6.5; bytes of each direction.
        let whole = CountingRule { whole: true, ..CountingRule::of(Bound::Least) };
        assert_eq!(seen(whole), [(0, 2, 300), (1, 4, 700)]);
        let grown = (13 * MIB).div_ceil(10) + 666;
        assert_eq!(bytes(&demand, Kind::Gp3, whole)[1].cost, 100 * grown);
        assert_eq!(bytes(&demand, Kind::St1, CountingRule::of(Bound::Least))[1].cost, 130 * MIB);
    }

    #[test]
    fn sums_grow_by_the_margin_to_whole_ios() {
        let mut demand =
            of(Form::Table(vec![Some([Sum { ios: 1, bytes: 4096 }, Sum { ios: 3, bytes: 12_288 }])]));
        demand.margin_percent = 150;
        let of =
            |whole| operations(&demand, Kind::Gp3, CountingRule { whole, ..CountingRule::of(Bound::Least) });
        assert_eq!(of(false), [Piece { tick: 0, ios: 4, cost: 600 }]);
        assert_eq!(of(true), [Piece { tick: 0, ios: 7, cost: 700 }]);
    }

    #[test]
    fn disks_join_what_follows_and_ssds_do_not() {
        let quarter = MIB / 4;
        let io = |number, writes| Io { at_us: 0, bytes: quarter, offset: number * quarter, writes };
        let ios = [io(0, false), io(1, false), io(2, false), io(3, false), io(4, false), io(5, true)];
        let mut runs = Runs::default();
        assert_eq!(ios.map(|io| runs.before(&io) / quarter), [0, 1, 2, 3, 4, 0]);
        let mut demand = of(Form::Trace(ios.to_vec()));
        let cost = |demand: &Demand, kind, joins| {
            let counting = CountingRule { joins, ..CountingRule::of(Bound::Least) };
            operations(demand, kind, counting).iter().map(|piece| piece.cost / 100).sum::<u64>()
        };
        assert_eq!((cost(&demand, Kind::St1, true), cost(&demand, Kind::St1, false)), (3, 6));
        demand.margin_percent = 200;
        assert_eq!((cost(&demand, Kind::St1, true), cost(&demand, Kind::Gp3, true)), (6, 12));
    }
}
