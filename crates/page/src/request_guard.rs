//! Who is let in: the right `Host`, the right origin, and a cookie that only a token buys.
//!
//! A page of another site, opened in the same browser, can send requests here. It cannot set `Host` and `Origin`, it does
//! not get a `SameSite` cookie sent along, and a name that it lets point here is not one of ours.

use std::net::SocketAddr;

use hyper::Uri;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};

use crate::answer::Refusal;
use crate::token::Token;

/// What a browser may do with what is served here: run and show our own files, ask us, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Where everything is that needs the cookie.
const API: &str = "/api/";
/// Where the token is exchanged for it.
pub(crate) const SESSION: &str = "/api/session";

/// What requests are held against.
#[derive(Debug)]
pub(crate) struct Guard {
    hosts: Vec<String>,
    token: Token,
    cookie: Token,
    cookie_name: String,
}

impl Guard {
    /// For a server at that address; `cookie` is the secret that browsers keep.
    pub(crate) fn new(address: SocketAddr, token: Token, cookie: Token) -> Self {
        let port = address.port();
        let mut hosts = vec![address.to_string()];
        if address.ip().is_loopback() {
            hosts.extend([format!("localhost:{port}"), format!("127.0.0.1:{port}"), format!("[::1]:{port}")]);
        }
        // Cookies are shared among the ports of a host.
        Self { hosts, token, cookie, cookie_name: format!("fathom-{port}") }
    }

    /// Whether a request is answered.
    ///
    /// # Errors
    /// When it is not, with why.
    pub(crate) fn judge(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        if uri.scheme().is_some() || uri.authority().is_some() || !uri.path().starts_with('/') {
            return Err(Refusal::new(400, "request", "the request names a whole address in place of a path"));
        }
        let host = one(headers, &header::HOST)?.unwrap_or_default().to_ascii_lowercase();
        if !self.hosts.contains(&host) {
            return Err(Refusal::new(421, "host", "the request is for another host"));
        }
        if one(headers, &header::ORIGIN)?.is_some_and(|origin| origin != format!("http://{host}")) {
            return Err(Refusal::new(403, "origin", "the request comes from a page of another origin"));
        }
        if !is_api(uri.path()) {
            return Ok(());
        }
        let site = one(headers, &HeaderName::from_static("sec-fetch-site"))?;
        if site.is_some_and(|site| site != "same-origin" && site != "none") {
            return Err(Refusal::new(403, "origin", "the request comes from a page of another site"));
        }
        if uri.path() == SESSION || self.has_cookie(headers) {
            return Ok(());
        }
        Err(Refusal::new(
            401,
            "session",
            "open the address that `fathom serve` printed, with all behind its #",
        ))
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let pairs = headers.get_all(header::COOKIE).into_iter();
        let pairs = pairs.flat_map(|value| value.as_bytes().split(|byte| *byte == b';'));
        let value = |pair: &[u8]| -> Option<Vec<u8>> {
            let rest = pair.trim_ascii().strip_prefix(self.cookie_name.as_bytes())?;
            rest.strip_prefix(b"=").map(<[u8]>::to_vec)
        };
        pairs.filter_map(value).any(|value| self.cookie.is(&value))
    }

    /// The header that gives a browser the cookie, for whoever shows the token.
    pub(crate) fn admit(&self, token: &str) -> Option<HeaderValue> {
        let text =
            format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie_name, self.cookie.reveal());
        self.token.is(token.as_bytes()).then(|| HeaderValue::from_str(&text).ok()).flatten()
    }

    /// The token that the address has behind its `#`.
    pub(crate) fn token(&self) -> &Token {
        &self.token
    }
}

/// The one value of a header.
fn one<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Refusal> {
    let mut values = headers.get_all(name).into_iter();
    let Some(value) = values.next() else { return Ok(None) };
    let text = value.to_str().ok().filter(|_| values.next().is_none());
    text.map(Some)
        .ok_or_else(|| Refusal::new(400, "request", format!("header {name} is not one line of text")))
}

/// Whether the path is one that needs the cookie, or buys it.
pub(crate) fn is_api(path: &str) -> bool {
    path.starts_with(API)
}

/// Puts the headers on an answer that every one has.
pub(crate) fn protect(headers: &mut HeaderMap, is_api: bool) {
    let constant = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::CACHE_CONTROL, if is_api { "no-store" } else { "no-cache" }),
    ];
    headers.extend(constant.map(|(name, value)| (name, HeaderValue::from_static(value))));
}
