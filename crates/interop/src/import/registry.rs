//! The list of formats that are read.

use super::Importer;

/// All importers; of two that are equally sure of a file neither is taken, so the order says nothing.
pub const IMPORTERS: &[Importer] = &[crate::fathom::IMPORTER];
