//! Dumps of Prometheus as runs of rows: each disk of each machine is a volume.
//!
//! The four counters of a disk may lie in four files, and its days in others. So all dumps are one piece: their
//! points are in memory together, the text of one file at a time beside them.

use fathom_rows::demand_tables::{Interest, Run, RunSink};
use fathom_tools::Refusal;

use crate::prometheus::{Disks, recognise};

/// Dumps whose points are held.
#[derive(Debug, Default)]
pub struct Dumps {
    disks: Disks,
}

impl Dumps {
    /// Adds the text of a dump.
    ///
    /// # Errors
    /// When it is none.
    pub fn add(&mut self, text: &[u8]) -> Result<(), Refusal> {
        self.disks.add(text)
    }

    /// Hands over a run for each disk.
    pub fn read(&self, taker: &mut impl RunSink) {
        for disk in self.disks.all() {
            let volume = match disk.instance {
                "" => disk.device.to_owned(),
                instance => format!("{instance}/{}", disk.device),
            };
            let mut run = Run { rows: disk.points(), ..Run::default() };
            if taker.interest(volume.as_bytes()) == Interest::Rows {
                match disk.intervals() {
                    Ok((intervals, notes)) => (run.intervals, run.notes) = (intervals, notes),
                    Err(refusal) => run.trouble = Some(refusal.cause),
                }
            }
            taker.take(Run { volume, ..run });
        }
    }
}

/// Whether a file that begins so is a dump.
pub fn is_dump(start: &[u8]) -> bool {
    let start = start.trim_ascii_start();
    matches!(start.first(), Some(b'{' | b'[')) && recognise(&String::from_utf8_lossy(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct All(Vec<Run>);

    impl RunSink for All {
        fn interest(&self, volume: &[u8]) -> Interest {
            if volume == b"db2:9100/sda" { Interest::Name } else { Interest::Rows }
        }

        fn take(&mut self, run: Run) {
            self.0.push(run);
        }
    }

    /// One counter of one disk, which grows by so many a point from one minute to another.
    fn series(name: &str, instance: &str, minutes: std::ops::Range<i64>, grows: i64) -> String {
        let points: Vec<String> = minutes
            .map(|minute| format!("[{},\"{}\"]", 1_700_000_000 + minute * 60, minute * grows))
            .collect();
        format!(
            "{{\"metric\":{{\"__name__\":\"node_disk_{name}_total\",\"device\":\"sda\",\"instance\":\"{instance}\"}},\"values\":[{}]}}",
            points.join(",")
        )
    }

    #[test]
    fn disks_are_joined_over_counters_and_days_in_any_order_of_files() {
        let names = ["reads_completed", "writes_completed", "read_bytes", "written_bytes"];
        let mut dumps = Dumps::default();
        for minutes in [50..100, 0..50] {
            for (flow, name) in names.iter().enumerate() {
                let grows = if flow < 2 { 60 } else { 60 * 4096 };
                let of = |instance| series(name, instance, minutes.clone(), grows);
                let both = [of("db2:9100"), of("db1:9100")].join(",");
                let text = format!(
                    "{{\"status\":\"success\",\"data\":{{\"resultType\":\"matrix\",\"result\":[{both}]}}}}"
                );
                assert!(is_dump(text.as_bytes()));
                dumps.add(text.as_bytes()).unwrap();
            }
        }
        dumps.add(format!("[{}]", series("reads_completed", "db3:9100", 0..3, 1)).as_bytes()).unwrap();
        let mut all = All::default();
        dumps.read(&mut all);
        let seen: Vec<_> =
            all.0.iter().map(|run| (run.volume.as_str(), run.rows, run.intervals.len())).collect();
        assert_eq!(seen, [("db1:9100/sda", 100, 99), ("db2:9100/sda", 100, 0), ("db3:9100/sda", 3, 0)]);
        assert!(all.0[2].trouble.as_ref().unwrap().contains("missing: node_disk_writes_completed_total"));
        let demand = all.0[0].demand(fathom_rows::Values::PerRow).unwrap().demand;
        assert_eq!(
            (demand.tick_s, demand.read.operations, demand.write.bytes[7]),
            (60, vec![60; 99], 245_760)
        );
        assert!(dumps.add(b"{\"status\":\"error\",\"error\":\"no\"}").is_err() && !is_dump(b"volume,time"));
    }
}
