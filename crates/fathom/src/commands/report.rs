//! `fathom report`: a run or a campaign as files for others.

use std::path::{Path, PathBuf};

use fathom_record::RunRecord;
use fathom_report::html;
use fathom_report::markdown::{self, Markdown};
use serde::Serialize;

use super::store_access::{StorePlace, StoredItem, find, runs_of};
use crate::arguments::ReportArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output::{self, Machine};
use crate::output_file::{Content, OutputFile};

/// What was written, for programs.
#[derive(Serialize)]
struct ReportSummary {
    format: &'static str,
    version: u32,
    files: Vec<String>,
}

/// Writes every file that was asked for.
///
/// # Errors
/// When there is no such name, or a file cannot be written.
pub fn perform(place: &StorePlace, arguments: &ReportArguments) -> Result<Status, Failure> {
    let (found, store) = find(place, &arguments.name)?;
    let runs = match &found {
        StoredItem::Run(_) => Vec::new(),
        StoredItem::Campaign(campaign) => runs_of(&store, campaign)?,
    };
    let mut documents = Vec::new();
    if let Some(path) = &arguments.html {
        documents.push((path.clone(), page(&found, &runs)?));
    }
    if let Some(path) = &arguments.md {
        documents.extend(beside(path, text(&found, &runs)?));
    }
    // All places are looked at before the first is written.
    let places: Vec<OutputFile> = documents
        .iter()
        .map(|(path, _)| {
            let typed = [&arguments.html, &arguments.md].into_iter().flatten().any(|typed| typed == path);
            let check = if typed { OutputFile::check } else { OutputFile::check_derived };
            check(path, Content::Marked)
        })
        .collect::<Result<_, _>>()?;
    for (place, (_, document)) in places.iter().zip(&documents) {
        place.write(document)?;
    }
    let files = places.iter().map(|place| place.name().display().to_string()).collect();
    if arguments.json {
        Machine::Stdout.write(&output::json(&ReportSummary {
            format: "fathom.report",
            version: 1,
            files,
        }))?;
    } else {
        files.iter().for_each(|file| output::message(&format!("wrote {file}")));
    }
    Ok(Status::Done)
}

fn page(found: &StoredItem, runs: &[RunRecord]) -> Result<String, Failure> {
    Ok(match found {
        StoredItem::Run(run) => html::run(run)?,
        StoredItem::Campaign(campaign) => html::campaign(campaign, runs)?,
    })
}

fn text(found: &StoredItem, runs: &[RunRecord]) -> Result<Markdown, Failure> {
    Ok(match found {
        StoredItem::Run(run) => markdown::run(run)?,
        StoredItem::Campaign(campaign) => markdown::campaign(campaign, runs)?,
    })
}

/// The pictures, then the text that shows them, as files. Pictures take the text's name in front, so
/// that two reports in one folder do not share them.
fn beside(path: &Path, report: Markdown) -> Vec<(PathBuf, String)> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    // A link in Markdown ends at spaces and brackets.
    let plain = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let stem: String = stem.chars().map(plain).collect();
    let mut text = report.text;
    let mut files = Vec::new();
    for (name, picture) in report.pictures {
        let own = format!("{stem}-{name}");
        text = text.replace(&format!("]({name})"), &format!("]({own})"));
        files.push((path.with_file_name(own), picture));
    }
    files.push((path.to_owned(), text));
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_take_the_name_of_their_text() {
        let report = Markdown {
            text: "![x](latency.svg) latency.svg".to_owned(),
            pictures: vec![("latency.svg".to_owned(), "<svg/>".to_owned())],
        };
        let files = beside(Path::new("out/my (disk).md"), report);
        assert_eq!(files[0].0, Path::new("out/my--disk--latency.svg"));
        assert_eq!(files[1].1, "![x](my--disk--latency.svg) latency.svg");
    }
}
