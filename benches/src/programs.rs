//! Finds the programs, and builds fathom.

use std::path::{Path, PathBuf};

use super::program_run::first_line;
use super::task_options::Options;
use crate::release;

/// What can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Programs {
    pub fathom: PathBuf,
    pub earlier: Option<PathBuf>,
    pub fio: Option<String>,
    pub t_io_uring: Option<String>,
    pub bdevperf: Option<String>,
}

impl Programs {
    /// Builds fathom where no program was named, and looks for the others.
    ///
    /// # Errors
    /// A build that fails, a program that was named and is not there, or `taskset` missing.
    pub fn find(options: &Options, root: &Path) -> Result<Self, String> {
        if first_line("taskset", &["--version"]).is_none() {
            return Err("`taskset` is needed to bind both sides to one CPU: apt install util-linux".into());
        }
        Ok(Self {
            fathom: match &options.fathom {
                Some(path) => absolute(path)?,
                None => release::build(root, "fathom", "release")?,
            },
            earlier: options.earlier.as_deref().map(absolute).transpose()?,
            fio: first_line(&options.fio, &["--version"]).map(|_| program(&options.fio)).transpose()?,
            t_io_uring: options.t_io_uring.as_deref().map(program).transpose()?,
            bdevperf: options.bdevperf.as_deref().map(program).transpose()?,
        })
    }
}

/// A program by its path, which must hold from any folder, or by its name alone.
fn program(name: &str) -> Result<String, String> {
    if name.contains('/') {
        Ok(absolute(Path::new(name))?.to_string_lossy().into_owned())
    } else {
        Ok(name.to_owned())
    }
}

fn absolute(path: &Path) -> Result<PathBuf, String> {
    path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))
}
