//! A program run with a time limit, where it is wanted on a kernel that has no Landlock.
#![allow(unsafe_code)] // A filter of system calls is set between fork and exec, which nothing safe can do.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

/// How a program ended, and what it said.
#[derive(Clone, Debug, Default)]
pub struct ProgramEnd {
    /// Absent after a signal, its own or the one after its time.
    pub status: Option<i32>,
    pub signal: Option<i32>,
    /// The time was over and it was ended.
    pub cut: bool,
    pub said: String,
}

impl ProgramEnd {
    /// Panics and signals that nobody sent, in words.
    pub fn oddity(&self) -> Option<String> {
        if self.said.contains("panicked at") {
            return Some("panic".to_owned());
        }
        self.signal.filter(|_| !self.cut).map(|signal| format!("signal {signal}"))
    }
}

/// Runs `command` for `patience` at most; it and what it started are ended then.
///
/// # Errors
/// Where it cannot be started or its output cannot be kept in `folder`.
pub fn run(command: &mut Command, folder: &Path, patience: Duration) -> Result<ProgramEnd, String> {
    let (out, err) = (folder.join("said.out"), folder.join("said.err"));
    let create = |path: &Path| File::create(path).map_err(|error| format!("{}: {error}", path.display()));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(create(&out)?)
        .stderr(create(&err)?)
        .process_group(0)
        .spawn()
        .map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    let (status, cut) = wait(&mut child, patience).map_err(|error| error.to_string())?;
    let mut said = String::from_utf8_lossy(&fs::read(&out).unwrap_or_default()).into_owned();
    said.push_str(&String::from_utf8_lossy(&fs::read(&err).unwrap_or_default()));
    Ok(ProgramEnd { status: status.code(), signal: status.signal(), cut, said })
}

#[allow(clippy::disallowed_methods, reason = "the time that a program may take, seen from outside")]
fn wait(child: &mut Child, patience: Duration) -> io::Result<(std::process::ExitStatus, bool)> {
    let until = Instant::now() + patience;
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, false));
        }
        if Instant::now() > until {
            end_group(child);
            return Ok((child.wait()?, true));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(8));
    }
}

/// Ends a child that was put into a group of its own, and the group.
pub fn end_group(child: &Child) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // A group that is gone already is what was wanted.
    let _ = group.map(|group| rustix::process::kill_process_group(group, Signal::KILL));
}

/// Ends what still runs in `folder` or below it: programs that a program started in a group of their own.
pub fn end_all_in(folder: &Path) {
    let Ok(processes) = fs::read_dir("/proc") else { return };
    for process in processes.flatten() {
        let Some(id) = process.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let within = fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
        if let Some(id) = Pid::from_raw(id).filter(|_| within) {
            let _ = rustix::process::kill_process(id, Signal::KILL);
        }
    }
}

/// `landlock_create_ruleset` has this number on every architecture.
const LANDLOCK_CREATE_RULESET: u32 = 444;

/// A program of four instructions: the call's number; is it the one; then "no such call"; else go ahead.
static NO_LANDLOCK: [libc::sock_filter; 4] = [
    libc::sock_filter { code: (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16, jt: 0, jf: 0, k: 0 },
    libc::sock_filter {
        code: (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16,
        jt: 0,
        jf: 1,
        k: LANDLOCK_CREATE_RULESET,
    },
    libc::sock_filter {
        code: (libc::BPF_RET | libc::BPF_K) as u16,
        jt: 0,
        jf: 0,
        k: libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32,
    },
    libc::sock_filter {
        code: (libc::BPF_RET | libc::BPF_K) as u16,
        jt: 0,
        jf: 0,
        k: libc::SECCOMP_RET_ALLOW,
    },
];

/// Lets the program believe that its kernel has no Landlock.
pub fn without_landlock(command: &mut Command) {
    // SAFETY: between fork and exec only `prctl` is called, which is safe in a signal handler; it reads the
    // static filter, whose length is right, and nothing is allocated.
    unsafe {
        command.pre_exec(|| {
            let filter =
                libc::sock_fprog { len: NO_LANDLOCK.len() as u16, filter: NO_LANDLOCK.as_ptr().cast_mut() };
            let mode = libc::SECCOMP_MODE_FILTER as libc::c_ulong;
            match libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const filter) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, patience: Duration) -> ProgramEnd {
        let folder = tempfile::tempdir().unwrap();
        run(Command::new("sh").args(["-c", script]), folder.path(), patience).unwrap()
    }

    #[test]
    fn a_program_can_be_without_landlock() {
        let mut command = Command::new("true");
        without_landlock(&mut command);
        // SAFETY: one system call, which reads nothing and asks for the version alone.
        unsafe {
            command.pre_exec(|| {
                let asked = libc::syscall(444, std::ptr::null::<u8>(), 0usize, 1u32);
                if asked < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
            });
        }
        match command.status().map_err(|error| error.raw_os_error()) {
            Err(Some(libc::EACCES)) => println!("skipped: filters of system calls need root here"),
            outcome => assert_eq!(outcome.unwrap_err(), Some(libc::ENOSYS)),
        }
    }

    #[test]
    fn endings_are_told_apart() {
        let ended = shell("echo a; echo b >&2; exit 3", Duration::from_secs(20));
        assert_eq!((ended.status, ended.said.as_str(), ended.oddity()), (Some(3), "a\nb\n", None));
        assert_eq!(shell("kill -11 $$", Duration::from_secs(20)).oddity().unwrap(), "signal 11");
        let cut = shell("sleep 60", Duration::from_millis(50));
        assert!(cut.cut && cut.oddity().is_none());
    }
}
