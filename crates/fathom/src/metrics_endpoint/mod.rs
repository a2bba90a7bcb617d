//! `--metrics`: a measurement's figures for Prometheus while it runs.
//!
//! A thread waits for connections and does nothing else; each has a thread of its own while it is answered, within
//! limits of time, length and number. Neither touches what the measurement does: both read a copy of its newest second.

mod metric_text;
mod request;

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use fathom_campaign::live_seconds::MeasurementStatus;
use fathom_measure::{Clock, WallClock};

use crate::failure::Failure;
use crate::output;
use request::Answer;

/// Connections that are answered at a time: Prometheus has one.
const CONNECTIONS_MAX: usize = 16;
/// Largest header of a request.
const HEADER_MAX: usize = 8 << 10;
/// How long a client may take to send it.
const HEADER_TIME_NS: u64 = 5_000_000_000;
/// How long it may take to read what it is answered.
const WRITE_TIME: Duration = Duration::from_secs(5);
/// What is still on its way is waited for no longer, before a connection ends.
const LINGER: Duration = Duration::from_millis(200);
/// Pause after the system refused a connection, as it does when no more files may be open.
const REFUSED_PAUSE: Duration = Duration::from_millis(50);

/// Where metrics are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetricsAddress(SocketAddr);

impl FromStr for MetricsAddress {
    type Err = String;

    /// `9400`, `127.0.0.1:9400`, `[::1]:9400`, `localhost:9400`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let local = |port: &str| Some(SocketAddr::from((Ipv4Addr::LOCALHOST, port.parse().ok()?)));
        let found = match text.strip_prefix("localhost:") {
            Some(port) => local(port),
            None => local(text).or_else(|| text.parse().ok()),
        };
        found.map(Self).ok_or_else(|| {
            "it is not a port of this machine, or an address with one, e.g. 9400 or 127.0.0.1:9400".to_owned()
        })
    }
}

impl fmt::Display for MetricsAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Answers until it is dropped.
#[derive(Debug)]
pub struct MetricsServer {
    address: SocketAddr,
    standing: Arc<Mutex<MeasurementStatus>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// What all connections share.
#[derive(Clone, Debug)]
struct ScrapeState {
    standing: Arc<Mutex<MeasurementStatus>>,
    is_local: bool,
    clock: WallClock,
}

impl MetricsServer {
    /// Listens from now on, and says where.
    ///
    /// # Errors
    /// When that address cannot be had.
    pub fn start(asked: MetricsAddress) -> Result<Self, Failure> {
        let refused = |error: io::Error| {
            let remedy = "take another port, or any free one with port 0";
            Failure::usage(format!("--metrics {asked}"), error.to_string(), remedy).with_source(error)
        };
        let listener = TcpListener::bind(asked.0).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let (stop, standing) = (Arc::new(AtomicBool::new(false)), Arc::default());
        let shared = ScrapeState {
            standing: Arc::clone(&standing),
            is_local: address.ip().is_loopback(),
            clock: WallClock::start_on_system_clock().0,
        };
        let ended = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name("metrics".to_owned())
            .spawn(move || accept(&listener, &shared, &ended))
            .map_err(|error| Failure::system("starting the thread for --metrics", error))?;
        output::message(&words(address));
        Ok(Self { address, standing, stop, thread: Some(thread) })
    }

    /// What is answered from.
    pub fn standing(&self) -> Arc<Mutex<MeasurementStatus>> {
        Arc::clone(&self.standing)
    }
}

impl Drop for MetricsServer {
    /// The thread sleeps until a connection comes: this is the last one.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        let mut own = self.address;
        if own.ip().is_unspecified() {
            own.set_ip(match own {
                SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            });
        }
        // Where it cannot be reached it ends with the process.
        if TcpStream::connect_timeout(&own, LINGER).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

/// Where they are, and who can read them.
fn words(address: SocketAddr) -> String {
    let place = format!("metrics: http://{address}/metrics");
    if address.ip().is_loopback() {
        return place;
    }
    format!("{place}\nwhoever reaches this machine there can read them: there is no password and no TLS")
}

fn accept(listener: &TcpListener, shared: &ScrapeState, stop: &AtomicBool) {
    let open = Arc::new(AtomicUsize::new(0));
    loop {
        let accepted = listener.accept();
        if stop.load(Ordering::Acquire) {
            return;
        }
        let Ok((stream, _)) = accepted else {
            std::thread::sleep(REFUSED_PAUSE);
            continue;
        };
        let (shared, place) = (shared.clone(), Place::take(&open));
        let answering = std::thread::Builder::new().name("metrics-answer".to_owned());
        // Where no thread can be had the connection just ends.
        match place {
            Some(place) => drop(answering.spawn(move || {
                serve(stream, &shared);
                drop(place);
            })),
            None => turn_away(stream),
        }
    }
}

/// One of the connections that are answered.
#[derive(Debug)]
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(open: &Arc<AtomicUsize>) -> Option<Self> {
        if open.fetch_add(1, Ordering::AcqRel) < CONNECTIONS_MAX {
            return Some(Self(Arc::clone(open)));
        }
        open.fetch_sub(1, Ordering::AcqRel);
        None
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Says that there are too many; nothing is waited for.
fn turn_away(mut stream: TcpStream) {
    let _ = stream.set_nonblocking(true);
    let _ = stream.write_all(Answer::plain(503, "too many connections\n").bytes(false).as_bytes());
}

/// Answers one request; a client that breaks HTTP or goes has nobody to be told.
fn serve(mut stream: TcpStream, shared: &ScrapeState) {
    let _ = stream.set_write_timeout(Some(WRITE_TIME));
    let answer = match header(&mut stream, &shared.clock) {
        Ok(header) => request::answer(&header, shared.is_local, |form| {
            let standing = shared.standing.lock().unwrap_or_else(PoisonError::into_inner).clone();
            metric_text::text(&standing, jiff::Timestamp::now().as_second(), form)
        }),
        Err(answer) => (answer, false),
    };
    let (answer, head_alone) = answer;
    if stream.write_all(answer.bytes(head_alone).as_bytes()).is_err() {
        return;
    }
    // What was not read yet would have the system take the answer back.
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(LINGER));
    for _ in 0..4 {
        if !matches!(stream.read(&mut [0; HEADER_MAX]), Ok(1..)) {
            return;
        }
    }
}

/// Everything up to the empty line, or what to answer where it does not come.
fn header(stream: &mut TcpStream, clock: &WallClock) -> Result<String, Answer> {
    let mut bytes = Vec::with_capacity(512);
    let mut piece = [0; 1024];
    let end_ns = clock.now_ns() + HEADER_TIME_NS;
    let late = || Answer::plain(408, "the header of the request did not come in 5 s\n");
    while !bytes.windows(4).any(|four| four == b"\r\n\r\n") {
        if bytes.len() >= HEADER_MAX {
            return Err(Answer::plain(431, "the header of the request is larger than 8 KiB\n"));
        }
        let left_ns = end_ns.saturating_sub(clock.now_ns());
        if left_ns == 0 {
            return Err(late());
        }
        let _ = stream.set_read_timeout(Some(Duration::from_nanos(left_ns)));
        match stream.read(&mut piece) {
            Ok(0) => return Err(Answer::plain(400, "the request has no end\n")),
            Ok(length) => bytes.extend_from_slice(&piece[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Err(late()),
        }
    }
    String::from_utf8(bytes).map_err(|_| Answer::plain(400, "the header of the request is not text\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_this_machines_and_another_address_is_typed_and_said() {
        let read = |text: &str| text.parse::<MetricsAddress>().map(|address| address.to_string());
        for (text, address) in [
            ("9400", "127.0.0.1:9400"),
            ("localhost:0", "127.0.0.1:0"),
            ("127.0.0.1:1", "127.0.0.1:1"),
            ("[::1]:9400", "[::1]:9400"),
            ("0.0.0.0:9400", "0.0.0.0:9400"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(address));
        }
        for text in ["", ":9400", "65536", "-1", "host:9400", "127.0.0.1", "127.0.0.1:x", "9400/metrics"] {
            assert!(read(text).is_err(), "{text}");
        }
        let said = |text: &str| words(text.parse::<MetricsAddress>().unwrap().0);
        assert!(said("0.0.0.0:9400").contains("whoever reaches") && !said("9400").contains("whoever"));
    }

    /// Longer than any answer takes; what hangs fails the test.
    const PATIENCE: Duration = Duration::from_secs(30);

    fn server() -> MetricsServer {
        MetricsServer::start("0".parse().unwrap()).unwrap()
    }

    fn connect(server: &MetricsServer) -> TcpStream {
        let stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// What is answered to exactly these bytes.
    fn say(server: &MetricsServer, bytes: &[u8]) -> String {
        let mut stream = connect(server);
        // A server that has answered already takes no more.
        let _ = stream.write_all(bytes);
        let mut heard = Vec::new();
        let _ = stream.read_to_end(&mut heard);
        String::from_utf8_lossy(&heard).into_owned()
    }

    const SCRAPE: &[u8] = b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

    #[test]
    fn what_breaks_http_is_refused_and_the_next_is_answered() {
        let server = server();
        let long = [b"GET /metrics HTTP/1.1\r\nA: ", vec![b'x'; 16 << 10].as_slice(), b"\r\n\r\n"].concat();
        for (bytes, status) in [
            (&b"\x16\x03\x01\x00\xff\xff\r\n\r\n"[..], "400"),
            (b"\r\n\r\n", "400"),
            (b"POST /metrics HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", "405"),
            (b"GET http://127.0.0.1/metrics HTTP/1.1\r\n\r\n", "404"),
            (&long, "431"),
        ] {
            let answer = say(&server, bytes);
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{status}: {answer}");
        }
        server.standing().lock().unwrap().operations = 7.0;
        let answer = say(&server, SCRAPE);
        assert!(
            answer.starts_with("HTTP/1.1 200 OK") && answer.contains("fathom_operations_total 7"),
            "{answer}"
        );
    }

    #[test]
    fn a_header_that_does_not_come_holds_nobody_up_and_is_given_up() {
        let server = server();
        let mut slow = connect(&server);
        slow.write_all(b"GET /metrics HT").unwrap();
        assert!(say(&server, SCRAPE).starts_with("HTTP/1.1 200 OK"));
        let mut heard = String::new();
        slow.read_to_string(&mut heard).unwrap();
        assert!(heard.starts_with("HTTP/1.1 408 "), "{heard}");
    }

    #[test]
    fn connections_have_a_number_and_the_end_waits_for_none() {
        let server = server();
        let mut idle: Vec<TcpStream> = (0..65).map(|_| connect(&server)).collect();
        let mut refused = String::new();
        idle[64].read_to_string(&mut refused).unwrap();
        assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
        drop(idle);
        while !say(&server, SCRAPE).starts_with("HTTP/1.1 200 OK") {
            std::thread::yield_now();
        }
        let _idle = connect(&server);
        let address = server.address;
        drop(server);
        assert!(TcpStream::connect(address).is_err(), "the port is free again");
    }

    #[test]
    fn a_port_that_is_taken_is_refused() {
        let server = server();
        let failure = MetricsServer::start(MetricsAddress(server.address)).unwrap_err();
        assert!(
            failure.place.contains("--metrics 127.0.0.1:") && failure.remedy.contains("port 0"),
            "{failure:?}"
        );
    }
}
