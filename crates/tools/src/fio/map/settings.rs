//! How runs go about their targets: engine, cache, durability, processors, and the depth that goes with the engine.

use fathom_record::engine_list::{EngineEntry, EngineRequirement};
use fathom_record::facts::TargetKind;
use fathom_record::options::{Durability, IoFlags};
use fathom_record::run_plan::RunOptions;
use fathom_record::workload::Mix;

use super::native::native;
use super::{EngineRow, Mapper, has_writes};
use crate::fio::fio_job::{Job, JobOption};
use crate::fio::value;
use crate::{Fault, Refusal};

/// Whether a job's I/O goes past the page cache: by the last one given of `direct` and `buffered`.
pub(crate) fn is_direct(job: &Job) -> Result<bool, Refusal> {
    match (job.rank("direct"), job.rank("buffered")) {
        (direct, buffered) if buffered > direct => Ok(!job.flag("buffered", true)?),
        (Some(_), _) => job.flag("direct", false),
        _ => Ok(false),
    }
}

impl Mapper<'_> {
    /// The engine of a job's runs, none where the job goes to fio, and how they go about their targets.
    pub(super) fn settings(&mut self, mix: &Mix) -> Result<(Option<String>, RunOptions), Refusal> {
        let engine = self.engine.and_then(|row| row.fathom);
        let entry = self.entry();
        // What is said of an engine is said of fathom's own of that name.
        let is_said =
            |row: &EngineRow| row.fathom.is_some_and(|name| native(name) == name) && !row.words.is_empty();
        if let Some(row) = self.engine.filter(|row| is_said(row)) {
            let words = format!("ioengine={}: {}", row.name, row.words);
            self.warn(words);
        }
        let options = RunOptions {
            direct: self.direct(entry)?,
            durable: self.durable()?.filter(|_| has_writes(mix)),
            polled: self.own_flag("hipri")? && !polls_by_call(entry),
            io_flags: self.io_flags(entry, has_writes(mix))?,
            // fio binds nothing unless it is told to.
            cpus: Some(self.cpus()?),
            keep: !self.job.flag("unlink", false)?,
            ..RunOptions::default()
        };
        if !options.io_flags.is_empty() {
            self.warn(format!(
                "flags on I/Os ({}): two reads of the first block before the run find out whether the kernel takes them",
                options.io_flags.names().join(", ")
            ));
        }
        Ok((engine.map(|name| native(name).to_owned()), options))
    }

    /// The last one of `direct` and `buffered` decides; passed-through commands know no cache.
    fn direct(&mut self, entry: Option<&EngineEntry>) -> Result<bool, Refusal> {
        let direct = self.is_direct()?;
        let Some(entry) = entry else { return Ok(direct) };
        if entry.through_cache && direct {
            self.warn("direct: a mapping is the page cache");
        }
        let has_cache =
            [TargetKind::File, TargetKind::BlockDevice].into_iter().any(|kind| entry.carries(kind));
        Ok(!entry.through_cache && (direct || !has_cache))
    }

    /// Whether the job asks for direct I/O.
    pub(super) fn is_direct(&self) -> Result<bool, Refusal> {
        is_direct(self.job)
    }

    /// An engine that does one I/O at a time has none more in flight, whatever is asked.
    pub(super) fn depth(&mut self) -> Result<u32, Refusal> {
        let depth = self.job.int("iodepth")?.unwrap_or(1).max(1);
        if depth > 1 && self.engine.is_some_and(EngineRow::does_one_at_a_time) {
            self.warn(format!("iodepth={depth}: the engine does one I/O at a time, in fio too"));
            return Ok(1);
        }
        Ok(u32::try_from(depth).unwrap_or(u32::MAX))
    }

    fn durable(&mut self) -> Result<Option<Durability>, Refusal> {
        let read = |text: &str| match text {
            "none" | "0" => Ok(None),
            "dsync" => Ok(Some(Durability::Data)),
            "sync" | "1" | "" => Ok(Some(Durability::All)),
            other => Err(format!("`{other}` is none of none, sync and dsync").into()),
        };
        let asked = self.job.read("sync", read)?.flatten();
        Ok(match asked {
            None if self.own_flag("writefua")? => Some(Durability::Data),
            asked => asked,
        })
    }

    /// A flag that counts only where it is of the job's engine.
    fn own_flag(&self, name: &str) -> Result<bool, Refusal> {
        match self.job.last(name).filter(|given| self.concerns(given)) {
            None => Ok(false),
            Some(JobOption { value: None, .. }) => Ok(true),
            Some(_) => self.job.flag(name, false),
        }
    }

    fn io_flags(&mut self, entry: Option<&EngineEntry>, writes: bool) -> Result<IoFlags, Refusal> {
        let mut flags = IoFlags::default();
        // Of single calls the flag goes with each; what comes of it is the kernel's.
        if self.own_flag("hipri")? && polls_by_call(entry) {
            flags.hipri = true;
            self.warn(
                "hipri: the flag goes with each call; kernels since 5.19 take it and do not poll for it",
            );
        }
        if self.own_flag("nowait")? {
            flags.nowait = true;
        }
        if self.own_flag("uncached")? {
            flags.dontcache = true;
        }
        if writes && self.job.flag("atomic", false)? {
            flags.atomic = true;
            if entry.is_some_and(|entry| !entry.takes(EngineRequirement::IoFlags)) {
                self.hand_over(
                    "atomic=1: fathom marks writes as atomic on engines aio, sync and uring alone",
                );
            }
        }
        Ok(flags)
    }

    fn cpus(&mut self) -> Result<Vec<u32>, Refusal> {
        if self.job.rank("cpumask") > self.job.rank("cpus_allowed") {
            let mask = self.job.int("cpumask")?.unwrap_or(0);
            return Ok((0..64).filter(|bit| mask >> bit & 1 == 1).collect());
        }
        Ok(self.job.read("cpus_allowed", processors)?.unwrap_or_default())
    }
}

/// A list as `0-3,6`.
fn processors(text: &str) -> Result<Vec<u32>, Fault> {
    const MOST: u64 = 4096;
    let mut list = Vec::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (from, to) = part.split_once(['-', ':']).unwrap_or((part, part));
        let (from, to) = (value::int(from)?, value::int(to)?);
        if from > to || to >= MOST {
            return Err(format!("`{part}` names no CPUs").into());
        }
        list.extend((from..=to).map(|number| number as u32));
    }
    Ok(list)
}

/// Whether the engine passes the flag that polls with each call.
fn polls_by_call(entry: Option<&EngineEntry>) -> bool {
    entry.is_some_and(|entry| entry.takes(EngineRequirement::Hipri))
}
