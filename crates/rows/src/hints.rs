//! What the user says of what is read.

use crate::Values;

/// What the user says of some texts or files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints<'a> {
    /// The disk, where they hold several.
    pub device: Option<&'a str>,
    /// The machine, where they hold several.
    pub instance: Option<&'a str>,
    /// Names of a table's columns, e.g. `time=when,reads=r`; may be empty.
    pub columns: &'a str,
    /// What a table's values are.
    pub values: Option<Values>,
}
