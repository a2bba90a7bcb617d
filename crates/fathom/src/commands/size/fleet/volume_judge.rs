//! What a reading of a fleet's rows does with each volume: its growth, or its verdict.

use std::sync::atomic::{AtomicU32, Ordering};

use fathom_demand::account_volumes::Inventory;
use fathom_fleet::{GroupKey, Verdicts, VolumeGrowth, grown, guarded, judged};
use fathom_record::fleet_record::FleetRow;
use fathom_rows::Interval;
use fathom_rows::demand_tables::{Latest, Run};
use fathom_sizing::Catalogue;
use fathom_sizing::fleet_volumes::{SizingPolicy, is_sampled};
use fathom_tools::Refusal;

use super::pass::Work;

/// How requirements grew, of a sample of the volumes.
pub struct Growths<'a> {
    asked: SizingPolicy<'a>,
    halvings: AtomicU32,
    keeps_going: bool,
}

impl<'a> Growths<'a> {
    /// Of all volumes so far; with `keeps_going`, a volume at which an invariant breaks has none.
    pub fn new(asked: SizingPolicy<'a>, keeps_going: bool) -> Self {
        Self { asked, halvings: AtomicU32::new(0), keeps_going }
    }

    /// Reads no more volumes than the sample takes after so many halvings.
    pub fn halve(&self, halvings: u32) {
        self.halvings.store(halvings, Ordering::Relaxed);
    }
}

impl Work for Growths<'_> {
    type Found = Option<VolumeGrowth>;

    const NAME: &'static str = "reading how demands grew";

    fn wants(&self, hash: u64) -> bool {
        is_sampled(hash, self.halvings.load(Ordering::Relaxed))
    }

    fn judge(&self, run: Run) -> Result<Option<VolumeGrowth>, Refusal> {
        let volume = run.volume.clone();
        match guarded(&volume, || grown(&self.asked, run)) {
            Err(_) if self.keeps_going => Ok(None),
            outcome => outcome,
        }
    }
}

/// Judges volumes by their rows, and by what the provider says of them.
pub struct VolumeJudge<'a> {
    /// Judges them.
    pub verdicts: Verdicts<'a>,
    /// What is known of instances.
    pub catalogue: &'a Catalogue,
    /// What the provider says.
    pub inventory: &'a Inventory,
    /// What they are added up by.
    pub by: Option<&'a GroupKey>,
    /// Whether what a volume did is handed on too.
    pub keeps_series: bool,
    /// Whether a volume at which an invariant breaks is only not judged.
    pub keeps_going: bool,
}

/// A volume that was judged.
#[derive(Debug)]
pub struct JudgedVolume {
    /// What came of it.
    pub row: FleetRow,
    /// What it did, where that is handed on.
    pub series: Vec<Interval>,
}

impl Work for VolumeJudge<'_> {
    type Found = JudgedVolume;

    const NAME: &'static str = "judging volumes";

    fn wants(&self, _hash: u64) -> bool {
        true
    }

    fn judge(&self, mut run: Run) -> Result<JudgedVolume, Refusal> {
        let group = self.by.map(|by| by.group(&run, self.inventory));
        if self.inventory.volume(&run.volume).is_some() {
            self.inventory.put_facts(&mut run);
            let instance = run.instance.words();
            // A type that is newer than the catalogue takes no volume out of an account.
            if !instance.is_empty() && self.catalogue.instance(instance).is_none() {
                run.notes.push(format!(
                    "The catalogue has no instance type {instance}: its limits were not taken into account."
                ));
                run.instance = Latest::default();
            }
        }
        let series = if self.keeps_series { run.intervals.clone() } else { Vec::new() };
        let volume = run.volume.clone();
        let row = judged(&volume, self.keeps_going, || self.verdicts.row(run))?;
        Ok(JudgedVolume { row: FleetRow { group, ..row }, series })
    }
}
