//! The files: published results of others, by repository, path, commit and digest. They are named here and not kept.

use super::statement::Statement;
use super::{
    blkparse_text, diskspd_text, diskspd_xml, fio_json, fio_log, fio_text, iostat_text, sysstat_json,
    sysstat_text, vmstat_text,
};

/// `kind,repository,path,commit,sha256,refusal`.
const LIST: &str = include_str!("list.csv");

/// A file of somebody's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedFile {
    pub kind: String,
    /// `owner/name` on GitHub.
    pub repository: String,
    pub path: String,
    pub commit: String,
    pub sha256: String,
    /// What a refusal has to say to be true and to help; empty where the file is to be read.
    pub refusal: String,
}

impl PublishedFile {
    /// Whether `fathom profile` reads it, and not `fathom import`.
    pub fn is_trace(&self) -> bool {
        self.kind == "blkparse"
    }

    /// What the file states, found without the importers. Nothing of a file that is to be refused.
    ///
    /// # Errors
    /// A file that is not of its kind.
    pub fn statement(&self, text: &str) -> Result<Statement, String> {
        match self.kind.as_str() {
            _ if !self.refusal.is_empty() => Ok(Statement::default()),
            "fio_json" => fio_json::read(text),
            "fio_text" => fio_text::read(text),
            "fio_log" => fio_log::read(text, &self.path),
            "diskspd_text" => diskspd_text::read(text),
            "diskspd_xml" => diskspd_xml::read(text),
            "iostat" => iostat_text::read(text),
            "vmstat" => vmstat_text::read(text),
            "sar" | "mpstat" => sysstat_text::read(text),
            "sysstat_json" => sysstat_json::read(text),
            "blkparse" => blkparse_text::read(text),
            kind => Err(format!("no reader for {kind}")),
        }
    }
}

/// All of them.
///
/// # Errors
/// A row without all its cells.
pub fn all() -> Result<Vec<PublishedFile>, String> {
    let mut rows = csv::Reader::from_reader(LIST.as_bytes());
    let of = |row: Result<csv::StringRecord, csv::Error>| {
        let row = row.map_err(|error| format!("the list of published results: {error}"))?;
        let cell =
            |at: usize| row.get(at).map(str::to_owned).ok_or("the list of published results has a short row");
        Ok(PublishedFile {
            kind: cell(0)?,
            repository: cell(1)?,
            path: cell(2)?,
            commit: cell(3)?,
            sha256: cell(4)?,
            refusal: cell(5)?,
        })
    };
    rows.records().map(of).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_file_is_named_once_and_has_a_reader() {
        let files = all().unwrap();
        assert!(files.len() >= 60);
        let digests: BTreeSet<&String> = files.iter().map(|file| &file.sha256).collect();
        assert_eq!(digests.len(), files.len());
        for file in &files {
            assert!(
                (file.sha256.len(), file.commit.len()) == (64, 40) && file.repository.contains('/'),
                "{file:?}"
            );
            let error = file.statement("").err();
            assert!(!error.is_some_and(|error| error.contains("no reader")), "{file:?}");
        }
    }
}
