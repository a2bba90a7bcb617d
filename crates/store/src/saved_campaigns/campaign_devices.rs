//! The devices that a campaign began on, so that it continues on no other.

use rusqlite::params;

use super::Campaign;
use crate::checked_json::CheckedJson;
use crate::error::StoreError;
use crate::store_file::Store;

/// A device under the name by which a campaign's plan knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CampaignDevice {
    /// Target as the user named it.
    pub target: String,
    /// What it is known by, as JSON of the caller's choice.
    pub json: String,
}

impl Store {
    /// Remembers what a target of a campaign is known by, in place of what was known of it; when this returns, it
    /// is on the disk.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn remember_device(&self, campaign: &Campaign, device: &CampaignDevice) -> Result<(), StoreError> {
        let known = CheckedJson::new(device.json.clone());
        self.change("remembering a campaign's device", |transaction| {
            transaction
                .prepare_cached(
                    "INSERT OR REPLACE INTO campaign_device (campaign, target, crc, json) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![campaign.seq, device.target, known.crc, known.json])
                .map(drop)
        })
    }

    /// What a campaign's targets are known by; none for a target that is not a device, and for campaigns that
    /// ended before their first device was open.
    ///
    /// # Errors
    /// When it is damaged or the store cannot be read.
    pub fn campaign_devices(&self, campaign: &Campaign) -> Result<Vec<CampaignDevice>, StoreError> {
        let sql = "SELECT target, crc, json FROM campaign_device WHERE campaign = ?1 ORDER BY target";
        let rows = self.all("reading a campaign's devices", sql, [campaign.seq], |row| {
            Ok((row.get("target")?, CheckedJson::from_row(row, "json", "crc")?))
        })?;
        rows.into_iter()
            .map(|(target, known)| {
                let json = known.verified().map_err(|cause| self.damaged_campaign(&campaign.id, cause))?;
                Ok(CampaignDevice { target, json: json.to_owned() })
            })
            .collect()
    }
}
