//! A program of somebody else's as a child: started, watched, stopped, and its output kept.

use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind as Os, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fathom_engine::job::standstill_detector::StandstillDetector;
use fathom_engine::{EngineError, ErrorKind};
use fathom_measure::Clock;
use fathom_record::{Standstill, WallFacts};
use fathom_target::wall::{self, Reach, Wall};

use super::tool_folder::new_file;
use crate::process_control::{self, ChildSignal, apart, ask};

/// Between two looks at a child.
const POLL: Duration = Duration::from_millis(20);
/// A child that does not heed an interrupt, as one whose parents ignore them, is asked in another way after this.
const PATIENCE_NS: u64 = 5_000_000_000;
/// A child that was asked to end is given this long to print what it has, and then made to.
const GRACE_NS: u64 = 30_000_000_000;
/// Lines of a child's messages that an error repeats.
const LAST_LINES: usize = 6;
/// Bytes of a child's messages that are looked at for them.
const LAST_BYTES: u64 = 16 << 10;

/// What is started, and where its output goes.
#[derive(Clone, Debug)]
pub struct ChildPlan<'a> {
    /// The program and its arguments; the program first.
    pub words: Vec<OsString>,
    /// Folder that it runs in and that keeps `stdout.txt` and `stderr.txt`.
    pub folder: &'a Path,
    /// Longest time that it may take, in nanoseconds.
    pub limit_ns: u64,
    /// How to get the program where there is none.
    pub install: &'static str,
    /// What it has to reach, and nothing else; absent for a program that only reaches another machine, or a device
    /// that has no file.
    pub reach: Option<Reach>,
    /// What is set in its environment.
    pub env: Vec<(&'static str, OsString)>,
}

/// How a child ended.
#[derive(Clone, Debug)]
pub struct ChildEnd {
    /// Its status.
    pub status: ExitStatus,
    /// Whether it was stopped because the user asked for it.
    pub interrupted: bool,
    /// When this process or the machine stood still, from the child's start.
    pub standstills: Vec<Standstill>,
    /// The wall around it; absent where it has none to be kept by.
    pub wall: Option<WallFacts>,
    /// What it printed.
    pub stdout: PathBuf,
    /// What it said.
    pub stderr: PathBuf,
}

impl ChildPlan<'_> {
    fn name(&self) -> String {
        self.words.first().map_or_else(String::new, |word| word.to_string_lossy().into_owned())
    }

    /// Runs the child to its end. Setting `stop` passes an interrupt on to it and all its own children, once;
    /// what it prints then is kept like any other output.
    ///
    /// # Errors
    /// When it cannot be started, or takes longer than its limit.
    pub fn run(&self, stop: &AtomicBool, clock: &(impl Clock + Copy)) -> Result<ChildEnd, EngineError> {
        let (stdout, stderr) = (self.folder.join("stdout.txt"), self.folder.join("stderr.txt"));
        let mut command = Command::new(self.words.first().map_or_else(OsString::new, Clone::clone));
        command
            .args(self.words.get(1..).unwrap_or_default())
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .current_dir(self.folder)
            .stdin(Stdio::null())
            .stdout(new_file(&stdout)?)
            .stderr(new_file(&stderr)?);
        // Ctrl-C reaches it through us alone, and once.
        apart(&mut command);
        let mut child = self.start(command)?;
        let mut vigil = StandstillDetector::begin(*clock, POLL);
        let outcome = self.watch(&mut child, stop, clock, &mut vigil);
        let (status, interrupted) = outcome.inspect_err(|_| {
            ask(&mut child, ChildSignal::Kill);
            // It is gone, or nothing more can be done about it.
            let _ = child.wait();
        })?;
        let wall = self.reach.as_ref().map(|_| wall::facts().clone());
        Ok(ChildEnd { status, interrupted, standstills: vigil.end(), wall, stdout, stderr })
    }

    /// By a thread behind the wall, which the child is then behind from its first instruction on.
    fn start(&self, mut command: Command) -> Result<Child, EngineError> {
        let Some(reach) = &self.reach else {
            return command.spawn().map_err(|error| self.not_started(&error));
        };
        if reach.starts.iter().any(|program| !program.exists()) {
            return Err(self.not_started(&Os::NotFound.into()));
        }
        let started = Wall::around(reach)?.within(move || command.spawn())?;
        started.map_err(|error| self.not_started(&error))
    }

    fn watch(
        &self,
        child: &mut Child,
        stop: &AtomicBool,
        clock: &(impl Clock + Copy),
        vigil: &mut StandstillDetector<impl Clock>,
    ) -> Result<(ExitStatus, bool), EngineError> {
        let started_ns = clock.now_ns();
        let mut asked_ns: Option<u64> = None;
        let (mut urged, mut forced) = (false, false);
        loop {
            let status = child.try_wait();
            let place = || format!("waiting for {}", self.name());
            if let Some(status) = status.map_err(|error| EngineError::system(place(), &error))? {
                return Ok((status, asked_ns.is_some()));
            }
            let now_ns = clock.now_ns();
            match asked_ns {
                None if stop.load(Ordering::Relaxed) => {
                    ask(child, ChildSignal::Interrupt);
                    asked_ns = Some(now_ns);
                }
                None if now_ns.saturating_sub(started_ns) > self.limit_ns => {
                    let seconds = self.limit_ns / 1_000_000_000;
                    let cause = format!("it did not end within {seconds} s");
                    return Err(EngineError::new(
                        ErrorKind::System,
                        format!("running {}", self.name()),
                        cause,
                    )
                    .with_remedy(format!("its output so far is in {}", self.folder.display())));
                }
                Some(asked) if !urged && now_ns.saturating_sub(asked) > PATIENCE_NS => {
                    ask(child, ChildSignal::End);
                    urged = true;
                }
                Some(asked) if !forced && now_ns.saturating_sub(asked) > GRACE_NS => {
                    ask(child, ChildSignal::Kill);
                    forced = true;
                }
                _ => {}
            }
            vigil.sleeps();
            std::thread::sleep(POLL);
            vigil.woke();
        }
    }

    fn not_started(&self, error: &std::io::Error) -> EngineError {
        let place = format!("starting {}", self.name());
        match error.kind() {
            Os::NotFound => {
                EngineError::new(ErrorKind::Unsupported, place, "no such program").with_remedy(self.install)
            }
            Os::PermissionDenied => EngineError::new(ErrorKind::Permission, place, "it may not be executed")
                .with_remedy(self.install),
            _ => EngineError::system(place, error),
        }
    }
}

impl ChildEnd {
    /// How it ended, in words.
    pub fn words(&self) -> String {
        match (self.status.code(), process_control::ended_by(self.status)) {
            (Some(code), _) => format!("exit status {code}"),
            (None, Some(signal)) => format!("ended by signal {signal}"),
            (None, None) => "ended in an unknown way".to_owned(),
        }
    }

    /// The version of SPDK, which its programs say when they start.
    pub fn spdk_version(&self) -> Option<String> {
        let mut text = Vec::new();
        File::open(&self.stderr).ok()?.take(LAST_BYTES).read_to_end(&mut text).ok()?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let (_, version) = text.split_once("Starting SPDK v")?;
        version.split_whitespace().next().map(str::to_owned)
    }

    /// The last lines that it said, on its own stream for messages or, where that is empty, in its output.
    pub fn last_words(&self) -> String {
        let of = |path: &Path| last_lines(path).unwrap_or_default();
        let said = of(&self.stderr);
        if said.is_empty() { of(&self.stdout) } else { said }
    }
}

fn last_lines(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LAST_BYTES))).ok()?;
    let mut bytes = Vec::new();
    file.take(LAST_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()).collect();
    Some(lines[lines.len().saturating_sub(LAST_LINES)..].join("\n"))
}

#[cfg(test)]
mod tests {
    use fathom_measure::WallClock;

    use super::*;

    fn run(
        script: &str,
        limit_ns: u64,
        stop: &AtomicBool,
    ) -> (tempfile::TempDir, Result<ChildEnd, EngineError>) {
        let folder = tempfile::tempdir().unwrap();
        let ended = run_in(folder.path(), script, limit_ns, stop);
        (folder, ended)
    }

    fn run_in(
        folder: &Path,
        script: &str,
        limit_ns: u64,
        stop: &AtomicBool,
    ) -> Result<ChildEnd, EngineError> {
        let plan = ChildPlan {
            words: ["sh", "-c", script].map(OsString::from).to_vec(),
            folder,
            limit_ns,
            install: "install it",
            reach: None,
            env: vec![("FATHOM_TEST", "set".into())],
        };
        plan.run(stop, &WallClock::start_on_system_clock().0)
    }

    #[test]
    fn output_messages_and_status_are_kept() {
        let (_folder, ended) = run(
            "echo out $FATHOM_TEST; echo first >&2; echo last >&2; exit 3",
            u64::MAX,
            &AtomicBool::new(false),
        );
        let ended = ended.unwrap();
        assert_eq!(std::fs::read_to_string(&ended.stdout).unwrap(), "out set\n");
        assert_eq!(
            (ended.words(), ended.last_words()),
            ("exit status 3".to_owned(), "first\nlast".to_owned())
        );
        assert!(!ended.interrupted);
    }

    #[test]
    fn an_interrupt_is_passed_on_and_what_is_printed_then_is_kept() {
        let stop = AtomicBool::new(false);
        let script = "trap 'echo partial; exit 0' INT TERM; echo begun; while :; do sleep 0.05; done";
        let folder = tempfile::tempdir().unwrap();
        let stdout = folder.path().join("stdout.txt");
        let has_begun = || std::fs::read_to_string(&stdout).is_ok_and(|text| text == "begun\n");
        let ended = std::thread::scope(|scope| {
            scope.spawn(|| {
                // One that never begins is stopped all the same: what it printed then shows that.
                for _ in 0..2000 {
                    if has_begun() {
                        break;
                    }
                    std::thread::sleep(Duration::from_millis(5));
                }
                stop.store(true, Ordering::Relaxed);
            });
            run_in(folder.path(), script, u64::MAX, &stop)
        });
        let ended = ended.unwrap();
        assert!(ended.interrupted);
        assert_eq!(std::fs::read_to_string(&ended.stdout).unwrap(), "begun\npartial\n");
    }

    #[test]
    fn what_takes_too_long_is_ended() {
        let (folder, ended) = run("echo begun; sleep 60", 200_000_000, &AtomicBool::new(false));
        let error = ended.unwrap_err();
        assert!(error.cause.contains("did not end within"), "{error}");
        assert_eq!(std::fs::read_to_string(folder.path().join("stdout.txt")).unwrap(), "begun\n");
    }

    #[test]
    fn a_missing_program_is_told_with_how_to_get_it() {
        let folder = tempfile::tempdir().unwrap();
        let plan = ChildPlan {
            words: vec!["no-such-program-here".into()],
            folder: folder.path(),
            limit_ns: u64::MAX,
            install: "apt-get install it",
            reach: None,
            env: Vec::new(),
        };
        let error = plan.run(&AtomicBool::new(false), &WallClock::start_on_system_clock().0).unwrap_err();
        assert_eq!((error.kind, error.remedy.as_str()), (ErrorKind::Unsupported, "apt-get install it"));
    }
}
