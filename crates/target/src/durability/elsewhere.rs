//! Where descriptors do not say what they were opened for.

use std::fs::File;

use fathom_record::options::Durable;

/// What an open descriptor does; nothing is known.
pub fn of(_: &File) -> Option<Durable> {
    None
}
