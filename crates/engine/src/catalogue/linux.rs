//! Linux.

use fathom_record::engines::Platform;

/// This system.
pub const HERE: Platform = Platform::Linux;

/// Why an engine of another system carries nothing here.
pub const WHY_NOT_HERE: &str = "it needs Windows";
