//! A growing list of facts, each with where it was read.

use std::fmt::Display;

use fathom_record::environment_facts::Fact;

use crate::Root;

/// Longest value that is kept; a kernel command line is under 4 KiB.
const VALUE_BYTES_MAX: usize = 4096;

/// Facts of one machine.
#[derive(Debug)]
pub struct Facts<'a> {
    root: &'a Root,
    list: Vec<Fact>,
}

impl<'a> Facts<'a> {
    /// None yet.
    pub fn new(root: &'a Root) -> Self {
        Self { root, list: Vec::new() }
    }

    /// Where the machine's files are.
    pub fn root(&self) -> &'a Root {
        self.root
    }

    /// Adds one about `(group, label)`.
    pub fn add(&mut self, (group, label): (&str, &str), name: &str, value: impl Display, source: &str) {
        let mut value = value.to_string();
        if value.len() > VALUE_BYTES_MAX {
            let cut = (0..=VALUE_BYTES_MAX).rev().find(|at| value.is_char_boundary(*at)).unwrap_or(0);
            value.truncate(cut);
        }
        self.list.push(Fact {
            group: group.to_owned(),
            label: label.to_owned(),
            name: name.to_owned(),
            value,
            source: source.to_owned(),
        });
    }

    /// Adds what a file holds, if it can be read and holds anything.
    pub fn file(&mut self, subject: (&str, &str), name: &str, path: &str) {
        if let Some(value) = self.root.text(path) {
            self.add(subject, name, value, path);
        }
    }

    /// All of them.
    pub fn into_list(self) -> Vec<Fact> {
        self.list
    }
}
