//! Sessions whose runs several clients carry, all at once.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use fathom_engine::engine_kinds::EngineKind;
use fathom_engine::job::allowed_cpus;
use fathom_engine::{EngineError, ErrorKind};
use fathom_measure::WallClock;
use fathom_plan::{KnownLimits, PlanSource, RawPlan, RunPlan};
use fathom_record::{RunRecord, Workload};

use super::session::{RunContext, Session, SessionPlan};
use super::targets::Targets;
use crate::clients::{AgentCrew, OpenedTarget};
use crate::error::CampaignError;
use crate::progress::Progress;

impl Session {
    /// Starts the agents and has them open the targets. What is known of target and machine is what the first of them
    /// has there.
    ///
    /// # Errors
    /// When a client cannot be reached, or refuses.
    pub(super) fn of_clients(
        plan: &SessionPlan<'_>,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Self, CampaignError> {
        let (clock, clock_facts) = WallClock::start();
        // What is done comes with each run.
        let any = RawPlan { target: Some(plan.plan.targets.clone()), ..RawPlan::default() };
        let workload = PlanSource::from_flags(any).resolve(plan.seed)?.workload;
        let whole = RunPlan { workload, ..plan.plan.clone() };
        let (crew, opened) = AgentCrew::start(&whole, plan.needs, progress, stop)?;
        let OpenedTarget { target, engine, environment } = opened;
        let unknown = || {
            let cause = format!("engine `{engine}` of the first client is not known here");
            EngineError::new(ErrorKind::UnknownEngine, "starting the clients", cause)
        };
        let engine = EngineKind::named(&engine).ok_or_else(unknown)?;
        let mut session = Self {
            targets: Targets::elsewhere(target),
            engine,
            clock,
            clock_facts,
            environment,
            ceilings: Vec::new(),
            ceiling_notes: Vec::new(),
            allowed: allowed_cpus(),
            plan: whole,
            literal: false,
            opening_notes: Vec::new(),
            left: None,
            crew: Some(Mutex::new(crew)),
        };
        session.set_known_limits(&KnownLimits::default())?;
        progress.opened(session.target());
        Ok(session)
    }

    /// How many clients carry each run; 1 for this process alone.
    pub fn clients(&self) -> u32 {
        self.plan.options.measuring().count().max(1) as u32
    }

    /// Has the clients run a workload, each the whole of it, and adds them up.
    ///
    /// # Errors
    /// When it is more than a plain run, or as [`AgentCrew::run`].
    pub(super) fn by_clients(
        &self,
        crew: &Mutex<AgentCrew>,
        workload: &Workload,
        context: RunContext<'_>,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<RunRecord, CampaignError> {
        if !context.is_alone() {
            let cause = "several clients carry plain runs alone";
            return Err(EngineError::new(ErrorKind::Plan, "running several clients", cause)
                .with_remedy("leave the clients out")
                .into());
        }
        workload.validate()?;
        let plan = RunPlan { workload: workload.clone(), ..self.plan.clone() };
        let mut record = crew.lock().unwrap_or_else(PoisonError::into_inner).run(&plan, progress, stop)?;
        record.campaign = context.campaign;
        record.ceilings.extend(self.ceilings().iter().cloned());
        Ok(record)
    }
}
