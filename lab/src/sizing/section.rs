//! What one part of the lab found, and how it is said.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Comparisons of one part, and figures that are asked of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    pub title: String,
    /// Lines of Markdown: what was measured.
    pub figures: Vec<String>,
    pub equal: usize,
    pub explained: BTreeMap<&'static str, usize>,
    /// What is left, each with its command.
    pub unexplained: Vec<String>,
}

impl Section {
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    pub fn compared(&self) -> usize {
        self.equal + self.explained.values().sum::<usize>() + self.unexplained.len()
    }

    pub fn holds(&self) -> bool {
        self.unexplained.is_empty()
    }

    /// As Markdown, which is read on a terminal too.
    pub fn text(&self) -> String {
        let explained: usize = self.explained.values().sum();
        let mut text = format!(
            "## {}\n\n{} compared: {} equal, {explained} explained, {} unexplained\n\n",
            self.title,
            self.compared(),
            self.equal,
            self.unexplained.len()
        );
        for (why, count) in &self.explained {
            let _ = writeln!(text, "* {count} explained: {why}");
        }
        for line in &self.figures {
            let _ = writeln!(text, "{line}");
        }
        for difference in &self.unexplained {
            let _ = writeln!(text, "* UNEXPLAINED {difference}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_fails_the_part_and_is_printed() {
        let mut section = Section::new("size");
        section.equal = 3;
        section.explained.insert("ticks", 2);
        assert!(
            section.holds() && section.text().contains("5 compared: 3 equal, 2 explained, 0 unexplained")
        );
        section.unexplained.push("gp3: `fathom size x`".to_owned());
        assert!(!section.holds() && section.text().contains("UNEXPLAINED gp3: `fathom size x`"));
    }
}
