//! What runs, told over real connections.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may")]
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

use fathom_campaign::live_seconds::Publisher;
use fathom_campaign::{Progress, Second, StepNotice};
use fathom_page::{PagePlan, PageServer};
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_store::Store;
use tempfile::TempDir;

/// Longer than any answer takes; what hangs fails the test.
const PATIENCE: Duration = Duration::from_secs(30);

struct Served {
    server: PageServer,
    cookie: String,
    folder: TempDir,
}

impl Served {
    fn places(&self) -> Vec<PathBuf> {
        vec![self.folder.path().join("fathom")]
    }

    fn connect(&self, path: &str, lines: &str) -> TcpStream {
        let address = self.server.address();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let cookie = &self.cookie;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{cookie}{lines}\r\n")
            .unwrap();
        stream
    }

    fn ask(&self, path: &str, lines: &str) -> String {
        let mut text = String::new();
        self.connect(path, lines).read_to_string(&mut text).unwrap();
        text
    }
}

/// A server that looks into a folder of memory; `None` where there is none.
fn served() -> Option<Served> {
    let Ok(folder) = tempfile::Builder::new().prefix("fathom-test-").tempdir_in("/dev/shm") else {
        fathom_skips::skipped("no /dev/shm that is writable");
        return None;
    };
    let store = folder.path().join("runs.sqlite");
    drop(Store::open(&store).unwrap());
    let live = vec![folder.path().join("fathom")];
    let listen = "127.0.0.1:0".parse().unwrap();
    let plan = PagePlan { listen, stores: vec![store], live, fleets: Vec::new(), editor: None, token: None };
    let server = PageServer::start(plan).unwrap();
    let mut served = Served { server, cookie: String::new(), folder };
    let token = served.server.url().split_once("#t=").unwrap().1.to_owned();
    let body = format!("{{\"token\":\"{token}\"}}");
    let (address, length) = (served.server.address(), body.len());
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST /api/session HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let cookie = answer.lines().find_map(|line| line.split_once("fathom-")).unwrap().1;
    served.cookie = format!("Cookie: fathom-{}\r\n", cookie.split(';').next().unwrap());
    Some(served)
}

fn publisher(served: &Served) -> Publisher {
    let mut publisher = Publisher::new("assess", served.places(), None);
    publisher.opened(&TargetFacts::named("/no/such/<b>file</b>", TargetKind::File));
    publisher.campaign("a-20261126-080000000-0001");
    publisher.step(&StepNotice {
        title: "4 KiB random read".to_owned(),
        pattern: (1, 2),
        cell: (1, 32),
        purpose: "climb".to_owned(),
        run_ns: 5_000_000_000,
        left_ns: None,
    });
    publisher
}

fn second(number: u64) -> Second {
    Second { until_ns: number * 1_000_000_000, operations_per_s: 500.0, ..Second::default() }
}

/// Reads until a text has come.
fn until(stream: &mut TcpStream, end: &str) -> String {
    let mut text = Vec::new();
    let mut piece = [0; 4096];
    while !String::from_utf8_lossy(&text).contains(end) {
        let length = stream.read(&mut piece).unwrap();
        assert!(length > 0, "{}", String::from_utf8_lossy(&text));
        text.extend_from_slice(&piece[..length]);
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn what_runs_is_listed_and_told_to_its_end() {
    let Some(served) = served() else { return };
    let none = served.ask("/api/running", "");
    assert!(none.contains("200 OK") && none.contains("\"running\":[]"), "{none}");
    assert!(served.ask("/api/live", "").contains("404 Not Found"));

    let mut publisher = publisher(&served);
    publisher.second(&second(1));
    let listed = served.ask("/api/running", "");
    assert!(
        listed.contains("\"command\":\"assess\"") && listed.contains("a-20261126-080000000-0001"),
        "{listed}"
    );
    let mut stream = served.connect("/api/live", "");
    let head = until(&mut stream, "event: second");
    assert!(
        head.contains("content-type: text/event-stream") && head.contains("cache-control: no-store"),
        "{head}"
    );
    assert!(head.contains("event: head\ndata: {") && head.contains("event: step\ndata: {"), "{head}");
    assert!(head.contains(":1\nevent: second\ndata: {"), "the id is that of the line: {head}");
    publisher.second(&second(2));
    publisher.saved("r-1");
    let more = until(&mut stream, "event: saved\ndata: {\"run\":\"r-1\"}");
    assert!(more.contains("\"until_ns\":2000000000"), "{more}");
    drop(publisher);
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("event: ended\ndata: {\"complete\":true}"), "{rest}");
    assert!(served.ask("/api/running", "").contains("\"running\":[]"));
}

#[test]
fn a_client_that_comes_back_goes_on_and_one_that_comes_late_is_told() {
    let Some(served) = served() else { return };
    let mut publisher = publisher(&served);
    (1..=9).for_each(|number| publisher.second(&second(number)));
    let key = served.ask("/api/running", "");
    let key = key.split("\"key\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    // The step is line 0, and a line of latencies has none here.
    let read = |last: &str| {
        let mut stream = served.connect("/api/live", &format!("Last-Event-ID: {last}\r\n"));
        until(&mut stream, "\"until_ns\":9000000000")
    };
    let on = read(&format!("{key}:7"));
    assert!(!on.contains("event: reset") && !on.contains("\"until_ns\":7000000000"), "{on}");
    assert!(on.contains("\"until_ns\":8000000000"), "{on}");
    for last in ["1-1:7".to_owned(), format!("{key}:99999"), format!("{key}:x"), "x".repeat(200)] {
        let anew = read(&last);
        assert!(
            anew.contains("event: reset\ndata: {}") && anew.contains("\"until_ns\":1000000000"),
            "{anew}"
        );
    }
}

#[test]
fn only_what_runs_is_asked_for_and_only_by_who_is_let_in() {
    let Some(served) = served() else { return };
    let _publisher = publisher(&served);
    let pid = std::process::id();
    let mut stream = served.connect(&format!("/api/live?of={pid}"), "");
    until(&mut stream, "event: step");
    for path in ["/api/live?of=../../etc", "/api/live?of=1", "/api/live?of="] {
        assert!(served.ask(path, "").contains("404 Not Found"), "{path}");
    }
    for path in ["/api/live?to=1", "/api/live?of=1&of=2", "/api/running?x=1"] {
        assert!(served.ask(path, "").contains("400 Bad Request"), "{path}");
    }
    let stranger = Served { cookie: String::new(), ..served };
    for path in ["/api/live", "/api/running"] {
        assert!(stranger.ask(path, "").contains("401 Unauthorized"), "{path}");
    }
}
