//! Systems whose calls take no flags of single I/Os.

use fathom_record::options::IoFlags;
use fathom_target::Handle;

use crate::{EngineError, ErrorKind};

/// Passes where there are none.
///
/// # Errors
/// [`ErrorKind::Unsupported`] for any flag.
pub fn try_on(flags: IoFlags, _: &Handle, _: (u64, u32), _: bool) -> Result<(), EngineError> {
    if flags.is_empty() {
        return Ok(());
    }
    let cause = "the kernel of Linux alone takes flags with single I/Os";
    Err(EngineError::new(ErrorKind::Unsupported, "trying --io-flags on the target", cause)
        .with_remedy("leave --io-flags out"))
}
