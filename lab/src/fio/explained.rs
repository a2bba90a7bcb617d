//! Deliberate differences: each with the sentence that tells users so, which has to be there.

use std::path::Path;

use super::shared_job::Job;
use super::tool_differences::Difference;

/// A row of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Kinds of differences; the end may be a star.
    kinds: Vec<String>,
    /// The job sets one of these; empty for every job.
    options: Vec<String>,
    /// Where the sentence has to stand.
    source: Source,
    text: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Source {
    /// docs/interop.md.
    #[default]
    Document,
    /// What fathom printed for this job.
    Output,
}

/// All rows, and the document that they quote.
pub struct Table {
    rows: Vec<Row>,
    document: String,
}

impl Table {
    /// The table of this file's folder and the document of the tree at `root`.
    ///
    /// # Errors
    /// Where the document cannot be read.
    pub fn read(root: &Path) -> Result<Self, String> {
        let path = root.join("docs/interop.md");
        let document =
            std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self { rows: rows(include_str!("explained.toml"))?, document: squeezed(&document) })
    }

    /// The sentence that explains a difference of a job about which fathom printed `output`.
    pub fn explain(&self, job: &Job, difference: &Difference, output: &str) -> Option<&str> {
        let output = squeezed(output);
        let says = |row: &&Row| match row.source {
            Source::Document => self.document.contains(&row.text),
            Source::Output => output.contains(&row.text),
        };
        let mut rows = self.rows.iter().filter(|row| row.is_about(job, difference));
        rows.find(says).map(|row| row.text.as_str())
    }

    /// Sentences that the document does not have.
    pub fn stale(&self) -> Vec<&str> {
        let of_document = self.rows.iter().filter(|row| row.source == Source::Document);
        of_document.map(|row| row.text.as_str()).filter(|text| !self.document.contains(text)).collect()
    }
}

impl Row {
    fn is_about(&self, job: &Job, difference: &Difference) -> bool {
        let kind = self.kinds.iter().any(|kind| match kind.strip_suffix('*') {
            Some(begin) => difference.kind.starts_with(begin),
            None => difference.kind == *kind,
        });
        kind && (self.options.is_empty() || self.options.iter().any(|option| is_set(job, option)))
    }
}

/// `name`, or `name=value` where the value has to begin so.
fn is_set(job: &Job, option: &str) -> bool {
    match option.split_once('=') {
        Some((name, begin)) => job.values(name).any(|value| value.starts_with(begin)),
        None => job.sets(option),
    }
}

/// Lines joined: where a sentence is broken does not matter.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn rows(text: &str) -> Result<Vec<Row>, String> {
    let table: toml::Table = toml::from_str(text).map_err(|error| format!("explained.toml: {error}"))?;
    let rows = table.get("row").and_then(toml::Value::as_array).ok_or("explained.toml: no rows")?;
    rows.iter().map(row).collect()
}

fn row(value: &toml::Value) -> Result<Row, String> {
    let strings = |key: &str| -> Vec<String> {
        let values = value.get(key).and_then(toml::Value::as_array);
        values.into_iter().flatten().filter_map(toml::Value::as_str).map(str::to_owned).collect()
    };
    let text = |key: &str| value.get(key).and_then(toml::Value::as_str).map(squeezed);
    let (source, text) = match (text("docs"), text("output")) {
        (Some(text), None) => (Source::Document, text),
        (None, Some(text)) => (Source::Output, text),
        _ => return Err(format!("explained.toml: either `docs` or `output` in {value}")),
    };
    let row = Row { kinds: strings("kinds"), options: strings("options"), source, text };
    if row.kinds.is_empty() || row.text.len() < 10 {
        Err(format!("explained.toml: {value}"))
    } else {
        Ok(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read() {
        assert!(rows(include_str!("explained.toml")).unwrap().len() > 10);
        assert!(rows("[[row]]\nkinds = [\"a\"]\n").is_err());
    }

    #[test]
    fn every_sentence_that_explains_stands_in_the_document() {
        let table = Table::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))).unwrap();
        assert_eq!(table.stale(), Vec::<&str>::new());
    }

    #[test]
    fn a_difference_is_explained_by_a_sentence_that_is_there() {
        let text = r#"
            [[row]]
            kinds = ["left.content*"]
            options = ["verify", "rw=rand"]
            docs = "carry stamps of fathom"
            [[row]]
            kinds = ["sync.x"]
            output = "left out: a flush"
            [[row]]
            kinds = ["sync.y"]
            docs = "is not in the document"
        "#;
        let table =
            Table { rows: rows(text).unwrap(), document: squeezed("blocks carry\n stamps of fathom.") };
        let job = |text: &str| Job { text: text.to_owned(), ..Job::default() };
        let content = Difference::new("left.content data", 1, 2);
        assert!(table.explain(&job("verify=crc32c"), &content, "").is_some());
        assert!(table.explain(&job("rw=randwrite"), &content, "").is_some());
        assert!(table.explain(&job("rw=write"), &content, "").is_none());
        let flush = Difference::new("sync.x", 1, 2);
        assert!(table.explain(&job(""), &flush, "fathom: left\nout: a flush").is_some());
        assert!(table.explain(&job(""), &flush, "").is_none());
        assert!(table.explain(&job(""), &Difference::new("sync.y", 1, 2), "").is_none());
        assert_eq!(table.stale(), ["is not in the document"]);
    }
}
