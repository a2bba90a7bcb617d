//! Series as binary pieces: a payload of a known version, compressed, in envelopes with checksums.
//!
//! A payload is encoded with postcard, cut into pieces of at most 8 MiB, and each piece put into an
//! envelope. Postcard does not describe itself, so the envelope's version says which structure to
//! decode into. Structures of old versions stay in this module for good. Long lists of numbers are
//! packed into planes of bytes first (see `packed`).
//!
//! | offset | bytes | envelope |
//! |---|---|---|
//! | 0 | 2 | `fS` |
//! | 2 | 1 | kind: 1 intervals, 2 telemetry |
//! | 3 | 1 | version of the payload's structure |
//! | 4 | 4 | CRC32C of bytes 0..4 and of everything from byte 8 on, little-endian |
//! | 8 | 4 | length of the piece before compression, little-endian |
//! | 12 | | the piece as one LZ4 block |

mod interval_blob;
mod packed_numbers;
mod payload_frame;
mod telemetry_blob;

pub(crate) use interval_blob::{decode_intervals, encode_intervals, visit_intervals};
pub(crate) use payload_frame::{BlobError, Kind};
pub(crate) use telemetry_blob::{decode_telemetry, decode_telemetry_of, encode_telemetry};
