//! Windows.

use fathom_record::engines::Platform;

/// This system.
pub const HERE: Platform = Platform::Windows;
