//! What agents and their coordinator say to each other: one line that any version reads, then frames.
//!
//! A frame is four bytes of length, lowest first, and so many bytes of JSON. What lies before the line, as a greeting
//! that a login prints, is passed over.

use std::error::Error as StdError;
use std::io::{self, Read, Write};

use fathom_engine::{EngineError, ErrorKind};
use fathom_plan::TargetUse;
use fathom_record::environment_facts::Environment;
use fathom_record::facts::TargetFacts;
use fathom_record::telemetry::Telemetry;
use fathom_record::{Interval, RunRecord};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Version of the frames; raised with whatever an older one would take in another way.
pub const PROTOCOL: u32 = 4;
/// Largest frame, in bytes: the record of an hour with its telemetry is a few MiB.
const FRAME_MAX: u32 = 64 << 20;
/// How the first line begins, whatever stands before it.
const MAGIC: &str = "{\"fathom\":\"agent\",";
/// Longest first line, in bytes.
const HELLO_MAX: usize = 4 << 10;
/// What is passed over before it, in bytes.
const BANNER_MAX: usize = 64 << 10;

/// The first line, each way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProtocolGreeting {
    /// Always `agent`: what the other side looks for.
    fathom: String,
    /// Version of the frames.
    pub protocol: u32,
    /// Version of the program.
    pub version: String,
    /// Version of run records.
    pub record: u32,
    /// Operating system.
    pub os: String,
    /// Architecture of the processors.
    pub architecture: String,
    /// Name of the machine.
    pub host: String,
}

/// A plan as it is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunOrder {
    /// The plan as a plan file.
    pub plan: String,
    /// Part of the addresses that is this client's, from 0, and how many there are; absent: all.
    pub part: Option<(u32, u32)>,
    /// Whether another client works on the same machine.
    pub shares_machine: bool,
    /// What all runs on these targets will do to them.
    pub needs: TargetUse,
}

/// What a client has open.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OpenedTarget {
    /// The target, or all as one.
    pub target: TargetFacts,
    /// The engine that will carry its I/O.
    pub engine: String,
    /// The machine.
    pub environment: Environment,
}

/// What an agent at the target's machine is to look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchPlan {
    /// Block devices whose counters are wanted, as they were named.
    pub devices: Vec<String>,
    /// The TCP port that the target is served on; absent: it is not on the network.
    pub port: Option<u16>,
}

/// What there is to be seen at the target's machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WatchFacts {
    /// Kernel's names of the devices.
    pub devices: Vec<String>,
    /// Number and name of the process that serves the port; absent: it is not known, and a note says why.
    pub server: Option<(u32, String)>,
    /// The port.
    pub port: Option<u16>,
    /// The machine.
    pub environment: Environment,
    /// Remarks.
    pub notes: Vec<String>,
}

/// What an agent at the target's machine saw of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TargetObservation {
    /// What there was to be seen.
    pub watching: WatchFacts,
    /// Beside the run, with times from its start.
    pub telemetry: Telemetry,
}

/// What the coordinator says. What is said stands around what belongs to it, and not beside it as a tag, for which a
/// reader would hold all of a record before it knew that it is one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CoordinatorMessage {
    /// To be answered at once.
    Ping { number: u64 },
    /// Open the targets, and keep them open.
    Open(RunOrder),
    /// Make everything ready for a run.
    Prepare(RunOrder),
    /// Say what there is to be seen at the target's machine.
    Watch(WatchPlan),
    /// Make ready to watch a run, and watch it from its start until it is to stop.
    Observe(WatchPlan),
    /// Start at this moment of the agent's clock.
    Start { at_ns: u64 },
    /// End what is going on.
    Stop,
}

/// What an agent says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentMessage {
    /// A ping's answer, with the agent's clock when it was read and when this was written.
    Pong { number: u64, heard_ns: u64, answered_ns: u64 },
    /// It is still making ready.
    Preparing,
    /// Something that people should know.
    Note { text: String },
    /// The targets are open.
    Opened(Box<OpenedTarget>),
    /// There is this to be seen.
    Watching(Box<WatchFacts>),
    /// Everything is ready.
    Ready(Box<AgentReadiness>),
    /// A second of the run.
    Second(Interval),
    /// The end, without the seconds.
    Done { record: Box<RunRecord> },
    /// The end of a run that was watched.
    Observed(Box<TargetObservation>),
    /// It cannot.
    Failed(AgentFailure),
}

/// What an agent is ready with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentReadiness {
    /// What is the same for two clients exactly where they would write the same bytes, one entry a target; none where no
    /// other client can reach the target.
    pub written: Vec<String>,
}

/// Why an agent cannot, as its error says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentFailure {
    /// Kind of the error, in snake case.
    pub kind: String,
    /// What was being done.
    pub place: String,
    /// What happened.
    pub cause: String,
    /// What to do about it.
    pub remedy: String,
}

impl ProtocolGreeting {
    /// This program's.
    pub fn here() -> Self {
        let host = crate::process_control::host_name();
        Self {
            fathom: "agent".to_owned(),
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            record: RunRecord::VERSION,
            os: std::env::consts::OS.to_owned(),
            architecture: std::env::consts::ARCH.to_owned(),
            host,
        }
    }

    /// Why the two cannot work together, if so.
    pub fn differs_from(&self, other: &Self) -> Option<String> {
        let versions = |hello: &Self| (hello.protocol, hello.record, hello.version.clone());
        (versions(self) != versions(other)).then(|| {
            let words = |hello: &Self| {
                format!("fathom {} (protocol {}, record {})", hello.version, hello.protocol, hello.record)
            };
            format!("it runs {} and this is {}", words(other), words(self))
        })
    }

    /// Writes the line.
    ///
    /// # Errors
    /// Of the pipe.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut line = fathom_json::bytes(self)?;
        line.push(b'\n');
        out.write_all(&line)?;
        out.flush()
    }

    /// Reads the line, and what was passed over before it.
    ///
    /// # Errors
    /// Of the pipe, without such a line within the first 64 KiB, or with one that is too long or no hello.
    pub fn read(input: &mut impl Read) -> io::Result<(Self, String)> {
        let magic = MAGIC.as_bytes();
        let (mut before, mut byte) = (Vec::new(), [0u8]);
        while !before.ends_with(magic) {
            if before.len() >= BANNER_MAX {
                return Err(invalid("64 KiB without an agent's first line"));
            }
            if input.read(&mut byte)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            before.push(byte[0]);
        }
        let mut line = before.split_off(before.len() - magic.len());
        while line.last() != Some(&b'\n') {
            if line.len() >= HELLO_MAX {
                return Err(invalid("an agent's first line is longer than 4 KiB"));
            }
            if input.read(&mut byte)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            line.push(byte[0]);
        }
        let hello: Self = fathom_json::read_bytes(&line).map_err(invalid)?;
        let texts = [&hello.version, &hello.os, &hello.architecture, &hello.host];
        if texts.iter().any(|text| text.len() > 256 || text.chars().any(char::is_control)) {
            return Err(invalid("an agent's first line has control characters"));
        }
        Ok((hello, String::from_utf8_lossy(&before).into_owned()))
    }
}

fn invalid(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause)
}

/// Writes one frame.
///
/// # Errors
/// Of the pipe, and where it would be larger than any reader takes.
pub fn write<T: Serialize>(out: &mut impl Write, what: &T) -> io::Result<()> {
    let body = fathom_json::bytes(what)?;
    let length = u32::try_from(body.len()).ok().filter(|length| *length <= FRAME_MAX);
    let length = length.ok_or_else(|| invalid("a frame of more than 64 MiB"))?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&body)?;
    out.flush()
}

/// Reads one frame; `None` at the end of the pipe.
///
/// # Errors
/// Of the pipe, also where it ends within a frame, and of what is no frame.
pub fn read<T: DeserializeOwned>(input: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0u8; 4];
    if input.read(&mut length[..1])? == 0 {
        return Ok(None);
    }
    input.read_exact(&mut length[1..])?;
    let length = u32::from_le_bytes(length);
    if length > FRAME_MAX {
        return Err(invalid(format!("a frame of {length} bytes")));
    }
    let mut body = Vec::new();
    // Memory grows with what arrives, not with what is announced.
    input.take(u64::from(length)).read_to_end(&mut body)?;
    if body.len() < length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    fathom_json::read_bytes(&body).map(Some).map_err(|error| {
        let cause = error.to_string();
        let unread = EngineError::new(ErrorKind::System, "no frame of an agent's", cause);
        invalid(unread.with_source(error))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_greeting_before_the_first_line_is_passed_over_with_or_without_its_line_end() {
        for greeting in ["", "Welcome to c1!\n{\"fathom\":1}\n", "motd without an end "] {
            let mut bytes = greeting.as_bytes().to_vec();
            ProtocolGreeting::here().write(&mut bytes).unwrap();
            write(&mut bytes, &CoordinatorMessage::Start { at_ns: 7 }).unwrap();
            let mut input = bytes.as_slice();
            let (hello, before) = ProtocolGreeting::read(&mut input).unwrap();
            assert_eq!((hello, before.as_str()), (ProtocolGreeting::here(), greeting));
            assert!(matches!(read(&mut input).unwrap(), Some(CoordinatorMessage::Start { at_ns: 7 })));
            assert!(read::<CoordinatorMessage>(&mut input).unwrap().is_none());
        }
    }

    #[test]
    fn endless_greetings_and_first_lines_are_refused() {
        assert!(ProtocolGreeting::read(&mut vec![b'x'; 1 << 20].as_slice()).is_err());
        let mut long = MAGIC.as_bytes().to_vec();
        long.extend(vec![b'x'; 1 << 20]);
        assert!(ProtocolGreeting::read(&mut long.as_slice()).is_err());
        assert!(ProtocolGreeting::read(&mut &b"just a shell\n"[..]).is_err());
    }

    #[test]
    fn another_version_is_told_with_both() {
        let here = ProtocolGreeting::here();
        assert_eq!(here.differs_from(&here.clone()), None);
        let there = ProtocolGreeting { version: "0.0.9".to_owned(), ..here.clone() };
        let said = here.differs_from(&there).unwrap();
        assert!(said.contains("0.0.9") && said.contains(&here.version), "{said}");
    }

    #[test]
    fn an_announced_length_takes_no_memory() {
        for length in [u32::MAX, FRAME_MAX] {
            let mut bytes = length.to_le_bytes().to_vec();
            bytes.extend(b"{}");
            assert!(read::<CoordinatorMessage>(&mut bytes.as_slice()).is_err());
        }
    }

    #[test]
    fn what_is_no_frame_keeps_the_error_of_its_json() {
        let mut bytes = 2u32.to_le_bytes().to_vec();
        bytes.extend(b"{]");
        let refused = read::<CoordinatorMessage>(&mut bytes.as_slice()).unwrap_err();
        assert!(refused.to_string().starts_with("no frame of an agent's: "), "{refused}");
        assert!(refused.source().is_some());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = ProtocolGreeting::read(&mut bytes.as_slice());
            let mut input = bytes.as_slice();
            while let Ok(Some(_)) = read::<AgentMessage>(&mut input) {}
        }
    }
}
