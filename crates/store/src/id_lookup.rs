//! Finds what a person means by the start of an id, `last` or `last-2`.

use rusqlite::params;

use crate::error::{StoreError, StoreErrorKind};
use crate::store_file::Store;

/// What a name stands for, as its whole id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredId {
    /// A run.
    Run(String),
    /// A campaign.
    Campaign(String),
}

/// Where names are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    Runs,
    Campaigns,
}

impl Names {
    fn table(self) -> &'static str {
        match self {
            Self::Runs => "run",
            Self::Campaigns => "campaign",
        }
    }

    fn found(self, id: String) -> StoredId {
        match self {
            Self::Runs => StoredId::Run(id),
            Self::Campaigns => StoredId::Campaign(id),
        }
    }
}

/// So many candidates an error lists.
const CANDIDATES: usize = 5;

const LOOKING: &str = "looking up a name";

impl Store {
    /// The run or campaign that `name` stands for: an id, a start of an id that only one has, `last`
    /// for the newest, or `last-2` for the second before it. A campaign's runs lie inside it, so
    /// `last` counts campaigns and the runs that belong to none.
    ///
    /// # Errors
    /// When nothing has that name (with the nearest ids), or several have (with their ids).
    pub fn resolve(&self, name: &str) -> Result<StoredId, StoreError> {
        self.resolve_among(
            name,
            &[Names::Runs, Names::Campaigns],
            "SELECT id, 0 AS campaign, started_at FROM run WHERE campaign IS NULL
             UNION ALL SELECT id, 1, started_at FROM campaign",
        )
    }

    /// The id of the run that `name` stands for, as [`resolve`](Self::resolve) finds it, but
    /// `last` counts every run and nothing else.
    ///
    /// # Errors
    /// When no run has that name (with the nearest ids), or several have (with their ids).
    pub fn resolve_run(&self, name: &str) -> Result<String, StoreError> {
        let found =
            self.resolve_among(name, &[Names::Runs], "SELECT id, 0 AS campaign, started_at FROM run")?;
        Ok(found.into_id())
    }

    /// The id of the campaign that `name` stands for, as [`resolve`](Self::resolve) finds it, but
    /// `last` counts campaigns alone.
    ///
    /// # Errors
    /// When no campaign has that name (with the nearest ids), or several have (with their ids).
    pub fn resolve_campaign(&self, name: &str) -> Result<String, StoreError> {
        let newest = "SELECT id, 1 AS campaign, started_at FROM campaign";
        Ok(self.resolve_among(name, &[Names::Campaigns], newest)?.into_id())
    }

    fn resolve_among(&self, name: &str, among: &[Names], newest: &str) -> Result<StoredId, StoreError> {
        if let Some(back) = steps_back(name) {
            return self.newest(newest, back)?.ok_or_else(|| {
                StoreError::new(
                    StoreErrorKind::NotFound,
                    self.place(LOOKING),
                    format!("there are fewer runs than that: {name:?}"),
                )
                .with_remedy("see what there is with: fathom runs")
            });
        }
        let mut candidates = Vec::new();
        for &names in among {
            for id in self.ids_from(names, name, CANDIDATES + 1)? {
                if id == name {
                    return Ok(names.found(id));
                }
                candidates.push(names.found(id));
            }
        }
        match candidates.len() {
            0 => Err(self.unknown(name, among)),
            1 if !name.is_empty() => Ok(candidates.remove(0)),
            _ => {
                let cause = format!("{name:?} fits more than one: {}", listed(&candidates));
                Err(StoreError::new(StoreErrorKind::Ambiguous, self.place(LOOKING), cause)
                    .with_remedy("type more of the id"))
            }
        }
    }

    /// The error for a name that nothing has.
    pub(crate) fn unknown(&self, name: &str, among: &[Names]) -> StoreError {
        let what = match among {
            [Names::Runs] => "run",
            [Names::Campaigns] => "campaign",
            _ => "run or campaign",
        };
        let near = match self.near(name, among) {
            Ok(near) => near,
            Err(error) => return error,
        };
        let error =
            StoreError::new(StoreErrorKind::NotFound, self.place(LOOKING), format!("no {what} {name:?}"));
        if near.is_empty() {
            return error.with_remedy("the store is empty: a run is saved into it when it ends");
        }
        error.with_remedy(format!("near it: {}; all: fathom runs", listed(&near)))
    }

    /// Ids that share the longest start with `name`.
    fn near(&self, name: &str, among: &[Names]) -> Result<Vec<StoredId>, StoreError> {
        let starts = (0..=name.len()).rev().filter_map(|end| name.get(..end));
        for start in starts {
            let mut found = Vec::new();
            for &names in among {
                found.extend(self.ids_from(names, start, CANDIDATES)?.into_iter().map(|id| names.found(id)));
            }
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// Up to `limit` ids that start with `start`; one that equals it comes first, then the newest.
    fn ids_from(&self, names: Names, start: &str, limit: usize) -> Result<Vec<String>, StoreError> {
        let sql = format!(
            "SELECT id FROM {} WHERE id >= ?1 AND substr(id, 1, length(?1)) = ?1
             ORDER BY id <> ?1, id DESC LIMIT ?2",
            names.table()
        );
        self.all(LOOKING, &sql, params![start, limit as i64], |row| row.get(0))
    }

    fn newest(&self, from: &str, back: u32) -> Result<Option<StoredId>, StoreError> {
        let sql =
            format!("SELECT id, campaign FROM ({from}) ORDER BY started_at DESC, id DESC LIMIT 1 OFFSET ?1");
        self.one(LOOKING, &sql, [back], |row| {
            let id = row.get("id")?;
            Ok(if row.get("campaign")? { StoredId::Campaign(id) } else { StoredId::Run(id) })
        })
    }
}

impl StoredId {
    /// The id, whatever has it.
    pub fn into_id(self) -> String {
        match self {
            Self::Run(id) | Self::Campaign(id) => id,
        }
    }
}

/// 0 for `last`, 2 for `last-2`; nothing for other names.
fn steps_back(name: &str) -> Option<u32> {
    match name.strip_prefix("last")? {
        "" => Some(0),
        rest => rest.strip_prefix('-')?.parse().ok(),
    }
}

fn listed(candidates: &[StoredId]) -> String {
    let shown: Vec<String> = candidates
        .iter()
        .take(CANDIDATES)
        .map(|candidate| match candidate {
            StoredId::Run(id) => id.clone(),
            StoredId::Campaign(id) => format!("{id} (campaign)"),
        })
        .collect();
    let more = if candidates.len() > CANDIDATES { ", ..." } else { "" };
    shown.join(", ") + more
}

/// Ids are typed by people and become parts of file names.
pub(crate) fn check_id(id: &str) -> Result<(), &'static str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if id.is_empty() || id.len() > 128 {
        return Err("an id has 1 to 128 characters");
    }
    if !id.bytes().all(plain) || id.starts_with(['-', '.']) {
        return Err("an id has letters, digits, '-', '_' and '.' only, and starts with none of '-' and '.'");
    }
    if steps_back(id).is_some() {
        return Err("an id cannot be `last`");
    }
    Ok(())
}
