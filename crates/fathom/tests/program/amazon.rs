//! An account of a made-up provider that answers as AWS does: whose credentials they are, volumes and instances page by
//! page, metrics, and the service's published rates, above which it refuses.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Points and calls of CloudWatch in a second, and what may come at once.
const POINTS_A_SECOND: f64 = 90_000.0;
const CALLS_A_SECOND: f64 = 50.0;
const PAGE_POINTS: u64 = 100_800;
/// Volumes of a page of `DescribeVolumes`.
const PAGE_VOLUMES: usize = 700;

/// What a call is answered with instead of its answer, the first times that it comes: status and code.
pub type Refusals = BTreeMap<&'static str, Vec<(u16, &'static str)>>;

/// The server.
pub struct Amazon {
    /// Its address.
    pub url: String,
    calls: Arc<Mutex<Vec<Call>>>,
}

/// A call as it came.
#[derive(Clone, Debug)]
pub struct Call {
    /// E.g. `DescribeVolumes`.
    pub action: String,
    /// Of its signature: key, date, region and service.
    pub scope: String,
    /// What it was answered with.
    pub status: u16,
    /// Queries of `GetMetricData`.
    pub queries: usize,
}

/// What the account is.
#[derive(Clone, Debug)]
pub struct Account {
    /// Volumes: the first six are of the kinds that stand out, the others gp3.
    pub volumes: usize,
    /// Refusals before answers.
    pub refusals: Refusals,
    /// Calls that are refused in a region always.
    pub closed_region: Option<(&'static str, &'static str)>,
    /// Answers of `GetMetricData` that are held back until so many have been asked for.
    pub holds: usize,
    /// What every answer takes.
    pub latency: Duration,
}

impl Account {
    pub fn of(volumes: usize) -> Self {
        Self { volumes, refusals: Refusals::new(), closed_region: None, holds: 0, latency: Duration::ZERO }
    }

    pub fn refusing(mut self, action: &'static str, refusals: &[(u16, &'static str)]) -> Self {
        self.refusals.insert(action, refusals.to_vec());
        self
    }
}

pub fn id(number: usize) -> String {
    format!("vol-{number:017x}")
}

impl Amazon {
    #[allow(clippy::disallowed_methods, reason = "a service's rates are of its own clock")]
    pub fn serve(mut account: Account) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let calls = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&calls);
        std::thread::spawn(move || {
            let mut allowed =
                Allowed { points: 2.0 * PAGE_POINTS as f64, calls: CALLS_A_SECOND, at: Instant::now() };
            let mut held = Vec::new();
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                let (head, body) = request(&stream);
                let (mut call, (status, text)) = account.answer(&head, &body, &mut allowed);
                call.status = status;
                let is_held = account.holds > 0 && call.action == "GetMetricData";
                kept.lock().unwrap().push(call);
                if is_held {
                    held.push((stream, status, text));
                    if held.len() < account.holds {
                        continue;
                    }
                    account.holds = 0;
                    held.drain(..).for_each(|(stream, status, text)| respond(stream, status, &text));
                } else if account.latency.is_zero() {
                    respond(stream, status, &text);
                } else {
                    let latency = account.latency;
                    std::thread::spawn(move || {
                        std::thread::sleep(latency);
                        respond(stream, status, &text);
                    });
                }
            }
        });
        Self { url, calls }
    }

    /// Calls so far.
    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    /// How often an action was answered.
    pub fn answered(&self, action: &str) -> usize {
        self.calls().iter().filter(|call| call.action == action && call.status == 200).count()
    }
}

/// What the rates still allow.
struct Allowed {
    points: f64,
    calls: f64,
    at: Instant,
}

impl Allowed {
    #[allow(clippy::disallowed_methods, reason = "a service's rates are of its own clock")]
    fn takes(&mut self, points: f64) -> bool {
        let now = Instant::now();
        let past_s = (now - self.at).as_secs_f64();
        self.at = now;
        self.points = (self.points + past_s * POINTS_A_SECOND).min(2.0 * PAGE_POINTS as f64);
        self.calls = (self.calls + past_s * CALLS_A_SECOND).min(CALLS_A_SECOND);
        let takes = self.points >= points && self.calls >= 1.0;
        if takes {
            self.points -= points;
            self.calls -= 1.0;
        }
        takes
    }
}

fn respond(mut stream: TcpStream, status: u16, text: &str) {
    let length = text.len();
    let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    // Whoever was stopped meanwhile is not there any more.
    let _ = stream.write_all((head + text).as_bytes());
}

fn request(stream: &TcpStream) -> (String, String) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
    }
    let lower = head.to_ascii_lowercase();
    let length = lower.lines().find_map(|line| line.strip_prefix("content-length:"));
    let mut body = vec![0u8; length.map_or(0, |text| text.trim().parse().unwrap())];
    reader.read_exact(&mut body).unwrap();
    (lower, String::from_utf8(body).unwrap())
}

impl Account {
    fn answer(&mut self, head: &str, body: &str, allowed: &mut Allowed) -> (Call, (u16, String)) {
        let form = |name: &str| {
            let pairs = body.split('&').filter_map(|pair| pair.split_once('='));
            pairs.filter(|(key, _)| *key == name).map(|(_, value)| value.to_owned()).next()
        };
        let is_json = head.contains("x-amz-target:");
        let action = if is_json { "GetMetricData".to_owned() } else { form("Action").unwrap_or_default() };
        let scope =
            head.split("credential=").nth(1).and_then(|rest| rest.split(',').next()).unwrap_or_default();
        let queries = if is_json { body.matches("\"Id\"").count() } else { 0 };
        let call = Call { action: action.clone(), scope: scope.to_owned(), status: 0, queries };
        if let Some((region, code)) = self.closed_region
            && scope.contains(&format!("/{region}/"))
        {
            return (call, refusal(403, code, is_json));
        }
        if let Some(refusals) = self.refusals.get_mut(action.as_str())
            && !refusals.is_empty()
        {
            let (status, code) = refusals.remove(0);
            if code != "answer" {
                return (call, refusal(status, code, is_json));
            }
        }
        let answer = match action.as_str() {
            "GetCallerIdentity" => (200, "<GetCallerIdentityResponse><GetCallerIdentityResult><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>".to_owned()),
            "DescribeVolumes" => (200, self.volumes_page(form("NextToken").as_deref())),
            "DescribeInstances" => (200, self.instances()),
            "GetMetricData" => metrics(body, allowed),
            other => refusal(400, &format!("InvalidAction {other}"), false),
        };
        (call, answer)
    }

    /// Pages with an empty one between the first two.
    fn volumes_page(&self, token: Option<&str>) -> String {
        let at: usize = token.and_then(|token| token.trim_start_matches("empty-").parse().ok()).unwrap_or(0);
        let is_empty = token.is_some_and(|token| token.starts_with("empty-"));
        let end = if is_empty { at } else { (at + PAGE_VOLUMES).min(self.volumes) };
        let mut set = String::new();
        (at..end).for_each(|number| put_volume(&mut set, number));
        let next = match end {
            end if is_empty => end.to_string(),
            end if end < self.volumes => format!("empty-{end}"),
            _ => String::new(),
        };
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><DescribeVolumesResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><volumeSet>{set}</volumeSet><nextToken>{next}</nextToken></DescribeVolumesResponse>"
        )
    }

    fn instances(&self) -> String {
        let item = |number: usize| {
            format!(
                "<item><instancesSet><item><instanceId>i-{number:017x}</instanceId><instanceType>{}</instanceType><tagSet><item><key>Name</key><value>host{number}</value></item></tagSet></item></instancesSet></item>",
                if number == 0 { "m5.large" } else { "r6i.4xlarge" }
            )
        };
        let all: String = (0..=self.volumes / 2).map(item).collect();
        format!(
            "<DescribeInstancesResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><reservationSet>{all}</reservationSet></DescribeInstancesResponse>"
        )
    }
}

/// 0 and 1 have bought more than their instance lets through, 2 is gp2, 3 is attached to nothing, 4 idle, 5 at two
/// instances.
fn put_volume(set: &mut String, number: usize) {
    let (kind, iops, throughput) = match number {
        0 | 1 => ("gp3", Some(12_000), Some(500)),
        2 => ("gp2", Some(3000), None),
        3 | 5 => ("io2", Some(5000), None),
        _ => ("gp3", Some(6000), Some(250)),
    };
    let at: Vec<usize> = match number {
        3 => Vec::new(),
        5 => vec![2, 3],
        number => vec![number / 2],
    };
    let attached: String = at
        .iter()
        .map(|instance| {
            format!("<item><instanceId>i-{instance:017x}</instanceId><status>attached</status></item>")
        })
        .collect();
    let throughput = throughput.map_or_else(String::new, |most| format!("<throughput>{most}</throughput>"));
    let iops = iops.map_or_else(String::new, |most: u32| format!("<iops>{most}</iops>"));
    let state = if at.is_empty() { "available" } else { "in-use" };
    let tag = if number.is_multiple_of(3) {
        "<tagSet><item><key>team</key><value>data &amp; ml</value></item></tagSet>"
    } else {
        "<tagSet/>"
    };
    write!(set, "<item><volumeId>{}</volumeId><size>{}</size><volumeType>{kind}</volumeType>{iops}{throughput}<status>{state}</status><multiAttachEnabled>{}</multiAttachEnabled><attachmentSet>{attached}</attachmentSet>{tag}</item>", id(number), if number == 2 { 1000 } else { 100 }, number == 5).unwrap();
}

fn refusal(status: u16, code: &str, is_json: bool) -> (u16, String) {
    let text = if is_json {
        format!("{{\"__type\":\"com.amazonaws#{code}\",\"message\":\"made up\"}}")
    } else {
        format!(
            "<Response><Errors><Error><Code>{code}</Code><Message>made up</Message></Error></Errors></Response>"
        )
    };
    (status, text)
}

/// All points of a page: every volume does some I/O, but for the third and fourth.
fn metrics(body: &str, allowed: &mut Allowed) -> (u16, String) {
    let query: Value = serde_json::from_str(body).unwrap();
    let (from, to) = (query["StartTime"].as_i64().unwrap(), query["EndTime"].as_i64().unwrap());
    let queries = query["MetricDataQueries"].as_array().unwrap();
    if queries.len() > 500 {
        return refusal(400, "ValidationError", true);
    }
    let period = |query: &Value| query["MetricStat"]["Period"].as_i64().unwrap();
    let points: i64 = queries.iter().map(|query| (to - from) / period(query)).sum();
    if !allowed.takes((points as f64).min(PAGE_POINTS as f64)) {
        return refusal(400, "ThrottlingException", true);
    }
    let mut times: BTreeMap<i64, String> = BTreeMap::new();
    let mut results = Vec::new();
    for query in queries {
        let (name, period) = (query["MetricStat"]["Metric"]["MetricName"].as_str().unwrap(), period(query));
        let volume = query["MetricStat"]["Metric"]["Dimensions"][0]["Value"].as_str().unwrap();
        let number = usize::from_str_radix(&volume[4..], 16).unwrap();
        let count = (to - from) / period;
        let times = times.entry(period).or_insert_with(|| {
            (0..count).map(|at| (from + at * period).to_string()).collect::<Vec<_>>().join(",")
        });
        let value = match (name, number) {
            (_, 3) => None,
            (_, 4) => Some("0"),
            ("VolumeReadOps" | "VolumeWriteOps", _) => Some("30000"),
            ("VolumeReadBytes" | "VolumeWriteBytes", _) => Some("245760000"),
            _ => Some("0"),
        };
        let (times, values) = match value {
            None => ("", String::new()),
            Some(value) => (times.as_str(), vec![value; usize::try_from(count).unwrap()].join(",")),
        };
        results.push(format!("{{\"Id\":{},\"Label\":{},\"StatusCode\":\"Complete\",\"Timestamps\":[{times}],\"Values\":[{values}]}}", query["Id"], query["Label"]));
    }
    (200, format!("{{\"MetricDataResults\":[{}],\"Messages\":[]}}", results.join(",")))
}
