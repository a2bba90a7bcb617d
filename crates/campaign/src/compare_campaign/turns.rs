//! Whose turn it is: the target of a side open, and its command run before.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fathom_record::campaign::{CommandOutcome, ComparePlan};
use fathom_record::comparison::Side;
use fathom_target::TargetName;

use super::compare_plan::{CompareOptions, SidesPlan};
use crate::device_origins::Devices;
use crate::error::CampaignError;
use crate::progress::Progress;
use crate::record_ids;
use crate::resumable_campaign::Runner;
use crate::single_run::Session;
use crate::turn_command;
use fathom_plan::RunPlan;

/// How the sides share what they measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TargetSharing {
    /// One session is used by both.
    One,
    /// Each has its own, both open all the time.
    Both,
    /// Each has its own, open in its turns alone.
    InTurn,
}

/// The sessions of both sides.
pub struct SideSessions<'a> {
    options: &'a CompareOptions,
    seed: u64,
    sharing: TargetSharing,
    open: [Option<Session>; 2],
    /// The side whose command ran last.
    ready: Option<Side>,
    told: [bool; 2],
}

impl<'a> SideSessions<'a> {
    /// Nothing is open yet.
    pub fn new(options: &'a CompareOptions, seed: u64) -> Self {
        let sharing = sharing(options);
        Self { options, seed, sharing, open: [None, None], ready: None, told: [false; 2] }
    }

    /// Whether a command or a restart makes the sides ready: then all workloads of one side run before those of the other.
    pub fn have_commands(&self) -> bool {
        has_commands(self.options)
    }

    /// Opens what can be open all the time, so that what is refused is refused before anything is measured.
    /// `devices` are those that the comparison began on.
    ///
    /// # Errors
    /// When a target is refused or cannot be opened.
    pub fn open_early(
        &mut self,
        devices: &Devices,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<(), CampaignError> {
        if self.have_commands() {
            return Ok(());
        }
        self.session(Side::A, devices, progress, stop)?;
        self.session(Side::B, devices, progress, stop)?;
        Ok(())
    }

    /// Makes a side ready; what its command said, if one ran.
    ///
    /// # Errors
    /// When the command fails.
    pub fn prepare(
        &mut self,
        side: Side,
        round: u32,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Option<CommandOutcome>, CampaignError> {
        if !self.have_commands() || self.ready == Some(side) {
            return Ok(None);
        }
        // A driver cannot be exchanged under a file that is open.
        self.open = [None, None];
        self.ready = None;
        let Some(command) = command_of(self.options, side) else {
            self.ready = Some(side);
            return Ok(None);
        };
        if !std::mem::replace(&mut self.told[side as usize], true) {
            progress.note(&format!("Before each turn of side {} this is run: {command}", letter(side)));
        }
        let output = turn_command::run(command, self.options.before_limit_ns, stop)?;
        self.ready = Some(side);
        Ok(Some(CommandOutcome { side, round, at: record_ids::now(), output }))
    }

    /// Whether the same I/Os on both sides leave the runs of a pair independent of each other.
    pub fn may_share_seeds(&self) -> bool {
        let Some(sides) = self.options.workloads.first() else { return false };
        let draws_noise = |target: &String| TargetName::is_simulated(target);
        self.sharing != TargetSharing::One
            && !shares_target(sides)
            && !sides.a.targets.iter().chain(&sides.b.targets).any(draws_noise)
    }

    /// Remembers the devices that are open: before their first run.
    ///
    /// # Errors
    /// When the store cannot keep them.
    pub fn remember(&self, runner: &mut Runner<'_, ComparePlan>) -> Result<(), CampaignError> {
        self.open.iter().flatten().try_for_each(|session| runner.remember(session))
    }

    /// The session of a side that is ready.
    ///
    /// # Errors
    /// When its target is refused or cannot be opened.
    pub fn session(
        &mut self,
        side: Side,
        devices: &Devices,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<&Session, CampaignError> {
        let at = if self.sharing == TargetSharing::One { Side::A } else { side } as usize;
        if self.sharing == TargetSharing::InTurn {
            self.open[side.other() as usize] = None;
        }
        if self.open[at].is_none() {
            let own = self.options.workloads.iter();
            let plans: Vec<&RunPlan> = match self.sharing {
                TargetSharing::One => own.flat_map(|sides| [&sides.a, &sides.b]).collect(),
                TargetSharing::Both | TargetSharing::InTurn => own.map(|sides| sides.of(side)).collect(),
            };
            self.open[at] = Some(Session::open_for_all(&plans, self.seed, devices, progress, stop)?);
        }
        Ok(self.open[at].as_ref().expect("it was opened when it was not"))
    }
}

/// A side as people read it.
pub fn letter(side: Side) -> char {
    match side {
        Side::A => 'A',
        Side::B => 'B',
    }
}

fn command_of(options: &CompareOptions, side: Side) -> Option<&str> {
    match side {
        Side::A => options.plan.a.before.as_deref(),
        Side::B => options.plan.b.before.as_deref(),
    }
}

fn has_commands(options: &CompareOptions) -> bool {
    options.plan.a.before.is_some()
        || options.plan.b.before.is_some()
        || options.plan.across_restarts.is_some()
}

/// All workloads of a side go about the same target in the same way.
fn sharing(options: &CompareOptions) -> TargetSharing {
    let Some(sides) = options.workloads.first() else { return TargetSharing::One };
    let manner = |plan: &RunPlan| (plan.targets.clone(), plan.engine.clone(), plan.options.clone());
    if has_commands(options) {
        return TargetSharing::InTurn;
    }
    if manner(&sides.a) == manner(&sides.b) {
        return TargetSharing::One;
    }
    let writes = options
        .workloads
        .iter()
        .any(|sides| sides.a.workload.mix.changes_data() || sides.b.workload.mix.changes_data());
    if writes && shares_target(sides) { TargetSharing::InTurn } else { TargetSharing::Both }
}

fn shares_target(sides: &SidesPlan) -> bool {
    // One name on two machines is two places.
    sides.a.options.clients == sides.b.options.clients
        && sides.a.targets.iter().any(|a| sides.b.targets.iter().any(|b| is_same_place(a, b)))
}

/// Whether two names are one file or device. In a folder each side has a scratch file of its own.
fn is_same_place(a: &str, b: &str) -> bool {
    match (Path::new(a).canonicalize(), Path::new(b).canonicalize()) {
        (Ok(a), Ok(b)) => a == b && !a.is_dir(),
        _ => a == b && !a.contains(':'),
    }
}
