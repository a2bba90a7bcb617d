//! What a run chooses of a ring.

use fathom_record::options::IoFlags;

/// What the user may choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Polled completions: the device must have poll queues.
    pub polled: bool,
    /// Flags on every read and write. `hipri` has no place here: `polled` does it.
    pub flags: IoFlags,
    /// Whether I/Os have to start on time: the kernel's workers are then kept off the job's processor.
    pub on_time: bool,
}
