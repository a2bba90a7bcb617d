//! Places that are written to rather than replaced, on Unix.

use std::fs::Metadata;
use std::os::unix::fs::FileTypeExt;

/// Character devices, pipes: `/dev/null`, `/dev/stderr`, `>(command)`. Block devices hold data and are none.
pub fn is_stream(meta: &Metadata) -> bool {
    meta.file_type().is_char_device() || meta.file_type().is_fifo()
}
