//! Types commands of this program in a folder, and takes what they answer.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use fathom_measure::{Clock, WallClock};
use serde::Serialize;
use serde_json::Value;
use tempfile::TempPath;

/// Time that a command may take; those that are typed take seconds.
const PATIENCE_NS: u64 = 180_000_000_000;
const LOOK: Duration = Duration::from_millis(20);
/// What is taken of each stream.
const STREAM_BYTES_MAX: u64 = 32 << 20;

/// Someone who types.
#[derive(Debug)]
pub struct CommandRunner {
    program: PathBuf,
    folder: PathBuf,
    /// A config file that says nothing: settings are nobody's but those of a new user.
    config: TempPath,
    clock: WallClock,
}

/// What a command said.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Answer {
    /// As typed, behind the program's name and its store.
    pub words: Vec<String>,
    /// Absent where it was ended: by a signal, or because it took too long.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// Whether it was ended because it took too long.
    pub late: bool,
}

impl CommandRunner {
    /// One in a folder, in which the store is too.
    ///
    /// # Errors
    /// When the folder takes no files.
    pub fn new(program: PathBuf, folder: &Path) -> io::Result<Self> {
        let config = tempfile::Builder::new().prefix("config").suffix(".toml").tempfile_in(folder)?;
        let config = config.into_temp_path();
        Ok(Self { program, folder: folder.to_owned(), config, clock: WallClock::start().0 })
    }

    /// The place of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Types a command and waits for its end.
    ///
    /// # Errors
    /// When the program cannot be started or waited for.
    pub fn types(&self, words: &[&str]) -> io::Result<Answer> {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder).args(["--store", "runs.sqlite"]).args(words);
        command
            .env("FATHOM_CONFIG", self.config.as_os_str())
            .env_remove("FATHOM_STORE")
            .env("COLUMNS", "100");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (stdout, stderr) = (listen(child.stdout.take()), listen(child.stderr.take()));
        let (status, late) = self.end(&mut child)?;
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Ok(Answer { words, status, stdout: heard(stdout), stderr: heard(stderr), late })
    }

    /// Waits for the end, or makes it.
    fn end(&self, child: &mut Child) -> io::Result<(Option<i32>, bool)> {
        let until_ns = self.clock.now_ns() + PATIENCE_NS;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok((status.code(), false));
            }
            if self.clock.now_ns() > until_ns {
                child.kill()?;
                child.wait()?;
                return Ok((None, true));
            }
            thread::sleep(LOOK);
        }
    }
}

/// Takes a stream in on a thread of its own, so that a command that says much does not wait.
fn listen(stream: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = stream {
            // What was heard before an error is what there is.
            let _ = stream.take(STREAM_BYTES_MAX).read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn heard(listener: JoinHandle<String>) -> String {
    listener.join().unwrap_or_default()
}

impl Answer {
    /// All of stdout as one document.
    pub fn document(&self) -> Option<Value> {
        serde_json::from_str(&self.stdout).ok()
    }

    /// How it ended, for people.
    pub fn ending(&self) -> String {
        match (self.late, self.status) {
            (true, _) => format!("it took longer than {} s and was ended", PATIENCE_NS / 1_000_000_000),
            (false, Some(status)) => format!("exit status {status}"),
            (false, None) => "it was ended by a signal".to_owned(),
        }
    }

    /// What it says went wrong, or how it ended.
    pub fn complaint(&self) -> String {
        let document = self.document();
        let cause = document.as_ref().and_then(|document| document["cause"].as_str());
        let line = || self.stderr.lines().next().map(|line| line.trim_start_matches("fathom: ").to_owned());
        let said = cause.map(str::to_owned).or_else(line).filter(|said| !said.is_empty());
        // A reason of several lines is one here.
        let said = said.map(|said| said.lines().map(str::trim).collect::<Vec<_>>().join(" "));
        said.map_or_else(|| self.ending(), |said| format!("{said} ({})", self.ending()))
    }

    /// The kind of failure, in the words for programs.
    pub fn kind(&self) -> Option<String> {
        self.document()?["kind"].as_str().map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_taken_from_the_document_then_from_the_line() {
        let answer = |stdout: &str, stderr: &str| Answer {
            status: Some(3),
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            ..Answer::default()
        };
        let document = r#"{"format": "fathom.error", "kind": "refused", "cause": "it is there"}"#;
        assert_eq!(answer(document, "").complaint(), "it is there (exit status 3)");
        assert_eq!(answer(document, "").kind().as_deref(), Some("refused"));
        assert_eq!(answer("", "fathom: x: no\n  type y\n").complaint(), "x: no (exit status 3)");
        assert_eq!(answer("", "").complaint(), "exit status 3");
        let lines = r#"{"format": "fathom.error", "cause": "refused, because\n  - it is there"}"#;
        assert_eq!(answer(lines, "").complaint(), "refused, because - it is there (exit status 3)");
        assert!(Answer { late: true, ..Answer::default() }.complaint().contains("was ended"));
    }
}
