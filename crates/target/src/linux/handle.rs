//! An open target as engines work on it: a descriptor, which any number of threads share.

use std::fs::File;
use std::sync::Arc;

use crate::Error;

/// An open file or device.
pub type Handle = File;

/// What one thread does its I/O on.
pub type Lane = Arc<File>;

/// A lane of an open target.
///
/// # Errors
/// None here.
pub fn lane(handle: &Arc<Handle>) -> Result<Lane, Error> {
    Ok(Arc::clone(handle))
}
