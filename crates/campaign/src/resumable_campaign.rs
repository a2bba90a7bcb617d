//! One campaign under way: begun anew, or taken up where an earlier process was cut off; its steps made, saved, and in
//! the end closed or left for the same command to continue.
//!
//! Every kind of campaign goes through here, so that one rule says what the same campaign is, what is kept of a step,
//! and what a refusal names.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use fathom_record::run_record::{CampaignLink, RunEnding};
use fathom_record::{CampaignRecord, RunRecord, Workload};
use fathom_store::{Campaign, NewCampaign, StepState, Store, StoreError};
use fathom_target::TargetName;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cells::without_histograms;
use crate::device_origins::{Devices, ResumableCampaign, refused};
use crate::error::CampaignError;
use crate::progress::Progress;
use crate::record_ids;
use crate::single_run::Session;

/// Why a plan always has a JSON form.
pub const PLAIN: &str = "a plan holds plain values and names";

/// A plan whose campaign continues when the same is asked for again.
pub trait ResumablePlan: Clone + Serialize + DeserializeOwned {
    /// What it is called, as `sweep`.
    const NOUN: &'static str;
    /// First letter of its ids.
    const LETTER: &'static str;

    /// The plan with the same seed as every other one: what else is the same is the same campaign.
    fn without_seed(&self) -> Self;

    /// The targets as the user named them, each once.
    fn targets(&self) -> Vec<String>;

    /// The targets in one line.
    fn target(&self) -> String {
        self.targets().join(" + ")
    }
}

/// A campaign under way, with what is known of it.
pub struct Runner<'a, P> {
    /// The plan that it was begun with.
    pub plan: P,
    store: &'a Store,
    stop: &'a AtomicBool,
    campaign: Campaign,
    /// Step and run of each finished step, in the order in which they were made.
    finished: Vec<(String, String)>,
    by_step: BTreeMap<String, String>,
    devices: Devices,
}

impl<'a, P: ResumablePlan> Runner<'a, P> {
    /// Takes up the unfinished campaign with this plan, or begins one; with `anew` it always begins one and gives up
    /// the unfinished. `open` opens the targets by the plan in force and the devices it began on, before anything is
    /// begun: a target that is refused leaves nothing behind.
    ///
    /// # Errors
    /// When `open` fails, which names the campaign that waits, or the store cannot keep what was begun.
    pub fn start<T>(
        (store, stop): (&'a Store, &'a AtomicBool),
        (plan, anew): (&P, bool),
        progress: &mut dyn Progress,
        open: impl FnOnce(&P, &Devices, &mut dyn Progress) -> Result<T, CampaignError>,
    ) -> Result<(Self, T), CampaignError> {
        let unfinished = if anew { None } else { Self::find(store, stop, plan, progress)? };
        let Some(runner) = unfinished else {
            let opened = open(plan, &Devices::default(), progress)?;
            let runner = Self::begin(store, stop, plan, anew)?;
            progress.campaign(runner.id());
            return Ok((runner, opened));
        };
        match open(&runner.plan, &runner.devices, progress) {
            Ok(opened) => {
                progress.campaign(runner.id());
                Ok((runner, opened))
            }
            Err(error) => Err(refused(error, runner.waiting())),
        }
    }

    /// The unfinished campaign of the same targets with the same plan.
    fn find(
        store: &'a Store,
        stop: &'a AtomicBool,
        plan: &P,
        progress: &mut dyn Progress,
    ) -> Result<Option<Self>, CampaignError> {
        let Some(campaign) = store.open_campaign(&key_of(plan))? else { return Ok(None) };
        let Ok(plan) = fathom_json::read::<P>(campaign.plan_json()) else { return Ok(None) };
        let steps = store.finished_steps(&campaign)?;
        let finished: Vec<_> = steps.into_iter().map(|step| (step.step, step.run_id)).collect();
        let (noun, id) = (P::NOUN, campaign.id());
        progress.note(&format!("Continuing {noun} {id}: {} runs are done.", finished.len()));
        let devices = Devices::of(store, &campaign)?;
        let by_step = finished.iter().cloned().collect();
        Ok(Some(Self { plan, store, stop, campaign, finished, by_step, devices }))
    }

    fn begin(store: &'a Store, stop: &'a AtomicBool, plan: &P, anew: bool) -> Result<Self, CampaignError> {
        let key = key_of(plan);
        if anew && let Some(unfinished) = store.open_campaign(&key)? {
            store.give_up_campaign(unfinished, &record_ids::now())?;
        }
        let new = NewCampaign {
            id: &record_ids::new_id(P::LETTER),
            key: &key,
            target: &plan.target(),
            started_at: &record_ids::now(),
            plan_json: &fathom_json::text(plan).expect(PLAIN),
        };
        let campaign = store.begin_campaign(&new)?;
        let (finished, by_step, devices) = (Vec::new(), BTreeMap::new(), Devices::default());
        Ok(Self { plan: plan.clone(), store, stop, campaign, finished, by_step, devices })
    }

    /// How a refusal names it.
    fn waiting(&self) -> ResumableCampaign<'_> {
        ResumableCampaign { noun: P::NOUN, campaign: &self.campaign, runs: self.finished.len() }
    }
}

impl<P> Runner<'_, P> {
    /// Its id.
    pub fn id(&self) -> &str {
        self.campaign.id()
    }

    /// When it was begun.
    pub fn started_at(&self) -> &str {
        self.campaign.started_at()
    }

    /// What its earlier processes came to, as they saved it.
    pub fn saved(&self) -> Option<&CampaignRecord> {
        self.campaign.progress()
    }

    /// Whether it was asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// What asks it to stop.
    pub fn stop(&self) -> &AtomicBool {
        self.stop
    }

    /// The devices that it began on.
    pub fn devices(&self) -> &Devices {
        &self.devices
    }

    /// Remembers the devices of a session: to be called between opening it and its first run.
    ///
    /// # Errors
    /// When the store cannot keep them.
    pub fn remember(&mut self, session: &Session) -> Result<(), CampaignError> {
        Ok(self.devices.remember(self.store, &self.campaign, session)?)
    }

    /// The run of a step that an earlier process finished.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn made(&self, step: &str) -> Result<Option<RunRecord>, StoreError> {
        self.by_step.get(step).map(|run| self.store.run(run)).transpose()
    }

    /// Steps and runs that earlier processes finished, in the order in which they were made.
    pub fn finished(&self) -> &[(String, String)] {
        &self.finished
    }

    /// The last run that an earlier process made; `None` where none did.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn last_run(&self) -> Result<Option<RunRecord>, StoreError> {
        self.finished.last().map(|(_, run)| self.store.run(run)).transpose()
    }

    /// The runs that earlier processes made of the steps that begin so, in the order of the steps' names, without the
    /// histograms of their seconds.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn runs_of(&self, prefix: &str) -> Result<Vec<RunRecord>, StoreError> {
        let mut steps: Vec<&(String, String)> =
            self.finished.iter().filter(|(step, _)| step.starts_with(prefix)).collect();
        steps.sort();
        steps.into_iter().map(|(_, run)| self.store.run(run).map(without_histograms)).collect()
    }

    /// Where it is kept.
    pub fn store(&self) -> &Store {
        self.store
    }

    /// Whether any step that an earlier process finished begins so.
    pub fn has(&self, prefix: &str) -> bool {
        self.finished.iter().any(|(step, _)| step.starts_with(prefix))
    }

    /// Makes the run of a step, and does not save it.
    ///
    /// # Errors
    /// When the run cannot be made, or the store cannot keep that it was begun.
    pub fn make(
        &self,
        step: &str,
        (session, workload): (&Session, &Workload),
        progress: &mut dyn Progress,
    ) -> Result<RunRecord, CampaignError> {
        self.make_by(step, |link| session.run(workload, Some(link), progress, self.stop))
    }

    fn make_by(
        &self,
        step: &str,
        make: impl FnOnce(CampaignLink) -> Result<RunRecord, CampaignError>,
    ) -> Result<RunRecord, CampaignError> {
        self.store.journal(&self.campaign, step, &StepState::Started, &record_ids::now())?;
        make(CampaignLink { id: self.id().to_owned(), step: step.to_owned() })
    }

    /// Makes the run of a step and saves it: the step is then done. `None` where it was stopped.
    ///
    /// # Errors
    /// When the run cannot be made or saved.
    pub fn step(
        &self,
        step: &str,
        what: (&Session, &Workload),
        progress: &mut dyn Progress,
    ) -> Result<Option<RunRecord>, CampaignError> {
        let (session, workload) = what;
        let run = self.step_by(step, |link| session.run(workload, Some(link), progress, self.stop))?;
        run.iter().for_each(|run| progress.saved(&run.id));
        Ok(run)
    }

    /// The same of a run that is made in another way.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn step_by(
        &self,
        step: &str,
        make: impl FnOnce(CampaignLink) -> Result<RunRecord, CampaignError>,
    ) -> Result<Option<RunRecord>, CampaignError> {
        let run = self.make_by(step, make)?;
        if run.ending == RunEnding::Interrupted {
            return Ok(None);
        }
        self.save(step, &run)?;
        Ok(Some(run))
    }

    /// Saves a step's run: the step is then done.
    ///
    /// # Errors
    /// When the store cannot keep it.
    pub fn save(&self, step: &str, run: &RunRecord) -> Result<(), StoreError> {
        self.store.put_run_for_step(&self.campaign, step, run, &record_ids::now())
    }

    /// Notes that a step gives no run.
    ///
    /// # Errors
    /// When the store cannot keep it.
    pub fn fail(&self, step: &str, reason: String) -> Result<(), StoreError> {
        self.store.journal(&self.campaign, step, &StepState::Failed { reason }, &record_ids::now())
    }

    /// The steps that gave no run in earlier processes.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn failed_steps(&self) -> Result<std::collections::BTreeSet<String>, StoreError> {
        let mut failed = std::collections::BTreeSet::new();
        for entry in self.store.journal_entries(self.id())? {
            match entry.state {
                StepState::Failed { .. } => failed.insert(entry.step),
                StepState::Started | StepState::Done { .. } => failed.remove(&entry.step),
            };
        }
        Ok(failed)
    }

    /// Keeps what it came to so far.
    ///
    /// # Errors
    /// When the store cannot keep it.
    pub fn save_progress(&self, record: &CampaignRecord) -> Result<(), StoreError> {
        self.store.save_campaign_progress(&self.campaign, record)
    }

    /// Whether a step was finished by any process, this one included.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn has_runs(&self) -> Result<bool, StoreError> {
        Ok(!self.store.finished_steps(&self.campaign)?.is_empty())
    }

    /// Gives it up; its runs stay in the store.
    ///
    /// # Errors
    /// When the store cannot keep that.
    pub fn give_up(self) -> Result<(), StoreError> {
        self.store.give_up_campaign(self.campaign, &record_ids::now())
    }

    /// Ends the sitting: closes the campaign, or leaves it to be continued where it was `interrupted`.
    ///
    /// # Errors
    /// When the store cannot keep it.
    pub fn end(self, record: &CampaignRecord, interrupted: bool) -> Result<(), StoreError> {
        if interrupted {
            self.save_progress(record)
        } else {
            self.store.finish_campaign(self.campaign, record)
        }
    }
}

/// The targets that the base of a plan names.
pub fn base_targets(base: &serde_json::Value) -> Vec<String> {
    match base.get("target") {
        Some(serde_json::Value::Array(names)) => {
            names.iter().filter_map(serde_json::Value::as_str).map(str::to_owned).collect()
        }
        Some(serde_json::Value::String(name)) => vec![name.clone()],
        _ => Vec::new(),
    }
}

fn key_of<P: ResumablePlan>(plan: &P) -> String {
    campaign_key(P::NOUN, &plan.targets(), &plan.without_seed())
}

/// The same for the same campaign of the same targets, wherever it is asked for again: a relative name in another folder
/// is another target, and a device is the same one everywhere. `plan` is without its seed.
fn campaign_key<P: Serialize>(noun: &str, targets: &[String], plan: &P) -> String {
    let place = |name: &String| match name.parse() {
        Ok(TargetName::Path(path)) => std::path::absolute(&path).unwrap_or(path).display().to_string(),
        _ => name.clone(),
    };
    let places: Vec<String> = targets.iter().map(place).collect();
    format!("{noun} {} {}", places.join(" + "), fathom_json::text(plan).expect(PLAIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_campaign_is_known_by_its_targets_and_a_device_is_the_same_in_every_folder() {
        let key = |name: &str| campaign_key("sweep", &[name.to_owned()], &1);
        assert_eq!(key("/dev/nvme1n1"), "sweep /dev/nvme1n1 1");
        assert_eq!(key("sim:gp3"), "sweep sim:gp3 1");
        let here = std::env::current_dir().expect("a folder").join("data.bin");
        assert_eq!(key("data.bin"), format!("sweep {} 1", here.display()));
    }
}
