//! Workloads like a profile: a plan from what metrics or a trace showed, and how like it a run was.

mod likeness_plan;
mod profile_similarity;

use fathom_record::ProfileRecord;

use fathom_plan::{RawPlan, Text};

pub use likeness_plan::{LikeError, LikeErrorKind, TargetDemand};

/// What is to be made like.
#[derive(Clone, Copy, Debug)]
pub struct LikeRequest<'a> {
    /// The profile.
    pub profile: &'a ProfileRecord,
    /// Its file, for people.
    pub name: &'a str,
    /// The demand times this.
    pub scale: f64,
    /// How long a stretch of it, in nanoseconds; its busiest half hour, or all of a shorter one, where absent.
    pub time_ns: Option<u64>,
}

impl LikeRequest<'_> {
    /// The values of a plan that asks for the same rates, sizes, directions and addresses, and what it asks for.
    ///
    /// # Errors
    /// When the profile holds no I/O, or its series is damaged.
    pub fn plan(&self) -> Result<(RawPlan, TargetDemand), LikeError> {
        let wanted = TargetDemand::of(self)?;
        Ok((wanted.raw(), wanted))
    }
}

fn text(value: impl Into<String>) -> Option<Text> {
    Some(Text(value.into()))
}
