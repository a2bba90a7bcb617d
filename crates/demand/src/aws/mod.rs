//! Calls of AWS without its SDK: credentials from the usual places, signed requests, and what their refusals mean.
//!
//! Nothing here opens a connection, reads a variable or waits: whoever calls hands those over as a [`Machine`], so that
//! every place that credentials come from, and every failure, is tested without a network.

mod caller_identity;
mod credentials;
mod instance_metadata;
mod service_call;
mod shared_config;
mod sign;

use std::path::{Path, PathBuf};
use std::time::Duration;

use fathom_tools::Refusal;

pub use caller_identity::account_number;
pub use instance_metadata::instance_id;
pub use service_call::{Caller, ServiceOptions};

/// A request over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `POST` or `PUT`.
    pub method: &'static str,
    /// The whole address.
    pub url: String,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// What is sent.
    pub body: Vec<u8>,
    /// Whether an answer comes at once or never, as from addresses that only this machine has.
    pub is_near: bool,
}

/// An answer over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// As 200.
    pub status: u16,
    /// What was sent.
    pub body: Vec<u8>,
}

/// What a call needs of the machine that it is made on.
pub trait Machine {
    /// A variable of the environment.
    fn variable(&self, name: &str) -> Option<String>;

    /// A file's text; absent where there is none that can be read.
    fn text(&self, path: &Path) -> Option<String>;

    /// The user's own folder.
    fn home(&self) -> Option<PathBuf>;

    /// Seconds since 1970.
    fn now_unix_s(&self) -> i64;

    /// Time since anywhere, which only grows.
    fn since_start(&self) -> Duration;

    /// Waits.
    fn wait(&mut self, time: Duration);

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// When no answer came, with what to do.
    fn send(&mut self, request: &Request) -> Result<Response, Refusal>;
}

/// A variable that says something.
fn variable(machine: &impl Machine, name: &str) -> Option<String> {
    machine.variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod pretended;
#[cfg(test)]
pub(crate) use pretended::FakeMachine;
