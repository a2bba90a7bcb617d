//! Lists campaigns without reading their records.

use rusqlite::Row;

use crate::error::StoreError;
use crate::store_file::Store;

/// How a campaign stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CampaignState {
    /// Runs now, or stopped and can be continued.
    Unfinished,
    /// Has its result.
    Finished,
    /// Closed without a result.
    GivenUp,
}

/// One campaign in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CampaignRow {
    /// Its id.
    pub id: String,
    /// Key of plan and target.
    pub key: String,
    /// Target as the user named it.
    pub target: String,
    /// Start, RFC 3339, UTC.
    pub started_at: String,
    /// When it was finished or given up, RFC 3339, UTC.
    pub closed_at: Option<String>,
    /// How it stands.
    pub state: CampaignState,
    /// Runs that it saved.
    pub runs: u64,
}

impl CampaignRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let closed_at: Option<String> = row.get("closed_at")?;
        let state = match (&closed_at, row.get("given_up")?) {
            (None, _) => CampaignState::Unfinished,
            (Some(_), false) => CampaignState::Finished,
            (Some(_), true) => CampaignState::GivenUp,
        };
        Ok(Self {
            id: row.get("id")?,
            key: row.get("key")?,
            target: row.get("target")?,
            started_at: row.get("started_at")?,
            closed_at,
            state,
            runs: u64::from(row.get::<_, u32>("runs")?),
        })
    }
}

impl Store {
    /// All campaigns, newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn campaigns(&self) -> Result<Vec<CampaignRow>, StoreError> {
        let sql = "SELECT id, key, target, started_at, closed_at, given_up,
                       (SELECT count(*) FROM run WHERE run.campaign = campaign.id) AS runs
                   FROM campaign ORDER BY started_at DESC, id DESC";
        self.all("listing campaigns", sql, (), CampaignRow::read)
    }
}
