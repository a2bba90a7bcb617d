//! Runs a program to its end: what it printed, how long it took, and what the kernel counted for it.

#[cfg(unix)]
#[path = "usage_unix.rs"]
mod usage;
#[cfg(not(unix))]
#[path = "usage_elsewhere.rs"]
mod usage;

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What the kernel counted for one process and the children it waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub user_ns: u64,
    pub system_ns: u64,
    pub peak_rss_bytes: u64,
}

/// A program's end, whatever its exit status: what it printed tells more.
#[derive(Debug)]
pub struct ProgramEnd {
    pub stdout: String,
    pub stderr: String,
    /// From before the start to after the end.
    pub wall: Duration,
    pub usage: Usage,
}

/// Runs `command` with its output going to files in `folder`, so that reading it costs no time beside the
/// run.
///
/// # Errors
/// Where the program cannot be started, was killed, or its output cannot be read, in words.
pub fn run(command: &[String], folder: &Path) -> Result<ProgramEnd, String> {
    let (program, arguments) = command.split_first().ok_or("an empty command")?;
    let place = |name: &str| folder.join(name);
    let create = |name: &str| File::create(place(name)).map_err(|error| format!("{name}: {error}"));
    let (out, err) = (create("stdout")?, create("stderr")?);
    let start = now();
    let child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .spawn()
        .map_err(|error| format!("`{program}` cannot be started: {error}"))?;
    let (code, usage) = usage::wait(child).map_err(|error| format!("`{program}`: {error}"))?;
    let wall = start.elapsed();
    if code.is_none() {
        return Err(format!("`{program}` was ended by a signal"));
    }
    let read = |name: &str| {
        let bytes = fs::read(place(name)).map_err(|error| format!("{name}: {error}"))?;
        Ok::<_, String>(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok(ProgramEnd { stdout: read("stdout")?, stderr: read("stderr")?, wall, usage })
}

/// First line that a quick command prints, or `None` where it cannot be had.
pub fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().next().filter(|_| output.status.success()).map(str::to_owned)
}

/// CPU time that a process has had with all its threads, those that have ended included, in nanoseconds; `None` where
/// the system does not tell of others.
pub fn cpu_ns(pid: u32) -> Option<u64> {
    usage::cpu_ns(pid)
}

/// A moment to measure elapsed time from.
#[allow(clippy::disallowed_methods, reason = "the wall time of a whole process, seen from outside")]
pub fn now() -> std::time::Instant {
    std::time::Instant::now()
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    fn shell(script: &str) -> Result<ProgramEnd, String> {
        let folder = tempfile::tempdir().unwrap();
        run(&["sh".to_owned(), "-c".to_owned(), script.to_owned()], folder.path())
    }

    #[test]
    fn output_and_time_are_those_of_the_program() {
        let ended = shell("echo out; echo err >&2; sleep 0.05; exit 3").unwrap();
        assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("out\n", "err\n"));
        assert!(ended.wall >= Duration::from_millis(50));
        assert!(ended.usage.peak_rss_bytes > 100_000);
        assert!(shell("kill -9 $$").unwrap_err().contains("signal"));
    }

    #[test]
    fn processor_time_is_counted() {
        let ended = shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done").unwrap();
        let total = u128::from(ended.usage.user_ns + ended.usage.system_ns);
        assert!(total > 10_000_000 && total < ended.wall.as_nanos() + 20_000_000, "{ended:?}");
    }

    #[test]
    fn processor_time_of_a_running_process_grows_with_its_work() {
        let own = std::process::id();
        let before = cpu_ns(own).unwrap();
        let mut sum = 0_u64;
        while cpu_ns(own).unwrap() < before + 1_000_000 {
            sum = std::hint::black_box(sum.wrapping_mul(31).wrapping_add(7));
        }
        assert_eq!(cpu_ns(u32::MAX), None);
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = run(&["no-such-program".to_owned()], folder.path()).unwrap_err();
        assert!(error.contains("no-such-program"), "{error}");
    }
}
