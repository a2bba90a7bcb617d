//! Changes of level in a trend that somebody looked at, and why they are as they should be.

use rusqlite::params;

use crate::error::StoreError;
use crate::store_file::Store;

/// Which trend a change is in, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingKey {
    /// The target, as it is named in runs.
    pub target: String,
    /// The workload in a few words.
    pub pattern: String,
    /// Jobs.
    pub jobs: u32,
    /// Depth of each job.
    pub depth: u32,
    /// The tool that measured.
    pub tool: String,
    /// What is followed, as `operations_per_s`.
    pub metric: String,
    /// First run of the new level.
    pub at_run: String,
}

/// A change that was looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Where it is.
    pub key: FindingKey,
    /// Last run of the level before it.
    pub from_run: String,
    /// The new level over the old one.
    pub effect: f64,
    /// Ends of its 95 % interval.
    pub interval: [f64; 2],
    /// Probability of such a difference by chance.
    pub p_value: f64,
    /// What found it.
    pub method: String,
    /// Why it is as it should be.
    pub text: String,
    /// Who says so, as far as is known.
    pub author: Option<String>,
    /// When, RFC 3339, UTC.
    pub at: String,
}

const KEEPING: &str = "keeping a finding";

impl Store {
    /// Keeps that a change was looked at, in the place of what was kept of it before.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn acknowledge(&self, finding: &Finding) -> Result<(), StoreError> {
        let FindingKey { target, pattern, jobs, depth, tool, metric, at_run } = &finding.key;
        let [low, high] = finding.interval;
        self.change(KEEPING, |transaction| {
            transaction
                .prepare_cached(
                    "UPDATE finding SET void_at = ?8 WHERE void_at IS NULL AND target = ?1 AND pattern = ?2
                         AND jobs = ?3 AND depth = ?4 AND tool = ?5 AND metric = ?6 AND at_run = ?7",
                )?
                .execute(params![target, pattern, jobs, depth, tool, metric, at_run, finding.at])?;
            transaction
                .prepare_cached(
                    "INSERT INTO finding (target, pattern, jobs, depth, tool, metric, at_run, from_run, effect, low,
                         high, p_value, method, state, text, author, at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 'acknowledged', ?14, ?15, ?16)",
                )?
                .execute(params![
                    target,
                    pattern,
                    jobs,
                    depth,
                    tool,
                    metric,
                    at_run,
                    finding.from_run,
                    finding.effect,
                    low,
                    high,
                    finding.p_value,
                    finding.method,
                    finding.text,
                    finding.author,
                    finding.at
                ])
                .map(drop)
        })
    }

    /// Changes of a target's trends that were looked at, oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn findings(&self, target: &str) -> Result<Vec<Finding>, StoreError> {
        let sql = "SELECT * FROM finding WHERE void_at IS NULL AND target = ?1 ORDER BY seq";
        self.all("reading findings", sql, [target], |row| {
            Ok(Finding {
                key: FindingKey {
                    target: row.get("target")?,
                    pattern: row.get("pattern")?,
                    jobs: row.get("jobs")?,
                    depth: row.get("depth")?,
                    tool: row.get("tool")?,
                    metric: row.get("metric")?,
                    at_run: row.get("at_run")?,
                },
                from_run: row.get("from_run")?,
                effect: row.get("effect")?,
                interval: [row.get("low")?, row.get("high")?],
                p_value: row.get("p_value")?,
                method: row.get("method")?,
                text: row.get("text")?,
                author: row.get("author")?,
                at: row.get("at")?,
            })
        })
    }
}
