//! One archive of everything that was said, to send to whoever asked: JSON alone, and nothing but what fathom put out.

use std::io::Write;
use std::path::Path;

use fathom_archive::{ArchiveFile, zip};
use fathom_measure::Bytes;
use serde_json::{Value, json};

use super::redacting::HiddenParts;
use super::{Answer, CheckResult, Report};
use crate::failure::Failure;
use crate::output;
use crate::output_file::OutputFile;

/// Files of an archive, in their order.
pub struct Bundle {
    files: Vec<(String, String)>,
}

impl Bundle {
    /// All that was said, without what is not given away.
    ///
    /// # Errors
    /// None that input can cause.
    pub fn of(report: &Report<'_>, checks: &[CheckResult], hidden: HiddenParts) -> Result<Self, Failure> {
        let whole = serde_json::to_value(report)
            .map_err(|error| Failure::system("writing down what was tried", error))?;
        let (mut names, mut documents) = (vec!["self-test.json".to_owned()], vec![whole]);
        for (check, number) in checks.iter().zip(1..) {
            // Bytes of drives have serial numbers in them that no word can take the place of.
            let is_bytes = check.answers.iter().any(|answer| answer.words.contains(&"--capture".to_owned()));
            if check.answers.is_empty() || is_bytes && hidden.has_serials() {
                continue;
            }
            names.push(format!("{number:02}-{}.json", file_name(&check.name)));
            let answers: Vec<Value> = check.answers.iter().map(said).collect();
            documents.push(json!({ "name": check.name, "commands": answers }));
        }
        let documents = hidden.taken_out(documents);
        let files = names.into_iter().zip(documents.iter().map(output::json)).collect();
        Ok(Self { files })
    }

    /// What is in it, said before it is written.
    pub fn list(&self, archive: &Path) -> String {
        let mut lines = vec![format!("{} will hold:", archive.display())];
        let line = |(name, text): &(String, String)| {
            format!("  {:>10}  {name}", Bytes(text.len() as u64).to_string())
        };
        lines.extend(self.files.iter().map(line));
        lines.join("\n")
    }

    /// Writes it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, archive: &OutputFile) -> Result<(), Failure> {
        let bytes = self.bytes().map_err(|error| Failure::output(archive.name(), error, ""))?;
        archive.fill(|mut file| file.write_all(&bytes))
    }

    fn bytes(&self) -> std::io::Result<Vec<u8>> {
        let files = self.files.iter();
        let files =
            files.map(|(name, text)| ArchiveFile { path: name.clone(), content: text.clone().into_bytes() });
        zip(&files.collect::<Vec<_>>())
    }
}

/// What a command said; a document as such, so that its values are found.
fn said(answer: &Answer) -> Value {
    let stdout = answer.document().unwrap_or_else(|| Value::from(answer.stdout.as_str()));
    json!({
        "words": answer.words,
        "status": answer.status,
        "late": answer.late,
        "stdout": stdout,
        "stderr": answer.stderr,
    })
}

fn file_name(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let plain: String = name.chars().map(letter).collect();
    plain.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::super::Outcome;
    use super::*;

    #[test]
    fn the_archive_holds_what_was_said_and_nothing_else() {
        let answer = Answer {
            words: vec!["engines".to_owned()],
            stdout: "{\"format\": \"x\"}".to_owned(),
            ..Answer::default()
        };
        let capture =
            Answer { words: vec!["devices".to_owned(), "--capture".to_owned()], ..Answer::default() };
        let check = |name: &str, answers: Vec<Answer>| CheckResult {
            name: name.to_owned(),
            outcome: Outcome::Passed(String::new()),
            answers,
        };
        let checks = [
            check("engines, listed", vec![answer]),
            check("clock", Vec::new()),
            check("drives", vec![capture]),
        ];
        let bundle = Bundle::of(&Report::of(&checks), &checks, HiddenParts::of(&[]).unwrap()).unwrap();
        let names: Vec<&str> = bundle.files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["self-test.json", "01-engines-listed.json", "03-drives.json"]);
        assert!(bundle.list(Path::new("a.zip")).lines().count() == 4);

        let bytes = bundle.bytes().unwrap();
        let names: Vec<bool> = bundle.files.iter().map(|(name, _)| holds(&bytes, name)).collect();
        assert!(bytes.starts_with(b"PK") && names == [true; 3]);
        let document: Value = serde_json::from_str(&bundle.files[1].1).unwrap();
        assert_eq!(document["commands"][0]["stdout"]["format"], "x");
    }

    fn holds(bytes: &[u8], name: &str) -> bool {
        bytes.windows(name.len()).any(|window| window == name.as_bytes())
    }

    #[cfg(feature = "page")]
    #[test]
    fn bytes_of_drives_are_left_out_where_serial_numbers_are() {
        let capture =
            Answer { words: vec!["devices".to_owned(), "--capture".to_owned()], ..Answer::default() };
        let devices = Answer {
            stdout: r#"{"serial": "S4EWNX0R", "text": "S4EWNX0R here"}"#.to_owned(),
            ..Answer::default()
        };
        let check = |name: &str, answer| CheckResult {
            name: name.to_owned(),
            outcome: Outcome::Passed(String::new()),
            answers: vec![answer],
        };
        let checks = [check("drives", capture), check("devices", devices)];
        let hidden = HiddenParts::of(&[crate::arguments::RedactedPart::Serial]).unwrap();
        let bundle = Bundle::of(&Report::of(&checks), &checks, hidden).unwrap();
        assert_eq!(bundle.files.len(), 2);
        assert!(bundle.files[1].1.contains("serial-1 here") && !bundle.files[1].1.contains("S4EW"));
    }
}
