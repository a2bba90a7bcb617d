//! Queues of block devices that the kernel polls for completions.

use fathom_record::facts::TargetFacts;

use crate::{EngineError, ErrorKind};

/// Refuses a target with a device whose queue is not polled, for what is done at `place` by a word of the command line.
///
/// # Errors
/// The first such device in the order of the stack, and how it gets queues that are polled.
pub(crate) fn require(target: &TargetFacts, place: &str, word: &str) -> Result<(), EngineError> {
    // Each layer has a queue of its own, but for partitions, which have their disk's.
    let mut queues = target.devices.iter().filter(|device| device.layer != "partition");
    let Some(device) = queues.find(|device| !is_polled(&device.name)) else { return Ok(()) };
    let cause = format!("{} has no poll queues", device.name);
    let remedy = format!(
        "for NVMe: `modprobe nvme poll_queues=2`, or nvme.poll_queues=2 at boot; otherwise leave {word} out"
    );
    Err(EngineError::new(ErrorKind::Unsupported, place, cause).with_remedy(remedy))
}

/// Whether a block device, by its kernel name, has queues that are polled. Linux alone has the file, as it alone polls.
fn is_polled(device: &str) -> bool {
    let path = format!("/sys/block/{device}/queue/io_poll");
    std::fs::read_to_string(path).is_ok_and(|value| value.trim() == "1")
}
