//! Finds the programs, and builds fathom.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::options::Options;
use super::process::first_line;

/// What can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Programs {
    pub fathom: PathBuf,
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
            return Err(
                "`taskset` is needed to bind both sides to one processor: apt install util-linux".into()
            );
        }
        Ok(Self {
            fathom: match &options.fathom {
                Some(path) => absolute(path)?,
                None => build(root)?,
            },
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

/// Builds the release program and gives the place that Cargo put it.
fn build(root: &Path) -> Result<PathBuf, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["build", "--release", "--package", "fathom", "--message-format=json-render-diagnostics"])
        .current_dir(root)
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo build: {error}"))?;
    if !output.status.success() {
        return Err("fathom could not be built".to_owned());
    }
    executable(&String::from_utf8_lossy(&output.stdout)).ok_or("cargo built no program `fathom`".to_owned())
}

/// The program among Cargo's messages, one JSON document a line.
fn executable(messages: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == "fathom")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_among_cargos_messages() {
        let messages = "{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"serde\"},\"executable\":null}\n\
            {\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"fathom\"},\"executable\":\"/t/release/fathom\"}\n\
            {\"reason\":\"build-finished\",\"success\":true}\n";
        assert_eq!(executable(messages), Some("/t/release/fathom".into()));
        assert_eq!(executable("Compiling\n"), None);
    }
}
