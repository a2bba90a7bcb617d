//! `fathom analyse`: the seconds of finished runs, read and judged again.

use fathom_campaign::{AnalysisSubject, analyse};
use fathom_record::analysis_record::Analysis;
use fathom_record::{shell_word, shell_words};
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
    let analysis = analyse(&open, subject, threads)?;
    let command = with_id(line, &arguments.name, &analysis.of);
    let analysis = Analysis { command: Some(command), ..analysis };
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

/// The line with the id of what was found in place of its name: after the next run `last` is another.
fn with_id(line: &str, name: &str, id: &str) -> String {
    const WITH_VALUE: [&str; 3] = ["--html", "--md", "--store"];
    // Of a line with a file's name that is not UTF-8 nothing can be replaced.
    let Some(mut words) = shell_words(line) else { return line.to_owned() };
    let is_name = |at: &usize| words[*at] == name && !WITH_VALUE.contains(&words[*at - 1].as_str());
    let at = (1..words.len()).find(is_name);
    if let Some(at) = at {
        id.clone_into(&mut words[at]);
    }
    words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_stands_where_the_name_was_and_nowhere_else() {
        for (line, kept) in [
            ("fathom analyse last", "fathom analyse r-1"),
            (
                "fathom --store last analyse --md last --json last",
                "fathom --store last analyse --md last --json r-1",
            ),
            ("fathom analyze last --html='my last.html'", "fathom analyze r-1 '--html=my last.html'"),
            (r"fathom analyse last --md $'\xff'", r"fathom analyse last --md $'\xff'"),
        ] {
            assert_eq!(with_id(line, "last", "r-1"), kept);
        }
    }
}
