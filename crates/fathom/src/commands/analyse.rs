//! `fathom analyse`: the seconds of finished runs, read and judged again.

use fathom_campaign::{AnalysisSubject, analyse};
use fathom_record::analysis_record::Analysis;
use fathom_report::{canonical_json, html, markdown, terminal};
use fathom_store::{Store, StoredId};

use super::store_access::{StorePlace, existing};
use crate::arguments::AnalyseArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;
use crate::output_file::{Content, OutputFile};

/// Analyses a run or all runs of a campaign; `line` is the command.
///
/// # Errors
/// When there is no such name, the store cannot be read, or a file cannot be written.
pub fn perform(place: &StorePlace, arguments: &AnalyseArguments, line: &str) -> Result<Status, Failure> {
    let check = |path: &std::path::PathBuf| OutputFile::check(path, Content::Marked);
    let page = arguments.html.as_ref().map(check).transpose()?;
    let text = arguments.md.as_ref().map(check).transpose()?;
    let store = existing(place, &arguments.name)?;
    let named = store.resolve(&arguments.name)?;
    let path = store.path().to_owned();
    let open = || Store::open_read_only(&path);
    let subject = match &named {
        StoredId::Run(id) => AnalysisSubject::Run(id),
        StoredId::Campaign(id) => AnalysisSubject::Campaign(id),
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let analysis = Analysis { command: Some(line.to_owned()), ..analyse(&open, subject, threads)? };
    if let Some(file) = &page {
        file.write(&html::analysis(&analysis)?)?;
        output::message(&format!("wrote {}", file.name().display()));
    }
    if let Some(file) = &text {
        file.write(&markdown::analysis(&analysis))?;
        output::message(&format!("wrote {}", file.name().display()));
    }
    if arguments.json {
        output::result(&canonical_json::pretty(&analysis)?)?;
    } else if page.is_none() && text.is_none() {
        output::result(&terminal::analysis(&analysis, output::style()))?;
    }
    Ok(Status::of_measurement(analysis.unreadable.is_empty()))
}
