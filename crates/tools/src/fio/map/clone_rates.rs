//! Rates and pauses, for one clone.

use fathom_record::workload::{Arrival, Mix, SizesByDirection};

use super::{Mapper, has_reads, has_writes};
use crate::Refusal;
use crate::fio::value;

/// The same of so many clones in one run, each with rates of its own.
pub(super) fn of_clones(mut one: Arrival, clones: u32) -> Arrival {
    match &mut one {
        Arrival::Constant { rate_per_s } | Arrival::Poisson { rate_per_s } => {
            *rate_per_s *= f64::from(clones);
        }
        Arrival::PerDirection { read_per_s, write_per_s, .. } => {
            for rate in [read_per_s, write_per_s].into_iter().flatten() {
                *rate *= f64::from(clones);
            }
        }
        Arrival::Closed
        | Arrival::Pausing { .. }
        | Arrival::Ramp { .. }
        | Arrival::Steps { .. }
        | Arrival::Traced { .. } => {}
    }
    one
}

impl Mapper<'_> {
    /// fio caps each direction on its own, and not the flushes between writes. `depth` is what the engine keeps in flight,
    /// whatever the job asks for.
    pub(super) fn arrival(
        &mut self,
        mix: &Mix,
        sizes: &SizesByDirection,
        depth: u32,
    ) -> Result<Arrival, Refusal> {
        let rates = self.rates(mix, sizes)?;
        let pauses = self.pauses(depth)?;
        if rates.iter().all(Option::is_none) {
            return Ok(pauses.unwrap_or(Arrival::Closed));
        }
        if pauses.is_some() {
            self.hand_over(
                "thinktime with a rate: fathom starts I/Os by the clock or after pauses, not both",
            );
        }
        let poisson = self.job.text("rate_process") == Some("poisson");
        if has_reads(mix) && has_writes(mix) {
            let [read_per_s, write_per_s, _] = rates;
            return Ok(Arrival::PerDirection { read_per_s, write_per_s, poisson });
        }
        let shares = [mix.read_share, mix.write_share(), mix.trim_share];
        let known = rates.iter().zip(shares).filter_map(|(rate, share)| Some((*rate)? / share));
        let mut rate_per_s = known.fold(f64::INFINITY, f64::min);
        if mix.flush_every_writes > 0 {
            rate_per_s *= 1.0 + 1.0 / mix.flush_every_writes as f64;
        }
        Ok(if poisson { Arrival::Poisson { rate_per_s } } else { Arrival::Constant { rate_per_s } })
    }

    /// I/Os per second of each direction that is used and has a rate.
    fn rates(&mut self, mix: &Mix, sizes: &SizesByDirection) -> Result<[Option<f64>; 3], Refusal> {
        let used = [
            (has_reads(mix), &sizes.read),
            (has_writes(mix), &sizes.write),
            (mix.trim_share > 0.0, &sizes.trim),
        ];
        let mut rates = [None; 3];
        for name in ["rate", "rate_iops"] {
            let Some(given) = self.job.last(name) else { continue };
            for (at, part) in value::triple(given.text()).into_iter().enumerate() {
                let Some(part) = part.filter(|_| used[at].0) else { continue };
                let number = value::bytes(part.split('-').next().unwrap_or(part), self.kilo)
                    .map_err(|fault| given.refuse(fault))?;
                let bytes = if name == "rate" { used[at].1.mean_bytes() } else { 1.0 };
                // Of a rate in bytes and one in I/Os, fio takes the bytes.
                let rate = Some(number as f64 / bytes).filter(|rate| rate.is_finite() && *rate > 0.0);
                rates[at] = rates[at].or(rate);
            }
        }
        Ok(rates)
    }

    /// `thinktime`: after so many I/Os those in flight end and the job pauses. At depth 1 as many are issued as end.
    fn pauses(&mut self, depth: u32) -> Result<Option<Arrival>, Refusal> {
        let read = |text: &str| value::time_ns(text, false);
        let Some(pause_ns) = self.job.read("thinktime", read)?.filter(|ns| *ns > 0) else { return Ok(None) };
        if depth > 1 && self.job.text("thinktime_blocks_type") == Some("issue") {
            self.hand_over(
                "thinktime_blocks_type=issue: at a depth above 1 fathom counts the I/Os that ended",
            );
        }
        let after_operations = self.job.int("thinktime_blocks")?.unwrap_or(1).max(1);
        Ok(Some(Arrival::Pausing { after_operations, pause_ns }))
    }
}
