//! One open session for all cells that go about the same targets in the same way.

use std::sync::atomic::AtomicBool;

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

/// Sessions, and which one each cell uses.
pub struct Sessions {
    all: Vec<Session>,
    of_cell: Vec<usize>,
}

impl Sessions {
    /// Opens every target that the cells name, for all that any of its cells does to it. `devices` are those that
    /// the sweep began on.
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
        let mut all = Vec::with_capacity(manners.len());
        for at in 0..manners.len() {
            let own: Vec<&RunPlan> =
                cells.iter().zip(&of_cell).filter(|(_, of)| **of == at).map(|(plan, _)| plan).collect();
            all.push(Session::open_for_all(&own, seed, devices, progress, stop)?);
        }
        Ok(Self { all, of_cell })
    }

    /// The session of a cell.
    pub fn of(&self, cell: usize) -> &Session {
        &self.all[self.of_cell[cell]]
    }

    /// All of them, in the order in which cells name them.
    pub fn all(&self) -> &[Session] {
        &self.all
    }
}
