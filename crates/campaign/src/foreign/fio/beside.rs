//! What the runs of a stage have to do with one another: who waits, who ends whom, who holds back for whom.

use std::collections::BTreeMap;
use std::sync::Arc;

use fathom_engine::job::pace::{Flow, Share};
use fathom_plan::RunPlan;
use fathom_tools::fio::map::{Ends, Mapped};

/// One entry a run.
pub struct Beside {
    /// Runs whose end it waits for, by their places.
    pub waits: Vec<Vec<usize>>,
    /// Runs that it ends when it ends.
    pub ends: Vec<Vec<usize>>,
    /// Its jobs' share of a flow.
    pub shares: Vec<Option<Share>>,
}

impl Beside {
    /// What the jobs say; of each run, the place of its job among all.
    pub fn of(mapped: &[Mapped], runs: &[(usize, &RunPlan)]) -> Self {
        let places = |wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..runs.len()).filter(|place| wanted(runs[*place].0)).collect()
        };
        let waits = |job: usize| match &mapped[job].waits_for {
            Some(name) => places(&|other| mapped[other].name == *name),
            None => Vec::new(),
        };
        // Within a stage a group goes from one job that begins a new one to the next.
        let group = |job: usize| mapped[..=job].iter().filter(|mapped| mapped.reporting.new_group).count();
        let ends = |job: usize| match mapped[job].ends {
            Ends::Nobody => Vec::new(),
            Ends::Group => places(&|other| group(other) == group(job)),
            Ends::Stage | Ends::All => places(&|_| true),
        };
        let mut flows: BTreeMap<u64, Arc<Flow>> = BTreeMap::new();
        let mut share = |job: usize, run: &RunPlan| {
            let asked = mapped[job].flow?;
            let flow = flows.entry(asked.flow).or_default();
            Some(Share::new(flow, asked.weight, run.workload.jobs, asked.pause_ns))
        };
        Self {
            waits: runs.iter().map(|(job, ..)| waits(*job)).collect(),
            ends: runs.iter().map(|(job, ..)| ends(*job)).collect(),
            shares: runs.iter().map(|(job, run)| share(*job, run)).collect(),
        }
    }
}
