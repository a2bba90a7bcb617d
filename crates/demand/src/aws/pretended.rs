//! A machine of variables, files and answers, for tests.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fathom_tools::Refusal;

use super::{Machine, Request, Response};

/// Answers what it was given, and remembers what it was sent.
#[derive(Default)]
pub struct FakeMachine {
    variables: BTreeMap<String, String>,
    files: BTreeMap<PathBuf, String>,
    answers: BTreeMap<String, Response>,
    /// Answers to whatever else is sent, one after the other.
    pub queue: VecDeque<(u16, String)>,
    /// What was sent.
    pub sent: Vec<Request>,
    /// What was waited.
    pub waited: Duration,
}

impl FakeMachine {
    pub fn set(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    pub fn file(&mut self, path: &str, text: &str) {
        self.files.insert(path.into(), text.to_owned());
    }

    pub fn answer(&mut self, request: &str, status: u16, body: &str) {
        self.answers.insert(request.to_owned(), Response { status, body: body.as_bytes().to_vec() });
    }

    pub fn requested_urls(&self) -> Vec<&str> {
        self.sent.iter().map(|request| request.url.as_str()).collect()
    }
}

impl Machine for FakeMachine {
    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn text(&self, path: &Path) -> Option<String> {
        self.files.get(path).cloned()
    }

    fn home(&self) -> Option<PathBuf> {
        Some("/home/u".into())
    }

    fn now_unix_s(&self) -> i64 {
        1_793_491_200
    }

    fn since_start(&self) -> Duration {
        self.waited
    }

    fn wait(&mut self, time: Duration) {
        self.waited += time;
    }

    fn send(&mut self, request: &Request) -> Result<Response, Refusal> {
        self.sent.push(request.clone());
        let known = self.answers.get(&format!("{} {}", request.method, request.url)).cloned();
        let queued =
            || self.queue.pop_front().map(|(status, body)| Response { status, body: body.into_bytes() });
        known.or_else(queued).ok_or_else(|| Refusal::new("a server's answer", "no server is there"))
    }
}
