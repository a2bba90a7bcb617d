//! The run record: everything a run exposed, as data with a version and a JSON Schema.
//!
//! The record is the narrow waist of the project. Everything that produces numbers makes a
//! [`RunRecord`]; everything that draws conclusions reads only those. A [`CampaignRecord`] names the
//! runs of an assessment and holds what was concluded from them. There is no I/O here.
//!
//! Every quantity carries its unit in its name. A field that is absent was not measured; nothing is
//! filled in.

pub mod account;
pub mod analysis;
pub mod breaches;
pub mod bucket;
pub mod campaign;
pub mod ceiling;
pub mod check;
pub mod clients;
pub mod comparison;
pub mod condition;
pub mod distribution;
pub mod ended_io;
pub mod engines;
pub mod environment;
pub mod error;
pub mod expectation;
pub mod exposure;
pub mod fabric;
pub mod facts;
mod fault;
pub mod fleet;
pub mod latency;
pub mod options;
pub mod origin;
pub mod plan;
pub mod precision;
pub mod profile;
mod refusal;
pub mod result;
pub mod run;
pub mod schema;
pub mod series;
pub mod shell;
pub mod sizing;
pub mod sizing_advice;
pub mod spelling;
pub mod standstill;
pub mod steadiness;
pub mod telemetry;
pub mod tool_engines;
mod unknown;
pub mod verdict;
pub mod version;
pub mod wall;
pub mod witness;
pub mod workload;

pub use account::AccountRecord;
pub use breaches::EngineBreaches;
pub use campaign::CampaignRecord;
pub use ceiling::{CeilingRate, CeilingScope, KnownCeiling};
pub use check::{Check, CheckName, Outcome};
pub use clients::ClientsFacts;
pub use ended_io::EndedIo;
pub use fault::Fault;
pub use fleet::{FleetRecord, FleetRow};
pub use latency::{LatencySummary, SparseHistogram};
pub use origin::Origin;
pub use profile::ProfileRecord;
pub use refusal::{Refusal, RefusalAbout, RefusalKind};
pub use run::RunRecord;
pub use series::{DirectionInterval, Interval};
pub use shell::{shell_bytes, shell_word, shell_words};
pub use sizing::SizingRecord;
pub use standstill::Standstill;
pub use verdict::Verdict;
pub use version::{ReadError, ReadErrorKind, parse_campaign, parse_profile, parse_run};
pub use wall::WallFacts;
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
