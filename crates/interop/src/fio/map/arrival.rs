//! Rates and pauses, for one clone.

use fathom_record::workload::{Arrival, Mix, SizesByDirection};

use super::{Mapper, has_reads, has_writes};
use crate::Refusal;
use crate::fio::value;

impl Mapper<'_> {
    /// fio caps each direction on its own; together that is one rate at the directions' shares.
    pub(super) fn arrival(&mut self, mix: &Mix, sizes: &SizesByDirection) -> Result<Arrival, Refusal> {
        let used = [
            (has_reads(mix), &sizes.read, mix.read_share),
            (has_writes(mix), &sizes.write, mix.write_share()),
            (mix.trim_share > 0.0, &sizes.trim, mix.trim_share),
        ];
        let mut rates = [None; 3];
        for name in ["rate", "rate_iops"] {
            let Some(given) = self.job.last(name).filter(|given| given.text() != "0") else { continue };
            for (at, part) in value::triple(given.text()).into_iter().enumerate() {
                let Some(part) = part.filter(|_| used[at].0) else { continue };
                let number = value::bytes(part.split('-').next().unwrap_or(part), self.kilo)
                    .map_err(|cause| given.refuse(cause))?;
                let bytes = if name == "rate" { used[at].1.mean_bytes() } else { 1.0 };
                rates[at] = Some(number as f64 / bytes).filter(|rate| *rate > 0.0);
            }
        }
        let known: Vec<(f64, f64)> = used
            .iter()
            .zip(rates)
            .filter(|(used, _)| used.0)
            .filter_map(|((_, _, share), rate)| Some((rate?, *share)))
            .collect();
        let pauses = self.pauses()?;
        if known.is_empty() {
            return Ok(pauses.unwrap_or(Arrival::Closed));
        }
        if pauses.is_some() {
            self.hand_over(
                "thinktime with a rate: fathom starts I/Os by the clock or after pauses, not both",
            );
        }
        // Each direction that has a cap slows the others down to its share.
        let rate_per_s = known.iter().map(|(rate, share)| rate / share).fold(f64::INFINITY, f64::min);
        match self.job.text("rate_process") {
            Some("poisson") => Ok(Arrival::Poisson { rate_per_s }),
            _ => Ok(Arrival::Constant { rate_per_s }),
        }
    }

    /// `thinktime`: after so many I/Os those in flight end and the job pauses.
    fn pauses(&mut self) -> Result<Option<Arrival>, Refusal> {
        let read = |text: &str| value::time_ns(text, false);
        let Some(pause_ns) = self.job.read("thinktime", read)?.filter(|ns| *ns > 0) else { return Ok(None) };
        let depth = self.job.int("iodepth")?.unwrap_or(1);
        if depth > 1 && self.job.text("thinktime_blocks_type") == Some("issue") {
            self.hand_over(
                "thinktime_blocks_type=issue: at a depth above 1 fathom counts the I/Os that ended",
            );
        }
        let after_operations = self.job.int("thinktime_blocks")?.unwrap_or(1).max(1);
        Ok(Some(Arrival::Pausing { after_operations, pause_ns }))
    }
}
