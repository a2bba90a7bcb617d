//! Requests with a signature, version 4.
//!
//! After "Create a signed AWS API request" (AWS Identity and Access Management, User Guide): the request is brought
//! into one form; its digest, the time and the scope are signed with a key that is made of the secret and the scope.

use std::fmt::Write as _;

use fathom_order::InOrder;
use fathom_tools::Refusal;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::Request;
use super::credentials::Credentials;
use super::service_call::{ENDPOINT, percent};

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// What a signature is for.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// As `us-east-1`.
    pub region: &'a str,
    /// As `monitoring`.
    pub service: &'a str,
    /// When, in seconds since 1970.
    pub unix_s: i64,
}

/// Adds the signature's headers to a request, and the host's, so that what is sent is what was signed.
///
/// # Errors
/// When the address is none, or has parameters or a user in it: calls carry theirs in the body, and no signature here
/// covers them. What was given is not said again, as a password may be in it.
pub fn signed(mut request: Request, credentials: &Credentials, scope: Scope<'_>) -> Result<Request, Refusal> {
    let refused = |cause: String| Refusal::new("a request to AWS", cause);
    let (host, path) = address(&request.url).ok_or_else(|| {
        let cause = "calls cannot be signed: it has no host, or it has parameters or a user";
        refused(cause.to_owned()).at("the endpoint").or(ENDPOINT)
    })?;
    let at = Timestamp::from_second(scope.unix_s)
        .map_err(|error| refused(error.to_string()).with_source(error))?;
    let at = at.strftime("%Y%m%dT%H%M%SZ").to_string();
    let mut add = |name: &str, value: &str| request.headers.push((name.to_owned(), value.to_owned()));
    add("host", host);
    add("x-amz-date", &at);
    credentials.token.iter().for_each(|token| add("x-amz-security-token", token));

    let (names, form) = canonical(&request, &path);
    let day = &at[..8];
    let place = format!("{day}/{}/{}/aws4_request", scope.region, scope.service);
    let text = format!("{ALGORITHM}\n{at}\n{place}\n{}", hex(&Sha256::digest(form)));
    let secret = format!("AWS4{}", credentials.secret);
    let key = [day, scope.region, scope.service, "aws4_request", &text]
        .iter()
        .fold(secret.into_bytes(), |key, word| authenticated(&key, word));
    let authorization = format!(
        "{ALGORITHM} Credential={}/{place}, SignedHeaders={names}, Signature={}",
        credentials.key,
        hex(&key)
    );
    request.headers.push(("authorization".to_owned(), authorization));
    Ok(request)
}

/// The host as it is sent, without a port that goes without saying, and the path as it is signed.
fn address(url: &str) -> Option<(&str, String)> {
    let (scheme, rest) = url.split_once("://")?;
    let port = match scheme {
        "http" => ":80",
        "https" => ":443",
        _ => return None,
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.strip_suffix(port).unwrap_or(authority);
    let covered = !host.is_empty() && !url.contains(['?', '#', '@']);
    covered.then(|| (host, canonical_path(path)))
}

/// Without empty steps and steps back, each character but the plainest escaped, those of escapes too.
fn canonical_path(path: &str) -> String {
    let mut steps = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(percent(step)),
        }
    }
    let is_folder = ["/", "/.", "/.."].iter().any(|end| path.ends_with(end));
    let end = if is_folder && !steps.is_empty() { "/" } else { "" };
    format!("/{}{end}", steps.join("/"))
}

/// The names of the headers, and the request in the one form of which the digest is taken.
fn canonical(request: &Request, path: &str) -> (String, String) {
    let mut headers: Vec<(&str, String)> = request
        .headers
        .iter()
        .map(|(name, value)| {
            let words: Vec<&str> = value.split(' ').filter(|word| !word.is_empty()).collect();
            (name.as_str(), words.join(" "))
        })
        .collect();
    headers.put_in_order_by(Ord::cmp);
    let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
    let names = names.join(";");
    let mut form = format!("{}\n{path}\n\n", request.method);
    for (name, value) in &headers {
        let _ = writeln!(form, "{name}:{value}");
    }
    let _ = write!(form, "\n{names}\n{}", hex(&Sha256::digest(&request.body)));
    (names, form)
}

/// HMAC (RFC 2104) with SHA-256.
fn authenticated(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key may have any length");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys of the provider's own examples.
    fn example(token: Option<&str>) -> Credentials {
        Credentials {
            key: "AKIDEXAMPLE".to_owned(),
            secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_owned(),
            token: token.map(str::to_owned),
            from: "the test".to_owned(),
        }
    }

    fn call(url: &str, headers: &[(&str, &str)], body: &[u8]) -> Request {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Request { method: "POST", url: url.to_owned(), headers, body: body.to_vec(), is_near: false }
    }

    fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
        request.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn authorization(request: Request) -> String {
        let scope = Scope { region: "us-east-1", service: "service", unix_s: 1_440_938_160 };
        header(&signed(request, &example(None), scope).unwrap(), "authorization").unwrap().to_owned()
    }

    /// `post-vanilla`, `get-vanilla` and `post-x-www-form-urlencoded` of the provider's test suite for signatures.
    #[test]
    fn signatures_are_those_that_the_provider_publishes() {
        let url = "https://example.amazonaws.com/";
        let vanilla = authorization(call(url, &[], b""));
        assert_eq!(
            vanilla,
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
             SignedHeaders=host;x-amz-date, \
             Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
        );
        let asked = authorization(Request { method: "GET", ..call(url, &[], b"") });
        assert!(
            asked.ends_with("5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
            "{asked}"
        );
        let form = ("content-type", "application/x-www-form-urlencoded");
        let filled = authorization(call(url, &[form], b"Param1=value1"));
        assert!(
            filled.ends_with("ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
            "{filled}"
        );
    }

    #[test]
    fn what_no_signature_covers_is_refused() {
        let scope = Scope { region: "eu-west-1", service: "ec2", unix_s: 0 };
        for url in ["ec2", "ftp://ec2/", "https:///", "http://near/?Action=Any", "http://me@near/"] {
            let refusal = signed(call(url, &[], b""), &example(None), scope).unwrap_err();
            assert!(refusal.cause.contains("cannot be signed"), "{refusal}");
            assert!(!refusal.to_string().contains("me@"), "{refusal}");
        }
        let never = Scope { unix_s: i64::MAX, ..scope };
        assert!(signed(call("http://near/", &[], b""), &example(None), never).is_err());
    }

    #[test]
    fn the_host_is_sent_as_it_is_signed_and_the_path_in_one_form() {
        let of = |url| address(url).unwrap();
        assert_eq!(of("https://near:443/"), ("near", "/".to_owned()));
        assert_eq!(of("http://near:443"), ("near:443", "/".to_owned()));
        assert_eq!(of("http://[::1]:80/a//b/./c/../d%20e/"), ("[::1]", "/a/b/d%2520e/".to_owned()));
        assert_eq!(of("http://near/.."), ("near", "/".to_owned()));
    }

    #[test]
    fn a_session_s_token_is_sent_and_signed() {
        let scope = Scope { region: "eu-west-1", service: "monitoring", unix_s: 1_793_491_200 };
        let request =
            signed(call("http://localhost:1/", &[], b"{}"), &example(Some("TOKEN")), scope).unwrap();
        assert_eq!(
            (
                header(&request, "x-amz-security-token"),
                header(&request, "x-amz-date"),
                header(&request, "host")
            ),
            (Some("TOKEN"), Some("20261101T000000Z"), Some("localhost:1"))
        );
        assert!(header(&request, "authorization").unwrap().contains("x-amz-security-token"));
    }
}
