//! Windows.

use fathom_record::engine_list::Platform;

/// This system.
pub const HERE: Platform = Platform::Windows;
