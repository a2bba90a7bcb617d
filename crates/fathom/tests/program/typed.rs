//! Runs the program with a store of its own.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// A folder with a store in it, where commands are typed.
pub struct Typist {
    folder: TempDir,
}

/// What a command left behind.
#[derive(Debug)]
pub struct Answer {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Typist {
    pub fn new() -> Self {
        // Beside the program, where the file system takes direct I/O; /tmp may not.
        Self { folder: TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
        command.current_dir(self.folder.path()).arg("--store").arg(self.path("store"));
        // Without it nothing is left out for a reader that is no terminal.
        command.args(arguments).stdin(Stdio::null()).env("COLUMNS", "100");
        // Settings of whoever runs the tests are not theirs.
        command.env("FATHOM_CONFIG", "/dev/null").env_remove("FATHOM_STORE");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Answer {
        self.command(arguments).output().unwrap().into()
    }

    pub fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// A command that must succeed, and its JSON. A run may fail the checks that other tests' use of the
    /// processors alone can fail, and say so.
    pub fn json(&self, arguments: &[&str]) -> Value {
        const LATE: [&str; 3] = ["in_flight", "littles_law", "standstill"];
        let answer = self.run(arguments);
        if answer.status == 0 {
            return answer.json();
        }
        let told = format!("{arguments:?}: {}", answer.stderr);
        assert_eq!((answer.status, answer.stdout.is_empty()), (1, false), "{told}");
        let record = answer.json();
        let failed: Vec<_> =
            self.checks(&record).into_iter().filter(|check| check["outcome"] == "fail").collect();
        let late = failed.iter().all(|check| LATE.iter().any(|late| check["name"] == *late));
        assert!(late && !failed.is_empty(), "{told} {failed:?}");
        record
    }

    /// Self-checks of a run, or of all runs that a campaign names.
    fn checks(&self, record: &Value) -> Vec<Value> {
        if let Some(checks) = record["checks"].as_array() {
            return checks.clone();
        }
        let of_run = |id: &str| self.run(&["show", id, "--json"]).json()["checks"].as_array().cloned();
        runs_of(record).into_iter().filter_map(of_run).flatten().collect()
    }
}

/// Names of the runs that stand anywhere in a campaign's record.
fn runs_of(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(values) => values.iter().flat_map(runs_of).collect(),
        Value::Object(members) => {
            let named = members.get("runs").and_then(Value::as_array).into_iter().flatten();
            members.values().flat_map(runs_of).chain(named.filter_map(Value::as_str)).collect()
        }
        _ => Vec::new(),
    }
}

/// Longest wait for something that is bound to come, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(20);

/// Asks until it holds.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let step = Duration::from_millis(10);
    for _ in 0..PATIENCE.as_millis() / step.as_millis() {
        if holds() {
            return;
        }
        std::thread::sleep(step);
    }
    panic!("{what} did not come");
}

/// Waits until the program's first job runs, and has used processor time where it is `busy`.
pub fn until_a_job_runs(id: u32, busy: bool) {
    let ticks = |stat: String| {
        // Behind the name in brackets: eleven fields up to its times in user and kernel mode.
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        fields.skip(11).take(2).map(|field| field.parse::<u64>().unwrap_or(0)).sum::<u64>()
    };
    until("a job's thread", || {
        let Ok(threads) = std::fs::read_dir(format!("/proc/{id}/task")) else { return false };
        threads.flatten().any(|thread| {
            let read = |name: &str| std::fs::read_to_string(thread.path().join(name)).unwrap_or_default();
            read("comm").trim() == "job-0" && (!busy || ticks(read("stat")) >= 3)
        })
    });
}

/// A port at which nobody answers, and where no server can begin as long as this lives: one end of a connection has it.
pub struct UnansweredPort {
    end: TcpStream,
    _listener: TcpListener,
}

impl UnansweredPort {
    pub fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let end = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        Self { end, _listener: listener }
    }

    /// Behind this machine's address, e.g. `127.0.0.1:45123`.
    pub fn address(&self) -> String {
        self.end.local_addr().unwrap().to_string()
    }
}

impl From<Output> for Answer {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Answer {
    /// All of stdout as one document.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// That all lines fit into 100 columns, but for what is to be typed, which is never cut.
    pub fn assert_fits(&self) {
        for line in self.stdout.lines().filter(|line| !line.trim_start().starts_with("fathom ")) {
            assert!(line.chars().count() <= 100, "{line}");
        }
        assert!(!self.stdout.contains('\u{1b}') && !self.stderr.contains('\u{1b}'), "{self:?}");
    }
}
