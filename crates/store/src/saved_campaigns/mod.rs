//! Campaigns in the store: begun or resumed by one process at a time, saved as they go, closed once.

mod campaign_devices;
mod journal;
mod list;
mod lock;

pub use campaign_devices::CampaignDevice;
pub use journal::{FinishedStep, JournalEntry, StepState};
pub use list::{CampaignRow, CampaignState};

use fathom_record::{CampaignRecord, ReadErrorKind};
use rusqlite::{Row, params};

use crate::checked_json::CheckedJson;
use crate::error::{self, StoreError, StoreErrorKind};
use crate::id_lookup::{Names, check_id};
use crate::store_file::Store;
pub(crate) use lock::CampaignLock;

/// What a campaign starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewCampaign<'a> {
    /// Unique, and sorts by time.
    pub id: &'a str,
    /// Hash of plan and target identity, by which the same command finds it again.
    pub key: &'a str,
    /// Target as the user named it.
    pub target: &'a str,
    /// Start, RFC 3339, UTC.
    pub started_at: &'a str,
    /// The plan, as JSON of the caller's choice.
    pub plan_json: &'a str,
}

/// An unfinished campaign that this process, and no other, may continue while it holds this.
#[derive(Debug)]
pub struct Campaign {
    seq: i64,
    id: String,
    started_at: String,
    plan_json: String,
    progress: Option<CampaignRecord>,
    lock: CampaignLock,
}

impl Campaign {
    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// When it was begun, RFC 3339, UTC.
    pub fn started_at(&self) -> &str {
        &self.started_at
    }

    /// The plan that it was begun with.
    pub fn plan_json(&self) -> &str {
        &self.plan_json
    }

    /// The record as it was last saved before this process opened the campaign.
    pub fn progress(&self) -> Option<&CampaignRecord> {
        self.progress.as_ref()
    }
}

const BEGINNING: &str = "beginning a campaign";
const OPENING: &str = "opening a campaign";
const SAVING: &str = "saving a campaign";

impl Store {
    /// Begins a campaign.
    ///
    /// # Errors
    /// When the id is taken, or an unfinished campaign has the same key: that one can be continued
    /// with [`open_campaign`](Self::open_campaign) or closed with [`give_up_campaign`](Self::give_up_campaign).
    pub fn begin_campaign(&self, new: &NewCampaign<'_>) -> Result<Campaign, StoreError> {
        check_id(new.id).map_err(|cause| self.bad_campaign(new.id, cause))?;
        let lock = CampaignLock::acquire(&self.path, new.id)?;
        let plan = CheckedJson::new(new.plan_json.to_owned());
        let inserted = self.change(BEGINNING, |transaction| {
            transaction
                .prepare_cached(
                    "INSERT INTO campaign (id, key, target, started_at, plan_crc, plan)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .insert(params![new.id, new.key, new.target, new.started_at, plan.crc, plan.json])
        });
        let seq = match inserted {
            Ok(seq) => seq,
            Err(error) => {
                // Unless the lock is that of a campaign which has this very id.
                if !self.has_campaign(new.id)? {
                    lock.remove();
                }
                return Err(taken(error));
            }
        };
        Ok(Campaign {
            seq,
            id: new.id.to_owned(),
            started_at: new.started_at.to_owned(),
            plan_json: plan.json,
            progress: None,
            lock,
        })
    }

    /// The unfinished campaign with this key, to be continued; `None` when there is none.
    ///
    /// # Errors
    /// When another process runs it, or what was saved of it is damaged.
    pub fn open_campaign(&self, key: &str) -> Result<Option<Campaign>, StoreError> {
        let Some(id) = self.open_campaign_id(key)? else {
            return Ok(None);
        };
        let lock = CampaignLock::acquire(&self.path, &id)?;
        // Read after the lock is held: until then another process may have finished it.
        if self.open_campaign_id(key)?.as_ref() != Some(&id) {
            lock.remove();
            return Ok(None);
        }
        let saved = self.saved_campaign(&id)?;
        let plan_json = saved.plan.verified().map_err(|cause| self.damaged_campaign(&id, cause))?.to_owned();
        let progress = saved.record.map(|record| self.parse_campaign(&id, &record)).transpose()?;
        Ok(Some(Campaign { seq: saved.seq, id, started_at: saved.started_at, plan_json, progress, lock }))
    }

    /// Saves how far a campaign came; when this returns, it is on the disk.
    ///
    /// # Errors
    /// When the record is of another campaign or could not be read back, or when the disk fails.
    pub fn save_campaign_progress(
        &self,
        campaign: &Campaign,
        record: &CampaignRecord,
    ) -> Result<(), StoreError> {
        self.save_campaign(campaign, record, None)
    }

    /// Saves a campaign's result and closes it: the same key begins a new one from now on.
    ///
    /// # Errors
    /// When the record has no end, is of another campaign or could not be read back, or when the
    /// disk fails; then the campaign stays unfinished.
    pub fn finish_campaign(&self, campaign: Campaign, record: &CampaignRecord) -> Result<(), StoreError> {
        let Some(finished_at) = record.finished_at() else {
            return Err(self.bad_campaign(&campaign.id, "it has no end"));
        };
        self.save_campaign(&campaign, record, Some(finished_at))?;
        campaign.lock.remove();
        Ok(())
    }

    /// Closes an unfinished campaign without a result; its runs are kept. `at` is RFC 3339, UTC.
    ///
    /// # Errors
    /// When the disk fails; then the campaign stays unfinished.
    pub fn give_up_campaign(&self, campaign: Campaign, at: &str) -> Result<(), StoreError> {
        self.change(SAVING, |transaction| {
            transaction
                .prepare_cached("UPDATE campaign SET closed_at = ?2, given_up = 1 WHERE seq = ?1")?
                .execute(params![campaign.seq, at])
        })?;
        campaign.lock.remove();
        Ok(())
    }

    /// The record of the campaign with this id, as it was last saved.
    ///
    /// # Errors
    /// When there is none or nothing of it was saved yet, or it is damaged or from a newer build.
    pub fn campaign(&self, id: &str) -> Result<CampaignRecord, StoreError> {
        match self.saved_campaign(id)?.record {
            Some(record) => self.parse_campaign(id, &record),
            None => Err(StoreError::new(
                StoreErrorKind::NotFound,
                self.place(OPENING),
                format!("campaign {id} stopped before it had a result"),
            )
            .with_remedy("repeat the command that began it: it continues where it stopped")),
        }
    }

    fn save_campaign(
        &self,
        campaign: &Campaign,
        record: &CampaignRecord,
        closed_at: Option<&str>,
    ) -> Result<(), StoreError> {
        if record.id() != campaign.id {
            return Err(self.bad_campaign(&campaign.id, "the record is of another campaign"));
        }
        let saved = CheckedJson::of(record)
            .map_err(|error| self.bad_campaign(record.id(), &error).with_source(error))?;
        fathom_record::parse_campaign(saved.json.as_bytes()).map_err(|error| {
            let cause = format!("it would not read back ({})", error.cause);
            self.bad_campaign(record.id(), cause).with_source(error)
        })?;
        self.change(SAVING, |transaction| {
            transaction
                .prepare_cached(
                    "UPDATE campaign SET record = ?2, record_crc = ?3, closed_at = ?4 WHERE seq = ?1",
                )?
                .execute(params![campaign.seq, saved.json, saved.crc, closed_at])
                .map(drop)
        })
    }

    fn open_campaign_id(&self, key: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT id FROM campaign WHERE key = ?1 AND closed_at IS NULL";
        let found: Option<String> = self.one(OPENING, sql, [key], |row| row.get(0))?;
        // The id becomes part of a file name, and this one comes from a file.
        if let Some(Err(cause)) = found.as_deref().map(check_id) {
            return Err(error::corrupt(&self.path, OPENING, cause));
        }
        Ok(found)
    }

    fn has_campaign(&self, id: &str) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM campaign WHERE id = ?1";
        self.one(OPENING, sql, [id], |_| Ok(())).map(|found| found.is_some())
    }

    fn saved_campaign(&self, id: &str) -> Result<SavedCampaign, StoreError> {
        self.one(OPENING, "SELECT * FROM campaign WHERE id = ?1", [id], SavedCampaign::read)?
            .ok_or_else(|| self.unknown(id, &[Names::Campaigns]))
    }

    fn parse_campaign(&self, id: &str, record: &CheckedJson) -> Result<CampaignRecord, StoreError> {
        let json = record.verified().map_err(|cause| self.damaged_campaign(id, cause))?;
        let record = fathom_record::parse_campaign(json.as_bytes()).map_err(|error| match error.kind {
            ReadErrorKind::Newer => {
                let cause = format!("campaign {id}: {}", error.cause);
                StoreError::new(StoreErrorKind::Newer, self.place(OPENING), cause)
                    .with_remedy(error.remedy.clone())
                    .with_source(error)
            }
            _ => self.damaged_campaign(id, &error.cause).with_source(error),
        })?;
        if record.id() == id {
            Ok(record)
        } else {
            Err(self.damaged_campaign(id, "its record has another id"))
        }
    }

    fn damaged_campaign(&self, id: &str, cause: &str) -> StoreError {
        error::corrupt(&self.path, OPENING, format!("campaign {id}: {cause}"))
    }

    fn bad_campaign(&self, id: &str, cause: impl std::fmt::Display) -> StoreError {
        StoreError::new(StoreErrorKind::BadRecord, self.place(SAVING), format!("campaign {id:?}: {cause}"))
    }
}

/// Tells that an id or a key is taken.
fn taken(mut error: StoreError) -> StoreError {
    if error.kind != StoreErrorKind::Exists {
        return error;
    }
    error.cause =
        "a campaign with that id, or an unfinished one with the same plan and target, is there already"
            .to_owned();
    error
}

struct SavedCampaign {
    seq: i64,
    started_at: String,
    plan: CheckedJson,
    record: Option<CheckedJson>,
}

impl SavedCampaign {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let saved = row.get::<_, Option<i64>>("record_crc")?.is_some();
        Ok(Self {
            seq: row.get("seq")?,
            started_at: row.get("started_at")?,
            plan: CheckedJson::from_row(row, "plan", "plan_crc")?,
            record: if saved { Some(CheckedJson::from_row(row, "record", "record_crc")?) } else { None },
        })
    }
}
