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

/// What a shared file holds, as the page's scripts read it: an object of answers, of which the binary ones are packed.
fn answers(file: &str) -> Value {
    let text = file.split("id=\"answers\">").nth(1).unwrap().split("</script>").next().unwrap();
    serde_json::from_str(text).unwrap()
}

#[test]
fn runs_are_shared_in_one_file_without_what_is_redacted() {
    let typist = Typist::new();
    let folder = typist.path("customer-secret");
    std::fs::create_dir(&folder).unwrap();
    let target = folder.join("data.bin").display().to_string();
    let run = [
        "run", "--target", &target, "--size", "8MiB", "--rw", "randread", "--time", "1s", "--warmup", "0s",
        "--json",
    ];
    let record = typist.json(&run);
    let id = record["id"].as_str().unwrap();
    let host = record["environment"]["host"].as_str().unwrap_or_default().to_owned();
    assert_eq!(typist.run(&["note", id, &format!("on {host} in {target}, off the record")]).status, 0);
    assert_eq!(typist.run(&["tag", id, "prod"]).status, 0);

    let shared = typist.run(&["share", "last", "--html", "plain.html"]);
    if shared.stderr.contains("this build of fathom has no page") {
        return fathom_skips::skipped("this build has no page to share runs with");
    }
    assert_eq!(shared.status, 0, "{shared:?}");
    let plain = std::fs::read_to_string(typist.path("plain.html")).unwrap();
    assert!(
        plain.contains("customer-secret") && plain.contains(&host),
        "without redaction all of it is there"
    );
    let json = typist.json(&["share", id, "--html", "out.html", "--redact", "host,serial,path", "--json"]);
    assert_eq!((&json["runs"], &json["campaigns"]), (&1.into(), &0.into()));
    let text = std::fs::read_to_string(typist.path("out.html")).unwrap();
    let user = std::env::var("HOME").unwrap_or_default();
    let serials = record["target"]["devices"].as_array().unwrap().iter().filter_map(|d| d["serial"].as_str());
    for value in serials.chain(["customer-secret", "data.bin", &target, &user]) {
        assert!(value.is_empty() || value == "/" || !text.contains(value), "{value} is in the file");
    }
    let answers = answers(&text);
    // A short name of a machine is part of other words.
    for (question, answer) in answers.as_object().unwrap().iter().filter(|(_, answer)| answer.is_object()) {
        let said = answer.to_string();
        let has_host =
            said.split(|letter: char| !letter.is_alphanumeric() && letter != '-').any(|word| word == host);
        assert!(host.is_empty() || !has_host, "{host} is in the answer to {question}");
    }
    let shown = &answers[&format!("runs/{id}")];
    assert_eq!(shown["summary"], record["summary"], "figures stay to the bit");
    assert!(shown["target"]["name"].as_str().unwrap().starts_with("path-"), "{}", shown["target"]["name"]);
    let said = &answers[&format!("runs/{id}/said")];
    assert!(said["notes"][0]["text"].as_str().unwrap().ends_with("off the record"), "{said}");
    assert_eq!(said["tags"][0], "prod");
    assert!(answers[&format!("runs/{id}/series")].is_string());
    assert!(text.contains("default-src 'none'") && text.contains("'sha256-"));

    let taken = typist.run(&["share", "last", "--html", "customer-secret"]);
    assert_ne!(taken.status, 0, "{taken:?}");
    assert_eq!(typist.run(&["share", "none", "--html", "x.html"]).status, 2);
    assert_eq!(typist.run(&["share", "last", "--html", "x.html", "--redact", "name"]).status, 2);
}
