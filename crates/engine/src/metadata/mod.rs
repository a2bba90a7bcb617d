//! One call about a file or a name for each I/O, and no data: space that is given or taken back, lengths that
//! change, names that are made, looked up and removed. The acts are known everywhere; they are done on Linux.

mod act;

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
pub(crate) mod launch;
#[cfg(target_os = "linux")]
mod names;

pub use act::{MetadataCall, NameAct};
#[cfg(target_os = "linux")]
pub use calls::Metadata;

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests;
