//! Systems on which this build measures no files and devices.

use std::path::Path;

use super::{Finding, State};

/// That it does not.
pub fn findings(_: &Path) -> Vec<Finding> {
    let found = "this build measures none on this operating system";
    let remedy = "fathom run null:, memory: or sim:gp3; measure files and devices on Linux";
    vec![Finding::new("files, devices", State::Fails, found).or(remedy)]
}
