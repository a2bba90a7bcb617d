//! The table of kinds, and each fault with its file.

use super::import_score::Score;
use super::published_files::PublishedFile;

/// How one file ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportEnd {
    Compared(Score),
    RefusedClearly,
    RefusedUnclearly(String),
    /// It was not tried.
    Skipped(String),
}

/// Sums of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sums {
    files: usize,
    read: usize,
    clear: usize,
    unclear: usize,
    skipped: usize,
    records: usize,
    wrong_records: usize,
    checked: usize,
    equal: usize,
    absent: usize,
}

impl Sums {
    fn add(&mut self, ending: &ImportEnd) {
        self.files += 1;
        match ending {
            ImportEnd::Compared(score) => {
                self.read += 1;
                self.records += score.records;
                self.wrong_records += score.wrong_records;
                self.checked += score.checked;
                self.equal += score.equal;
                self.absent += score.absent;
            }
            ImportEnd::RefusedClearly => self.clear += 1,
            ImportEnd::RefusedUnclearly(_) => self.unclear += 1,
            ImportEnd::Skipped(_) => self.skipped += 1,
        }
    }

    fn row(&self, kind: &str) -> String {
        format!(
            "{kind:<13}  {:>5}  {:>7}  {:>4}  {:>7}  {:>7}  {:>7}  {:>5}  {:>7}  {:>7}  {:>8}",
            self.files,
            self.skipped,
            self.read,
            self.clear,
            self.unclear,
            self.records,
            self.wrong_records,
            self.checked,
            self.equal,
            self.absent
        )
    }
}

const HEAD: &str = "\
                               refused:                          numbers:
kind           files  skipped  read  clearly  unclear  records  wrong  checked    equal  not kept";

/// The report's lines.
pub fn lines(endings: &[(PublishedFile, ImportEnd)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (file, ending) in endings {
        let name = format!("{}/{}", file.repository, file.path);
        match ending {
            ImportEnd::Compared(score) => {
                lines.extend(score.wrong.iter().map(|wrong| format!("WRONG    {name}: {wrong}")));
                lines.extend(score.left_out.iter().map(|what| format!("absent   {name}: {what}")));
            }
            ImportEnd::RefusedUnclearly(said) => lines.push(format!("REFUSED  {name}: {said}")),
            ImportEnd::Skipped(reason) => lines.push(format!("skipped  {name}: {reason}")),
            ImportEnd::RefusedClearly => {}
        }
    }
    lines.push(HEAD.to_owned());
    let mut kinds: Vec<&str> = endings.iter().map(|(file, _)| file.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut all = Sums::default();
    for kind in kinds {
        let mut sums = Sums::default();
        for (_, ending) in endings.iter().filter(|(file, _)| file.kind == kind) {
            sums.add(ending);
            all.add(ending);
        }
        lines.push(sums.row(kind));
    }
    lines.push(all.row("all"));
    lines
}

/// Whether no record is wrong.
pub fn holds(endings: &[(PublishedFile, ImportEnd)]) -> bool {
    endings.iter().all(|(_, ending)| !matches!(ending, ImportEnd::Compared(score) if score.wrong_records > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(kind: &str) -> PublishedFile {
        let text = |text: &str| text.to_owned();
        PublishedFile {
            kind: text(kind),
            repository: text("a/b"),
            path: text("c"),
            commit: text(""),
            sha256: text(""),
            refusal: text(""),
        }
    }

    #[test]
    fn wrong_numbers_are_told_and_fail() {
        let score = Score {
            checked: 3,
            equal: 2,
            records: 1,
            wrong_records: 1,
            wrong: vec!["bytes".to_owned()],
            absent: 4,
            left_out: vec!["iops".to_owned()],
        };
        let endings = [
            (file("iostat"), ImportEnd::RefusedUnclearly("no".to_owned())),
            (file("fio_json"), ImportEnd::Compared(score)),
            (file("iostat"), ImportEnd::RefusedClearly),
        ];
        let lines = lines(&endings);
        assert!(!holds(&endings) && holds(&endings[..1]));
        assert!(lines.contains(&"WRONG    a/b/c: bytes".to_owned()));
        assert!(lines.contains(&"absent   a/b/c: iops".to_owned()));
        let words: Vec<&str> = lines.last().unwrap().split_whitespace().collect();
        assert_eq!(words, ["all", "3", "0", "1", "1", "1", "1", "1", "3", "2", "4"]);
        assert_eq!(HEAD.lines().last().unwrap().len(), lines.last().unwrap().len());
    }
}
