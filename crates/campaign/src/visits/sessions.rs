//! One open session for all cells that go about the same targets in the same way.

use std::sync::atomic::AtomicBool;

use fathom_record::environment::Environment;
use fathom_record::facts::TargetFacts;

use crate::devices::Devices;
use crate::error::CampaignError;
use crate::progress::Progress;
use crate::run::Session;
use fathom_plan::{RunOptions, RunPlan};

/// What cells of one session have in common.
#[derive(PartialEq)]
struct Manner {
    targets: Vec<String>,
    engine: Option<String>,
    options: RunOptions,
}

impl Manner {
    fn of(plan: &RunPlan) -> Self {
        Self { targets: plan.targets.clone(), engine: plan.engine.clone(), options: plan.options.clone() }
    }
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
        let mut manners: Vec<Manner> = Vec::new();
        let mut of_cell = Vec::with_capacity(cells.len());
        for plan in cells {
            let manner = Manner::of(plan);
            let known = manners.iter().position(|known| *known == manner);
            of_cell.push(known.unwrap_or(manners.len()));
            if known.is_none() {
                manners.push(manner);
            }
        }
        let plans = |at: usize| {
            let own = cells.iter().zip(&of_cell).filter(|(_, of)| **of == at);
            own.map(|(plan, _)| plan.clone()).collect()
        };
        let mut sessions = Self {
            manners: (0..manners.len()).map(plans).collect(),
            seed,
            open: manners.iter().map(|_| None).collect(),
            of_cell,
            targets: Vec::with_capacity(manners.len()),
            environment: Environment::default(),
        };
        // Each is opened once before anything is measured, so that a refusal comes first.
        for at in 0..manners.len() {
            sessions.ready(at, devices, progress, stop)?;
            if let Some(session) = &sessions.open[at] {
                sessions.targets.push(session.target().clone());
                if at == 0 {
                    sessions.environment = session.environment().clone();
                }
            }
        }
        Ok(sessions)
    }

    /// Opens the session of a cell where it is not; whether it was not.
    ///
    /// # Errors
    /// When a target is refused or cannot be opened.
    pub fn prepare(
        &mut self,
        cell: usize,
        devices: &Devices,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<bool, CampaignError> {
        self.ready(self.of_cell[cell], devices, progress, stop)
    }

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
        let plans: Vec<&RunPlan> = plans.iter().collect();
        self.open[at] = Some(Session::open_for_all(&plans, self.seed, devices, progress, stop)?);
        Ok(true)
    }

    /// The session of a cell; `None` where it is not open.
    pub fn of(&self, cell: usize) -> Option<&Session> {
        self.open[self.of_cell[cell]].as_ref()
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
