//! Removes runs and campaigns for good: all that was saved and said of them, and the space that they took.

use std::collections::BTreeSet;
use std::fs;

use rusqlite::{OptionalExtension, Transaction, params, params_from_iter};

use crate::create::with_suffix;
use crate::error::{self, StoreError, StoreErrorKind};
use crate::id_lookup::{StoredId, check_id};
use crate::saved_campaigns::{CampaignLock, CampaignRow, CampaignState};
use crate::saved_runs::{RunRow, TAGGED};
use crate::store_file::Store;

/// What is to go: things by name, or else whatever is old enough and has the word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeletionChoice {
    /// Runs and campaigns by name; where there are any, nothing else counts.
    pub named: Vec<StoredId>,
    /// What started before that, RFC 3339, UTC.
    pub before: Option<String>,
    /// What has this word on it.
    pub tag: Option<String>,
}

/// What would go, and what would stay in spite of the choice. A campaign goes with all of its runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deletion {
    /// Runs that belong to no campaign, oldest first.
    pub runs: Vec<RunRow>,
    /// Campaigns, oldest first.
    pub campaigns: Vec<CampaignRow>,
    /// What stays, and why.
    pub kept: Vec<KeptItem>,
}

/// Something that stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptItem {
    /// Its id.
    pub id: String,
    /// Why, as a clause without a full stop.
    pub reason: String,
}

/// What went.
#[derive(Debug)]
pub struct DeletionResult {
    /// The ids of all runs that went, those of campaigns among them.
    pub runs: Vec<String>,
    /// Bytes of the store's files before.
    pub bytes_before: u64,
    /// Bytes of them now.
    pub bytes_now: u64,
    /// Why the space was not given back, where it was not; what is free is then used for what is saved next.
    pub space_kept: Option<StoreError>,
}

const CHOOSING: &str = "choosing what to delete";
const DELETING: &str = "deleting runs";
const COMPACTING: &str = "giving space back";

/// A run that belongs to no campaign of the store.
const ALONE: &str = "(campaign IS NULL OR campaign NOT IN (SELECT id FROM campaign))";

impl Store {
    /// What a choice would delete. A baseline goes only by its own name, and a campaign that is not finished only by
    /// its own.
    ///
    /// # Errors
    /// When what is named is needed by something that is not, or the store cannot be read.
    pub fn deletion(&self, choice: &DeletionChoice) -> Result<Deletion, StoreError> {
        let baselines: BTreeSet<String> =
            self.baselines()?.into_iter().map(|baseline| baseline.run).collect();
        if choice.named.is_empty() {
            self.deletion_by_conditions(choice, &baselines)
        } else {
            self.deletion_by_name(&choice.named, &baselines)
        }
    }

    fn deletion_by_name(
        &self,
        named: &[StoredId],
        baselines: &BTreeSet<String>,
    ) -> Result<Deletion, StoreError> {
        let named: BTreeSet<(&str, bool)> =
            named.iter().map(|what| (what.id(), matches!(what, StoredId::Run(_)))).collect();
        let needed = |cause: String, remedy: String| {
            StoreError::new(StoreErrorKind::Needed, self.place(CHOOSING), cause).with_remedy(remedy)
        };
        let mut deletion = Deletion::default();
        let campaigns = self.campaigns()?;
        for row in campaigns.iter().rev().filter(|row| named.contains(&(row.id.as_str(), false))) {
            let runs = self.runs_where("campaign = ?", &[&row.id])?;
            let baseline = runs
                .iter()
                .find(|run| baselines.contains(&run.id) && !named.contains(&(run.id.as_str(), true)));
            if let Some(run) = baseline {
                let cause = format!("campaign {} holds the baseline {} of {}", row.id, run.id, run.target);
                return Err(needed(cause, format!("name the run too: fathom delete {} {}", row.id, run.id)));
            }
            deletion.campaigns.push(row.clone());
        }
        for id in named.iter().filter(|(_, is_run)| *is_run).map(|(id, _)| *id) {
            for run in self.runs_where("id = ?", &[id])? {
                let campaign = run.campaign.as_deref();
                match campaign.filter(|id| campaigns.iter().any(|row| row.id == *id)) {
                    None => deletion.runs.push(run),
                    // It goes with its campaign.
                    Some(campaign) if named.contains(&(campaign, false)) => {}
                    Some(campaign) => {
                        let cause = format!(
                            "run {id} is a test point of campaign {campaign}, whose result is made of it"
                        );
                        return Err(needed(
                            cause,
                            format!("the whole campaign, with all of its runs: fathom delete {campaign}"),
                        ));
                    }
                }
            }
        }
        Ok(deletion)
    }

    fn deletion_by_conditions(
        &self,
        choice: &DeletionChoice,
        baselines: &BTreeSet<String>,
    ) -> Result<Deletion, StoreError> {
        let mut deletion = Deletion::default();
        let (mut condition, mut values) = ("true".to_owned(), Vec::new());
        if let Some(before) = &choice.before {
            condition += " AND started_at < ?";
            values.push(before.as_str());
        }
        if let Some(tag) = &choice.tag {
            condition += &format!(" AND {TAGGED}");
            values.push(tag);
        }
        for run in self.runs_where(&format!("{condition} AND {ALONE}"), &values)? {
            if baselines.contains(&run.id) {
                deletion.kept.push(KeptItem::baseline(&run));
            } else {
                deletion.runs.push(run);
            }
        }
        if choice.tag.is_some() {
            for run in self.runs_where(&format!("{condition} AND NOT {ALONE}"), &values)? {
                let campaign = run.campaign.unwrap_or_default();
                let reason = format!("it is a test point of campaign {campaign}, and goes with that alone");
                deletion.kept.push(KeptItem { id: run.id, reason });
            }
        }
        let labels = self.labels()?;
        for row in self.campaigns()?.into_iter().rev() {
            let has_tag =
                |tag: &String| labels.campaigns.get(&row.id).is_some_and(|words| words.contains(tag));
            let is_chosen = choice.before.as_ref().is_none_or(|before| row.started_at < *before)
                && choice.tag.as_ref().is_none_or(has_tag);
            if !is_chosen {
                continue;
            }
            let runs = self.runs_where("campaign = ?", &[&row.id])?;
            match runs.iter().find(|run| baselines.contains(&run.id)) {
                Some(run) => {
                    let reason = format!("it holds the baseline {} of {}", run.id, run.target);
                    deletion.kept.push(KeptItem { id: row.id, reason });
                }
                None if row.state == CampaignState::Unfinished => {
                    let reason = "it is not finished, and can be continued".to_owned();
                    deletion.kept.push(KeptItem { id: row.id, reason });
                }
                None => deletion.campaigns.push(row),
            }
        }
        Ok(deletion)
    }

    /// Runs that meet a condition, oldest first.
    fn runs_where(&self, condition: &str, values: &[&str]) -> Result<Vec<RunRow>, StoreError> {
        let sql = format!("SELECT {} FROM run WHERE {condition} ORDER BY started_at, id", RunRow::COLUMNS);
        self.all(CHOOSING, &sql, params_from_iter(values), RunRow::read)
    }

    /// Deletes what was chosen; when this returns, it is gone from the disk, or all of it is still there.
    ///
    /// # Errors
    /// When another process runs one of the campaigns, or the store cannot be written.
    pub fn delete(&self, deletion: &Deletion) -> Result<DeletionResult, StoreError> {
        let bytes_before = self.file_bytes();
        let mut locks = Vec::new();
        for row in deletion.campaigns.iter().filter(|row| row.state == CampaignState::Unfinished) {
            // The id becomes part of a file name.
            check_id(&row.id).map_err(|cause| error::corrupt(&self.path, DELETING, cause))?;
            locks.push(CampaignLock::acquire(&self.path, &row.id)?);
        }
        let runs = self.change(DELETING, |transaction| {
            let mut gone = DeletionProgress::default();
            deletion.runs.iter().try_for_each(|run| gone.run(transaction, &run.id))?;
            deletion.campaigns.iter().try_for_each(|row| gone.campaign(transaction, &row.id))?;
            gone.end(transaction)
        })?;
        locks.into_iter().for_each(CampaignLock::remove);
        let space_kept = self.compact().err();
        Ok(DeletionResult { runs, bytes_before, bytes_now: self.file_bytes(), space_kept })
    }

    /// Writes the file anew without its free pages, and empties the log.
    fn compact(&self) -> Result<(), StoreError> {
        let failed = |error| self.failed(COMPACTING, error);
        self.connection.execute_batch("VACUUM").map_err(failed)?;
        let left: i64 = self
            .connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get(0))
            .map_err(failed)?;
        if left == 0 {
            return Ok(());
        }
        let cause = "another process reads the store, which is made smaller when that ends";
        Err(StoreError::new(StoreErrorKind::Locked, self.place(COMPACTING), cause))
    }

    /// Bytes of the store's files.
    fn file_bytes(&self) -> u64 {
        let files = [self.path.clone(), with_suffix(&self.path, "-wal")];
        files.iter().filter_map(|path| fs::metadata(path).ok()).map(|facts| facts.len()).sum()
    }
}

impl KeptItem {
    fn baseline(run: &RunRow) -> Self {
        let reason = format!(
            "it is the baseline of {} on {}, and goes by its own name alone",
            run.pattern, run.target
        );
        Self { id: run.id.clone(), reason }
    }
}

/// What has gone in a transaction so far.
#[derive(Default)]
struct DeletionProgress {
    runs: Vec<String>,
    /// SHA-256 of the files that runs were read from.
    files: BTreeSet<String>,
}

impl DeletionProgress {
    fn run(&mut self, transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<()> {
        let found = transaction
            .prepare_cached("SELECT seq, tool <> 'fathom' FROM run WHERE id = ?1")?
            .query_row([id], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, bool>(1)?)))
            .optional()?;
        let Some((run, imported)) = found else { return Ok(()) };
        if imported {
            let file: Option<String> = transaction
                .prepare_cached(
                    "SELECT iif(json_valid(json), json_extract(json, '$.origin.sha256'), NULL)
                     FROM run_header WHERE run = ?1",
                )?
                .query_row([run], |row| row.get(0))
                .optional()?
                .flatten();
            self.files.extend(file);
        }
        for sql in [
            "DELETE FROM run_series WHERE run = ?1",
            "DELETE FROM run_header WHERE run = ?1",
            "DELETE FROM run WHERE seq = ?1",
        ] {
            transaction.prepare_cached(sql)?.execute([run])?;
        }
        for sql in [
            "DELETE FROM label WHERE kind = 'run' AND object = ?1",
            "DELETE FROM note WHERE kind = 'run' AND object = ?1",
            "DELETE FROM baseline WHERE run = ?1",
            "DELETE FROM finding WHERE at_run = ?1 OR from_run = ?1",
        ] {
            transaction.prepare_cached(sql)?.execute([id])?;
        }
        self.runs.push(id.to_owned());
        Ok(())
    }

    fn campaign(&mut self, transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<()> {
        for sql in [
            "DELETE FROM journal WHERE campaign = (SELECT seq FROM campaign WHERE id = ?1)",
            "DELETE FROM campaign_device WHERE campaign = (SELECT seq FROM campaign WHERE id = ?1)",
            "DELETE FROM label WHERE kind = 'campaign' AND object = ?1",
            "DELETE FROM note WHERE kind = 'campaign' AND object = ?1",
        ] {
            transaction.prepare_cached(sql)?.execute([id])?;
        }
        let runs: Vec<String> = transaction
            .prepare_cached("SELECT id FROM run WHERE campaign = ?1 ORDER BY started_at, id")?
            .query_map([id], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        runs.iter().try_for_each(|run| self.run(transaction, run))?;
        transaction.prepare_cached("DELETE FROM campaign WHERE id = ?1")?.execute([id]).map(drop)
    }

    /// Removes what nothing refers to any more.
    fn end(self, transaction: &Transaction<'_>) -> rusqlite::Result<Vec<String>> {
        transaction.execute(
            "DELETE FROM environment WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.environment = environment.seq)",
            (),
        )?;
        // A file of which nothing is left can be imported again.
        for file in &self.files {
            transaction.execute(
                "DELETE FROM import WHERE sha256 = ?1 AND NOT EXISTS (
                     SELECT 1 FROM run JOIN run_header ON run_header.run = run.seq
                     WHERE run.tool <> 'fathom' AND instr(run_header.json, ?1) > 0)",
                params![file],
            )?;
        }
        Ok(self.runs)
    }
}
