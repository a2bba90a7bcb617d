//! The journal of a campaign: what happened to each step, in order, never rewritten.

use fathom_record::RunRecord;
use fathom_record::run_record::CampaignLink;
use rusqlite::{Row, Transaction, params};

use super::Campaign;
use crate::error::{StoreError, StoreErrorKind};
use crate::id_lookup::Names;
use crate::saved_runs::exists;
use crate::store_file::Store;

const WRITING: &str = "writing a campaign's journal";
const READING: &str = "reading a campaign's journal";

/// What happened to a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepState {
    /// Its run was started.
    Started,
    /// Its run was saved.
    Done {
        /// The run's id.
        run_id: String,
    },
    /// It gave no run.
    Failed {
        /// Why.
        reason: String,
    },
}

/// One entry of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEntry {
    /// The step's key.
    pub step: String,
    /// What happened.
    pub state: StepState,
    /// When, RFC 3339, UTC.
    pub at: String,
}

/// A step that needs no repeating.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedStep {
    /// The step's key.
    pub step: String,
    /// Id of its run.
    pub run_id: String,
    /// When it was saved, RFC 3339, UTC.
    pub at: String,
}

impl Store {
    /// Writes down what happened to a step; when this returns, it is on the disk. `at` is RFC 3339, UTC.
    ///
    /// # Errors
    /// When a step is called done by a run that the store does not hold, or the disk fails.
    pub fn journal(
        &self,
        campaign: &Campaign,
        step: &str,
        state: &StepState,
        at: &str,
    ) -> Result<(), StoreError> {
        let (word, run, reason) = match state {
            StepState::Started => ("started", None, None),
            StepState::Done { run_id } => ("done", Some(self.run_number(run_id)?), None),
            StepState::Failed { reason } => ("failed", None, Some(reason.as_str())),
        };
        self.change(WRITING, |transaction| {
            insert_entry(transaction, campaign.seq, (step, at), word, run, reason)
        })
    }

    /// Saves a step's run and that the step is done, both or neither; when this returns, they are on
    /// the disk. `at` is RFC 3339, UTC.
    ///
    /// # Errors
    /// As [`put_run`](Self::put_run), and when the record does not name this campaign and step.
    pub fn put_run_for_step(
        &self,
        campaign: &Campaign,
        step: &str,
        record: &RunRecord,
        at: &str,
    ) -> Result<(), StoreError> {
        let link = CampaignLink { id: campaign.id.clone(), step: step.to_owned() };
        if record.campaign.as_ref() != Some(&link) {
            return Err(StoreError::new(
                StoreErrorKind::BadRecord,
                self.place(WRITING),
                format!("run {} does not name step {step:?} of campaign {}", record.id, campaign.id),
            ));
        }
        let prepared = self.prepare_run(record)?;
        self.change(WRITING, |transaction| {
            let run = prepared.insert(transaction)?;
            insert_entry(transaction, campaign.seq, (step, at), "done", Some(run), None)
        })
        .map_err(|error| exists(error, &record.id))
    }

    /// Steps whose last entry says that they are done, in the order they were finished.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn finished_steps(&self, campaign: &Campaign) -> Result<Vec<FinishedStep>, StoreError> {
        let sql = "SELECT journal.step AS step, run.id AS run_id, at
                   FROM journal JOIN run ON run.seq = journal.run
                   WHERE journal.campaign = ?1 AND journal.seq =
                       (SELECT max(seq) FROM journal AS later
                        WHERE later.campaign = journal.campaign AND later.step = journal.step)
                   ORDER BY journal.seq";
        self.all(READING, sql, [campaign.seq], |row| {
            Ok(FinishedStep { step: row.get("step")?, run_id: row.get("run_id")?, at: row.get("at")? })
        })
    }

    /// The whole journal of the campaign with this id, in the order it was written.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn journal_entries(&self, campaign: &str) -> Result<Vec<JournalEntry>, StoreError> {
        let sql = "SELECT journal.step AS step, state, run.id AS run_id, reason, at
                   FROM campaign
                   JOIN journal ON journal.campaign = campaign.seq
                   LEFT JOIN run ON run.seq = journal.run
                   WHERE campaign.id = ?1 ORDER BY journal.seq";
        self.all(READING, sql, [campaign], JournalEntry::read)
    }

    fn run_number(&self, id: &str) -> Result<i64, StoreError> {
        self.one(WRITING, "SELECT seq FROM run WHERE id = ?1", [id], |row| row.get(0))?
            .ok_or_else(|| self.unknown(id, &[Names::Runs]))
    }
}

fn insert_entry(
    transaction: &Transaction<'_>,
    campaign: i64,
    (step, at): (&str, &str),
    state: &str,
    run: Option<i64>,
    reason: Option<&str>,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO journal (campaign, step, state, run, reason, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![campaign, step, state, run, reason, at])
        .map(drop)
}

impl JournalEntry {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let state = match row.get::<_, String>("state")?.as_str() {
            "started" => StepState::Started,
            "done" => StepState::Done { run_id: row.get("run_id")? },
            // The table's constraint allows no fourth word.
            _ => StepState::Failed { reason: row.get("reason")? },
        };
        Ok(Self { step: row.get("step")?, state, at: row.get("at")? })
    }
}
