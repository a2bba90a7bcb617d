//! How long a job goes on: time, bytes, loops.

use fathom_record::workload::Length;

use super::Mapper;
use super::direction::Kind;
use super::file_regions::Region;
use crate::Refusal;
use crate::fio::fio_job::Job;
use crate::fio::value::{self, Size};

/// Time after its group's start at which a job begins; of a range, its start.
pub(super) fn start_after_ns(job: &Job) -> Result<u64, Refusal> {
    let read = |text: &str| value::time_ns(text.split('-').next().unwrap_or(text), true);
    Ok(job.read("startdelay", read)?.unwrap_or(0))
}

impl Mapper<'_> {
    /// The length of one clone.
    pub(super) fn length(&mut self, region: &Region, kind: &Kind) -> Result<Length, Refusal> {
        let time_ns = self.job.seconds_ns("runtime")?.filter(|ns| *ns > 0);
        let time_based = self.job.flag("time_based", false)?;
        let warmup_ns = self.job.seconds_ns("ramp_time")?.unwrap_or(0);
        // Each byte is trimmed and then written, and counts twice.
        let times = if kind.rewrites_trimmed() { 2 } else { 1 };
        let operations = self.job.int("number_ios")?.filter(|ios| *ios > 0);
        let operations = operations.map(|ios| ios.saturating_mul(times));
        if time_based && time_ns.is_some() {
            return Ok(Length { time_ns, operations, bytes: None, warmup_ns });
        }
        if time_based {
            self.warn("time_based: without a runtime the job ends after its size, as in fio");
        }
        if self.job.last("startdelay").is_some_and(|given| given.text().contains('-')) {
            self.warn("startdelay: of a range, its shortest delay is taken");
        }
        let loops = self.job.int("loops")?.unwrap_or(1).max(1);
        let bytes = self.io_bytes(region)?.map(|bytes| bytes.saturating_mul(loops).saturating_mul(times));
        if bytes.is_none() && time_ns.is_none() && operations.is_none() && !self.is_done {
            self.hand_over("its length follows from the target, which is not here: give size or runtime");
        }
        if warmup_ns > 0 && bytes.is_some() {
            self.warn("ramp_time: what the warm-up moves counts towards the job's size");
        }
        Ok(Length { time_ns, operations, bytes: bytes.filter(|bytes| *bytes > 0), warmup_ns })
    }

    /// Bytes that one loop moves.
    pub(super) fn io_bytes(&self, region: &Region) -> Result<Option<u64>, Refusal> {
        let all = region.pass_bytes;
        let kilo = self.kilo;
        Ok(match self.job.read("io_size", |text| value::size(text, kilo))? {
            None | Some(Size::Bytes(0)) => all,
            Some(Size::Bytes(bytes)) => Some(bytes),
            Some(percent) => all.map(|all| percent.of(all)),
        })
    }
}
