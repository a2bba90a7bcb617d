//! `read_iolog`: the I/Os of a log again, at its times or one after the other.

use std::collections::BTreeMap;

use fathom_record::Workload;
use fathom_record::run_plan::RunPlan;
use fathom_record::workload::{
    Addresses, Arrival, Length, Mix, SizeShare, Sizes, SizesByDirection, TraceFit, TraceSource,
};

use super::Mapper;
use super::file_regions::{Place, Region, in_folder, split_names};
use crate::Refusal;
use crate::fio::fio_job::JobOption;
use crate::fio::read_iolog::IoLogFacts;

impl Mapper<'_> {
    /// The run of a job that replays; clones would replay all of the log each.
    pub(super) fn replay(&mut self, given: &JobOption, clones: u32) -> Result<Vec<RunPlan>, Refusal> {
        self.refuse_what_changes_a_log(clones)?;
        let name = given.text();
        let Some(log) = (self.around.log)(name).map_err(|refusal| given.refuse(refusal.to_string()))? else {
            self.hand_over(format!("read_iolog={name}: it is not a text of fio's; what blkparse prints of a trace is replayed by fathom run --replay"));
            return Ok(Vec::new());
        };
        self.refuse_what_a_log_holds(name, &log);
        let all = log.operations[0] + log.operations[1];
        let read_share = log.operations[0] as f64 / all.max(1) as f64;
        let mix = Mix { read_share, trim_share: 0.0, flush_every_writes: 0 };
        let (engine, options) = self.settings(&mix)?;
        let depth = self.depth()?;
        let block_bytes = log.block_bytes.max(512);
        let span_bytes = log.extent_bytes.next_multiple_of(block_bytes.max(4096));
        let region = Region::whole(span_bytes);
        let runtime = self.job.seconds_ns("runtime")?.filter(|ns| *ns > 0);
        let workload = Workload {
            mix,
            addresses: Addresses::Traced(TraceSource {
                file: name.to_owned(),
                device: None,
                columns: String::new(),
                fit: TraceFit::Wrap,
                extent_bytes: log.extent_bytes,
            }),
            offset_bytes: 0,
            span_bytes: region.span_bytes,
            alignment_bytes: Some(block_bytes),
            sizes: sizes(&log),
            data: self.data(&mix)?,
            arrival: self.times(&log)?,
            jobs: 1,
            depth,
            length: Length {
                time_ns: runtime,
                operations: Some(all),
                bytes: None,
                warmup_ns: self.job.seconds_ns("ramp_time")?.unwrap_or(0),
            },
            seed: self.seed()?,
            special: self.dropped_once()?,
        };
        self.refuse_what_cannot_run(&workload);
        let place = self.place_of(&log);
        let one = RunPlan { targets: Vec::new(), engine, workload, options };
        Ok(self.spread(one, &place, &region, 1))
    }

    /// Options that change what a replay does, beyond what a log says.
    fn refuse_what_changes_a_log(&mut self, clones: u32) -> Result<(), Refusal> {
        if clones > 1 {
            self.hand_over("read_iolog with clones: each would replay the whole log");
        }
        for (name, plain) in [("replay_scale", 1), ("replay_align", 0), ("loops", 1), ("thinktime", 0)] {
            let value = self.job.int(name)?.filter(|value| *value > plain);
            if let Some(value) = value {
                self.hand_over(format!("{name}={value} with read_iolog: a log is replayed as it is, once"));
            }
        }
        for name in ["rate", "rate_iops", "verify"] {
            if self.job.text(name).is_some_and(|value| value != "0") {
                self.hand_over(format!(
                    "{name} with read_iolog: a log says when its I/Os start, and holds no data"
                ));
            }
        }
        if self.job.flag("time_based", false)? {
            self.hand_over("time_based with read_iolog: a log is replayed once");
        }
        Ok(())
    }

    fn refuse_what_a_log_holds(&mut self, name: &str, log: &IoLogFacts) {
        if log.operations == [0, 0] {
            self.hand_over(format!("read_iolog={name}: no read or write is in it"));
        }
        if log.others > 0 {
            self.hand_over(format!(
                "read_iolog={name}: {} trims, flushes or waits are in it, and only reads and writes are replayed",
                log.others
            ));
        }
        if log.odd > 0 {
            self.hand_over(format!(
                "read_iolog={name}: {} I/Os without a size, or above 1 GiB, are in it",
                log.odd
            ));
        }
        if log.block_bytes < 512 {
            self.hand_over(format!("read_iolog={name}: not all of its I/Os are multiples of 512 bytes"));
        }
    }

    /// When the I/Os of a log start.
    fn times(&mut self, log: &IoLogFacts) -> Result<Arrival, Refusal> {
        if !log.timed || self.job.flag("replay_no_stall", false)? {
            return Ok(Arrival::Closed);
        }
        let percent = self.job.int("replay_time_scale")?.unwrap_or(100).max(1);
        Ok(Arrival::Traced { speed: percent as f64 / 100.0 })
    }

    /// The file that a log names, or the one that stands for all of its files.
    fn place_of(&mut self, log: &IoLogFacts) -> Place {
        let is_null = self.is_null();
        let redirect = self.job.text("replay_redirect").filter(|name| !name.is_empty());
        if log.files.len() > 1 {
            self.hand_over(format!(
                "read_iolog: {} files are in the log, and one is replayed",
                log.files.len()
            ));
        }
        let name = redirect.or(log.files.first().map(String::as_str)).unwrap_or_default();
        let folders = split_names(self.job.text("directory").unwrap_or_default());
        let file = if is_null { "null:".to_owned() } else { in_folder(folders.first(), name) };
        Place { files: vec![vec![file]], same: 1, is_null }
    }
}

/// What the sizes of a log are, of each direction that it has.
fn sizes(log: &IoLogFacts) -> SizesByDirection {
    let of = |direction: usize| {
        let (least, most) = log.extremes[direction]?;
        let counts: &BTreeMap<u64, u64> = &log.sizes[direction];
        if least == most {
            return Some(Sizes::Fixed { bytes: least });
        }
        if counts.is_empty() {
            let step_bytes = log.block_bytes.max(512);
            return Some(Sizes::Range { min_bytes: least, max_bytes: most, step_bytes });
        }
        let all = log.operations[direction].max(1) as f64;
        let share = |(&bytes, &count): (&u64, &u64)| SizeShare { bytes, share: count as f64 / all };
        Some(Sizes::Split { shares: counts.iter().map(share).collect() })
    };
    let [read, write] = [0, 1].map(of);
    let either = read.clone().or(write.clone()).unwrap_or(Sizes::Fixed { bytes: 4096 });
    SizesByDirection {
        read: read.unwrap_or_else(|| either.clone()),
        write: write.unwrap_or_else(|| either.clone()),
        trim: either,
        own_alignment: false,
        rewrites_trimmed: false,
    }
}
