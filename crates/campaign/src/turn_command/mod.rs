//! A command before a side's turn: run through the shell, timed, and its last words kept.

use std::io::{PipeReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

use fathom_engine::{EngineError, ErrorKind};
use fathom_measure::{Clock, Nanos, WallClock};

use crate::process_control::{self, ChildSignal};

/// So much of the end of what it printed is kept.
const KEPT_BYTES: usize = 2048;
/// How often its end, the time and Ctrl-C are looked at.
const POLL: Duration = Duration::from_millis(20);
/// Wait for output that is still in the pipe when it has ended. A process that it left behind may hold the
/// pipe for ever.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Runs it and returns the end of what it printed.
///
/// # Errors
/// When it cannot be started, ends with another status than 0, takes longer than `limit_ns` or `stop` is set;
/// in the last two cases everything that it started is ended.
pub fn run(command: &str, limit_ns: u64, stop: &AtomicBool) -> Result<String, EngineError> {
    let place = format!("running the command `{command}`");
    let failed = |error: std::io::Error| EngineError::system(place.clone(), &error);
    let (reader, writer) = std::io::pipe().map_err(failed)?;
    let mut shell = Command::new(process_control::SHELL[0]);
    shell.arg(process_control::SHELL[1]).arg(command).stdin(Stdio::null());
    shell.stdout(writer.try_clone().map_err(failed)?).stderr(writer);
    process_control::apart(&mut shell);
    let mut child = shell.spawn().map_err(failed)?;
    // The command holds the other ends of the pipe; this one must not keep it open.
    drop(shell);
    let said = listen(reader);
    let clock = WallClock::start_on_system_clock().0;
    let started_ns = clock.now_ns();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        let is_late = clock.now_ns().saturating_sub(started_ns) > limit_ns;
        if is_late || stop.load(Ordering::Relaxed) {
            end(&mut child);
            return Err(if is_late {
                let cause = format!("it was not done after {}", Nanos(limit_ns).coarse());
                EngineError::new(ErrorKind::System, place, cause)
                    .with_remedy("--before-limit gives it more time")
            } else {
                EngineError::new(ErrorKind::Interrupted, place, "it was stopped before its end")
            });
        }
        std::thread::sleep(POLL);
    };
    let output = words(&said);
    if status.success() {
        return Ok(output);
    }
    let mut cause = format!("it ended with {status}");
    if !output.is_empty() {
        cause += &format!(": {output}");
    }
    Err(EngineError::new(ErrorKind::System, place, cause)
        .with_remedy("it has to end with status 0; then repeat the comparison, which continues where it was"))
}

fn end(child: &mut Child) {
    process_control::ask(child, ChildSignal::Kill);
    // It was just killed; what its status is changes nothing.
    let _ = child.wait();
}

/// Sends what is read, piece by piece, until the pipe is closed.
fn listen(mut reader: PipeReader) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut piece = [0; 4096];
        while let Ok(read @ 1..) = reader.read(&mut piece) {
            if send.send(piece[..read].to_vec()).is_err() {
                break;
            }
        }
    });
    receive
}

/// The end of what was said, without the white space around it.
fn words(said: &Receiver<Vec<u8>>) -> String {
    let mut bytes = Vec::new();
    let mut waited = Duration::ZERO;
    loop {
        match said.try_recv() {
            Ok(piece) => bytes.extend(piece),
            Err(TryRecvError::Empty) if waited < LAST_WORDS => {
                std::thread::sleep(POLL);
                waited += POLL;
            }
            Err(_) => break,
        }
    }
    let from = bytes.len().saturating_sub(KEPT_BYTES);
    String::from_utf8_lossy(&bytes[from..]).trim().to_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const LONG_NS: u64 = 20_000_000_000;

    fn quick(command: &str) -> Result<String, EngineError> {
        run(command, LONG_NS, &AtomicBool::new(false))
    }

    /// Looks until it holds.
    fn until(what: &str, holds: impl Fn() -> bool) {
        let came = (0..500).any(|_| {
            let holds = holds();
            if !holds {
                std::thread::sleep(POLL);
            }
            holds
        });
        assert!(came, "{what} did not come");
    }

    #[test]
    fn what_is_said_on_both_streams_is_kept_and_only_the_end_of_it() {
        assert_eq!(quick("echo one; echo two >&2").unwrap(), "one\ntwo");
        let long = quick("head -c 100000 /dev/zero | tr '\\0' x; echo end").unwrap();
        assert!(long.ends_with("end") && long.len() <= KEPT_BYTES, "{}", long.len());
    }

    #[test]
    fn a_status_that_is_not_0_is_a_failure_with_the_last_words() {
        let error = quick("echo no such driver; exit 3").unwrap_err();
        assert!(error.cause.contains('3') && error.cause.contains("no such driver"), "{error:?}");
    }

    #[test]
    fn a_command_that_does_not_end_is_ended_with_all_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let (started, stop) = (folder.path().join("started"), AtomicBool::new(false));
        let name = started.display();
        let command = format!("sh -c 'echo $$ > {name}.new; mv {name}.new {name}; exec sleep 60' & sleep 60");
        let error = std::thread::scope(|scope| {
            // As soon as what it leaves behind runs.
            scope.spawn(|| {
                until("its process", || started.exists());
                stop.store(true, Ordering::Relaxed);
            });
            run(&command, LONG_NS, &stop).unwrap_err()
        });
        assert_eq!(error.kind, ErrorKind::Interrupted);
        let stat = format!("/proc/{}/stat", std::fs::read_to_string(&started).unwrap().trim());
        // Whoever takes in orphans may take its time with one that has ended.
        let is_over = || std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "));
        until("the end of a process of the command", is_over);
        let error = run("sleep 30", 300_000_000, &AtomicBool::new(false)).unwrap_err();
        assert_eq!(error.kind, ErrorKind::System);
    }

    #[test]
    fn a_process_left_behind_does_not_hold_the_comparison_up() {
        assert_eq!(quick("sleep 5 & echo ready").unwrap(), "ready");
    }
}
