//! Credentials and the region that the machine itself is given: of a container, or of an EC2 instance (IMDSv2).
//!
//! Source: AWS SDKs and Tools Reference Guide, "Container credential provider" and "IMDS credential provider"; EC2 user
//! guide, "Use IMDSv2".

use fathom_tools::Refusal;
use serde::Deserialize;

use super::credentials::Credentials;
use super::{Machine, Request, Response, variable};
use crate::server_address::without_credentials;

const CONTAINER: &str = "http://169.254.170.2";
const INSTANCE: &str = "http://169.254.169.254";
/// Seconds that a session with the instance's own service lasts.
const SESSION_S: &str = "300";

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Keys {
    access_key_id: String,
    secret_access_key: String,
    token: Option<String>,
}

/// Of a container; absent outside of one.
///
/// # Errors
/// When its service refuses, or may not be asked.
pub fn of_container(machine: &mut impl Machine) -> Result<Option<Credentials>, Refusal> {
    let relative =
        variable(machine, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI").map(|path| format!("{CONTAINER}{path}"));
    let Some(url) = relative.or_else(|| variable(machine, "AWS_CONTAINER_CREDENTIALS_FULL_URI")) else {
        return Ok(None);
    };
    let refused =
        |cause: String| Refusal::new("credentials of a container", cause).at(without_credentials(&url));
    if !is_own(&url) {
        let cause = "its address is neither this machine's nor behind TLS".to_owned();
        return Err(refused(cause).or("unset AWS_CONTAINER_CREDENTIALS_FULL_URI, or name an https address"));
    }
    let in_file = variable(machine, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")
        .and_then(|path| machine.text(path.as_ref()));
    let token = in_file.or_else(|| variable(machine, "AWS_CONTAINER_AUTHORIZATION_TOKEN"));
    let headers =
        token.map(|token| ("authorization".to_owned(), token.trim().to_owned())).into_iter().collect();
    let answer = machine.send(&Request {
        method: "GET",
        url: url.clone(),
        headers,
        body: Vec::new(),
        is_near: true,
    })?;
    match keys(&answer, "the container") {
        Some(found) => Ok(Some(found)),
        None => Err(refused(format!("it answers {} without keys", answer.status)).or(
            "give the task or pod a role, or unset AWS_CONTAINER_CREDENTIALS_FULL_URI and _RELATIVE_URI",
        )),
    }
}

/// Of an EC2 instance; absent on machines that are none, or that have no role.
///
/// # Errors
/// When the instance has a role whose keys it does not give.
pub fn of_instance(machine: &mut impl Machine) -> Result<Option<Credentials>, Refusal> {
    const ROLES: &str = "/latest/meta-data/iam/security-credentials/";
    let Some(session) = session(machine) else { return Ok(None) };
    let Some(role) = session.text(machine, ROLES) else { return Ok(None) };
    let role = role.lines().next().unwrap_or_default().trim().to_owned();
    let answer = session.get(machine, &format!("{ROLES}{role}"));
    match answer.as_ref().and_then(|answer| keys(answer, "this instance")) {
        Some(found) => Ok(Some(found)),
        None => Err(Refusal::new("credentials of this instance", format!("its role {role} gives no keys"))
            .or("give the instance a role again, or set AWS_EC2_METADATA_DISABLED=true and use a profile")),
    }
}

/// The region that an EC2 instance is in.
pub fn region(machine: &mut impl Machine) -> Option<String> {
    let session = session(machine)?;
    Some(session.text(machine, "/latest/meta-data/placement/region")?.trim().to_owned())
}

/// The id of an EC2 instance, as `i-0123456789abcdef0`.
pub fn instance_id(machine: &mut impl Machine) -> Option<String> {
    let session = session(machine)?;
    Some(session.text(machine, "/latest/meta-data/instance-id")?.trim().to_owned())
}

/// A session with the service of the instance.
struct Session {
    base: String,
    token: String,
}

/// Absent where no such service answers.
fn session(machine: &mut impl Machine) -> Option<Session> {
    if variable(machine, "AWS_EC2_METADATA_DISABLED").is_some_and(|word| word.eq_ignore_ascii_case("true")) {
        return None;
    }
    let base = variable(machine, "AWS_EC2_METADATA_SERVICE_ENDPOINT").unwrap_or_else(|| INSTANCE.to_owned());
    let base = base.trim_end_matches('/').to_owned();
    let headers = vec![("x-aws-ec2-metadata-token-ttl-seconds".to_owned(), SESSION_S.to_owned())];
    let url = format!("{base}/latest/api/token");
    let answer =
        machine.send(&Request { method: "PUT", url, headers, body: Vec::new(), is_near: true }).ok()?;
    let token = String::from_utf8(answer.body).ok()?;
    (answer.status == 200 && !token.is_empty()).then_some(Session { base, token })
}

impl Session {
    fn get(&self, machine: &mut impl Machine, path: &str) -> Option<Response> {
        let headers = vec![("x-aws-ec2-metadata-token".to_owned(), self.token.clone())];
        let url = format!("{}{path}", self.base);
        machine.send(&Request { method: "GET", url, headers, body: Vec::new(), is_near: true }).ok()
    }

    fn text(&self, machine: &mut impl Machine, path: &str) -> Option<String> {
        let answer = self.get(machine, path).filter(|answer| answer.status == 200)?;
        String::from_utf8(answer.body).ok().filter(|text| !text.trim().is_empty())
    }
}

fn keys(answer: &Response, from: &str) -> Option<Credentials> {
    let keys: Keys = fathom_json::read_bytes(&answer.body).ok().filter(|_| answer.status == 200)?;
    Some(Credentials {
        key: keys.access_key_id,
        secret: keys.secret_access_key,
        token: keys.token,
        from: from.to_owned(),
    })
}

/// Whether keys may be asked for at an address: this machine's, those of ECS and EKS, and any behind TLS.
fn is_own(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("http://") else { return url.starts_with("https://") };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(inner) => inner.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    let loopback = host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    loopback || ["localhost", "169.254.170.2", "169.254.170.23", "fd00:ec2::23"].contains(&host)
}

#[cfg(test)]
mod tests {
    use super::super::pretended::FakeMachine;
    use super::*;

    const KEYS: &str = "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"B\",\"Token\":\"C\",\"Expiration\":\"2026-11-01T00:00:00Z\"}";

    #[test]
    fn a_container_s_keys_come_from_its_own_address_alone() {
        let mut machine = FakeMachine::default();
        assert_eq!(of_container(&mut machine), Ok(None));
        machine.set("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/role");
        machine.set("AWS_CONTAINER_AUTHORIZATION_TOKEN", "secret");
        machine.answer("GET http://169.254.170.2/v2/role", 200, KEYS);
        assert_eq!(of_container(&mut machine).unwrap().unwrap().token.as_deref(), Some("C"));
        assert_eq!(machine.sent[0].headers, [("authorization".to_owned(), "secret".to_owned())]);
        machine.answer("GET http://169.254.170.2/v2/role", 403, "no");
        assert!(of_container(&mut machine).unwrap_err().cause.contains("403"));
        for (url, own) in [
            ("http://127.0.0.1:80/x", true),
            ("http://[::1]/x", true),
            ("https://there/x", true),
            ("http://169.254.170.23/v1", true),
            ("http://there/x", false),
            ("http://127.0.0.1.there/x", false),
            ("http://127.0.0.1@there/x", false),
            ("file:///etc/passwd", false),
        ] {
            assert_eq!(is_own(url), own, "{url}");
        }
    }

    #[test]
    fn an_instance_s_keys_need_a_session() {
        let mut machine = FakeMachine::default();
        machine.answer("PUT http://169.254.169.254/latest/api/token", 200, "SESSION");
        assert_eq!(of_instance(&mut machine), Ok(None));
        machine.answer("GET http://169.254.169.254/latest/meta-data/iam/security-credentials/", 200, "app\n");
        assert!(of_instance(&mut machine).unwrap_err().cause.contains("role app"));
        machine.answer("GET http://169.254.169.254/latest/meta-data/iam/security-credentials/app", 200, KEYS);
        assert_eq!(of_instance(&mut machine).unwrap().unwrap().key, "A");
        assert_eq!(machine.sent.last().unwrap().headers[0].1, "SESSION");
        machine.answer("GET http://169.254.169.254/latest/meta-data/placement/region", 200, "eu-west-3");
        assert_eq!(region(&mut machine).as_deref(), Some("eu-west-3"));
        machine.set("AWS_EC2_METADATA_DISABLED", "TRUE");
        assert_eq!((of_instance(&mut machine), region(&mut machine)), (Ok(None), None));
    }
}
