//! Systems without a policy that lets a thread take its turns in batches.

use fathom_record::facts::EngineFeature;

use super::kept;

/// Asks for nothing.
pub fn prefer_batches() -> EngineFeature {
    kept("this system has no such policy".to_owned())
}
