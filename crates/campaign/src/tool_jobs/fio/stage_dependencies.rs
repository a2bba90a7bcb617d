//! What the runs of a stage have to do with one another: who waits, who ends whom, who holds back for whom.

use std::collections::BTreeMap;
use std::sync::Arc;

use fathom_engine::job::pace::{Flow, Share};
use fathom_plan::RunPlan;
use fathom_tools::fio::map::{ExitScope, MappedJob};

use crate::single_run::{ConcurrentRun, IoLog, Particulars, RunContext, Session};

/// The runs as parts of what goes on at once: with each stands the place of its job among all, and in the same order
/// its session, its log and what else is wanted of it.
pub fn parts<'a>(
    mapped: &'a [MappedJob],
    runs: &[(usize, &'a RunPlan)],
    sessions: impl Iterator<Item = &'a Session>,
    logs: &'a [Option<IoLog>],
    particulars: &'a [Particulars],
) -> Vec<ConcurrentRun<'a>> {
    let places = |wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
        (0..runs.len()).filter(|place| wanted(runs[*place].0)).collect()
    };
    // Within a stage a group goes from one job that begins a new one to the next.
    let group = |job: usize| mapped[..=job].iter().filter(|mapped| mapped.reporting.new_group).count();
    let mut flows: BTreeMap<u64, Arc<Flow>> = BTreeMap::new();
    let part = |((&(job, run), session), (log, particulars))| -> ConcurrentRun<'a> {
        let asked: &'a MappedJob = &mapped[job];
        let run: &'a RunPlan = run;
        let share = asked.flow.map(|flow| {
            let shared = flows.entry(flow.flow).or_default();
            Share::new(shared, flow.weight, run.workload.jobs, flow.pause_ns)
        });
        ConcurrentRun {
            session,
            workload: &run.workload,
            start_after_ns: asked.start_after_ns,
            waits_for: match &asked.waits_for {
                Some(name) => places(&|other| mapped[other].name == *name),
                None => Vec::new(),
            },
            ends: match asked.ends {
                ExitScope::Nobody => Vec::new(),
                ExitScope::Group => places(&|other| group(other) == group(job)),
                ExitScope::Stage | ExitScope::All => places(&|_| true),
            },
            context: RunContext {
                share,
                log: Option::as_ref(log),
                priorities: asked.priorities.as_ref(),
                particulars: Some(particulars),
                ..RunContext::default()
            },
        }
    };
    runs.iter().zip(sessions).zip(logs.iter().zip(particulars)).map(part).collect()
}
