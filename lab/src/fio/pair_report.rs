//! What came of all pairs: a line each as they end, and the score.

use std::fmt::Write;

use super::judged::PairVerdict;
use super::shared_job::Job;
use super::tool_differences::Difference;

/// All that is said in the end.
#[derive(Default)]
pub struct Report {
    pub pairs: Vec<(Job, PairVerdict)>,
    /// Jobs that were not run, with the reason.
    pub skipped: Vec<(String, String)>,
    /// Of the form of the results, which all pairs share: explained with the sentence, and not.
    pub form_explained: Vec<(Difference, String)>,
    pub form_unexplained: Vec<Difference>,
}

impl Report {
    fn count(&self, word: &str) -> usize {
        self.pairs.iter().filter(|(_, judged)| judged.word() == word).count()
    }

    /// Whether nothing is left without an explanation, and something was compared.
    pub fn passed(&self) -> bool {
        !self.pairs.is_empty() && self.count("UNEXPLAINED") == 0 && self.form_unexplained.is_empty()
    }

    /// The score in a line.
    pub fn score(&self) -> String {
        format!(
            "{} pairs: {} equal, {} explained, {} unexplained; {} skipped; form of the results: {} explained, {} \
             unexplained",
            self.pairs.len(),
            self.count("equal"),
            self.count("explained"),
            self.count("UNEXPLAINED"),
            self.skipped.len(),
            self.form_explained.len(),
            self.form_unexplained.len()
        )
    }

    /// The form's differences, for the terminal.
    pub fn form(&self) -> String {
        let mut text = String::new();
        for (found, sentence) in &self.form_explained {
            let _ = writeln!(text, "explained    {found}\n             ({sentence})");
        }
        for found in &self.form_unexplained {
            let _ = writeln!(text, "UNEXPLAINED  {found}");
        }
        text
    }

    /// The score and every difference as Markdown.
    pub fn markdown(&self, tools: &str) -> String {
        let mut text = format!("# fathom fio and fio\n\n{tools}\n\n{}.\n", self.score());
        text.push_str("\n## Unexplained\n\n| job | difference | fio | fathom |\n|---|---|---|---|\n");
        for (job, judged) in &self.pairs {
            for found in &judged.unexplained {
                let _ = writeln!(text, "| {} | {} |", cell(&job.name), cells(found));
            }
        }
        for found in &self.form_unexplained {
            let _ = writeln!(text, "| form of all | {} |", cells(found));
        }
        text.push_str(
            "\n## Explained\n\n| job | difference | fio | fathom | explanation |\n|---|---|---|---|---|\n",
        );
        for (job, judged) in &self.pairs {
            for (found, sentence) in &judged.explained {
                let _ = writeln!(text, "| {} | {} | {} |", cell(&job.name), cells(found), cell(sentence));
            }
        }
        for (found, sentence) in &self.form_explained {
            let _ = writeln!(text, "| form of all | {} | {} |", cells(found), cell(sentence));
        }
        text.push_str("\n## Skipped\n\n");
        for (name, reason) in &self.skipped {
            let _ = writeln!(text, "* {}: {}", cell(name), cell(reason));
        }
        text
    }
}

fn cells(found: &Difference) -> String {
    format!("{} | {} | {}", cell(&found.kind), cell(&found.fio), cell(&found.fathom))
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// A pair as it ends; with `whole` also the job's text, the commands and what is explained.
pub fn lines(job: &Job, judged: &PairVerdict, whole: bool) -> String {
    let again = if judged.again { " (run twice)" } else { "" };
    let mut text = format!("{:<12} {}{again}\n", judged.word(), job.name);
    for found in &judged.unexplained {
        let _ = writeln!(text, "    {found}");
    }
    if !judged.unexplained.is_empty() && !whole {
        let _ = writeln!(text, "    again: cargo lab fio --only {}", job.name);
    }
    if whole {
        for (found, sentence) in &judged.explained {
            let _ = writeln!(text, "    {found}\n        explained: {sentence}");
        }
        let _ = writeln!(text, "    $ {}\n    $ {}", judged.fio.command, judged.fathom.command);
        if let Some(origin) = &job.origin {
            let _ = writeln!(text, "    shortened from {origin}");
        }
        job.text.lines().for_each(|line| {
            let _ = writeln!(text, "        {line}");
        });
        for line in judged.fathom.err.lines() {
            let _ = writeln!(text, "    fathom: {line}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_without_explanation_fails_and_is_shown() {
        let job = Job { name: "zipf".to_owned(), text: "[a]".to_owned(), ..Job::default() };
        let mut report = Report::default();
        assert!(!report.passed());
        report.pairs.push((job.clone(), PairVerdict::default()));
        assert!(report.passed());
        let found = Difference::new("io.top.read", "60 %", "a|b");
        let judged = PairVerdict { unexplained: vec![found], ..PairVerdict::default() };
        assert!(lines(&job, &judged, false).contains("--only zipf"));
        report.pairs.push((job, judged));
        assert!(!report.passed());
        assert!(report.score().starts_with("2 pairs: 1 equal, 0 explained, 1 unexplained"));
        assert!(report.markdown("").contains("| zipf | io.top.read | 60 % | a\\|b |"));
    }
}
