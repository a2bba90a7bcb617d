//! Whose credentials they are: the one call that needs no permission.
//!
//! Source: AWS Security Token Service API reference, `GetCallerIdentity`.

use fathom_tools::Refusal;

use super::{Caller, Machine};

const VERSION: &str = "2011-06-15";

/// The number of the account that the caller's credentials are of.
///
/// # Errors
/// As the call, or when the answer names no account.
pub fn account_number<M: Machine>(caller: &mut Caller<'_, M>) -> Result<String, Refusal> {
    let body = caller.query("GetCallerIdentity", VERSION, &[])?;
    let text = String::from_utf8_lossy(&body);
    let document = roxmltree::Document::parse(&text).ok();
    let number = document.as_ref().and_then(|document| {
        let node = document.descendants().find(|node| node.tag_name().name() == "Account")?;
        node.text().map(str::trim)
    });
    // It becomes a part of a file's name.
    match number.filter(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())) {
        Some(number) => Ok(number.to_owned()),
        None => Err(Refusal::new("an answer of STS", "it names no account")
            .or("see that the endpoint is STS's own, not a page in front of it")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::ServiceOptions;
    use super::super::pretended::FakeMachine;
    use super::*;

    #[test]
    fn the_account_is_a_number_or_refused() {
        let asked = |body: &str| {
            let mut machine = FakeMachine::default();
            for (name, value) in [("AWS_ACCESS_KEY_ID", "A"), ("AWS_SECRET_ACCESS_KEY", "B")] {
                machine.set(name, value);
            }
            machine.queue.push_back((200, body.to_owned()));
            let asked = ServiceOptions { region: Some("eu-central-1"), ..ServiceOptions::default() };
            account_number(&mut Caller::new(&mut machine, ("sts", "STS"), asked).unwrap())
        };
        let answer = "<GetCallerIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/u</Arn><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>";
        assert_eq!(asked(answer).unwrap(), "123456789012");
        for wrong in ["<a><Account>../x</Account></a>", "<a/>", "{}", ""] {
            assert!(asked(wrong).unwrap_err().remedy.contains("STS"), "{wrong}");
        }
    }
}
