//! A target of fathom's own on the loopback.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// `fathom nvmet`; it ends with this.
pub struct ServedTarget {
    child: Child,
    target: String,
}

impl ServedTarget {
    /// Serves a backend, with more flags behind it.
    ///
    /// # Errors
    /// Where it does not become ready.
    pub fn start(fathom: &Path, words: &[&str]) -> Result<Self, String> {
        let mut child = Command::new(fathom)
            .args(["nvmet", "--listen", "127.0.0.1:0", "--json"])
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("no target: {error}"))?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            // It prints one line when it is ready, and one at its end.
            let _ = BufReader::new(stdout).read_line(&mut line);
        }
        let ready: Value = serde_json::from_str(&line).unwrap_or_default();
        let target = ready["namespaces"][0]["target"].as_str().map(str::to_owned);
        let served = Self { child, target: target.unwrap_or_default() };
        if served.target.is_empty() {
            Err("fathom nvmet did not become ready".to_owned())
        } else {
            Ok(served)
        }
    }

    /// What a host calls it.
    pub fn target(&self) -> &str {
        &self.target
    }
}

impl Drop for ServedTarget {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
