//! Some rows of a table that is read by columns, on their way into runs of one volume each. What each row of a volume
//! says alike is looked at once.

use std::ops::Range;

use super::column_cell::{Cell, Cells};
use super::run_builder::{RowGatherer, SizeCell};
use super::{Layout, RunSink};
use crate::Interval;

/// The columns of some rows. Of one that the table has not, there are no words or no sizes.
#[derive(Debug)]
pub struct RowBlock<'a> {
    /// Which column means what.
    pub layout: &'a Layout,
    /// Times, in nanoseconds since 1970.
    pub times: &'a Cells<i64>,
    /// Reads, writes, bytes read and bytes written.
    pub flows: [&'a Cells<f64>; 4],
    /// Sizes, in the column's unit.
    pub sizes: Option<&'a Cells<f64>>,
    /// What volumes are today.
    pub current: Vec<&'a [u8]>,
    /// Instances.
    pub instance: Vec<&'a [u8]>,
    /// What volumes are added up with.
    pub group: Vec<&'a [u8]>,
}

impl RowBlock<'_> {
    /// Puts the rows of one volume, whose name the gatherer has, into its run.
    pub fn put<T: RunSink>(&self, span: Range<usize>, gather: &mut RowGatherer<'_, T>) {
        let [reads, writes, read_bytes, write_bytes] = self.flows.map(Cells::whole);
        let (Some(times), Some(reads), Some(writes), Some(read_bytes), Some(write_bytes)) =
            (self.times.whole(), reads, writes, read_bytes, write_bytes)
        else {
            return self.put_one_by_one(span, gather);
        };
        let (reads, writes) = (&reads[span.clone()], &writes[span.clone()]);
        let bytes = read_bytes[span.clone()].iter().zip(&write_bytes[span.clone()]);
        let rows = times[span.clone()].iter().zip(reads.iter().zip(writes)).zip(bytes);
        gather.intervals(rows.map(|((end_ns, (reads, writes)), (read_bytes, write_bytes))| Interval {
            end_ns: *end_ns,
            reads: *reads,
            writes: *writes,
            read_bytes: *read_bytes,
            write_bytes: *write_bytes,
        }));
        if !self.has_facts() {
            return;
        }
        // A size that is no number is counted row by row.
        let sizes_are_whole = self.sizes.is_none_or(|sizes| sizes.whole().is_some());
        let mut alike = span.start;
        for row in span.clone() {
            // Of rows that say the same only the latest counts.
            if row + 1 < span.end && self.says_the_same(row, row + 1) {
                continue;
            }
            if sizes_are_whole {
                self.put_facts(times[alike..=row].iter().copied().max(), row, gather);
            } else {
                (alike..=row).for_each(|row| self.put_facts(Some(times[row]), row, gather));
            }
            alike = row + 1;
        }
    }

    /// The same where cells have no value.
    fn put_one_by_one<T: RunSink>(&self, span: Range<usize>, gather: &mut RowGatherer<'_, T>) {
        for row in span {
            let at_ns = gather.demand(self.times.get(row), self.flows.map(|flow| flow.get(row)));
            if self.has_facts() {
                self.put_facts(at_ns, row, gather);
            }
        }
    }

    fn has_facts(&self) -> bool {
        let words = [&self.current, &self.instance, &self.group];
        self.sizes.is_some() || words.into_iter().any(|words| !words.is_empty())
    }

    fn says_the_same(&self, row: usize, next: usize) -> bool {
        let words = |column: &[&[u8]]| column.is_empty() || is_same(column[row], column[next]);
        words(&self.current)
            && words(&self.instance)
            && words(&self.group)
            && self.sizes.is_none_or(|sizes| sizes.get(row) == sizes.get(next))
    }

    fn put_facts<T: RunSink>(&self, at_ns: Option<i64>, row: usize, gather: &mut RowGatherer<'_, T>) {
        let size = match self.sizes.map(|sizes| sizes.get(row)) {
            None | Some(Cell::Empty) => SizeCell::Empty,
            Some(Cell::Value(size)) => SizeCell::Gib(self.layout.gib(size)),
            Some(Cell::Wrong) => SizeCell::Wrong,
        };
        fn words<'a>(column: &[&'a [u8]], row: usize) -> &'a [u8] {
            column.get(row).copied().unwrap_or_default()
        }
        gather.facts(at_ns, size, words(&self.current, row), words(&self.instance, row));
        if let Some(group) = self.group.get(row) {
            gather.group(at_ns, group);
        }
    }
}

/// Rows of one volume that follow each other, with its name; of a table without names all are of one.
pub fn spans<'n>(names: &[&'n [u8]], rows: usize) -> Vec<(&'n [u8], Range<usize>)> {
    if names.is_empty() {
        return vec![(&[], 0..rows)];
    }
    let mut from = 0;
    let span = |alike: &[&'n [u8]]| {
        let span = from..from + alike.len();
        from = span.end;
        (alike[0], span)
    };
    names.chunk_by(|a, b| is_same(a, b)).map(span).collect()
}

/// Words of a dictionary are the same bytes in memory.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    std::ptr::eq(a, b) || a == b
}

#[cfg(test)]
mod tests {
    use super::super::{Interest, Run};
    use super::*;
    use crate::Hints;

    #[derive(Default)]
    struct All(Vec<Run>);

    impl RunSink for All {
        fn interest(&self, _: &[u8]) -> Interest {
            Interest::Rows
        }

        fn take(&mut self, run: Run) {
            self.0.push(run);
        }
    }

    #[test]
    fn rows_together_are_the_same_as_rows_one_by_one() {
        let names: Vec<String> =
            "volume,time,reads,writes,read_bytes,write_bytes,size,current,instance_type,team"
                .split(',')
                .map(str::to_owned)
                .collect();
        let hints = Hints { columns: "by=tag:team", values: Some(crate::Values::PerRow), ..Hints::default() };
        let layout = Layout::find(&names, &hints).unwrap();
        let rows = 500usize;
        let mut times = Cells::default();
        // Times go back now and then, and some come twice.
        times.fill((0..rows as i64).map(|row| (row - row % 7 * 3) * 1_000_000_000), |_| true);
        let mut flow = Cells::default();
        flow.fill((0..rows).map(|row| row as f64), |_| true);
        let words = |period: usize, all: [&'static [u8]; 3]| -> Vec<&'static [u8]> {
            (0..rows).map(|row| all[row / period % 3]).collect()
        };
        for (sizes_period, wrong) in [(90, false), (1, false), (60, true)] {
            let mut sizes = Cells::default();
            sizes.fill((0..rows).map(|row| [100.0, 200.0, 300.0][row / sizes_period % 3]), |_| true);
            if wrong {
                sizes.fill((0..rows).map(|row| if row % 50 == 0 { f64::NAN } else { 100.0 }), |size| {
                    size > 0.0
                });
                sizes.empty_where((0..rows).map(|row| row % 70 != 3));
            }
            let block = RowBlock {
                layout: &layout,
                times: &times,
                flows: [&flow; 4],
                sizes: Some(&sizes),
                current: words(40, [b"gp3", b"", b"gp2"]),
                instance: words(200, [b"m5.large", b"m5.large", b"r6i.large"]),
                group: words(33, [b"a", b"b", b""]),
            };
            let mut runs = Vec::new();
            for together in [true, false] {
                let mut all = All::default();
                let mut gather = RowGatherer::new(&mut all);
                for (name, span) in [(b"v", 0..250), (b"w", 250..rows)] {
                    gather.rows(name, span.len() as u64);
                    match together {
                        true => block.put(span, &mut gather),
                        false => block.put_one_by_one(span, &mut gather),
                    }
                }
                gather.finish();
                runs.push(all.0);
            }
            assert_eq!(runs[0], runs[1], "{sizes_period}");
            assert_eq!((runs[0].len(), runs[0][0].rows, runs[0][1].intervals.len()), (2, 250, 250));
            assert!(runs[0][0].current.has_changed() && runs[0][0].size_gib.get().is_some());
        }
    }

    #[test]
    fn names_that_follow_each_other_are_one_span() {
        let names: [&[u8]; 5] = [b"a", b"a", b"", b"b", b"a"];
        let found = spans(&names, 5);
        let of =
            |found: &[(&[u8], Range<usize>)]| found.iter().map(|(_, span)| span.clone()).collect::<Vec<_>>();
        assert_eq!(of(&found), [0..2, 2..3, 3..4, 4..5]);
        let whole = 0..9;
        assert_eq!(of(&spans(&[], 9)), std::slice::from_ref(&whole));
    }
}
