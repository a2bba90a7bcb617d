//! This very program copied to a client: through what reaches it, proved by its SHA-256 at both ends before it is
//! started, and without a name there from its start on.
//!
//! ```text
//!  machine there is as here ─► new folder of a drawn name ─► new file, named by its SHA-256 ─► SHA-256 computed there
//!       ─► opened ─► name and folder removed ─► SHA-256 of what is open ─► started from the open descriptor
//! ```

use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fathom_engine::{EngineError, ErrorKind};
use fathom_measure::{Bytes, Clock, WallClock};
use fathom_order::InOrder;
use fathom_plan::Client;
use sha2::{Digest, Sha256};

use super::agent_transport::at_the_other_end;
use super::link::{about, excerpt, keep_last, last_lines};
use crate::process_control::{ChildSignal, apart, ask, own_program};
use crate::progress::Progress;

/// What a line that is meant for this program begins with: a login may print others.
const MARK: &str = "fathom-push ";
/// Most that is read of what the other end prints, in bytes.
const PRINTED_MAX: u64 = 64 << 10;
/// Bytes that are sent at a time.
const CHUNK: usize = 256 << 10;
/// A copy that does not get on for this long is given up.
const STALL_NS: u64 = 60_000_000_000;
/// What removes a copy may take this long.
const REMOVAL: Duration = Duration::from_secs(10);
/// Between two looks at a command.
const LOOK: Duration = Duration::from_millis(20);

// The scripts have neither single quotes nor line ends: they pass through any login shell in single quotes. $1 is the drawn
// name, $2 the SHA-256, $3 system and architecture.

/// Prints what the machine is; takes the program in where it can run, into a new file of a new folder, and prints the file's
/// SHA-256.
const TAKE: &str = concat!(
    r#"umask 077; set -C; m="$(uname -s) $(uname -m)"; echo "fathom-push machine $m"; [ "$m" = "$3" ] || exit 65; "#,
    r#"for b in "$XDG_CACHE_HOME" "$HOME/.cache" "$TMPDIR" /tmp /dev/shm; do "#,
    r#"[ -d "$b" ] && mkdir "$b/fathom-$1" 2>/dev/null && d="$b/fathom-$1" && break; done; "#,
    r#"[ -n "$d" ] || { echo "fathom-push nowhere"; exit 66; }; "#,
    r#"f="$d/fathom-agent-$2"; cat > "$f" && chmod 700 "$f" || { rm -f "$f"; rmdir "$d"; exit 67; }; "#,
    r#"s=$(sha256sum < "$f" || openssl dgst -sha256 -r < "$f"); echo "fathom-push sum ${s%% *}"; "#,
    r#"[ "${s%% *}" = "$2" ] || { rm -f "$f"; rmdir "$d"; exit 68; }"#
);
/// Starts it: what was opened is what is proved and what runs, and nothing of it has a name any more.
const START: &str = concat!(
    r#"for b in "$XDG_CACHE_HOME" "$HOME/.cache" "$TMPDIR" /tmp /dev/shm; do "#,
    r#"d="$b/fathom-$1"; f="$d/fathom-agent-$2"; [ -f "$f" ] && break; done; "#,
    r#"exec 3< "$f" || exit 66; rm -f "$f"; rmdir "$d"; "#,
    r#"s=$(sha256sum <&3 || openssl dgst -sha256 -r <&3); "#,
    r#"[ "${s%% *}" = "$2" ] || { echo "the copy has another SHA-256 than what was sent" >&2; exit 68; }; "#,
    r#"exec /proc/self/fd/3 agent"#
);
/// Removes what was never started.
const REMOVE: &str = concat!(
    r#"for b in "$XDG_CACHE_HOME" "$HOME/.cache" "$TMPDIR" /tmp /dev/shm; do "#,
    r#"d="$b/fathom-$1"; [ -d "$d" ] && rm -f "$d/fathom-agent-$2" && rmdir "$d"; done; true"#
);

/// A copy of this program at a client, not started yet; removed where it never is.
#[derive(Debug)]
pub struct ProgramCopy {
    client: Client,
    /// Drawn: no other copy has it.
    name: String,
    sum: String,
    is_gone: bool,
}

impl ProgramCopy {
    fn words(&self, script: &str, more: &[&str]) -> Result<Vec<OsString>, EngineError> {
        let own = ["sh", "-c", script, "sh", &self.name, &self.sum];
        at_the_other_end(&self.client.reach, &[own.as_slice(), more].concat())
    }

    /// The command that starts it.
    ///
    /// # Errors
    /// As [`at_the_other_end`].
    pub fn start(&self) -> Result<Vec<OsString>, EngineError> {
        self.words(START, &[])
    }

    /// It has started, and has no name there any more.
    pub fn started(mut self) {
        self.is_gone = true;
    }

    fn remove(&self) {
        let Ok(Ok(mut child)) = self.words(REMOVE, &[]).map(|words| spawn(&words, false)) else { return };
        let mut left = REMOVAL;
        while matches!(child.try_wait(), Ok(None)) && !left.is_zero() {
            std::thread::sleep(LOOK);
            left = left.saturating_sub(LOOK);
        }
        if matches!(child.try_wait(), Ok(None)) {
            ask(&mut child, ChildSignal::Kill);
            let _ = child.wait();
        }
    }
}

impl Drop for ProgramCopy {
    fn drop(&mut self) {
        if !self.is_gone {
            self.remove();
        }
    }
}

/// This program, and what it is.
struct Program {
    bytes: u64,
    sum: String,
    /// System and architecture, as `uname` says them.
    machine: String,
}

impl Program {
    fn read() -> Result<Self, EngineError> {
        let failed = |error| EngineError::system("reading this program to copy it", &error);
        let os = std::env::consts::OS;
        if os != "linux" {
            let cause = format!("this program is one for {os}, and clients run Linux");
            return Err(EngineError::new(ErrorKind::Unsupported, "--push", cause)
                .with_remedy("put fathom there by hand, and leave --push out"));
        }
        let (mut file, mut hash) = (own_program().map_err(failed)?, Sha256::new());
        let (mut chunk, mut bytes) = (vec![0u8; CHUNK], 0);
        loop {
            match file.read(&mut chunk).map_err(failed)? {
                0 => break,
                count => {
                    bytes += count as u64;
                    hash.update(&chunk[..count]);
                }
            }
        }
        let sum = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { bytes, sum, machine: format!("Linux {}", std::env::consts::ARCH) })
    }
}

/// Copies this program to each client that asks for it, all at once; one entry a client.
///
/// # Errors
/// The first failure of one of them; the copies of the others are removed.
pub fn to_all(
    clients: &[Client],
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<Vec<Option<ProgramCopy>>, EngineError> {
    let count = clients.iter().filter(|client| client.push).count();
    if count == 0 {
        return Ok(clients.iter().map(|_| None).collect());
    }
    let program = Program::read()?;
    progress.note(&format!(
        "copying this program to {}, {} each",
        fathom_measure::counted(count as u64, "client"),
        Bytes(program.bytes)
    ));
    let over = AtomicBool::new(false);
    let outcomes = std::thread::scope(|scope| {
        let copy = |client: &Client| {
            let (client, program, over) = (client.clone(), &program, &over);
            scope.spawn(move || {
                let made =
                    to_one(client, program, &|| stop.load(Ordering::Relaxed) || over.load(Ordering::Relaxed));
                over.fetch_or(made.is_err(), Ordering::Relaxed);
                made
            })
        };
        let threads: Vec<_> = clients.iter().map(|client| client.push.then(|| copy(client))).collect();
        let panicked =
            |_| Err(EngineError::new(ErrorKind::System, "--push", "the thread that copied panicked"));
        let joined = threads.into_iter().map(|it| it.map(|thread| thread.join().unwrap_or_else(panicked)));
        joined.collect::<Vec<_>>()
    });
    let (mut copies, mut failures) = (Vec::with_capacity(clients.len()), Vec::new());
    for outcome in outcomes {
        match outcome.transpose() {
            Ok(copy) => copies.push(copy),
            Err(error) => failures.push(error),
        }
    }
    // One that was stopped because another one failed says less than that one.
    failures.put_in_order_by_key(|error| error.kind == ErrorKind::Interrupted);
    failures.into_iter().next().map_or(Ok(copies), Err)
}

fn spawn(words: &[OsString], takes_input: bool) -> std::io::Result<Child> {
    let (program, arguments) = words.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
    let input = if takes_input { Stdio::piped() } else { Stdio::null() };
    let mut command = Command::new(program);
    command.args(arguments).stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Ctrl-C reaches it through us alone.
    apart(&mut command).spawn()
}

fn to_one(client: Client, program: &Program, stopped: &dyn Fn() -> bool) -> Result<ProgramCopy, EngineError> {
    // Nobody can make a folder of that name beforehand: the hash has keys of the system's randomness.
    let name = format!("{:016x}", RandomState::new().hash_one(&client.name));
    let mut copy = ProgramCopy { client, name, sum: program.sum.clone(), is_gone: false };
    let (printed, said) = send(&copy, program, stopped)?;
    let told = |key: &str| {
        let mut lines = printed.lines().filter_map(|line| line.trim().strip_prefix(MARK)?.strip_prefix(key));
        lines.next().map(excerpt)
    };
    let refuse = |kind, cause: &str, remedy: &str| {
        let mut error = about(&copy.client, "copying this program there", cause, &said).with_remedy(remedy);
        error.kind = kind;
        error
    };
    let failure = match (told("machine"), told("sum")) {
        (None, _) => {
            refuse(ErrorKind::System, "no POSIX shell with uname answered", "put fathom there by hand")
        }
        (Some(machine), _) if machine != program.machine => refuse(
            ErrorKind::Unsupported,
            &format!("it is `{machine}`, and this program is for `{}`", program.machine),
            &format!(
                "put the fathom {} for that machine there, and name it with program=PATH in place of --push",
                env!("CARGO_PKG_VERSION")
            ),
        ),
        (Some(_), None) if told("nowhere").is_some() => refuse(
            ErrorKind::System,
            "no folder there takes a new one: neither ~/.cache, $TMPDIR, /tmp nor /dev/shm",
            "make one of them writable for that user",
        ),
        (Some(_), None) => refuse(ErrorKind::System, "the copy did not arrive", "look at the space there"),
        (Some(_), Some(sum)) if sum != program.sum => refuse(
            ErrorKind::System,
            &format!("the SHA-256 there is `{sum}`, and {} here", program.sum),
            "the copy was removed; try again, and see that sha256sum is there",
        ),
        (Some(_), Some(_)) => return Ok(copy),
    };
    // It was removed by the script that took it in, or never made.
    copy.is_gone = true;
    Err(failure)
}

/// Sends the program; what the other end printed, and what it said for people.
fn send(
    copy: &ProgramCopy,
    program: &Program,
    stopped: &dyn Fn() -> bool,
) -> Result<(String, String), EngineError> {
    let failed = |error: &std::io::Error| {
        EngineError::system(format!("client {}, copying this program there", copy.client.name), error)
            .with_remedy(format!("{} is reached by this command", copy.client.reach))
    };
    let mut child = spawn(&copy.words(TAKE, &[&program.machine])?, true).map_err(|error| failed(&error))?;
    let (sent, said, printed) = (AtomicU64::new(0), Mutex::new(Vec::new()), Mutex::new(String::new()));
    let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| input.map(|input| feed(input, &sent)));
        scope.spawn(|| errors.map(|errors| keep_last(errors, &said)));
        scope.spawn(|| {
            let mut text = Vec::new();
            output.map(|output| output.take(PRINTED_MAX).read_to_end(&mut text));
            *printed.lock().unwrap_or_else(PoisonError::into_inner) =
                String::from_utf8_lossy(&text).into_owned();
        });
        wait(&mut child, &sent, stopped)
    });
    let doing = "copying this program there";
    match ended {
        WaitEnd::Ended => {
            Ok((printed.into_inner().unwrap_or_else(PoisonError::into_inner), last_lines(&said)))
        }
        WaitEnd::Stopped => Err(EngineError::new(
            ErrorKind::Interrupted,
            format!("client {}, {doing}", copy.client.name),
            "stopped before the end",
        )),
        WaitEnd::Stalled => {
            let cause = format!(
                "{} of {} had gone, and nothing more in {} s",
                Bytes(sent.load(Ordering::Relaxed)),
                Bytes(program.bytes),
                STALL_NS / 1_000_000_000
            );
            Err(about(&copy.client, doing, &cause, &last_lines(&said)))
        }
    }
}

/// Why a command is not waited for any more.
enum WaitEnd {
    Ended,
    Stopped,
    Stalled,
}

fn wait(child: &mut Child, sent: &AtomicU64, stopped: &dyn Fn() -> bool) -> WaitEnd {
    let (clock, _) = WallClock::start_on_system_clock();
    let (mut before, mut moved_ns) = (0, clock.now_ns());
    loop {
        if !matches!(child.try_wait(), Ok(None)) {
            return WaitEnd::Ended;
        }
        let (now, now_ns) = (sent.load(Ordering::Relaxed), clock.now_ns());
        if now != before {
            (before, moved_ns) = (now, now_ns);
        }
        let is_stalled = now_ns.saturating_sub(moved_ns) > STALL_NS;
        if is_stalled || stopped() {
            ask(child, ChildSignal::Kill);
            let _ = child.wait();
            return if is_stalled { WaitEnd::Stalled } else { WaitEnd::Stopped };
        }
        std::thread::sleep(LOOK);
    }
}

/// Writes the program, until all of it is written or the other end takes nothing more.
fn feed(mut input: impl Write, sent: &AtomicU64) {
    let Ok(mut file) = own_program() else { return };
    let mut chunk = vec![0u8; CHUNK];
    while let Ok(count @ 1..) = file.read(&mut chunk) {
        if input.write_all(&chunk[..count]).is_err() {
            return;
        }
        sent.fetch_add(count as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_pass_through_single_quotes_of_any_shell() {
        for script in [TAKE, START, REMOVE] {
            assert!(!script.contains(['\'', '\n', '!']), "{script}");
        }
    }
}
