//! `fathom share`: runs and campaigns as one file, with the screens of `fathom serve`.

use fathom_page::{PrivatePart, share};
use fathom_store::StoredId;
use serde::Serialize;

use super::store_access::{StorePlace, existing};
use crate::arguments::{RedactedPart, ShareArguments};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output::{self, Machine};
use crate::output_file::{Content, OutputFile};

/// What was written, for programs.
#[derive(Serialize)]
struct ShareSummary {
    format: &'static str,
    version: u32,
    file: String,
    bytes: usize,
    runs: usize,
    campaigns: usize,
}

/// Writes the file.
///
/// # Errors
/// When there is no such name, this build has no page, or the file cannot be written.
pub fn perform(place: &StorePlace, arguments: &ShareArguments) -> Result<Status, Failure> {
    let first = arguments.names.first().map_or("", String::as_str);
    let store = existing(place, first)?;
    let what: Vec<StoredId> =
        arguments.names.iter().map(|name| store.resolve(name)).collect::<Result<_, _>>()?;
    let file = OutputFile::check(&arguments.html, Content::Marked)?;
    let hidden: Vec<PrivatePart> = arguments.redact.iter().map(|part| (*part).into()).collect();
    let page = share(&store, &what, &hidden)?;
    file.write(&page.html)?;
    let written = ShareSummary {
        format: "fathom.shared",
        version: 1,
        file: file.name().display().to_string(),
        bytes: page.html.len(),
        runs: page.runs,
        campaigns: page.campaigns,
    };
    if arguments.switch.json {
        Machine::Stdout.write(&output::json(&written))?;
    } else {
        let size = page.html.len().div_ceil(1000);
        let runs = fathom_measure::counted(page.runs as u64, "run");
        output::message(&format!("wrote {}: {runs}, {size} kB", written.file));
    }
    Ok(Status::Done)
}

impl From<RedactedPart> for PrivatePart {
    fn from(part: RedactedPart) -> Self {
        match part {
            RedactedPart::Host => Self::Host,
            RedactedPart::Serial => Self::Serial,
            RedactedPart::Path => Self::Path,
        }
    }
}
