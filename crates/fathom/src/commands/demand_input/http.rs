//! Answers behind addresses, over HTTP and HTTPS.

use std::sync::Arc;
use std::time::Duration;

use fathom_demand::aws::{Request, Response};
use fathom_demand::without_credentials;
use fathom_tools::Refusal;
use ureq::tls::{RootCerts, TlsConfig};

/// A server that says nothing for longer is down.
const PATIENCE: Duration = Duration::from_secs(60);
/// An address that only this machine has answers at once or never.
const NEAR_PATIENCE: Duration = Duration::from_secs(1);
/// A longer answer is no answer to what was asked.
const LONGEST_BODY: u64 = 512 << 20;

/// Sends requests; copies share their connections.
#[derive(Clone)]
pub struct Client {
    agent: ureq::Agent,
}

impl Client {
    /// A client without a cache, cookies or credentials, which trusts the certificates that this machine does.
    pub fn new() -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(provider)
            .build();
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE))
            .tls_config(tls);
        Self { agent: config.build().into() }
    }

    /// The body behind an address. A server's own words about a failure are part of it.
    ///
    /// # Errors
    /// When the server cannot be reached, or answers with neither a result nor words of its own.
    pub fn get(&self, url: &str) -> Result<Vec<u8>, Refusal> {
        let request = Request {
            method: "GET",
            url: url.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
            is_near: false,
        };
        let response = self.send(&request)?;
        let has_words = response.body.trim_ascii_start().starts_with(b"{");
        if (200..300).contains(&response.status) || has_words {
            return Ok(response.body);
        }
        let remedy = match response.status {
            401 | 403 => "fetch the answer with curl and its credentials, and give the file",
            404 => "give the server's own address, with the prefix it is served under",
            _ => "try again later, or ask for less at once with --from and --to",
        };
        Err(refused(url, format!("the server says {}", response.status), remedy))
    }

    /// The answer to a request.
    ///
    /// # Errors
    /// When none comes.
    pub fn send(&self, request: &Request) -> Result<Response, Refusal> {
        let url = &request.url;
        let mut builder = ureq::http::Request::builder().method(request.method).uri(url);
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        let sent = builder.body(request.body.as_slice()).map_err(|error| {
            refused(url, error.to_string(), "give an address as http://localhost:9090").with_source(error)
        })?;
        let configured = self.agent.configure_request(sent);
        let configured = if request.is_near {
            configured.timeout_global(Some(NEAR_PATIENCE)).proxy(None)
        } else {
            configured
        };
        // What is signed or asked for with a token is for this address alone.
        let configured = if request.headers.is_empty() {
            configured
        } else {
            configured.max_redirects(0).max_redirects_will_error(false)
        };
        let mut response = self.agent.run(configured.build()).map_err(|error| unreached(url, error))?;
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(LONGEST_BODY).read_to_vec();
        let body = body.map_err(|error| {
            refused(url, error.to_string(), "ask for less at once with --from and --to").with_source(error)
        })?;
        Ok(Response { status, body })
    }
}

fn refused(url: &str, cause: String, remedy: &str) -> Refusal {
    // A password may hold what begins the parameters, so that it goes first.
    let shown = without_credentials(url);
    let place = shown.split('?').next().unwrap_or_default();
    Refusal::new("a server's answer", without_credentials(&cause)).at(place).or(remedy)
}

fn unreached(url: &str, error: ureq::Error) -> Refusal {
    let remedy = match url.starts_with("https:") && is_trust(&error) {
        true => {
            "let this machine trust the server's certificate: SSL_CERT_FILE=ca.pem; a server without TLS is http://"
        }
        false => "give an address that answers, e.g. http://localhost:9090",
    };
    refused(url, error.to_string(), remedy).with_source(error)
}

/// Whether it is about who the server is, or about its TLS.
fn is_trust(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Tls(_) | ureq::Error::Pem(_) | ureq::Error::Rustls(_) => true,
        // What a handshake refuses comes as an error of the connection.
        ureq::Error::Io(error) => error.kind() == std::io::ErrorKind::InvalidData,
        _ => false,
    }
}
