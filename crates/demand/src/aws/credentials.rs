//! Credentials from the places where AWS' own tools look for them, in their order.
//!
//! Source: AWS SDKs and Tools Reference Guide, "Standardized credential providers". Profiles that sign in (SSO), take on
//! a role or start a program are not followed: AWS' own tool prints what they give.

use fathom_tools::Refusal;

use super::shared_config::Profile;
use super::{Machine, instance_metadata, variable};

const KEYS: &str = "AWS credentials";
/// What gives the credentials of any profile.
const EXPORT: &str = "eval \"$(aws configure export-credentials --format env)\"";

/// Keys of an account.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The access key's id.
    pub key: String,
    /// The secret.
    pub secret: String,
    /// Of keys that last for a while.
    pub token: Option<String>,
    /// Where they were found, for messages.
    pub from: String,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Credentials of {}", self.from)
    }
}

/// Finds credentials.
///
/// # Errors
/// When there are none, or half of them, or a place that should have them does not give any; with what to type.
pub fn find(machine: &mut impl Machine, profile: &Profile) -> Result<Credentials, Refusal> {
    if !profile.is_asked
        && let Some(found) = of_environment(machine)?
    {
        return Ok(found);
    }
    if let Some(found) = of_profile(profile)? {
        return Ok(found);
    }
    if profile.is_asked {
        let cause = format!("the profile {} has no keys", profile.name);
        return Err(Refusal::new(KEYS, cause).or("name one that has: aws configure list-profiles"));
    }
    if let Some(found) = instance_metadata::of_container(machine)? {
        return Ok(found);
    }
    if let Some(found) = instance_metadata::of_instance(machine)? {
        return Ok(found);
    }
    let none = Refusal::new(KEYS, "none are in the environment, in ~/.aws, or on this machine");
    Err(none.or(format!("set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, as by {EXPORT}")))
}

fn of_environment(machine: &impl Machine) -> Result<Option<Credentials>, Refusal> {
    let (key, secret) = (variable(machine, "AWS_ACCESS_KEY_ID"), variable(machine, "AWS_SECRET_ACCESS_KEY"));
    match (key, secret) {
        (Some(key), Some(secret)) => {
            let token = variable(machine, "AWS_SESSION_TOKEN");
            Ok(Some(Credentials { key, secret, token, from: "the environment".to_owned() }))
        }
        (None, None) => Ok(None),
        (Some(_), None) => Err(half("AWS_ACCESS_KEY_ID is set and AWS_SECRET_ACCESS_KEY is not")),
        (None, Some(_)) => Err(half("AWS_SECRET_ACCESS_KEY is set and AWS_ACCESS_KEY_ID is not")),
    }
}

fn half(cause: &str) -> Refusal {
    Refusal::new(KEYS, cause).or(format!("set both, as by {EXPORT}, or neither"))
}

fn of_profile(profile: &Profile) -> Result<Option<Credentials>, Refusal> {
    let name = &profile.name;
    match (profile.get("aws_access_key_id"), profile.get("aws_secret_access_key")) {
        (Some(key), Some(secret)) => {
            let token = profile.get("aws_session_token").map(str::to_owned);
            let from = format!("the profile {name}");
            return Ok(Some(Credentials { key: key.to_owned(), secret: secret.to_owned(), token, from }));
        }
        (None, None) => {}
        _ => return Err(half(&format!("the profile {name} has half of its keys"))),
    }
    let elsewhere = [
        "sso_session",
        "sso_start_url",
        "role_arn",
        "credential_process",
        "web_identity_token_file",
        "login_session",
    ];
    if let Some(setting) = elsewhere.into_iter().find(|setting| profile.get(setting).is_some()) {
        let cause = format!("the profile {name} has no keys but {setting}, which fathom does not follow");
        return Err(Refusal::new(KEYS, cause).or(format!("let AWS' own tool do it: {EXPORT}")));
    }
    if !profile.is_known && (profile.is_asked || name != "default") {
        return Err(Refusal::new(KEYS, format!("no profile {name} is in ~/.aws"))
            .or("name an existing one: aws configure list-profiles"));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::super::pretended::FakeMachine;
    use super::*;

    fn found(machine: &mut FakeMachine) -> Result<Credentials, Refusal> {
        let profile = Profile::read(machine, None);
        find(machine, &profile)
    }

    #[test]
    fn the_environment_comes_before_profiles_and_these_before_the_machine() {
        let mut machine = FakeMachine::default();
        assert!(found(&mut machine).unwrap_err().remedy.contains("AWS_PROFILE"));
        assert_eq!(
            machine.requested_urls().len(),
            1,
            "the instance is asked last: {:?}",
            machine.requested_urls()
        );
        machine.file(
            "/home/u/.aws/credentials",
            "[default]\naws_access_key_id = A\naws_secret_access_key = B\naws_session_token = C\n",
        );
        let of_file = found(&mut machine).unwrap();
        assert_eq!((of_file.key.as_str(), of_file.token.as_deref()), ("A", Some("C")));
        assert_eq!(format!("{of_file:?}"), "Credentials of the profile default");
        machine.set("AWS_ACCESS_KEY_ID", "E");
        assert!(found(&mut machine).unwrap_err().cause.contains("AWS_SECRET_ACCESS_KEY is not"));
        machine.set("AWS_SECRET_ACCESS_KEY", "F");
        assert_eq!(found(&mut machine).unwrap().key, "E");
        let asked = |machine: &mut FakeMachine, name| {
            let profile = Profile::read(machine, Some(name));
            find(machine, &profile)
        };
        assert_eq!(asked(&mut machine, "default").unwrap().key, "A");
        assert!(asked(&mut machine, "typo").unwrap_err().cause.contains("typo"));
    }

    #[test]
    fn profiles_that_lead_elsewhere_or_nowhere_are_named() {
        let mut machine = FakeMachine::default();
        machine.file("/home/u/.aws/config", "[profile sso]\nsso_session = work\n[profile role]\nrole_arn = arn\n[profile half]\naws_access_key_id = A\n");
        for (profile, told) in [
            ("sso", "export-credentials"),
            ("role", "export-credentials"),
            ("half", "both"),
            ("typo", "list-profiles"),
        ] {
            machine.set("AWS_PROFILE", profile);
            assert!(found(&mut machine).unwrap_err().remedy.contains(told), "{profile}");
        }
    }
}
