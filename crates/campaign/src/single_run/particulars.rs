//! What somebody wants of a run beyond its record: each job by itself, and each I/O.

use std::sync::{Arc, Mutex, PoisonError};

use fathom_engine::job::{Account, Accounts, JobPlan, LiveAccounts, Measurement};
use fathom_engine::tap::Listener;
use fathom_record::EndedIo;

use super::sample_log::SampleLog;

/// Takes it in while the run goes on.
#[derive(Debug)]
pub struct Particulars {
    accounts: Accounts,
    samples: Option<SampleLog>,
    live: Option<Arc<LiveAccounts>>,
    told: Mutex<JobDetails>,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct JobDetails {
    /// Each job's, in their order.
    pub accounts: Vec<Account>,
    /// The I/Os of each job, where they were wanted.
    pub samples: Vec<Vec<EndedIo>>,
    /// I/Os that there was no room for among the samples.
    pub lost: u64,
    /// Start of the window on the run's clock, in nanoseconds.
    start_ns: u64,
}

impl JobDetails {
    /// Of a run that goes on: what its jobs did until now.
    pub fn of(accounts: Vec<Account>) -> Self {
        Self { accounts, ..Self::default() }
    }
}

impl Particulars {
    /// Of each job; with the latencies of each second, and with each I/O, where that is wanted.
    pub fn new(latencies: bool, samples: bool) -> Self {
        let accounts = if latencies { Accounts::WithLatencies } else { Accounts::Counts };
        Self { accounts, samples: samples.then(SampleLog::default), live: None, told: Mutex::default() }
    }

    /// Also shows what the jobs have done, while the run goes on.
    pub fn shown(self) -> Self {
        Self { live: Some(Arc::default()), ..self }
    }

    /// What the jobs have done until now, where it is shown.
    pub fn live(&self) -> Option<Arc<LiveAccounts>> {
        self.live.clone()
    }

    pub(super) fn accounts(&self) -> Accounts {
        self.accounts
    }

    pub(super) fn listens(&self) -> bool {
        self.samples.is_some()
    }

    pub(super) fn listener(&self, plan: &JobPlan) -> Option<Listener> {
        self.samples.as_ref().map(|samples| samples.listener(plan))
    }

    /// Runs the jobs, and keeps what is heard of them.
    pub(super) fn beside<T>(&self, run: impl FnOnce() -> T) -> T {
        match &self.samples {
            Some(samples) => samples.beside(run),
            None => run(),
        }
    }

    /// Takes in what was measured.
    pub(super) fn take(&self, measured: &mut Measurement) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.accounts = std::mem::take(&mut measured.accounts);
        told.start_ns = measured.timeline.origin_ns.saturating_add(measured.timeline.warmup_ns);
    }

    /// All of it, when the run is over.
    pub fn finish(self) -> JobDetails {
        let mut told = self.told.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(samples) = self.samples {
            (told.samples, told.lost) = samples.finish(told.accounts.len(), told.start_ns);
        }
        told
    }
}
