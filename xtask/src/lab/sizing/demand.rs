//! A demand that was drawn, as fathom is given it and as the slow simulator serves it.

use std::fmt::Write as _;

use super::serve::Piece;
use super::volume::{Kind, MIB};

/// First time in every table: a whole number of every tick's length.
const EPOCH_S: u64 = 1_760_000_400;

/// One direction's sums in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    pub ios: u64,
    pub bytes: u64,
}

/// One I/O of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    pub at_us: u64,
    pub bytes: u64,
    pub offset: u64,
    pub writes: bool,
}

/// What is known of the demand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Sums of reads and of writes of each tick; nothing where a row is missing.
    Table(Vec<Option<[Sum; 2]>>),
    /// Each I/O by itself.
    Trace(Vec<Io>),
}

/// A demand and the terms on which storage is bought for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    pub name: String,
    pub shape: &'static str,
    pub tick_s: u64,
    pub form: Form,
    pub region: &'static str,
    pub instance: Option<&'static str>,
    pub margin_percent: u64,
    /// Share of the I/Os that may be late, in millionths.
    pub late_ppm: u64,
    pub wait_s: u64,
    pub size_gib: u64,
    pub current: Option<String>,
}

/// How a demand's I/Os are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counting {
    pub bound: Bound,
    /// Each tick's count times the margin is a whole number.
    pub whole: bool,
    /// Disks join a trace's I/Os that follow each other.
    pub joins: bool,
}

impl Counting {
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
    /// The same without that: each I/O a unit more than its bytes.
    Loose,
}

impl Demand {
    pub fn is_trace(&self) -> bool {
        matches!(self.form, Form::Trace(_))
    }

    pub fn ticks(&self) -> usize {
        match &self.form {
            Form::Table(rows) => rows.len(),
            Form::Trace(ios) => ios.last().map_or(0, |io| (io.at_us / 1_000_000 / self.tick_s) as usize + 1),
        }
    }

    pub fn ios(&self) -> u64 {
        match &self.form {
            Form::Table(rows) => rows.iter().flatten().flatten().map(|sum| sum.ios).sum(),
            Form::Trace(ios) => ios.len() as u64,
        }
    }

    /// Ticks that an I/O may wait.
    pub fn patience(&self) -> usize {
        (self.wait_s / self.tick_s).max(1) as usize
    }

    /// I/Os that may be late.
    pub fn allowed(&self) -> u64 {
        (u128::from(self.ios()) * u128::from(self.late_ppm) / 1_000_000) as u64
    }

    /// What the limit on operations is asked for: operations of a type's unit at most, times the margin.
    pub fn operations(&self, kind: Kind, counting: Counting) -> Vec<Piece> {
        let unit = kind.unit();
        let joins = kind.is_disk() && counting.joins;
        self.pieces(counting.whole, joins, |sum| units(sum, unit, counting.bound), |io| io.div_ceil(unit))
    }

    /// What the volume's limit on bytes is asked for: of a disk a MiB for each operation.
    pub fn bytes(&self, kind: Kind, counting: Counting) -> Vec<Piece> {
        if kind.is_disk() {
            let mut pieces = self.operations(kind, counting);
            pieces.iter_mut().for_each(|piece| piece.cost *= MIB);
            return pieces;
        }
        self.pieces(false, false, |sum| sum.bytes, |io| io)
    }

    fn pieces(
        &self,
        whole: bool,
        joins: bool,
        of_sum: impl Fn(Sum) -> u64,
        of_io: impl Fn(u64) -> u64,
    ) -> Vec<Piece> {
        let ceiled = |cost: u64| if whole { cost.next_multiple_of(100) } else { cost };
        match &self.form {
            Form::Table(rows) => {
                let of_row = |(tick, row): (usize, &Option<[Sum; 2]>)| {
                    let sums = row.as_ref()?;
                    let ios = sums.iter().map(|sum| sum.ios).sum();
                    let cost = sums.iter().map(|sum| of_sum(*sum)).sum::<u64>() * self.margin_percent;
                    (ios > 0).then_some(Piece { tick, ios, cost: ceiled(cost) })
                };
                rows.iter().enumerate().filter_map(of_row).collect()
            }
            Form::Trace(ios) => {
                let mut runs = Runs::default();
                let mut of = |io: &Io| {
                    let before = if joins { runs.before(io) } else { 0 };
                    let cost = (of_io(before + io.bytes) - of_io(before)) * self.margin_percent;
                    Piece { tick: (io.at_us / 1_000_000 / self.tick_s) as usize, ios: 1, cost }
                };
                let pieces = ios.iter().map(&mut of).collect();
                if whole { by_tick(pieces) } else { pieces }
            }
        }
    }

    /// The file that fathom is given.
    pub fn text(&self) -> String {
        match &self.form {
            Form::Table(rows) => {
                let mut text = "time,reads,writes,read_bytes,write_bytes\n".to_owned();
                for (tick, row) in rows.iter().enumerate() {
                    let Some([read, write]) = row else { continue };
                    let at = EPOCH_S + tick as u64 * self.tick_s;
                    let _ = writeln!(text, "{at},{},{},{},{}", read.ios, write.ios, read.bytes, write.bytes);
                }
                text
            }
            Form::Trace(ios) => {
                let mut text = "time,op,offset,bytes\n".to_owned();
                for io in ios {
                    let (s, us) = (io.at_us / 1_000_000, io.at_us % 1_000_000);
                    let op = if io.writes { 'W' } else { 'R' };
                    let _ = writeln!(text, "{s}.{us:06},{op},{},{}", io.offset, io.bytes);
                }
                text
            }
        }
    }

    /// The words behind `fathom` that size it.
    pub fn words(&self, file: &str) -> Vec<String> {
        let mut words: Vec<String> = vec!["size".to_owned(), file.to_owned()];
        match self.form {
            Form::Table(_) => words.extend(["--values".to_owned(), "per-row".to_owned()]),
            Form::Trace(_) => {
                words
                    .extend(["--columns".to_owned(), "time=time,op=op,offset=offset,bytes=bytes".to_owned()]);
            }
        }
        let mut say = |name: &str, value: String| words.extend([name.to_owned(), value]);
        say("--size", format!("{}GiB", self.size_gib));
        say("--region", self.region.to_owned());
        say("--margin", format!("{}.{:02}", self.margin_percent / 100, self.margin_percent % 100));
        say("--late", format!("{}%", self.late_ppm as f64 / 10_000.0));
        say("--wait", format!("{}s", self.wait_s));
        if let Some(instance) = self.instance {
            say("--instance", instance.to_owned());
        }
        if let Some(current) = &self.current {
            say("--current", current.clone());
        }
        words
    }
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

/// A tick's I/Os as one piece, whose cost is a whole number.
fn by_tick(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut ticks: Vec<Piece> = Vec::new();
    for piece in pieces {
        match ticks.last_mut().filter(|last| last.tick == piece.tick) {
            Some(last) => (last.ios, last.cost) = (last.ios + piece.ios, last.cost + piece.cost),
            None => ticks.push(piece),
        }
    }
    ticks.iter_mut().for_each(|tick| tick.cost = tick.cost.next_multiple_of(100));
    ticks
}

/// Operations that a direction's I/Os of a tick count as.
fn units(sum: Sum, unit: u64, bound: Bound) -> u64 {
    if sum.ios == 0 {
        return 0;
    }
    match bound {
        Bound::Least => sum.bytes.div_ceil(unit).max(sum.ios),
        // Each I/O is a few whole units and one sector.
        Bound::Most => sum.ios + (sum.bytes.saturating_sub(512 * sum.ios)) / unit,
        Bound::Loose => sum.ios + sum.bytes.div_ceil(unit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_enclose_whatever_the_sizes_are() {
        let unit = MIB / 4;
        for sizes in [vec![4096, MIB], vec![unit; 3], vec![unit + 512, 512, 7 * unit + 512], vec![393_216; 5]]
        {
            let sum = Sum { ios: sizes.len() as u64, bytes: sizes.iter().sum() };
            let truth: u64 = sizes.iter().map(|bytes| bytes.div_ceil(unit)).sum();
            let of = |bound| units(sum, unit, bound);
            assert!(of(Bound::Least) <= truth && truth <= of(Bound::Most), "{sizes:?}");
            assert!(of(Bound::Most) <= of(Bound::Loose));
        }
        // Both are reached.
        let sum = Sum { ios: 3, bytes: 7 * unit + 3 * 512 };
        assert_eq!((units(sum, unit, Bound::Least), units(sum, unit, Bound::Most)), (8, 10));
        assert_eq!(units(Sum::default(), unit, Bound::Loose), 0);
    }

    #[test]
    fn a_trace_counts_each_io_by_itself() {
        let io = |at_us, bytes| Io { at_us, bytes, offset: 0, writes: false };
        let mut demand = even(&[io(0, 393_216), io(1_500_000, 512), io(1_600_000, MIB)]);
        demand.margin_percent = 130;
        let operations = demand.operations(Kind::Gp3, Counting::of(Bound::Least));
        let seen: Vec<_> = operations.iter().map(|piece| (piece.tick, piece.cost)).collect();
        assert_eq!(seen, [(0, 260), (1, 130), (1, 520)]);
        assert_eq!(demand.bytes(Kind::St1, Counting::of(Bound::Least))[1].cost, 130 * MIB);
        let whole = demand.operations(Kind::Gp3, Counting { whole: true, ..Counting::of(Bound::Least) });
        let seen: Vec<_> = whole.iter().map(|piece| (piece.tick, piece.ios, piece.cost)).collect();
        assert_eq!(seen, [(0, 1, 300), (1, 2, 700)]);
        assert_eq!(demand.text().lines().nth(2), Some("1.500000,R,0,512"));
        assert_eq!((demand.ticks(), demand.patience(), demand.allowed()), (2, 1, 0));
        let words = demand.words("f").join(" ");
        assert!(words.contains("--margin 1.30 --late 0.1% --wait 1s"), "{words}");
    }

    #[test]
    fn disks_join_what_follows_and_ssds_do_not() {
        let io = |offset, writes| Io { at_us: 0, bytes: MIB / 4, offset, writes };
        let ios = [
            io(0, false),
            io(MIB / 4, false),
            io(MIB / 2, false),
            io(MIB * 3 / 4, false),
            io(MIB, false),
            io(MIB * 5 / 4, true),
        ];
        let mut runs = Runs::default();
        assert_eq!(ios.map(|io| runs.before(&io)), [0, MIB / 4, MIB / 2, MIB * 3 / 4, MIB, 0]);
        let mut demand = even(&ios);
        let cost = |demand: &Demand, kind, joins| {
            let counting = Counting { joins, ..Counting::of(Bound::Least) };
            demand.operations(kind, counting).iter().map(|piece| piece.cost / 100).sum::<u64>()
        };
        assert_eq!((cost(&demand, Kind::St1, true), cost(&demand, Kind::St1, false)), (3, 6));
        demand.margin_percent = 200;
        assert_eq!((cost(&demand, Kind::St1, true), cost(&demand, Kind::Gp3, true)), (6, 12));
    }

    fn even(ios: &[Io]) -> Demand {
        Demand {
            name: "t".to_owned(),
            shape: "t",
            tick_s: 1,
            form: Form::Trace(ios.to_vec()),
            region: "us-east-1",
            instance: None,
            margin_percent: 100,
            late_ppm: 1000,
            wait_s: 1,
            size_gib: 1,
            current: None,
        }
    }
}
