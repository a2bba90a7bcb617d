//! `fathom serve`: what it prints, whom it lets in, and how it ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command};

use serde_json::Value;

use crate::typed::Typist;

/// Ends when the test does.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn ask(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn saved_runs_are_served_until_ctrl_c() {
    let typist = Typist::new();
    let ran = typist.run(&["run", "--target", "sim:nvme", "--time", "2s", "--quiet"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let mut serving =
        Serving(typist.start(&["serve", "--store", "store", "--store", "another", "--port", "0", "--json"]));
    let mut lines = BufReader::new(serving.0.stdout.take().unwrap()).lines();
    let ready: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!((&ready["format"], ready["stores"].as_array().unwrap().len()), (&"fathom.serve".into(), 2));
    let (address, token) =
        ready["url"].as_str().unwrap().strip_prefix("http://").unwrap().split_once("/#t=").unwrap();

    let body = format!("{{\"token\":\"{token}\"}}");
    let head = format!("HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    let length = body.len();
    let admitted = ask(
        address,
        &format!(
            "POST /api/session {head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        ),
    );
    let cookie = admitted.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap();
    let runs = |query: &str| ask(address, &format!("GET /api/runs{query} {head}Cookie: {cookie}\r\n\r\n"));
    assert!(runs("").contains("\"total\":1") && runs("").contains("sim:nvme"), "{}", runs(""));
    assert!(runs("?store=1").starts_with("HTTP/1.1 404"), "{}", runs("?store=1"));

    let sent = Command::new("kill").args(["-s", "INT", &serving.0.id().to_string()]).status().unwrap();
    assert!(sent.success() && serving.0.wait().unwrap().success());
}

#[test]
fn what_cannot_be_served_is_refused() {
    let typist = Typist::new();
    let open = typist.run(&["serve", "--listen", "192.0.2.1:0"]);
    assert!(open.status == 2 && open.stderr.contains("--token-file"), "{open:?}");
    std::fs::write(typist.path("short"), "secret").unwrap();
    let short = typist.run(&["serve", "--port", "0", "--token-file", "short"]);
    assert!(short.status == 2 && short.stderr.contains("32 to 512"), "{short:?}");
    let two = typist.run(&["runs", "--store", "a", "--store", "b"]);
    assert!(two.status == 2 && two.stderr.contains("more than one store"), "{two:?}");
}
