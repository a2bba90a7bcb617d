//! NVMe wire structures as plain data: no unsafe code, no allocation, no I/O.
//!
//! Bytes that a device returned become typed fields, and fields become quantities with units. Any
//! bytes at all can be parsed: a device that lies yields odd numbers, never a panic. Sections are
//! those of the NVM Express Base Specification 2.0 ("Base") and the NVM Command Set Specification
//! 1.0 ("NVM"), which read older devices too: fields they lack are zero.

#![no_std]
#![forbid(unsafe_code)]

pub mod admin;
pub mod amazon;
pub mod descriptors;
pub mod fabrics;
pub mod identify_controller;
pub mod identify_namespace;
pub mod io;
pub mod linux;
mod padded_text;
pub mod smart;
pub mod status;

pub use amazon::VolumeLog;
pub use identify_controller::IdentifyController;
pub use identify_namespace::IdentifyNamespace;
pub use linux::LinuxCommand;
pub use padded_text::Text;
pub use smart::SmartLog;
pub use status::Status;

use core::fmt;
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

/// A buffer that is shorter than the structure it should hold. Its own type: this room is below record, which has the
/// one shape of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortBufferError {
    /// What should have been there.
    pub structure: &'static str,
    /// Bytes it takes.
    pub needed_bytes: usize,
    /// Bytes that were given.
    pub given_bytes: usize,
}

impl fmt::Display for ShortBufferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { structure, needed_bytes, given_bytes } = self;
        write!(f, "{structure} takes {needed_bytes} bytes, and {given_bytes} were returned")
    }
}

impl core::error::Error for ShortBufferError {}

/// Reads a structure in place from the start of a buffer.
fn view<'a, T>(bytes: &'a [u8], structure: &'static str) -> Result<&'a T, ShortBufferError>
where
    T: FromBytes + KnownLayout + Immutable + Unaligned,
{
    match T::ref_from_prefix(bytes) {
        Ok((value, _)) => Ok(value),
        Err(_) => Err(ShortBufferError { structure, needed_bytes: size_of::<T>(), given_bytes: bytes.len() }),
    }
}
