//! What is tried on Linux alone.

/// Names that no run opens, be it to read.
pub const REFUSED: &[&str] =
    &["absent.bin", "/dev/null", "/dev/tty", "floppy:a", "sim:nothing", "nvme+tcp://"];

/// Commands whose answers say what the machine is, with the file that an answer is in.
pub const ANSWERS: &[(&str, &[&str], Option<&str>)] = &[];
