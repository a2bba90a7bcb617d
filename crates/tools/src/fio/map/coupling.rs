//! What a job does to those that run at the same time: it ends them, or holds back for them.

use fathom_record::options::FlowShare;

use super::{MappedJob, Mapper};
use crate::Refusal;
use crate::fio::value;

/// Whom a job ends when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitScope {
    /// Nobody.
    Nobody,
    /// The jobs of its group.
    Group,
    /// All jobs that run with it.
    Stage,
    /// These, and the jobs behind them never begin.
    All,
}

/// Lets `exitall` of one job count for the whole command, as it does in fio: each job that ends then ends others, those
/// that its own `exit_what` names. Without it none does.
pub fn spread_exitall(mapped: &mut [MappedJob]) {
    if !mapped.iter().any(|job| job.exitall) {
        mapped.iter_mut().for_each(|job| job.ends = ExitScope::Nobody);
    }
}

impl Mapper<'_> {
    /// Whom the job ends where a job of the command has `exitall`.
    pub(super) fn ends(&mut self) -> Result<ExitScope, Refusal> {
        match self.job.text("exit_what") {
            None | Some("group") => Ok(ExitScope::Group),
            Some("stonewall") => Ok(ExitScope::Stage),
            Some("all") => Ok(ExitScope::All),
            Some(other) => {
                let given = self.job.last("exit_what").expect("it was read to come here");
                Err(given.refuse(format!("`{other}` is none of group, stonewall and all")))
            }
        }
    }

    pub(super) fn flow(&mut self) -> Result<Option<FlowShare>, Refusal> {
        let Some(given) = self.job.last("flow") else { return Ok(None) };
        let weight = match given.text().strip_prefix('-') {
            None => value::int(given.text())
                .and_then(|w| u32::try_from(w).map_err(|_| "a weight is below 2^32".into())),
            // fio 3 keeps a weight in 32 bits without a sign.
            Some(text) => value::int(text)
                .and_then(|w| u32::try_from(w).map_err(|_| "a weight is below 2^32".into()))
                .map(u32::wrapping_neg),
        };
        let weight = weight.map_err(|fault| given.refuse(fault))?;
        if weight == 0 {
            return Ok(None);
        }
        if given.text().starts_with('-') {
            self.warn(format!(
                "flow={}: a weight of {weight}, as in fio 3, where weights have no sign",
                given.text()
            ));
        }
        let pause_us = self.job.int("flow_sleep")?.unwrap_or(0);
        let flow = self.job.int("flow_id")?.unwrap_or(0);
        Ok(Some(FlowShare { flow, weight, pause_ns: pause_us.saturating_mul(1000) }))
    }

    /// The file for the sequence of I/Os.
    pub(super) fn iolog(&mut self, clones: u32) -> Option<String> {
        let name = self.job.text("write_iolog")?.to_owned();
        if clones > 1 {
            self.hand_over("write_iolog with clones: they would write over one another in one file");
        }
        Some(name)
    }
}
