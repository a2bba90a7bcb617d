//! `fathom schema`: what a record or a plan looks like, for programs.

use fathom_plan::PLAN_SCHEMA;
use fathom_record::schema;

use crate::arguments::SchemaName;
use crate::failure::Failure;
use crate::output;
use crate::status::Status;

/// Prints the schema.
///
/// # Errors
/// When stdout cannot be written.
pub fn perform(of: SchemaName) -> Result<Status, Failure> {
    output::result(match of {
        SchemaName::Run => schema::RUN,
        SchemaName::Campaign => schema::CAMPAIGN,
        SchemaName::Plan => PLAN_SCHEMA,
        SchemaName::Profile => schema::PROFILE,
        SchemaName::Sizing => schema::SIZING,
        SchemaName::Fleet => schema::FLEET,
        SchemaName::Account => schema::ACCOUNT,
    })?;
    Ok(Status::Done)
}
