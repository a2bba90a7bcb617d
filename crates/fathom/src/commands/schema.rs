//! `fathom schema`: what a record or a plan looks like, for programs.

use fathom_plan::PLAN_SCHEMA;
use fathom_record::json_schemas;

use crate::arguments::SchemaName;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// Prints the schema.
///
/// # Errors
/// When stdout cannot be written.
pub fn perform(of: SchemaName) -> Result<Status, Failure> {
    output::result(match of {
        SchemaName::Run => json_schemas::RUN,
        SchemaName::Campaign => json_schemas::CAMPAIGN,
        SchemaName::Plan => PLAN_SCHEMA,
        SchemaName::Profile => json_schemas::PROFILE,
        SchemaName::Sizing => json_schemas::SIZING,
        SchemaName::Fleet => json_schemas::FLEET,
        SchemaName::Account => json_schemas::ACCOUNT,
    })?;
    Ok(Status::Done)
}
