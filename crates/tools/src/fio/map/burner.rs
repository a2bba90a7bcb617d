//! `ioengine=cpuio`: threads that use processors beside the jobs that do I/O.

use super::Mapper;
use crate::Refusal;

/// One busy stretch where none is given, as in fio.
const CHUNK_US: u64 = 50_000;

/// A job that burns processor time and does no I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burner {
    /// Threads, one a clone.
    pub threads: u32,
    /// Share of a processor that each uses, in percent, 1 to 100.
    pub load_percent: u32,
    /// Length of one busy stretch.
    pub chunk_ns: u64,
    /// Whether it sorts numbers, and does not only wait for the time to pass.
    pub sorts: bool,
    /// When it ends, at the latest.
    pub time_ns: Option<u64>,
    /// Whether it ends with the jobs that do I/O beside it.
    pub ends_with_io: bool,
}

impl Mapper<'_> {
    /// Whether the job burns processor time.
    pub(super) fn is_burner(&self) -> bool {
        self.engine.is_some_and(|row| row.burns_time)
    }

    pub(super) fn burner(&mut self, threads: u32) -> Result<Burner, Refusal> {
        let load = self.job.int("cpuload")?.unwrap_or(0);
        if load == 0 {
            let job = self.job.last("cpuload").or(self.job.last("ioengine"));
            let given = job.expect("the engine was named to come here");
            return Err(given.refuse("cpuio needs a cpuload from 1 to 100, as in fio"));
        }
        let sorts = match self.job.text("cpumode") {
            None | Some("noop") => false,
            Some("qsort") => true,
            Some(other) => {
                let given = self.job.last("cpumode").expect("it was read to come here");
                return Err(given.refuse(format!("`{other}` is neither noop nor qsort")));
            }
        };
        let time_ns = self.job.seconds_ns("runtime")?.filter(|ns| *ns > 0);
        let ends_with_io = self.job.flag("exit_on_io_done", false)?;
        if time_ns.is_none() && !ends_with_io {
            self.hand_over("ioengine=cpuio without runtime and exit_on_io_done would never end");
        }
        let chunk_us = self.job.int("cpuchunks")?.unwrap_or(CHUNK_US).max(1);
        self.warn("ioengine=cpuio: its threads are not a job of the results; what they used is stated here");
        Ok(Burner {
            threads,
            load_percent: load.min(100) as u32,
            chunk_ns: chunk_us.saturating_mul(1000),
            sorts,
            time_ns,
            ends_with_io,
        })
    }
}
