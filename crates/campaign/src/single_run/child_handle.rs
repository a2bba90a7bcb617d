//! A target of a session as a child process reaches it.

use std::path::Path;

use fathom_record::facts::TargetFacts;

use crate::process_control::{InheritedFile, inherit};

/// A target as a child reaches it.
pub(crate) struct Handle<'a> {
    /// Its path, in the child.
    pub path: String,
    /// What the child inherits, where the file has no name: behind a wall it may not look into this process.
    pub inherited: Option<InheritedFile>,
    /// What it is.
    pub facts: &'a TargetFacts,
}

impl<'a> Handle<'a> {
    /// `None` where the process can open no more files.
    pub(super) fn of(file: &fathom_target::Handle, facts: &'a TargetFacts) -> Option<Self> {
        let named = (!facts.scratch).then(|| Path::new(&facts.name).canonicalize().ok()).flatten();
        if let Some(path) = named.and_then(|path| path.to_str().map(str::to_owned)) {
            return Some(Self { path, inherited: None, facts });
        }
        let (path, inherited) = inherit(file)?;
        Some(Self { path, inherited: Some(inherited), facts })
    }
}
