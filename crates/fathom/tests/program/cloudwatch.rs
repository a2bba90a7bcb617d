//! `fathom profile --cloudwatch` against an emulation of CloudWatch from a project that others keep (moto), where the
//! machine has it, and against a server of a few lines that fails as CloudWatch does.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::typed::{Answer, Typist, UnansweredPort};

const MINUTES: i64 = 60;
const METRICS: [(&str, f64); 4] = [
    ("VolumeReadOps", 120.0),
    ("VolumeWriteOps", 60.0),
    ("VolumeReadBytes", 120.0 * 16384.0),
    ("VolumeWriteBytes", 60.0 * 8192.0),
];

/// The last whole minute, in seconds since 1970.
#[allow(clippy::disallowed_methods, reason = "the service stamps with the calendar's time")]
fn last_minute() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64 / 60 * 60
}

/// The command with keys that nobody knows, and none of the machine's own.
fn ask(typist: &Typist, endpoint: &str, more: &[&str]) -> Answer {
    let mut command = typist.command(&[&["profile", "--from", "1h"], more].concat());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("AWS_")) {
        command.env_remove(name);
    }
    command.env("HOME", typist.folder()).env("AWS_EC2_METADATA_DISABLED", "true").env("NO_PROXY", "*");
    command.env("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE").env("AWS_SECRET_ACCESS_KEY", "secret");
    command.env("AWS_REGION", "us-east-1").env("AWS_ENDPOINT_URL", endpoint);
    command.output().unwrap().into()
}

/// Answers requests one after the other, and keeps them.
pub struct Served {
    pub url: String,
    pub requests: Arc<Mutex<Vec<String>>>,
}

/// Answers each request as it is told, until the test ends.
pub fn serve(mut answer: impl FnMut(usize, &str) -> (u16, String) + Send + 'static) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&requests);
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let (head, body) = request(&stream);
            kept.lock().unwrap().push(head + &body);
            let (status, text) = answer(number, &body);
            let length = text.len();
            write!(
                stream,
                "HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}"
            )
            .unwrap();
        }
    });
    Served { url, requests }
}

fn request(stream: &TcpStream) -> (String, String) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
    }
    let lower = head.to_ascii_lowercase();
    let length = lower
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .map_or(0, |text| text.trim().parse().unwrap());
    let mut body = vec![0u8; length];
    reader.read_exact(&mut body).unwrap();
    (lower, String::from_utf8(body).unwrap())
}

/// Points of all series that were asked for.
fn points(body: &str, minutes: std::ops::Range<i64>, next: Option<&str>) -> String {
    let query: Value = serde_json::from_str(body).unwrap();
    let start = query["StartTime"].as_i64().unwrap();
    let series = query["MetricDataQueries"].as_array().unwrap().iter().map(|series| {
        let name = series["MetricStat"]["Metric"]["MetricName"].as_str().unwrap();
        let value = METRICS.iter().find(|(known, _)| *known == name).map_or(0.0, |(_, value)| *value);
        let times: Vec<i64> = minutes.clone().map(|minute| start + 60 * minute).collect();
        json!({ "Id": series["Id"], "Label": series["Label"], "StatusCode": "Complete", "Timestamps": times, "Values": vec![value; times.len()] })
    });
    json!({ "MetricDataResults": series.collect::<Vec<_>>(), "NextToken": next }).to_string()
}

#[test]
fn pages_are_asked_for_signed_and_again_when_there_is_no_time() {
    let typist = Typist::new();
    let served = serve(|number, body| match number {
        0 => (
            400,
            "{\"__type\":\"com.amazonaws#ThrottlingException\",\"message\":\"Rate exceeded\"}".to_owned(),
        ),
        1 => (200, points(body, 0..30, Some("more"))),
        _ => (200, points(body, 30..60, None)),
    });
    let answer = ask(&typist, &served.url, &["--cloudwatch", "vol-0abc", "--json"]);
    assert_eq!(answer.status, 0, "{answer:?}");
    let record = answer.json();
    assert_eq!((&record["source"], &record["device"]), (&"cloudwatch".into(), &"vol-0abc".into()));
    assert_eq!((&record["demand"]["tick_s"], &record["demand"]["ticks_seen"]), (&60.into(), &MINUTES.into()));
    assert_eq!(record["throttled"].as_array().unwrap().len(), 2);
    let requests = served.requests.lock().unwrap();
    assert_eq!(requests.len(), 3);
    for request in requests.iter() {
        assert!(request.contains("authorization: aws4-hmac-sha256 credential=akidexample/"), "{request}");
        assert!(
            request.contains("x-amz-target: granite") && request.contains("/us-east-1/monitoring/"),
            "{request}"
        );
    }
    assert!(requests[2].contains("\"NextToken\":\"more\"") && !requests[1].contains("NextToken"));
}

#[test]
fn what_is_signed_does_not_follow_a_redirect() {
    let typist = Typist::new();
    let other = serve(|_, _| (200, "{}".to_owned()));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let to = other.url.clone();
    std::thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        request(&stream);
        write!(stream, "HTTP/1.1 302 X\r\nLocation: {to}/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            .unwrap();
    });
    let answer = ask(&typist, &url, &["--cloudwatch", "vol-0abc"]);
    assert!(answer.status == 2 && answer.stderr.contains("it answers 302"), "{answer:?}");
    assert!(other.requests.lock().unwrap().is_empty());
}

#[test]
fn refusals_of_the_service_say_what_to_type() {
    let typist = Typist::new();
    for (status, body, told) in [
        (400, "{\"__type\":\"ExpiredTokenException\",\"message\":\"x\"}".to_owned(), "aws sso login"),
        (
            403,
            "{\"__type\":\"AccessDeniedException\",\"message\":\"x\"}".to_owned(),
            "cloudwatch:GetMetricData",
        ),
        (400, "{\"__type\":\"UnrecognizedClientException\"}".to_owned(), "get-caller-identity"),
        (404, "<html>".to_owned(), "endpoint"),
        (200, "{\"MetricDataResults\":[]}".to_owned(), "describe-volumes --volume-ids vol-0abc"),
        (200, "<html>".to_owned(), "CloudWatch metrics"),
    ] {
        let served = serve(move |_, _| (status, body.clone()));
        let answer = ask(&typist, &served.url, &["--cloudwatch", "vol-0abc"]);
        assert_eq!(answer.status, 2, "{answer:?}");
        assert!(answer.stderr.contains(told), "{told}: {answer:?}");
    }
    let unanswered = UnansweredPort::new();
    let gone = ask(&typist, &format!("http://{}", unanswered.address()), &["--cloudwatch", "vol-0abc"]);
    assert!(gone.status == 2 && gone.stderr.contains("address that answers"), "{gone:?}");
    for (more, told) in [
        (["--cloudwatch", "sda"].as_slice(), "vol-0123456789abcdef0"),
        (&["--cloudwatch", "vol-1", "--aws-region", "Mars!"], "not a valid region"),
        (&["--cloudwatch", "vol-1", "--aws-endpoint", "there"], "not a valid address"),
        (&["--cloudwatch", "vol-1", "--to", "3h"], "--from"),
        (&["--cloudwatch", "vol-1", "--prometheus", "http://x"], "cannot be used with"),
    ] {
        let answer = ask(&typist, "http://127.0.0.1:1", more);
        assert!(answer.status == 2 && answer.stderr.contains(told), "{more:?}: {answer:?}");
    }
}

/// Ends when the test does.
struct Emulation(Child);

impl Drop for Emulation {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// moto's server, as a program or as a module; absent where there is none.
fn emulation(port: u16) -> Option<Emulation> {
    let port_word = port.to_string();
    let commands: [&[&str]; 2] =
        [&["moto_server", "-p", &port_word], &["python3", "-m", "moto.server", "-p", &port_word]];
    commands.into_iter().find_map(|words| {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut started = Emulation(command.spawn().ok()?);
        for _ in 0..600 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Some(started);
            }
            // A python without the module ends at once.
            if started.0.try_wait().unwrap().is_some() {
                return None;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        None
    })
}

/// Gives the emulation points, as any client of CloudWatch would.
fn put(port: u16, namespace: &str, data: &[Value]) {
    let body = json!({ "Namespace": namespace, "MetricData": data }).to_string();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(
        stream,
        "POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\nContent-Type: application/x-amz-json-1.0\r\n\
         X-Amz-Target: GraniteServiceVersion20100801.PutMetricData\r\n\
         Authorization: AWS4-HMAC-SHA256 Credential=AK/20261101/us-east-1/monitoring/aws4_request, SignedHeaders=host, Signature=0\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn an_emulation_that_others_keep_gives_a_volume_s_and_an_instance_s_profile() {
    let typist = Typist::new();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let Some(_emulation) = emulation(port) else {
        fathom_skips::skipped("moto is not here (pip install 'moto[server]')");
        return;
    };
    let start = last_minute() - 40 * 60;
    let data = |prefix: &str, dimension: &str, id: &str| -> Vec<Value> {
        let of = |name: &str, value: f64, minute: i64| {
            json!({
                "MetricName": name.replace("Volume", prefix), "Timestamp": start + minute * 60, "Value": value,
                "Dimensions": [{ "Name": dimension, "Value": id }],
            })
        };
        (0..30).flat_map(|minute| METRICS.map(|(name, value)| of(name, value, minute))).collect()
    };
    put(port, "AWS/EBS", &data("Volume", "VolumeId", "vol-0abc"));
    put(port, "AWS/EC2", &data("EBS", "InstanceId", "i-0abc"));
    let endpoint = format!("http://127.0.0.1:{port}");
    for subject in ["vol-0abc", "i-0abc"] {
        let answer = ask(&typist, &endpoint, &["--cloudwatch", subject, "--json"]);
        assert_eq!(answer.status, 0, "{answer:?}");
        let record = answer.json();
        assert_eq!((&record["demand"]["tick_s"], &record["demand"]["ticks_seen"]), (&60.into(), &30.into()));
        let sum = |series: &str| {
            record["series"][series].as_array().unwrap().iter().filter_map(Value::as_u64).sum::<u64>()
        };
        assert_eq!((sum("reads"), sum("writes"), sum("read_bytes")), (3600, 1800, 3600 * 16384), "{subject}");
        assert_eq!(record["start_unix_s"], start);
    }
    let unknown = ask(&typist, &endpoint, &["--cloudwatch", "vol-0def"]);
    assert!(unknown.status == 2 && unknown.stderr.contains("vol-0def"), "{unknown:?}");
}

/// A run of a second whose balances are read from there.
fn balanced(typist: &Typist, endpoint: &str, balances: &str) -> Answer {
    let words =
        ["run", "--target", "memory:", "--time", "1s", "--warmup", "0s", "--json", "--quiet", balances];
    let mut command = typist.command(&words);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("AWS_")) {
        command.env_remove(name);
    }
    command.env("HOME", typist.folder()).env("AWS_EC2_METADATA_DISABLED", "true").env("NO_PROXY", "*");
    command.env("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE").env("AWS_SECRET_ACCESS_KEY", "secret");
    command.env("AWS_REGION", "us-east-1").env("AWS_ENDPOINT_URL", endpoint).output().unwrap().into()
}

#[test]
fn burst_balances_stand_beside_a_run_as_far_as_they_were_published() {
    let typist = Typist::new();
    let served = serve(|_, body| {
        let asked: Value = serde_json::from_str(body).unwrap();
        let results = asked["MetricDataQueries"].as_array().unwrap().iter().map(|query| {
            let is_burst = query["MetricStat"]["Metric"]["MetricName"] == "BurstBalance";
            let values: &[f64] = if is_burst { &[] } else { &[100.0, 6.0] };
            let times: Vec<i64> = (0..values.len() as i64).map(|at| last_minute() - 60 + 60 * at).collect();
            json!({ "Id": query["Id"], "Label": query["Label"], "StatusCode": "Complete", "Timestamps": times,
                    "Values": values })
        });
        (200, json!({ "MetricDataResults": results.collect::<Vec<_>>() }).to_string())
    });
    let ran = balanced(&typist, &served.url, "--balances=i-0abc,vol-0def");
    let record = ran.json();
    let series = |metric: &str| {
        let all = record["telemetry"]["series"].as_array().unwrap();
        all.iter().find(|series| series["metric"] == metric).cloned()
    };
    let io = series("ebs.io_balance").expect("the balance of I/Os");
    assert_eq!((&io["label"], &io["unit"]), (&json!("i-0abc"), &json!("share")));
    let values: Vec<f64> = io["values"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    assert!(!values.is_empty() && values.iter().all(|value| *value == 0.06), "{io}");
    assert!(series("ebs.byte_balance").is_some() && series("ebs.burst_balance").is_none());
    let notes = record["notes"].to_string();
    assert!(notes.contains("EBSIOBalance% of i-0abc was 6 %") && notes.contains("about to fall"), "{notes}");
    let requests = served.requests.lock().unwrap().concat();
    assert!(
        requests.to_lowercase().contains("getmetricdata") && requests.contains("InstanceId"),
        "{requests}"
    );
}

#[test]
fn balances_that_cannot_be_read_are_refused_before_anything_is_measured() {
    let typist = Typist::new();
    let denied =
        serve(|_, _| (400, json!({ "__type": "AccessDeniedException", "message": "no" }).to_string()));
    for (balances, said) in [("--balances=i-0abc", "no"), ("--balances=eu-central-1", "is not the ID")] {
        let ran = balanced(&typist, &denied.url, balances);
        assert!(
            ran.status == 2 && ran.stdout.contains("fathom.error") && ran.stderr.contains(said),
            "{balances}: {ran:?}"
        );
    }
    assert!(typist.run(&["runs"]).stdout.matches("r-").next().is_none());
}
