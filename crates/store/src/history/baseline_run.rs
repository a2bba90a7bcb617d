//! The run that others of the same workload on the same target are held against: one for each.

use rusqlite::params;

use crate::error::StoreError;
use crate::id_lookup::Names;
use crate::store_file::Store;

/// A baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// The run's id.
    pub run: String,
    /// Target as the user named it.
    pub target: String,
    /// The workload in a few words.
    pub pattern: String,
    /// Jobs.
    pub jobs: u32,
    /// Depth of each job.
    pub depth: u32,
    /// The tool that measured.
    pub tool: String,
    /// When it was chosen, RFC 3339, UTC.
    pub at: String,
}

const CHOOSING: &str = "choosing a baseline";

impl Store {
    /// Makes a run the baseline of its workload on its target, in the place of the one before. `at` is RFC 3339, UTC.
    ///
    /// # Errors
    /// When there is no such run, or the store cannot be written.
    pub fn set_baseline(&self, run: &str, at: &str) -> Result<(), StoreError> {
        let set = self.change(CHOOSING, |transaction| {
            transaction
                .prepare_cached(
                    "UPDATE baseline SET void_at = ?2 FROM (SELECT * FROM run WHERE id = ?1) AS chosen
                     WHERE baseline.void_at IS NULL AND baseline.target = chosen.target
                         AND baseline.pattern = chosen.pattern AND baseline.jobs = chosen.jobs
                         AND baseline.depth = chosen.depth AND baseline.tool = chosen.tool",
                )?
                .execute(params![run, at])?;
            transaction
                .prepare_cached(
                    "INSERT INTO baseline (target, pattern, jobs, depth, tool, run, at)
                     SELECT target, pattern, jobs, depth, tool, id, ?2 FROM run WHERE id = ?1",
                )?
                .execute(params![run, at])
        })?;
        if set == 0 { Err(self.unknown(run, &[Names::Runs])) } else { Ok(()) }
    }

    /// Makes a run a baseline no longer; tells whether it was one.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn void_baseline(&self, run: &str, at: &str) -> Result<bool, StoreError> {
        self.change(CHOOSING, |transaction| {
            transaction
                .prepare_cached("UPDATE baseline SET void_at = ?2 WHERE run = ?1 AND void_at IS NULL")?
                .execute(params![run, at])
                .map(|changed| changed > 0)
        })
    }

    /// All baselines, by target and workload.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn baselines(&self) -> Result<Vec<Baseline>, StoreError> {
        let sql = "SELECT * FROM baseline WHERE void_at IS NULL ORDER BY target, pattern, jobs, depth, tool";
        self.all("reading baselines", sql, (), |row| {
            Ok(Baseline {
                run: row.get("run")?,
                target: row.get("target")?,
                pattern: row.get("pattern")?,
                jobs: row.get("jobs")?,
                depth: row.get("depth")?,
                tool: row.get("tool")?,
                at: row.get("at")?,
            })
        })
    }
}
