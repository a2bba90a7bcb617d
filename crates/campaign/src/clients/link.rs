//! One agent as the coordinator holds it: a child process, what it says, and its end.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fathom_engine::{EngineError, ErrorKind};
use fathom_measure::{Clock, WallClock};
use fathom_plan::Client;
use fathom_record::error::in_one_line;

use super::agent_transport::command;
use super::frame::{self, AgentMessage, CoordinatorMessage, ProtocolGreeting};
use super::program_upload::ProgramCopy;
use crate::process_control::{ChildSignal, apart, ask};

/// Bytes of what an agent, or the command that reaches it, says on stderr that are kept: the last.
const SAID_MAX: usize = 4 << 10;
/// Lines of it that an error repeats.
const LAST_LINES: usize = 6;
/// Characters that are shown of a text of another machine's.
const EXCERPT_MAX: usize = 1000;
/// An agent ends by itself when its input ends; what is there after this is ended.
const GRACE: Duration = Duration::from_secs(5);
/// Between two looks at a child that ends.
const LOOK: Duration = Duration::from_millis(10);

/// What comes from an agent.
#[derive(Debug)]
pub enum AgentEvent {
    /// Its first line.
    Hello(ProtocolGreeting),
    /// A frame, and when it was read on the coordinator's clock.
    Frame(Box<AgentMessage>, u64),
    /// Nothing more will come: why, and the error that this is of, if it is of one.
    Closed(String, Option<io::Error>),
}

/// An agent that was started.
#[derive(Debug)]
pub struct AgentLink {
    child: Child,
    input: Option<BufWriter<ChildStdin>>,
    said: Arc<Mutex<Vec<u8>>>,
    /// How long it is waited for at the end.
    grace: Duration,
    /// This program's copy at the other end, until it has started.
    copy: Option<ProgramCopy>,
}

impl AgentLink {
    /// Starts the agent and threads that hear what it says; events carry `place`.
    ///
    /// # Errors
    /// When the command cannot be started.
    pub fn start(
        client: &Client,
        copy: Option<ProgramCopy>,
        (place, clock): (usize, WallClock),
        events: &Sender<(usize, AgentEvent)>,
    ) -> Result<Self, EngineError> {
        let words = match &copy {
            Some(copy) => copy.start()?,
            None => command(&client.reach, &client.program)?,
        };
        let program = words.first().cloned().unwrap_or_default();
        let failed = |error: &io::Error| {
            let place = format!("client {}, starting {}", client.name, program.to_string_lossy());
            EngineError::system(place, error)
                .with_remedy(format!("{} is reached by this command", client.reach))
        };
        let mut started = Command::new(&program);
        started
            .args(words.get(1..).unwrap_or_default())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // Ctrl-C reaches it through us alone.
        let mut child = apart(&mut started).spawn().map_err(|error| failed(&error))?;
        let said = Arc::new(Mutex::new(Vec::new()));
        if let Some(stdout) = child.stdout.take() {
            let events = events.clone();
            let hear = move || hear(stdout, place, clock, &events);
            std::thread::Builder::new()
                .name("client".to_owned())
                .spawn(hear)
                .map_err(|error| failed(&error))?;
        }
        if let Some(stderr) = child.stderr.take() {
            let said = Arc::clone(&said);
            let keep = move || keep_last(stderr, &said);
            std::thread::Builder::new()
                .name("client".to_owned())
                .spawn(keep)
                .map_err(|error| failed(&error))?;
        }
        let input = child.stdin.take().map(BufWriter::new);
        let mut link = Self { child, input, said, grace: GRACE, copy };
        // An agent that is gone already is noticed by its silence.
        let _ = link.input.as_mut().map(|input| ProtocolGreeting::here().write(input));
        Ok(link)
    }

    /// The agent runs: a copy of this program has no name there any more.
    pub fn is_up(&mut self) {
        if let Some(copy) = self.copy.take() {
            copy.started();
        }
    }

    /// Says something to it; whether that went.
    pub fn say(&mut self, what: &CoordinatorMessage) -> bool {
        self.input.as_mut().is_some_and(|input| frame::write(input, what).is_ok())
    }

    /// Does not wait for it when it ends: an agent that is silent, as one that was stopped, takes nothing in.
    pub fn forsake(&mut self) {
        self.grace = Duration::ZERO;
    }

    /// Ends its input: an agent then ends.
    pub fn close(&mut self) {
        if let Some(mut input) = self.input.take() {
            let _ = input.flush();
        }
    }

    /// The last lines that it said for people, without control characters.
    pub fn last_words(&self) -> String {
        last_lines(&self.said)
    }

    fn ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)) | Err(_))
    }
}

impl Drop for AgentLink {
    fn drop(&mut self) {
        self.close();
        let mut left = self.grace;
        while !self.ended() && !left.is_zero() {
            std::thread::sleep(LOOK);
            left = left.saturating_sub(LOOK);
        }
        if !self.ended() {
            ask(&mut self.child, ChildSignal::Kill);
            let _ = self.child.wait();
        }
    }
}

fn hear(stdout: ChildStdout, place: usize, clock: WallClock, events: &Sender<(usize, AgentEvent)>) {
    let mut input = BufReader::with_capacity(64 << 10, stdout);
    let closed = |cause: String, source: Option<io::Error>| {
        let _ = events.send((place, AgentEvent::Closed(cause, source)));
    };
    match ProtocolGreeting::read(&mut input) {
        Ok((hello, _)) => {
            let _ = events.send((place, AgentEvent::Hello(hello)));
        }
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return closed("it ended without an agent's first line".to_owned(), Some(error));
        }
        Err(error) => return closed(error.to_string(), Some(error)),
    }
    loop {
        match frame::read::<AgentMessage>(&mut input) {
            Ok(Some(said)) => {
                let at_ns = clock.now_ns();
                // Nobody listens any more when the coordinator has ended.
                if events.send((place, AgentEvent::Frame(Box::new(said), at_ns))).is_err() {
                    return;
                }
            }
            Ok(None) => return closed("its connection ended".to_owned(), None),
            Err(error) => return closed(error.to_string(), Some(error)),
        }
    }
}

/// Takes in whatever comes, and keeps the end of it: nobody who floods it stops or fills anything.
pub fn keep_last(mut stderr: ChildStderr, said: &Mutex<Vec<u8>>) {
    let mut chunk = [0u8; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut chunk) {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        said.extend_from_slice(&chunk[..count]);
        let beyond = said.len().saturating_sub(SAID_MAX);
        said.drain(..beyond);
    }
}

/// The last lines of what was said, in one.
pub fn last_lines(said: &Mutex<Vec<u8>>) -> String {
    let said = said.lock().unwrap_or_else(PoisonError::into_inner);
    let text = String::from_utf8_lossy(&said).into_owned();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    in_one_line(&lines[lines.len().saturating_sub(LAST_LINES)..].join("\n"))
}

/// As much of another machine's text as is of use, in one line.
pub fn excerpt(text: &str) -> String {
    in_one_line(&text.chars().take(EXCERPT_MAX).collect::<String>())
}

/// What ended a client, told with its name.
pub fn about(client: &Client, doing: &str, cause: &str, said: &str) -> EngineError {
    let told = if said.is_empty() { String::new() } else { format!("; it said: {said}") };
    let place = format!(
        "client {} ({}){}{doing}",
        client.name,
        client.reach,
        if doing.is_empty() { "" } else { ", " }
    );
    EngineError::new(ErrorKind::System, place, format!("{cause}{told}"))
}
