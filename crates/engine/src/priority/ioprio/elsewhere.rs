//! Systems without these priorities.

use fathom_record::options::Priority;

use crate::{EngineError, ErrorKind};

/// Refuses a priority.
///
/// # Errors
/// Always [`ErrorKind::Unsupported`].
pub fn set_of_thread(priority: Priority) -> Result<(), EngineError> {
    let place = format!("giving I/Os {}", priority.in_words());
    Err(EngineError::new(ErrorKind::Unsupported, place, "the kernel of Linux alone has such priorities")
        .with_remedy("run it without priorities of I/Os"))
}
