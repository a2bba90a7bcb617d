//! Sides that are states of one machine, with a restart between them: each turn of a side is measured in a boot of its
//! own, and the same command continues after each restart.
//!
//! A turn is kept before its command runs, so that whatever ends this process, the next one knows what it waits for. What
//! holds of the machine decides, and never what was asked of it.

pub mod restart_plan;
mod settle;
mod turn_wait;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fathom_engine::{EngineError, ErrorKind};
use fathom_measure::{Clock, Nanos, WallClock};
use fathom_record::campaign::{AcrossRestarts, BootTurn, MachineFact, Setting, SideState};
use fathom_target::class_driver;
use fathom_telemetry::{Root, boots};

use crate::error::CampaignError;
use crate::progress::Progress;
use crate::{record_ids, turn_command};
use settle::Settling;
use turn_wait::DueAction;

/// How often a machine that is to settle is looked at.
const LOOK: Duration = Duration::from_millis(1000);
/// How often Ctrl-C is.
const POLL: Duration = Duration::from_millis(20);
const PLACE: &str = "finding out which side the machine is on";

/// A driver from the system's list of devices, where no files tell it.
fn by_list(fact: &MachineFact) -> Option<String> {
    match fact {
        MachineFact::Driver(device) => class_driver(device),
        _ => None,
    }
}

/// What is to be done before a turn.
#[derive(Debug)]
pub(crate) enum RestartStep {
    /// Measure: the machine is on the side.
    Measure,
    /// Keep the turns, then run this command, which restarts the machine.
    Command(String),
    /// Nothing here: the machine restarts, or somebody restarts it. What to tell.
    Wait(String),
}

/// The turns of a campaign across restarts.
#[derive(Debug)]
pub(crate) struct Restarts<'a> {
    across: &'a AcrossRestarts,
    root: Root,
    turns: Vec<BootTurn>,
    /// The turn that this process has found ready.
    ready: Option<usize>,
}

impl<'a> Restarts<'a> {
    /// As earlier processes left it.
    pub(crate) fn new(across: &'a AcrossRestarts, turns: Vec<BootTurn>) -> Self {
        Self { across, root: Root::system(), turns, ready: None }
    }

    /// All turns so far, for the record.
    pub(crate) fn turns(&self) -> &[BootTurn] {
        &self.turns
    }

    /// What is to be done before the turn of a side, by its number in the plan, in a round. A machine that has just
    /// become ready is waited for until it has settled.
    ///
    /// # Errors
    /// When a fact cannot be read, the machine is on another side after its restart, or `stop` is set.
    pub(crate) fn step(
        &mut self,
        (round, side): (u32, usize),
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<RestartStep, CampaignError> {
        let state = &self.across.sides[side];
        let boot = boots::id(&self.root).map_err(|error| {
            EngineError::system(PLACE, &error)
                .with_remedy("--across-restarts needs a system that numbers its boots")
        })?;
        let found = self.found(state)?;
        let holds = holds(state, &found);
        if holds {
            self.refuse_two(side)?;
        }
        let at = self.turns.iter().position(|turn| turn.round == round && turn.side == state.name);
        match turn_wait::due(&self.turns, at, &boot, holds) {
            DueAction::Begin => {
                let turn = BootTurn {
                    round,
                    side: state.name.clone(),
                    asked_at: record_ids::now(),
                    asked_in: boot.clone(),
                    ..BootTurn::default()
                };
                self.turns.push(turn);
                self.enter(self.turns.len() - 1, boot, found, progress, stop)?;
                Ok(RestartStep::Measure)
            }
            DueAction::Enter(at) => {
                self.enter(at, boot, found, progress, stop)?;
                Ok(RestartStep::Measure)
            }
            DueAction::Continue(at) => {
                if self.ready != Some(at) {
                    self.settle(at, progress, stop)?;
                }
                Ok(RestartStep::Measure)
            }
            DueAction::Ask => {
                self.turns.push(BootTurn {
                    round,
                    side: state.name.clone(),
                    asked_at: record_ids::now(),
                    asked_in: boot,
                    ..BootTurn::default()
                });
                Ok(match &state.before {
                    Some(command) => RestartStep::Command(command.clone()),
                    None => RestartStep::Wait(by_hand(state)),
                })
            }
            DueAction::Wait(at) => Ok(RestartStep::Wait(match &state.before {
                Some(command) => format!(
                    "Waiting for side {}: its command was run at {} and the machine has not restarted since. If it does \
                     not, run this by hand: {command}",
                    state.name, self.turns[at].asked_at
                ),
                None => by_hand(state),
            })),
            DueAction::Wrong => Err(self.wrong(state, &found)),
        }
    }

    /// Runs the command that a turn waits for. It need not return.
    ///
    /// # Errors
    /// When it fails: the turn is then asked for anew by the next process.
    pub(crate) fn command(
        &mut self,
        command: &str,
        limit_ns: u64,
        stop: &AtomicBool,
    ) -> Result<String, CampaignError> {
        match turn_command::run(command, limit_ns, stop) {
            Ok(_) => {
                let side = self.turns.last().map_or("", |turn| turn.side.as_str());
                Ok(format!("Waiting for side {side}: the machine is about to restart."))
            }
            Err(error) => {
                self.turns.pop();
                Err(error.into())
            }
        }
    }

    /// Sentences about turns that were not as they should be.
    pub(crate) fn notes(&self) -> Vec<String> {
        let cut = self.turns.iter().filter(|turn| turn.boots.len() > 1);
        let cut = cut.map(|turn| {
            format!(
                "Side {} was measured in {} boots in round {}: the machine restarted in the middle.",
                turn.side,
                turn.boots.len(),
                turn.round + 1
            )
        });
        let restless =
            self.turns.iter().filter(|turn| turn.busy_share.is_some_and(|share| share >= settle::IDLE_SHARE));
        let restless = restless.map(|turn| {
            format!(
                "Before side {} in round {} the machine did not settle: its CPUs were {:.0} % busy.",
                turn.side,
                turn.round + 1,
                turn.busy_share.unwrap_or_default() * 100.0
            )
        });
        cut.chain(restless).collect()
    }

    fn enter(
        &mut self,
        at: usize,
        boot: String,
        found: Vec<Setting>,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<(), CampaignError> {
        self.turns[at].boots.push(boot);
        self.turns[at].found = found;
        self.settle(at, progress, stop)
    }

    /// Waits until the machine has been up for long enough and is idle, or it is waited for no longer.
    fn settle(
        &mut self,
        at: usize,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<(), CampaignError> {
        let mut settling = Settling::new(self.across.settle_ns);
        let mut told = false;
        let clock = WallClock::start_on_system_clock().0;
        loop {
            let up_s = boots::up_s(&self.root);
            let now_s = clock.now_ns() as f64 / 1e9;
            if let Some(settled) = settling.look(now_s, up_s, boots::processor_time(&self.root)) {
                self.turns[at].up_s = up_s;
                self.turns[at].busy_share = settled.busy_share;
                self.ready = Some(at);
                return Ok(());
            }
            if !std::mem::replace(&mut told, true) {
                progress.note(&format!(
                    "Waiting until the machine has been up for {} and is idle; at most {}.",
                    Nanos(self.across.settle_ns).coarse(),
                    Nanos(settle::LIMIT_TIMES * self.across.settle_ns).coarse()
                ));
            }
            let looked_ns = clock.now_ns();
            while clock.now_ns().saturating_sub(looked_ns) < LOOK.as_nanos() as u64 {
                if stop.load(std::sync::atomic::Ordering::Relaxed) {
                    let cause = "it was stopped before its end";
                    return Err(EngineError::new(
                        ErrorKind::Interrupted,
                        "waiting for the machine to settle",
                        cause,
                    )
                    .into());
                }
                std::thread::sleep(POLL);
            }
        }
    }

    /// What is found of the facts of a side.
    fn found(&self, state: &SideState) -> Result<Vec<Setting>, CampaignError> {
        let read = |asked: &Setting| {
            let fact = MachineFact::parse(&asked.key).ok_or_else(|| {
                EngineError::new(
                    ErrorKind::Plan,
                    PLACE,
                    format!("`{}` is not a valid fact of a machine", asked.key),
                )
            })?;
            // A parameter or file that one state alone has is no error of the other.
            let value = boots::fact(&self.root, &fact).or_else(|error| by_list(&fact).ok_or(error));
            let value = value.unwrap_or_else(|error| format!("not known ({error})"));
            Ok(Setting { key: asked.key.clone(), value })
        };
        state.is.iter().map(read).collect()
    }

    /// Sides that hold at once are no two sides.
    fn refuse_two(&self, side: usize) -> Result<(), CampaignError> {
        for other in
            self.across.sides.iter().enumerate().filter(|(at, _)| *at != side).map(|(_, state)| state)
        {
            if holds(other, &self.found(other)?) {
                let cause = format!(
                    "the marks of side {} and of side {} both hold now",
                    self.across.sides[side].name, other.name
                );
                return Err(EngineError::new(ErrorKind::Plan, PLACE, cause)
                    .with_remedy("give facts of which one alone can hold")
                    .into());
            }
        }
        Ok(())
    }

    fn wrong(&self, state: &SideState, found: &[Setting]) -> CampaignError {
        let differs = state.is.iter().zip(found).filter(|(asked, found)| !asked.is_met_by(&found.value));
        let words: Vec<String> = differs
            .map(|(asked, found)| format!("{} is {}, not {}", asked.key, found.value, asked.value))
            .collect();
        let cause = format!("the machine is not on side {}: {}", state.name, words.join("; "));
        EngineError::new(ErrorKind::Refused, PLACE, cause)
            .with_remedy("switch to it, restart, then type the same: the campaign continues")
            .into()
    }
}

/// Whether all that tells a side was found.
fn holds(state: &SideState, found: &[Setting]) -> bool {
    state.is.iter().zip(found).all(|(asked, found)| asked.is_met_by(&found.value))
}

fn by_hand(state: &SideState) -> String {
    format!("Waiting for side {}: switch to it, restart the machine, then type the same.", state.name)
}
