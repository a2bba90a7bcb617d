//! Where descriptors do not say what they were opened for.

use fathom_record::options::Durability;

use crate::Handle;

/// What an open descriptor does; nothing is known.
pub fn of(_: &Handle) -> Option<Durability> {
    None
}
