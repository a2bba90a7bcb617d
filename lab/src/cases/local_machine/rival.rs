//! Load of another program, on and off.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::super::super::teardown::tool;

/// A program of our own that loads a target now and then.
pub struct Rival {
    child: Child,
}

impl Rival {
    /// Runs `fathom run` on a target for 1.1 s, rests 0.9 s, and so on; in control groups, where some are
    /// named.
    ///
    /// # Errors
    /// Where it cannot be started.
    pub fn start(fathom: &Path, target: &str, groups: &[PathBuf], folder: &Path) -> Result<Self, String> {
        let joins: String = groups.iter().map(|group| format!("echo $$ > '{}'; ", group.display())).collect();
        let script = format!(
            "{joins}while :; do \"$1\" run --target {target} --rw randread --bs 4k --jobs 2 --depth 32 \
             --warmup 0s --time 1100ms --quiet --store rival.sqlite; sleep 0.9; done"
        );
        // A session of its own, so that all of it can be ended together.
        Command::new("setsid")
            .args(["sh", "-c", &script, "sh"])
            .arg(fathom)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map(|child| Self { child })
            .map_err(|error| format!("no rival: {error}"))
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        if let Err(error) = tool("kill", &["-KILL", "--", &format!("-{}", self.child.id())]) {
            eprintln!("left behind: {error}");
        }
        let _ = self.child.wait();
    }
}
