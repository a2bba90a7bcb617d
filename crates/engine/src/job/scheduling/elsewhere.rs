//! Systems without a policy that lets a thread take its turns in batches.

use fathom_record::facts::Feature;

use super::kept;

/// Asks for nothing.
pub fn prefer_batches() -> Feature {
    kept("this system has no such policy".to_owned())
}
