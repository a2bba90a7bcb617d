//! Calls of one service: where it is, who asks, and what its refusals mean.

use std::time::Duration;

use fathom_tools::Refusal;
use serde::Deserialize;

use super::credentials::{self, Credentials};
use super::shared_config::Profile;
use super::sign::{Scope, signed};
use super::{Machine, Request, Response, instance_metadata, variable};

const SERVICE: &str = "AWS";
/// What to do about an address that is none.
pub(super) const ENDPOINT: &str = "type it as https://monitoring.us-east-1.amazonaws.com";
/// How often a call is sent that the service has no time for.
const ATTEMPTS: u32 = 6;
/// The same for who reads a whole account, whose other programs call too: four minutes of pauses.
const PATIENT_ATTEMPTS: u32 = 14;
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// What the user says of the service.
#[derive(Clone, Copy, Debug, Default)]
pub struct ServiceOptions<'a> {
    /// As `us-east-1`; otherwise of the environment, the profile, or this instance.
    pub region: Option<&'a str>,
    /// Its address, where it is not the provider's own.
    pub endpoint: Option<&'a str>,
    /// The profile that is meant, whatever the environment says; otherwise the environment's.
    pub profile: Option<&'a str>,
}

/// One who calls a service in a region.
pub struct Caller<'a, M> {
    machine: &'a mut M,
    credentials: Credentials,
    /// Where, as `us-east-1`.
    pub region: String,
    endpoint: String,
    service: &'static str,
    attempts: u32,
    /// Calls that were answered.
    pub answered: u64,
    /// Times that a call was sent again because the service had no time for it.
    pub throttled: u64,
}

/// How a service is spoken to.
#[derive(Clone, Copy)]
enum Protocol<'a> {
    /// JSON, with this target.
    Json(&'a str),
    /// A form, which is answered with XML.
    Query,
}

#[derive(Deserialize, Default)]
struct Fault {
    #[serde(rename = "__type", default)]
    kind: String,
    #[serde(alias = "Message", default)]
    message: String,
}

impl<'a, M: Machine> Caller<'a, M> {
    /// Finds out who calls and where. `service` is its name in addresses and signatures, `variable_name` in the
    /// environment, as `CLOUDWATCH`.
    ///
    /// # Errors
    /// When no region or no credentials are known.
    pub fn new(
        machine: &'a mut M,
        (service, variable_name): (&'static str, &str),
        asked: ServiceOptions<'_>,
    ) -> Result<Self, Refusal> {
        let profile = Profile::read(machine, asked.profile);
        let region = region(machine, &profile, asked.region)?;
        let own = |name: &str| variable(machine, name);
        let endpoint = asked.endpoint.map(str::to_owned);
        let endpoint = endpoint
            .or_else(|| own(&format!("AWS_ENDPOINT_URL_{variable_name}")))
            .or_else(|| own("AWS_ENDPOINT_URL"))
            .or_else(|| profile.get("endpoint_url").map(str::to_owned))
            .unwrap_or_else(|| {
                let domain = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
                format!("https://{service}.{region}.{domain}")
            });
        if !endpoint.starts_with("http://") && !endpoint.starts_with("https://") {
            // What was given is not said again, as a password may be in it.
            return Err(Refusal::new(SERVICE, "it is not a valid address").at("the endpoint").or(ENDPOINT));
        }
        let credentials = credentials::find(machine, &profile)?;
        Ok(Self {
            machine,
            credentials,
            region,
            endpoint: endpoint.trim_end_matches('/').to_owned(),
            service,
            attempts: ATTEMPTS,
            answered: 0,
            throttled: 0,
        })
    }

    /// The same, waiting out a service that has no time for minutes.
    #[must_use]
    pub fn patient(self) -> Self {
        Self { attempts: PATIENT_ATTEMPTS, ..self }
    }

    /// The same who, calling from another machine at the same time; none of its calls is counted yet.
    pub fn on<'b, N: Machine>(&self, machine: &'b mut N) -> Caller<'b, N> {
        Caller {
            machine,
            credentials: self.credentials.clone(),
            region: self.region.clone(),
            endpoint: self.endpoint.clone(),
            service: self.service,
            attempts: self.attempts,
            answered: 0,
            throttled: 0,
        }
    }

    /// The machine that calls.
    pub fn machine(&mut self) -> &mut M {
        self.machine
    }

    /// Calls an operation with JSON and gives what it answers. What the service has no time for is sent again, later
    /// each time.
    ///
    /// # Errors
    /// When nobody answers, or the service refuses; with what to type.
    pub fn call(&mut self, operation: &str, body: &[u8]) -> Result<Vec<u8>, Refusal> {
        let action = operation.rsplit('.').next().unwrap_or(operation);
        self.sent(action, Protocol::Json(operation), body)
    }

    /// Calls an action of a Query API with its parameters and gives the XML that it answers; as [`Caller::call`].
    ///
    /// # Errors
    /// As there.
    pub fn query(&mut self, action: &str, version: &str, more: &[(&str, &str)]) -> Result<Vec<u8>, Refusal> {
        let pairs = [("Action", action), ("Version", version)];
        let pair = |(name, value): &(&str, &str)| format!("{name}={}", percent(value));
        let body: Vec<String> = pairs.iter().chain(more).map(pair).collect();
        self.sent(action, Protocol::Query, body.join("&").as_bytes())
    }

    fn sent(&mut self, action: &str, protocol: Protocol<'_>, body: &[u8]) -> Result<Vec<u8>, Refusal> {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let headers = match protocol {
            Protocol::Json(target) => {
                vec![header("content-type", "application/x-amz-json-1.0"), header("x-amz-target", target)]
            }
            Protocol::Query => {
                vec![header("content-type", "application/x-www-form-urlencoded; charset=utf-8")]
            }
        };
        let url = format!("{}/", self.endpoint);
        let request = Request { method: "POST", url, headers, body: body.to_vec(), is_near: false };
        let mut wait = FIRST_WAIT;
        for attempt in 1.. {
            let scope =
                Scope { region: &self.region, service: self.service, unix_s: self.machine.now_unix_s() };
            let answer = self.machine.send(&signed(request.clone(), &self.credentials, scope)?)?;
            if answer.status == 200 {
                self.answered += 1;
                return Ok(answer.body);
            }
            if attempt == self.attempts || !may_pass(&answer) {
                return Err(self.refused(&answer, action));
            }
            self.throttled += 1;
            self.machine.wait(wait);
            wait = (wait * 2).min(LONGEST_WAIT);
        }
        Err(Refusal::new(SERVICE, "it was never called"))
    }

    fn refused(&self, answer: &Response, action: &str) -> Refusal {
        let fault = fault(answer);
        let (from, region) = (&self.credentials.from, &self.region);
        // As policies name it.
        let permission = match self.service {
            "monitoring" => format!("cloudwatch:{action}"),
            service => format!("{service}:{action}"),
        };
        let (cause, remedy) = match fault.kind.as_str() {
            "ExpiredToken" | "ExpiredTokenException" | "RequestExpired" => (
                format!("the credentials of {from} have expired"),
                "get new ones: aws sso login, then eval \"$(aws configure export-credentials --format env)\""
                    .to_owned(),
            ),
            // A region that is switched off does not know the keys of accounts.
            "UnrecognizedClientException" | "InvalidClientTokenId" | "InvalidAccessKeyId" | "AuthFailure" => {
                (
                    format!(
                        "AWS in {region} does not accept the credentials of {from}: they are wrong, or the region is switched off for the account"
                    ),
                    format!(
                        "see whose they are: aws sts get-caller-identity; and the region: aws account get-region-opt-status --region-name {region}"
                    ),
                )
            }
            "OptInRequired" | "RegionDisabledException" => (
                format!("{region} is switched off for the account of {from}: {}", fault.message),
                format!(
                    "name another --region, or switch it on: aws account enable-region --region-name {region}"
                ),
            ),
            "SignatureDoesNotMatch"
            | "InvalidSignatureException"
            | "RequestTimeTooSkewed"
            | "IncompleteSignature" => (
                format!(
                    "the signature is refused: the secret of {from} is another key's, or this machine's clock is wrong ({})",
                    fault.message
                ),
                "compare date -u with the time, and set both keys again".to_owned(),
            ),
            "AccessDenied" | "AccessDeniedException" | "UnauthorizedOperation" => (
                format!("the credentials of {from} may not call {permission}: {}", fault.message),
                format!("permit {permission} to them, or name others with AWS_PROFILE"),
            ),
            _ if may_pass(answer) => (
                format!(
                    "AWS throttled or failed the request {} times in a row ({} {})",
                    self.attempts, answer.status, fault.kind
                ),
                "try again later, or ask for less at once with --from and --to".to_owned(),
            ),
            _ => {
                let words = [fault.kind.as_str(), fault.message.as_str()].join(" ");
                (
                    format!("it answers {}: {}", answer.status, words.trim()),
                    format!("see that the endpoint is that of {} and the region is right", self.name()),
                )
            }
        };
        Refusal::new(SERVICE, cause).at(self.endpoint.clone()).or(remedy)
    }

    /// The service as people call it.
    fn name(&self) -> &'static str {
        match self.service {
            "monitoring" => "CloudWatch",
            "ec2" => "EC2",
            "sts" => "STS",
            other => other,
        }
    }
}

/// A value of a form: all but letters, digits and `-_.~` as their bytes (RFC 3986).
pub(super) fn percent(value: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    value.bytes().map(byte).collect()
}

/// Whether the same call may be answered later (AWS SDKs and Tools Reference Guide, "Retry behavior").
fn may_pass(answer: &Response) -> bool {
    let kind = fault(answer).kind;
    let busy = [
        "Throttl",
        "RequestLimitExceeded",
        "TooManyRequests",
        "SlowDown",
        "LimitExceeded",
        "ServiceUnavailable",
        "InternalService",
    ];
    answer.status == 429 || answer.status >= 500 || busy.iter().any(|word| kind.contains(word))
}

/// `{"__type": "com.amazonaws.x#Kind", "message": "..."}`, or XML with a `Code` and a `Message`.
fn fault(answer: &Response) -> Fault {
    if answer.body.trim_ascii_start().starts_with(b"<") {
        return fault_of_xml(&String::from_utf8_lossy(&answer.body)).unwrap_or_default();
    }
    let mut fault: Fault = fathom_json::read_bytes(&answer.body).unwrap_or_default();
    if let Some((_, kind)) = fault.kind.rsplit_once('#') {
        fault.kind = kind.to_owned();
    }
    fault
}

fn fault_of_xml(text: &str) -> Option<Fault> {
    let document = roxmltree::Document::parse(text).ok()?;
    let word = |name: &str| {
        let node = document.descendants().find(|node| node.has_tag_name(name))?;
        node.text().map(|text| text.trim().to_owned())
    };
    Some(Fault { kind: word("Code")?, message: word("Message").unwrap_or_default() })
}

fn region(machine: &mut impl Machine, profile: &Profile, asked: Option<&str>) -> Result<String, Refusal> {
    let known = asked
        .map(str::to_owned)
        .or_else(|| variable(machine, "AWS_REGION"))
        .or_else(|| variable(machine, "AWS_DEFAULT_REGION"))
        .or_else(|| profile.get("region").map(str::to_owned))
        .or_else(|| instance_metadata::region(machine));
    let remedy = "say --aws-region us-east-1, or set AWS_REGION";
    let region = known.ok_or_else(|| Refusal::new(SERVICE, "no region is known").or(remedy))?;
    // It becomes a part of the host's name.
    let is_name = !region.is_empty()
        && region.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if is_name {
        Ok(region)
    } else {
        Err(Refusal::new(SERVICE, format!("{region:?} is not a valid region")).or(remedy))
    }
}

#[cfg(test)]
mod tests {
    use super::super::pretended::FakeMachine;
    use super::*;

    fn machine() -> FakeMachine {
        let mut machine = FakeMachine::default();
        for (name, value) in
            [("AWS_ACCESS_KEY_ID", "A"), ("AWS_SECRET_ACCESS_KEY", "B"), ("AWS_REGION", "eu-west-1")]
        {
            machine.set(name, value);
        }
        machine
    }

    fn called(machine: &mut FakeMachine) -> Result<Vec<u8>, Refusal> {
        Caller::new(machine, ("monitoring", "CLOUDWATCH"), ServiceOptions::default())?
            .call("X.GetMetricData", b"{}")
    }

    #[test]
    fn calls_are_signed_for_the_region_and_sent_again_when_there_is_no_time() {
        let mut machine = machine();
        machine.queue.extend([
            (400, "{\"__type\":\"ThrottlingException\"}".to_owned()),
            (503, String::new()),
            (200, "ok".to_owned()),
        ]);
        assert_eq!(called(&mut machine).unwrap(), b"ok");
        assert_eq!(machine.waited, Duration::from_millis(1500));
        assert_eq!(machine.requested_urls(), vec!["https://monitoring.eu-west-1.amazonaws.com/"; 3]);
        let headers = &machine.sent[0].headers;
        let authorization = headers.iter().find(|(name, _)| name == "authorization").unwrap();
        assert!(authorization.1.contains("20261101/eu-west-1/monitoring/aws4_request"), "{authorization:?}");
        machine.queue.extend(vec![(429, String::new()); 9]);
        assert!(called(&mut machine).unwrap_err().cause.contains("6 times in a row"));
        assert_eq!(machine.sent.len(), 9);
    }

    #[test]
    fn refusals_say_what_to_type() {
        for (kind, told) in [
            ("com.amazon.coral.service#ExpiredTokenException", "aws sso login"),
            ("UnrecognizedClientException", "get-caller-identity"),
            ("InvalidSignatureException", "date -u"),
            ("AccessDeniedException", "cloudwatch:GetMetricData"),
            ("Else", "endpoint"),
        ] {
            let mut machine = machine();
            machine.queue.push_back((400, format!("{{\"__type\":\"{kind}\",\"message\":\"words\"}}")));
            let refused = called(&mut machine).unwrap_err();
            assert!(refused.remedy.contains(told) && machine.sent.len() == 1, "{refused}");
        }
    }

    #[test]
    fn a_query_s_refusals_are_xml_and_name_the_permission() {
        let xml = |code: &str| {
            format!(
                "<?xml version=\"1.0\"?><Response><Errors><Error><Code>{code}</Code><Message>words</Message></Error></Errors><RequestID>1</RequestID></Response>"
            )
        };
        let ask = |machine: &mut FakeMachine| {
            let mut caller = Caller::new(machine, ("ec2", "EC2"), ServiceOptions::default())?.patient();
            let answer = caller.query("DescribeVolumes", "2016-11-15", &[("NextToken", "a+b/=")]);
            answer.map(|body| (body, caller.throttled))
        };
        for (code, told) in [
            ("UnauthorizedOperation", "ec2:DescribeVolumes"),
            ("RequestExpired", "aws sso login"),
            ("OptInRequired", "enable-region --region-name eu-west-1"),
            ("AuthFailure", "get-region-opt-status"),
            ("InvalidAction", "that of EC2"),
        ] {
            let mut machine = machine();
            machine.queue.push_back((403, xml(code)));
            let refused = ask(&mut machine).unwrap_err();
            assert!(refused.remedy.contains(told) && machine.sent.len() == 1, "{refused}");
        }
        let mut machine = machine();
        machine.queue.extend(vec![(503, xml("RequestLimitExceeded")); 9]);
        machine.queue.push_back((200, "<ok/>".to_owned()));
        assert_eq!(ask(&mut machine).unwrap(), (b"<ok/>".to_vec(), 9));
        // Half a second, doubled up to 30 s.
        assert_eq!(machine.waited, Duration::from_millis(500 * 63 + 3 * 30_000));
        let body = String::from_utf8(machine.sent[0].body.clone()).unwrap();
        assert_eq!(body, "Action=DescribeVolumes&Version=2016-11-15&NextToken=a%2Bb%2F%3D");
    }

    #[test]
    fn endpoints_and_regions_come_from_where_aws_looks() {
        let mut machine = machine();
        machine.queue.extend(vec![(200, String::new()); 4]);
        machine
            .file("/home/u/.aws/config", "[default]\nregion = us-west-2\nendpoint_url = http://profile:1\n");
        called(&mut machine).unwrap();
        machine.set("AWS_ENDPOINT_URL", "http://all:2/");
        called(&mut machine).unwrap();
        machine.set("AWS_ENDPOINT_URL_CLOUDWATCH", "http://own:3");
        called(&mut machine).unwrap();
        assert_eq!(machine.requested_urls(), ["http://profile:1/", "http://all:2/", "http://own:3/"]);
        machine.set("AWS_REGION", "");
        assert_eq!(
            Caller::new(&mut machine, ("monitoring", "CLOUDWATCH"), ServiceOptions::default())
                .unwrap()
                .region,
            "us-west-2"
        );
        let odd = ServiceOptions { region: Some("evil.example/"), ..ServiceOptions::default() };
        assert!(
            Caller::new(&mut machine, ("monitoring", "CLOUDWATCH"), odd)
                .err()
                .unwrap()
                .cause
                .contains("not a valid region")
        );
        machine.set("AWS_ENDPOINT_URL_CLOUDWATCH", "");
        for address in ["reader:hunter2@localhost:4566", "HTTP://reader:hunter2@localhost", "hunter2"] {
            let endpoint = Some(address);
            let typed = ServiceOptions { endpoint, ..ServiceOptions::default() };
            let refused = Caller::new(&mut machine, ("monitoring", "CLOUDWATCH"), typed).err().unwrap();
            assert!(refused.cause.contains("not a valid address"), "{refused}");
            machine.set("AWS_ENDPOINT_URL", address);
            for refused in [refused, called(&mut machine).unwrap_err()] {
                assert!(!format!("{refused} {refused:?}").contains("hunter2"), "{refused}");
            }
        }
        let mut bare = FakeMachine::default();
        assert!(called(&mut bare).unwrap_err().remedy.contains("AWS_REGION"));
    }
}
