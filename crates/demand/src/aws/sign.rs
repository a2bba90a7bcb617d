//! Requests with a signature, version 4: by the provider's own crate.

use std::time::{Duration, UNIX_EPOCH};

use aws_credential_types::Credentials as Keys;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use fathom_tools::Refusal;

use super::Request;
use super::credentials::Credentials;

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

/// Adds the signature's headers to a request.
///
/// # Errors
/// When the request's parts are such that no signature covers them.
pub fn signed(mut request: Request, credentials: &Credentials, scope: Scope<'_>) -> Result<Request, Refusal> {
    let refused = |cause: String| Refusal::new("a request to AWS", cause);
    let keys = Keys::new(&credentials.key, &credentials.secret, credentials.token.clone(), None, "fathom");
    let identity = keys.into();
    let at = UNIX_EPOCH + Duration::from_secs(u64::try_from(scope.unix_s).unwrap_or(0));
    let parameters = v4::SigningParams::builder()
        .identity(&identity)
        .region(scope.region)
        .name(scope.service)
        .time(at)
        .settings(SigningSettings::default())
        .build()
        .map_err(|error| refused(error.to_string()))?
        .into();
    let headers = request.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let body = SignableBody::Bytes(&request.body);
    let signable = SignableRequest::new(request.method, request.url.as_str(), headers, body)
        .map_err(|error| refused(error.to_string()))?;
    let (instructions, _) =
        sign(signable, &parameters).map_err(|error| refused(error.to_string()))?.into_parts();
    request.headers.extend(instructions.headers().map(|(name, value)| (name.to_owned(), value.to_owned())));
    Ok(request)
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

    fn authorization(url: &str, headers: &[(&str, &str)], service: &str) -> String {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let request =
            Request { method: "GET", url: url.to_owned(), headers, body: Vec::new(), is_near: false };
        let scope = Scope { region: "us-east-1", service, unix_s: 1_440_938_160 };
        let request = signed(request, &example(None), scope).unwrap();
        let header = request.headers.iter().find(|(name, _)| name == "authorization");
        header.unwrap().1.clone()
    }

    /// AWS General Reference, "Signature Version 4 signing process", the example of ListUsers; and `get-vanilla` of the
    /// test suite that comes with it.
    #[test]
    fn signatures_are_those_that_the_provider_publishes() {
        let content = ("content-type", "application/x-www-form-urlencoded; charset=utf-8");
        let list = authorization(
            "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
            &[content],
            "iam",
        );
        assert!(list.ends_with("5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"), "{list}");
        assert!(list.contains("Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request"), "{list}");
        let vanilla = authorization("https://example.amazonaws.com/", &[], "service");
        assert!(
            vanilla.ends_with("5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
            "{vanilla}"
        );
    }

    #[test]
    fn a_session_s_token_is_sent_and_signed() {
        let request = Request {
            method: "POST",
            url: "http://localhost:1/".to_owned(),
            headers: Vec::new(),
            body: b"{}".to_vec(),
            is_near: false,
        };
        let scope = Scope { region: "eu-west-1", service: "monitoring", unix_s: 1_793_491_200 };
        let request = signed(request, &example(Some("TOKEN")), scope).unwrap();
        let header = |name: &str| {
            request.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
        };
        assert_eq!(
            (header("x-amz-security-token"), header("x-amz-date")),
            (Some("TOKEN"), Some("20261101T000000Z"))
        );
        assert!(header("authorization").unwrap().contains("x-amz-security-token"));
    }
}
