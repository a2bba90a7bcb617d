//! Requests against the guard, over real connections.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use fathom_page::{Editor, PageErrorKind, PagePlan, PageServer, Token};
use fathom_store::Store;
use tempfile::TempDir;

/// Longer than any answer takes; what hangs fails the test.
const PATIENCE: Duration = Duration::from_secs(30);

struct Served {
    server: PageServer,
    _folder: TempDir,
}

fn served() -> Served {
    served_to(None)
}

fn served_to(editor: Option<Editor>) -> Served {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.sqlite");
    drop(Store::open(&path).unwrap());
    let listen = "127.0.0.1:0".parse().unwrap();
    let plan =
        PagePlan { listen, stores: vec![path], live: Vec::new(), fleets: Vec::new(), editor, token: None };
    Served { server: PageServer::start(plan).unwrap(), _folder: folder }
}

impl Served {
    fn connect(&self) -> TcpStream {
        connect(self.server.address())
    }

    /// What is answered to exactly these bytes.
    fn say(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(bytes).unwrap();
        heard(&mut stream)
    }

    /// A request with the right `Host`, and these further lines.
    fn request(&self, first: &str, lines: &[&str], body: &str) -> String {
        let mut text =
            format!("{first} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.server.address());
        lines.iter().for_each(|line| text += &format!("{line}\r\n"));
        if !body.is_empty() {
            text += &format!("Content-Length: {}\r\n", body.len());
        }
        self.say(format!("{text}\r\n{body}").as_bytes())
    }

    fn token(&self) -> String {
        self.server.url().split_once("#t=").unwrap().1.to_owned()
    }

    /// The cookie that the token buys, as a line of a header.
    fn cookie(&self) -> String {
        let body = format!("{{\"token\":\"{}\"}}", self.token());
        let answer = self.request("POST /api/session", &["Content-Type: application/json"], &body);
        assert_eq!(status(&answer), 204, "{answer}");
        let line = answer.lines().find(|line| line.to_ascii_lowercase().starts_with("set-cookie:")).unwrap();
        assert!(line.contains("HttpOnly") && line.contains("SameSite=Strict"), "{line}");
        let value = line.split_once(": ").unwrap().1.split(';').next().unwrap();
        format!("Cookie: {value}")
    }
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Everything up to the end of the connection.
fn heard(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // An end by reset is an end too; what came before it counts.
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0)
}

#[test]
fn only_the_right_host_is_answered() {
    let served = served();
    let port = served.server.address().port();
    let by = |host: &str| {
        status(&served.say(format!("GET / HTTP/1.1\r\n{host}Connection: close\r\n\r\n").as_bytes()))
    };
    for right in ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"] {
        assert_eq!(by(&format!("Host: {right}:{port}\r\n")), 200, "{right}");
    }
    for wrong in [
        "evil.example",
        "127.0.0.1",
        "localhost.evil:1",
        &format!("127.0.0.1:{port}.evil"),
        &format!("evil@localhost:{port}"),
        "localhost:1",
        "",
    ] {
        assert!(matches!(by(&format!("Host: {wrong}\r\n")), 400 | 421), "{wrong}");
    }
    assert!(matches!(by(""), 400 | 421), "no host at all");
    assert!(
        matches!(by(&format!("Host: localhost:{port}\r\nHost: evil.example\r\n")), 400 | 421),
        "two hosts"
    );
    let whole = format!(
        "GET http://localhost:{port}/ HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(status(&served.say(whole.as_bytes())), 400, "a whole address as the target");
}

#[test]
fn localhost_is_answered_by_whatever_address_it_means() {
    let served = served();
    let port = served.server.address().port();
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        fathom_skips::skipped("this system has no [::1]");
        return;
    }
    for address in [format!("127.0.0.1:{port}"), format!("[::1]:{port}")] {
        let mut stream = connect(address.parse().unwrap());
        let request = format!("GET / HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        assert_eq!(status(&heard(&mut stream)), 200, "{address}");
    }
    let other = std::net::TcpListener::bind("[::1]:0").unwrap();
    let listen = format!("127.0.0.1:{}", other.local_addr().unwrap().port()).parse().unwrap();
    let plan = PagePlan {
        listen,
        stores: Vec::new(),
        live: Vec::new(),
        fleets: Vec::new(),
        editor: None,
        token: None,
    };
    let error = PageServer::start(plan).unwrap_err();
    assert!(error.remedy.contains("--port"), "somebody else has half of the name: {error}");
}

#[test]
fn the_token_buys_a_cookie_and_nothing_else_does() {
    let served = served();
    assert_eq!(status(&served.request("GET /api/runs", &[], "")), 401);
    let token = format!("Cookie: fathom-{}={}", served.server.address().port(), served.token());
    assert_eq!(status(&served.request("GET /api/runs", &[&token], "")), 401, "the token itself is no cookie");
    let cookie = served.cookie();
    let answer = served.request("GET /api/runs", &[&cookie], "");
    assert!(status(&answer) == 200 && answer.contains("\"total\":0"), "{answer}");
    let among = cookie.replace("Cookie: ", "Cookie: a=b; ");
    assert_eq!(status(&served.request("GET /api/hello", &[&among], "")), 200);
    let json = "Content-Type: application/json";
    for (kind, body, expected) in [
        (json, "{\"token\":\"00000000000000000000000000000000\"}", 403),
        (json, "{\"token\":\"\"}", 403),
        (json, "{}", 400),
        (json, "not json", 400),
        ("Content-Type: text/plain", &format!("{{\"token\":\"{}\"}}", served.token()), 400),
        (json, &"x".repeat(65 << 10), 413),
    ] {
        let answer = served.request("POST /api/session", &[kind], body);
        assert_eq!(status(&answer), expected, "{answer}");
        assert!(!answer.to_ascii_lowercase().contains("set-cookie"), "{answer}");
    }
}

#[test]
fn pages_of_other_sites_get_nothing() {
    let served = served();
    let cookie = served.cookie();
    let (address, port) = (served.server.address(), served.server.address().port());
    let with = |line: &str| status(&served.request("GET /api/runs", &[&cookie, line], ""));
    assert_eq!(with(&format!("Origin: http://{address}")), 200);
    for origin in
        ["https://evil.example", "null", &format!("https://{address}"), &format!("http://localhost:{port}")]
    {
        assert_eq!(with(&format!("Origin: {origin}")), 403, "{origin}");
    }
    assert_eq!((with("Sec-Fetch-Site: same-origin"), with("Sec-Fetch-Site: none")), (200, 200));
    for site in ["cross-site", "same-site", "x"] {
        assert_eq!(with(&format!("Sec-Fetch-Site: {site}")), 403, "{site}");
    }
    let answer = served.request("OPTIONS /api/runs", &[&cookie, "Access-Control-Request-Method: GET"], "");
    assert_eq!(status(&answer), 405);
    let heard = answer.to_ascii_lowercase();
    assert!(heard.contains("allow: get, head, post") && !heard.contains("access-control-allow"), "{answer}");
    let stranger = served.request("OPTIONS /api/runs", &[], "");
    assert!(status(&stranger) == 401 && !stranger.to_ascii_lowercase().contains("allow:"), "{stranger}");
}

#[test]
fn every_answer_has_the_headers_and_no_path_reaches_the_file_system() {
    let served = served();
    let cookie = served.cookie();
    for first in [
        "GET /",
        "GET /theme.css",
        "GET /api/runs",
        "GET /../../etc/passwd",
        "GET /..%2f..%2fetc%2fpasswd",
        "GET //etc/passwd",
        "GET /api/runs/..%2f..%2f..%2fetc%2fpasswd",
        "GET /api/runs/%00",
        "GET /Cargo.toml",
        "GET /page.js/../../x",
        "DELETE /api/runs",
        "POST /",
    ] {
        let answer = served.request(first, &[&cookie], "");
        let right = ["GET /", "GET /theme.css", "GET /api/runs"].contains(&first);
        assert_eq!(status(&answer) == 200, right, "{first}: {answer}");
        assert!(!answer.contains("root:"), "{answer}");
        let head = answer.split("\r\n\r\n").next().unwrap().to_ascii_lowercase();
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
        ] {
            assert!(head.contains(header), "{first}: {header} in {head}");
        }
        assert_eq!(head.contains("cache-control: no-store"), first.contains("/api/"), "{first}: {head}");
    }
}

#[test]
fn headers_have_an_end_in_size_and_in_number_of_connections() {
    let served = served();
    let long = format!("X: {}", "a".repeat(9 << 10));
    assert!(matches!(status(&served.request("GET /", &[&long], "")), 400 | 431), "9 KiB of header");
    assert!(matches!(status(&served.say(b"chunked nonsense\r\n\r\n")), 400), "what is not HTTP");

    let mut held: Vec<TcpStream> = (0..64).map(|_| served.connect()).collect();
    // Each holds its place once it has been accepted, which an answer shows.
    for stream in &mut held {
        write!(stream, "GET /theme.css HTTP/1.1\r\nHost: {}\r\n\r\n", served.server.address()).unwrap();
        let mut first = [0u8; 12];
        stream.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
    }
    assert_eq!(status(&served.say(b"")), 503, "the 65th");
    held.pop();
    let freed = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        status(&served.request("GET /theme.css", &[], "")) == 200
    });
    assert!(freed, "a place that became free is taken again");
}

#[test]
fn what_is_too_long_or_broken_is_refused_and_the_server_goes_on() {
    let served = served();
    let cookie = served.cookie();
    let get = |path: &str| status(&served.request(&format!("GET {path}"), &[&cookie], ""));
    let long = "x".repeat(7 << 10);
    assert_eq!((get(&format!("/{long}")), get(&format!("/api/runs/{long}"))), (404, 404));
    assert!(matches!(get(&format!("/api/runs/{}", "x".repeat(10 << 10))), 400 | 414 | 431), "10 KiB of id");
    assert_eq!(get(&format!("/api/runs?q={}", "%25".repeat(1400))), 400, "a query of more than 4096 bytes");
    for odd in ["limit=-1", "limit=1e9", "limit=NaN", "store=-1", "after=%00", "q=%22"] {
        assert_eq!(get(&format!("/api/runs?{odd}")), 400, "{odd}");
    }
    for signs in ["%25", "_", "'", "%22%22", "'%20OR%20'1'='1", "%00", "%F0%9F%98%80", "%E2%80%AE"] {
        assert_eq!(get(&format!("/api/runs?q={signs}")), 200, "{signs}");
    }
    let address = served.server.address();
    let head = format!("Host: {address}\r\nConnection: close\r\n{cookie}\r\n");
    let by = |text: String| status(&served.say(text.as_bytes()));
    assert_eq!(by(format!("GET /api/runs/\0 HTTP/1.1\r\n{head}\r\n")), 400, "a NUL in the path");
    let post = format!("POST /api/session HTTP/1.1\r\n{head}Content-Type: application/json\r\n");
    let chunked = format!("{post}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n{{}}\r\n0\r\n\r\n");
    assert!(matches!(by(chunked), 400 | 413), "chunks that are none");
    let twice = format!("{post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}x");
    assert_eq!(by(twice), 400, "two lengths");
    assert_eq!(get("/api/hello"), 200);
}

#[test]
fn a_header_that_does_not_come_is_not_waited_for() {
    let served = served();
    let mut stream = served.connect();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: 127").unwrap();
    // The end comes from the server: nothing more is said here.
    let answer = heard(&mut stream);
    assert!(answer.is_empty() || status(&answer) == 408, "{answer}");
}

#[test]
fn other_addresses_need_a_token_of_their_own() {
    let plan = |listen: &str, token| {
        let (stores, fleets) = (Vec::new(), Vec::new());
        PagePlan { listen: listen.parse().unwrap(), stores, live: Vec::new(), fleets, editor: None, token }
    };
    let token = || Some(Token::chosen(&"a1".repeat(16)).unwrap());
    for (listen, token) in
        [("192.0.2.1:0", None), ("0.0.0.0:0", None), ("0.0.0.0:0", token()), ("[::]:0", token())]
    {
        let error = PageServer::start(plan(listen, token)).unwrap_err();
        assert!(error.kind == PageErrorKind::Address && error.remedy.contains("--token-file"), "{error}");
    }
    let server = PageServer::start(plan("127.0.0.1:0", token())).unwrap();
    assert!(server.url().ends_with(&format!("/#t={}", "a1".repeat(16))));
    // A store that is not there is told when it is asked for, and the server ends when it is dropped.
    let address = server.address();
    drop(server);
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn nothing_is_changed_but_where_it_may_be_and_on_purpose() {
    let (json, marked) = ("Content-Type: application/json", "X-Fathom: 1");
    let body = r#"{"seq":0,"title":"kernel 6.14"}"#;
    let served = served();
    let cookie = served.cookie();
    let answer = served.request("POST /api/marks", &[&cookie, json, marked], body);
    assert!(status(&answer) == 403 && answer.contains("fathom serve --edit"), "{answer}");
    assert!(served.request("GET /api/hello", &[&cookie], "").contains(r#""edit":false"#));

    let served = served_to(Some(Editor::default()));
    let (cookie, address) = (served.cookie(), served.server.address());
    assert!(served.request("GET /api/hello", &[&cookie], "").contains(r#""edit":true"#));
    let other = format!("Origin: http://{address}.evil");
    let large = format!(r#"{{"seq":0,"title":"{}"}}"#, "x".repeat(65 << 10));
    let (cookie, other, large) = (cookie.as_str(), other.as_str(), large.as_str());
    for (lines, body, expected) in [
        (vec![json, marked], body, 401),
        (vec![cookie, json], body, 403),
        (vec![cookie, json, "X-Fathom: 2"], body, 403),
        (vec![cookie, marked, "Content-Type: text/plain"], body, 400),
        (vec![cookie, json, marked, other], body, 403),
        (vec![cookie, json, marked, "Sec-Fetch-Site: cross-site"], body, 403),
        (vec![cookie, json, marked], large, 413),
        (vec![cookie, json, marked], r#"{"seq":0,"title":"a","extra":1}"#, 400),
        (vec![cookie, json, marked], r#"{"seq":5,"title":"a"}"#, 409),
        (vec![cookie, json, marked], body, 200),
        (vec![cookie, json, marked], body, 409),
    ] {
        let answer = served.request("POST /api/marks", &lines, body);
        assert_eq!(status(&answer), expected, "{lines:?} {answer}");
    }
    let answer = served.request("GET /api/marks", &[cookie], "");
    assert_eq!(answer.matches("kernel 6.14").count(), 1, "{answer}");
}

#[test]
fn a_fleet_that_is_none_is_refused_before_anything_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.parquet");
    std::fs::write(&path, "volume,status").unwrap();
    let listen = "127.0.0.1:0".parse().unwrap();
    let plan = PagePlan {
        listen,
        stores: Vec::new(),
        live: Vec::new(),
        fleets: vec![path],
        editor: None,
        token: None,
    };
    let error = PageServer::start(plan).unwrap_err();
    assert!(error.kind == PageErrorKind::Fleet && error.remedy.contains("--rows"), "{error}");
}
