//! The run record: everything a run exposed, as data with a version and a JSON Schema.
//!
//! The record is the narrow waist of the project. Everything that produces numbers makes a
//! [`RunRecord`]; everything that draws conclusions reads only those. A [`CampaignRecord`] names the
//! runs of an assessment and holds what was concluded from them. There is no I/O here.
//!
//! Every quantity carries its unit in its name. A field that is absent was not measured; nothing is
//! filled in.

pub mod account_record;
pub mod analysis_record;
pub mod breaches;
pub mod burst_and_base;
pub mod campaign;
pub mod ceiling;
pub mod check;
pub mod client_facts;
pub mod comparison;
pub mod condition;
pub mod distribution;
pub mod ended_io;
pub mod engine_list;
pub mod environment_facts;
pub mod error;
pub mod expectation;
pub mod exposure_guard;
pub mod fabric;
pub mod facts;
pub mod fleet_record;
mod input_fault;
pub mod json_schemas;
pub mod latency;
pub mod options;
pub mod precision;
pub mod profile_record;
pub mod provenance;
mod refusal;
pub mod result;
pub mod run_plan;
pub mod run_record;
pub mod series;
pub mod shell;
pub mod sizing_advice;
pub mod sizing_record;
pub mod spelling;
pub mod standstill;
pub mod steadiness;
pub mod telemetry;
pub mod tool_engines;
mod unknown;
pub mod verdict;
pub mod version;
pub mod wall_facts;
pub mod witness;
pub mod workload;

pub use account_record::AccountRecord;
pub use breaches::EngineBreaches;
pub use campaign::CampaignRecord;
pub use ceiling::{CeilingRate, CeilingScope, KnownCeiling};
pub use check::{Check, CheckName, CheckOutcome};
pub use client_facts::ClientsFacts;
pub use ended_io::EndedIo;
pub use fleet_record::{FleetRecord, FleetRow};
pub use input_fault::Fault;
pub use latency::{LatencySummary, SparseHistogram};
pub use profile_record::ProfileRecord;
pub use provenance::RecordOrigin;
pub use refusal::{Refusal, RefusalAbout, RefusalKind};
pub use run_record::RunRecord;
pub use series::{DirectionInterval, Interval};
pub use shell::{CREDENTIALS_PLACEHOLDER, shell_bytes, shell_word, shell_words};
pub use sizing_record::SizingRecord;
pub use standstill::Standstill;
pub use verdict::Verdict;
pub use version::{ReadError, ReadErrorKind, parse_campaign, parse_profile, parse_run};
pub use wall_facts::WallFacts;
pub use witness::Witness;
pub use workload::Workload;

use serde::{Deserialize, Serialize};

/// What an I/O does to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Data from the target.
    Read,
    /// Data to the target.
    Write,
    /// Blocks declared unused (discard, deallocate, hole punching).
    Trim,
    /// Earlier writes made durable.
    Flush,
}

impl Direction {
    /// All directions, in the order of their [`index`](Direction::index).
    pub const ALL: [Direction; 4] = [Direction::Read, Direction::Write, Direction::Trim, Direction::Flush];

    /// Position in arrays that hold one entry a direction.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The word for it in text and screens.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Read => "read",
            Direction::Write => "write",
            Direction::Trim => "trim",
            Direction::Flush => "flush",
        }
    }
}
