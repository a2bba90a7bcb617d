//! `--wear-limit`: the most that a command may write to its targets, said before it begins.

use fathom_campaign::write_cap;
use fathom_measure::Bytes;

use crate::failure::Failure;
use crate::output;

/// The flag, as failures name it.
const FLAG: &str = "--wear-limit";

/// Limits what this process writes from now on, and says so; nothing where no limit is asked for.
///
/// # Errors
/// When it is not a size.
pub fn begin(asked: Option<&str>) -> Result<(), Failure> {
    let Some(text) = asked else { return Ok(()) };
    let limit: Bytes = text.trim().parse().map_err(|_| Failure {
        kind: "value",
        ..Failure::usage(FLAG, format!("`{text}` is not a size"), "write, e.g., 100GiB")
    })?;
    write_cap::allow(limit.0);
    output::message(&format!("writes at most {limit} in all ({FLAG}): what would pass it is not written"));
    Ok(())
}
