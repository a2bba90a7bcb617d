//! One open session for all cells that go about the same targets in the same way; none for those whose engine is a tool of
//! its own, which opens what it works on.

use std::sync::atomic::AtomicBool;

use fathom_record::environment_facts::Environment;
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_record::{RunRecord, Workload};

use crate::device_origins::Devices;
use crate::error::CampaignError;
use crate::external::{ToolEngine, run_external};
use crate::permits;
use crate::progress::Progress;
use crate::resumable_campaign::Runner;
use crate::single_run::Session;
use fathom_plan::RunPlan;

fn found(session: &Session) -> (TargetFacts, Environment) {
    (session.target().clone(), session.environment().clone())
}

/// Sessions, and which one each cell uses. A device that is written is held by one of them alone, so that sessions of
/// the same device are open in turn.
pub struct Sessions {
    manners: Vec<Vec<RunPlan>>,
    seed: u64,
    open: Vec<Option<Session>>,
    of_cell: Vec<usize>,
    targets: Vec<TargetFacts>,
    environment: Environment,
}

impl Sessions {
    /// Opens every target that the cells name, for all that any of its cells does to it. `devices` are those that
    /// the campaign began on.
    pub fn open(
        cells: &[RunPlan],
        seed: u64,
        devices: &Devices,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Self, CampaignError> {
        let mut cells = cells.to_vec();
        permits::to_each_its_own(&mut cells.iter_mut().collect::<Vec<_>>());
        let mut manners: Vec<Vec<RunPlan>> = Vec::new();
        let mut of_cell = Vec::with_capacity(cells.len());
        for plan in cells {
            let known = manners.iter().position(|known| known[0].goes_about_it_like(&plan));
            of_cell.push(known.unwrap_or(manners.len()));
            match known {
                Some(at) => manners[at].push(plan),
                None => manners.push(vec![plan]),
            }
        }
        let mut sessions = Self {
            seed,
            open: manners.iter().map(|_| None).collect(),
            of_cell,
            targets: Vec::with_capacity(manners.len()),
            environment: Environment::default(),
            manners,
        };
        // Each is opened once before anything is measured, so that a refusal comes first.
        for at in 0..sessions.manners.len() {
            sessions.ready(at, devices, progress, stop)?;
            let looked = match sessions.tool(at) {
                Some(tool) => Some(sessions.look_for(&tool, at, devices, progress, stop)?),
                None => sessions.open[at].as_ref().map(found),
            };
            if let Some((target, environment)) = looked {
                sessions.targets.push(target);
                if at == 0 {
                    sessions.environment = environment;
                }
            }
        }
        Ok(sessions)
    }

    /// The tool that carries the cells of a session in its place.
    fn tool(&self, at: usize) -> Option<ToolEngine> {
        let plan = self.manners[at].first().filter(|plan| plan.options.clients.is_empty())?;
        plan.engine.as_deref().and_then(ToolEngine::of)
    }

    /// What is known of the targets that a tool works on, which are opened for that alone: refused are those that it would
    /// be refused too.
    fn look_for(
        &self,
        tool: &ToolEngine,
        at: usize,
        devices: &Devices,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<(TargetFacts, Environment), CampaignError> {
        let plans = &self.manners[at];
        plans.iter().try_for_each(|plan| tool.check_options(plan))?;
        let targets = plans.first().map(|plan| plan.targets.as_slice()).unwrap_or_default();
        if !tool.works_here(targets) {
            let names = targets.join(" + ");
            return Ok((TargetFacts::named(names, TargetKind::Unknown), Environment::default()));
        }
        let ours: Vec<RunPlan> = plans.iter().map(|plan| RunPlan { engine: None, ..plan.clone() }).collect();
        let ours: Vec<&RunPlan> = ours.iter().collect();
        Ok(found(&Session::open_for_all(&ours, self.seed, devices, progress, stop)?))
    }

    /// Makes the run of a cell's step and saves it, by the cell's session, opened where it is not, or by its tool; `None`
    /// where it was stopped.
    ///
    /// # Errors
    /// When a target is refused, or the run cannot be made or saved.
    pub fn measure<P>(
        &mut self,
        runner: &mut Runner<'_, P>,
        (step, cell): (&str, usize),
        workload: &Workload,
        progress: &mut dyn Progress,
    ) -> Result<Option<RunRecord>, CampaignError> {
        let at = self.of_cell[cell];
        let opened = self.ready(at, runner.devices(), progress, runner.stop())?;
        if let Some(tool) = self.tool(at) {
            let (raw, stop) = (runner.store().raw_folder(), runner.stop());
            let plan = RunPlan { workload: workload.clone(), ..self.manners[at][0].clone() };
            let run = runner.step_by(step, |link| {
                let run = run_external(&plan, &tool, &raw, progress, stop)?;
                Ok(RunRecord { campaign: Some(link), ..run })
            })?;
            run.iter().for_each(|run| progress.saved(&run.id));
            return Ok(run);
        }
        let Some(session) = &self.open[at] else { return Ok(None) };
        if opened {
            runner.remember(session)?;
        }
        runner.step(step, (session, workload), progress)
    }

    /// Opens a session where it is not; whether it was not. Of what a tool works on nothing stays open.
    fn ready(
        &mut self,
        at: usize,
        devices: &Devices,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<bool, CampaignError> {
        if self.open[at].is_some() {
            return Ok(false);
        }
        let plans = &self.manners[at];
        let names: Vec<&str> = plans.iter().flat_map(|plan| &plan.targets).map(String::as_str).collect();
        for other in &mut self.open {
            let shares = |session: &Session| {
                session.origins().any(|(target, _)| names.contains(&target.to_string().as_str()))
            };
            if other.as_ref().is_some_and(shares) {
                *other = None;
            }
        }
        if self.tool(at).is_some() {
            return Ok(false);
        }
        let plans: Vec<&RunPlan> = self.manners[at].iter().collect();
        self.open[at] = Some(Session::open_for_all(&plans, self.seed, devices, progress, stop)?);
        Ok(true)
    }

    /// Those that are open.
    pub fn opened(&self) -> impl Iterator<Item = &Session> {
        self.open.iter().flatten()
    }

    /// The targets of all as they were first opened, in the order in which cells name them.
    pub fn targets(&self) -> &[TargetFacts] {
        &self.targets
    }

    /// The machine as the first of them found it.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }
}
