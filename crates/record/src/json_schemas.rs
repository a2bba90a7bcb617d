//! JSON Schema of what is written, as text that is kept beside the types: deriving it is a good part of building this
//! room, and nobody needs that but who changes a type. `cargo xtask schema` writes the texts anew, with feature `schema`.

/// Of the run record.
pub const RUN: &str = include_str!("../schema/run.json");
/// Of the campaign record.
pub const CAMPAIGN: &str = include_str!("../schema/campaign.json");
/// Of a profile.
pub const PROFILE: &str = include_str!("../schema/profile.json");
/// Of a sizing.
pub const SIZING: &str = include_str!("../schema/sizing.json");
/// Of a fleet's sizing.
pub const FLEET: &str = include_str!("../schema/fleet.json");
/// Of an account's sizing.
pub const ACCOUNT: &str = include_str!("../schema/account.json");

/// What the types say now, each with the name of its text.
#[cfg(feature = "schema")]
pub fn derived() -> [(&'static str, serde_json::Value); 6] {
    [
        ("run", schemars::schema_for!(RunDocument).to_value()),
        ("campaign", schemars::schema_for!(CampaignDocument).to_value()),
        ("profile", schemars::schema_for!(crate::ProfileRecord).to_value()),
        ("sizing", schemars::schema_for!(crate::SizingRecord).to_value()),
        ("fleet", schemars::schema_for!(crate::FleetRecord).to_value()),
        ("account", schemars::schema_for!(crate::AccountRecord).to_value()),
    ]
}

#[cfg(feature = "schema")]
type RunDocument = crate::result::PrintedRecord<Option<crate::result::RunResult>, crate::RunRecord>;
#[cfg(feature = "schema")]
type CampaignDocument =
    crate::result::PrintedRecord<Option<crate::result::CampaignResult>, crate::CampaignRecord>;
