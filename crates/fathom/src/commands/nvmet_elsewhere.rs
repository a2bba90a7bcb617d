//! `fathom nvmet` on systems that it does not serve from.

use fathom_engine::{EngineError, ErrorKind};

use crate::arguments::NvmetArguments;
use crate::exit_status::Status;
use crate::failure::Failure;

/// Serves nothing.
///
/// # Errors
/// Always.
pub fn perform(_: &NvmetArguments) -> Result<Status, Failure> {
    let cause = "this build serves no targets from this operating system";
    Err(EngineError::new(ErrorKind::Unsupported, "fathom nvmet", cause)
        .with_remedy("serve from Linux; hosts of any system connect")
        .into())
}
