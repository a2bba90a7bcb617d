//! `fathom schema`: what a record or a plan looks like, for programs.

use fathom_plan::plan_schema;
use fathom_record::{campaign_schema, fleet_schema, profile_schema, run_schema, sizing_schema};

use crate::arguments::SchemaName;
use crate::failure::Failure;
use crate::output;
use crate::status::Status;

/// Prints the schema.
///
/// # Errors
/// When stdout cannot be written.
pub fn perform(of: SchemaName) -> Result<Status, Failure> {
    let schema = match of {
        SchemaName::Run => run_schema(),
        SchemaName::Campaign => campaign_schema(),
        SchemaName::Plan => plan_schema(),
        SchemaName::Profile => profile_schema(),
        SchemaName::Sizing => sizing_schema(),
        SchemaName::Fleet => fleet_schema(),
    };
    output::result(&output::json(&schema))?;
    Ok(Status::Done)
}
