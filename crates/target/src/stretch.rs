//! Where a part of a file lies.

/// A part of a file or device that lies on its device in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// First byte in the file.
    pub first_byte: u64,
    /// Length.
    pub bytes: u64,
    /// First byte on the device.
    pub device_byte: u64,
}
