//! `cargo lab imports`: results that others published, imported, and the records held against what each file
//! states. The readers here share no code with the importers: a fault has to be made twice to be missed.

mod blkparse_text;
mod diskspd_text;
mod diskspd_xml;
mod file_fetch;
mod fio_json;
mod fio_log;
mod fio_text;
mod import_report;
mod import_score;
mod iostat_text;
mod printed_values;
mod published_files;
mod statement;
mod sysstat_columns;
mod sysstat_json;
mod sysstat_text;
mod taken;
mod vmstat_text;

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Outcome, guest_programs};
use import_report::ImportEnd;
use import_score::Score;
use published_files::PublishedFile;
use taken::ImportOutcome;

/// What was typed.
#[derive(Args, Debug)]
pub struct Options {
    /// Where they are, as DIR/OWNER/NAME/PATH. Default: target/imports.
    #[arg(long, value_name = "DIR")]
    files: Option<PathBuf>,
    /// Get those that are not there from raw.githubusercontent.com, by curl.
    #[arg(long)]
    fetch: bool,
    /// Program to try. Default: built from this tree.
    #[arg(long, value_name = "PATH")]
    fathom: Option<PathBuf>,
    /// Only files whose kind, repository or path contains it.
    #[arg(long, value_name = "WORD", default_value = "", hide_default_value = true)]
    filter: String,
    /// Files, commits and digests.
    #[arg(long)]
    list: bool,
}

/// Imports and compares each file.
///
/// # Errors
/// A build that fails, or a program that cannot be run.
pub fn run(root: &Path, options: Options) -> Result<Outcome, String> {
    let mut files = published_files::all()?;
    files.retain(|file| {
        [&file.kind, &file.repository, &file.path].iter().any(|text| text.contains(&options.filter))
    });
    if files.is_empty() {
        return Err(format!("no file's kind, repository or path contains `{}`", options.filter));
    }
    if options.list {
        for file in &files {
            println!("{:<13} {} {} {} {}", file.kind, file.sha256, file.commit, file.repository, file.path);
        }
        return Ok(Outcome::Passed);
    }
    let folder = options.files.unwrap_or_else(|| root.join("target/imports"));
    let places: Vec<Result<PathBuf, String>> =
        files.iter().map(|file| file_fetch::find(&folder, file, options.fetch)).collect();
    if places.iter().all(Result::is_err) {
        let reason = places.into_iter().find_map(Result::err).unwrap_or_default();
        return Ok(Outcome::Missing(format!("no published result in {}: {reason}", folder.display())));
    }
    let fathom = match options.fathom {
        Some(path) => path,
        None => guest_programs::fathom(root)?,
    };
    let fathom = fathom.canonicalize().map_err(|error| format!("{}: {error}", fathom.display()))?;
    let mut endings = Vec::new();
    for (file, place) in files.into_iter().zip(places) {
        let ending = match place {
            Ok(path) => one(&fathom, &file, &path)?,
            Err(reason) => ImportEnd::Skipped(reason),
        };
        endings.push((file, ending));
    }
    import_report::lines(&endings).iter().for_each(|line| println!("{line}"));
    Ok(if import_report::holds(&endings) { Outcome::Passed } else { Outcome::Failed })
}

fn one(fathom: &Path, file: &PublishedFile, path: &Path) -> Result<ImportEnd, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let taken = if file.is_trace() { taken::profile(fathom, path) } else { taken::import(fathom, path) };
    Ok(match taken? {
        ImportOutcome::Read(runs) => {
            ImportEnd::Compared(match file.statement(&printed_values::text(&bytes)) {
                Ok(stated) => import_score::compare(&stated, &runs),
                Err(reason) => Score::unfounded(runs.len(), &reason),
            })
        }
        ImportOutcome::Refused(said) if !file.refusal.is_empty() && said.contains(&file.refusal) => {
            ImportEnd::RefusedClearly
        }
        ImportOutcome::Refused(said) => ImportEnd::RefusedUnclearly(said),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_files_nothing_is_tried() {
        let folder = tempfile::tempdir().unwrap();
        let options = crate::typed(&format!("--files {}", folder.path().display())).unwrap();
        assert!(
            matches!(run(folder.path(), options), Ok(Outcome::Missing(reason)) if reason.contains("--fetch"))
        );
    }
}
