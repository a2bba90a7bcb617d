//! What a run chooses of a ring.

use fathom_record::run_plan::RunOptions;

/// What is known of a run when its ring is made. The ring keeps nothing of the run's options but values of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// The run's. With `polled`, the device must have poll queues; `hipri` among the flags has no place here: `polled`
    /// does it.
    pub run: &'a RunOptions,
    /// Whether I/Os have to start on time: the kernel's workers are then kept off the job's processor.
    pub on_time: bool,
}
