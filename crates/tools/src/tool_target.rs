//! What another tool is given to work on, as its own command line or job file names it.

/// A file or device that a tool is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolTarget {
    /// Its path, from the root; on another machine as it is named there.
    pub path: String,
    /// Whether it is written.
    pub writes: bool,
    /// Whether it may be read before it was written: a file that is made is then written throughout.
    pub reads: bool,
    /// Length that a file has to have for what is asked of it, in bytes; none for that which it has.
    pub end_bytes: Option<u64>,
    /// Whether it is made where it is missing.
    pub may_be_made: bool,
    /// Whether it is removed after the run; only a file that was made for it may be.
    pub is_removed: bool,
}
