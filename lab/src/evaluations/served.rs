//! A target of fathom's own, that ends with its guard.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::scenes::ServedDrives;

/// A target under way, and how a side of a repetition names what it serves.
pub struct Target {
    child: Child,
    /// `--side` and `--destroy` of each namespace.
    pub words: Vec<String>,
}

impl Target {
    /// Starts one, and waits until it serves.
    ///
    /// # Errors
    /// Where fathom cannot be started, or ends before it serves.
    pub fn start(fathom: &Path, served: &ServedDrives) -> Result<Self, String> {
        let drives = (1..=served.drives).map(|seed| format!("{},seed={seed}", served.drive));
        let mut child = Command::new(fathom)
            .arg("nvmet")
            .args(drives)
            .args(["--writable", "--queues", "256", "--nqn", served.nqn])
            .args(["--listen", "127.0.0.1:0", "--memory", "64GiB", "--json"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(|error| format!("fathom cannot be started: {error}"))?;
        let mut line = String::new();
        let read = child.stdout.take().map(|stdout| BufReader::new(stdout).read_line(&mut line));
        let mut target = Self { child, words: Vec::new() };
        match read {
            Some(Ok(read)) if read > 0 => {}
            _ => return Err(format!("the target of side {} ended before it served", served.side)),
        }
        target.words = words(served.side, &line)?;
        Ok(target)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // It holds nothing but simulated drives.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// How a side names what a target says that it serves.
///
/// # Errors
/// Where the line says nothing of the kind.
fn words(side: &str, line: &str) -> Result<Vec<String>, String> {
    let unread = || format!("the target of side {side} said: {}", line.trim());
    let said: Value = serde_json::from_str(line).map_err(|_| unread())?;
    let nqn = said["nqn"].as_str().ok_or_else(unread)?;
    let namespaces = said["namespaces"].as_array().filter(|all| !all.is_empty()).ok_or_else(unread)?;
    let mut words = Vec::new();
    for namespace in namespaces {
        let target = namespace["target"].as_str().ok_or_else(unread)?;
        let id = namespace["id"].as_u64().ok_or_else(unread)?;
        words.extend(["--side".to_owned(), format!("{side}={target}")]);
        words.extend(["--destroy".to_owned(), format!("{nqn}/{id}")]);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_namespace_is_a_target_of_the_side_and_may_be_written() {
        let line = r#"{"nqn":"nqn.a","namespaces":[{"id":1,"target":"nvme+tcp://h/nqn.a/1"},{"id":2,"target":"nvme+tcp://h/nqn.a/2"}]}"#;
        let expected = [
            "--side",
            "S=nvme+tcp://h/nqn.a/1",
            "--destroy",
            "nqn.a/1",
            "--side",
            "S=nvme+tcp://h/nqn.a/2",
            "--destroy",
            "nqn.a/2",
        ];
        assert_eq!(words("S", line).unwrap(), expected);
        for other in
            ["", "{}", r#"{"nqn":"nqn.a","namespaces":[]}"#, r#"{"nqn":"nqn.a","namespaces":[{"id":1}]}"#]
        {
            assert!(words("S", other).unwrap_err().contains("side S"), "{other}");
        }
    }
}
