//! Bodies behind addresses, over plain HTTP.

use std::time::Duration;

use fathom_interop::Refusal;

/// A server that says nothing for longer is down.
const PATIENCE: Duration = Duration::from_secs(60);
/// A longer answer is no answer to what was asked.
const LONGEST_BODY: u64 = 512 << 20;

/// Fetches bodies.
pub struct Client {
    agent: ureq::Agent,
}

impl Client {
    /// A client without a cache, cookies or credentials.
    pub fn new() -> Self {
        let config = ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE));
        Self { agent: config.build().into() }
    }

    /// The body behind an address. A server's own words about a failure are part of it.
    ///
    /// # Errors
    /// When the server cannot be reached, or answers with neither a result nor words of its own.
    pub fn get(&self, url: &str) -> Result<Vec<u8>, Refusal> {
        let place = url.split('?').next().unwrap_or(url);
        let refused =
            |cause: String, remedy: &str| Refusal::new("a server's answer", cause).at(place).or(remedy);
        if url.starts_with("https:") {
            return Err(refused(
                "this build speaks no TLS".to_owned(),
                "fetch the answer with curl and give its file, or open a tunnel: ssh -L 9090:localhost:9090 HOST",
            ));
        }
        let mut response = self.agent.get(url).call().map_err(|error| {
            refused(error.to_string(), "give an address that answers, as http://localhost:9090")
        })?;
        let status = response.status();
        let body = response.body_mut().with_config().limit(LONGEST_BODY).read_to_vec();
        let body =
            body.map_err(|error| refused(error.to_string(), "ask for less at once with --from and --to"))?;
        let has_words = body.trim_ascii_start().starts_with(b"{");
        if status.is_success() || has_words {
            return Ok(body);
        }
        let remedy = match status.as_u16() {
            401 | 403 => "fetch the answer with curl and its credentials, and give the file",
            404 => "give the server's own address, with the prefix it is served under",
            _ => "try again later, or ask for less at once with --from and --to",
        };
        Err(refused(format!("the server says {status}"), remedy))
    }
}
