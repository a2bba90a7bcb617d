//! Several targets as one address space.

/// Chunks are multiples of this, so that parts of I/Os are whole pages of a file and of the page cache.
pub const CHUNK_UNIT_BYTES: u64 = 4096;
