//! The server: one thread that accepts and serves, within limits, until it is told to stop.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener as Listener};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::{sleep, timeout};

use crate::edit::Editor;
use crate::fleet_table;
use crate::request_guard::Guard;
use crate::router::{ServerState, respond};
use crate::shelf::Shelf;
use crate::timeout_stream::TimeoutStream;
use crate::token::Token;

/// Connections at a time: a browser has six.
const CONNECTIONS_MAX: usize = 64;
/// How long a client may take to send a request's header, and to send the next one.
const HEADER_TIME: Duration = Duration::from_secs(10);
/// Largest header of a request.
const HEADER_MAX: usize = 8 << 10;
/// What the client that is one too many is told.
const TURNED_AWAY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
/// How long a client may take to hear that.
const TURNING_AWAY: Duration = Duration::from_secs(1);
/// Pause after the system refused to accept, as it does when no more files may be open.
const REFUSED_PAUSE: Duration = Duration::from_millis(50);
/// How long a client may let an answer wait that it does not read.
const WRITE_TIME: Duration = Duration::from_secs(30);
/// Free ports that are tried until one is free at both loopback addresses.
const PORTS_TRIED: usize = 8;
/// What to do where an address cannot be listened at.
const TAKEN: &str = "take another port with --port N, or any free one without it";
/// How long requests in progress may take at the end.
const GRACE: Duration = Duration::from_millis(500);

/// What goes wrong when serving begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageErrorKind {
    /// The address is not one to serve at.
    Address,
    /// A file is no rows of a fleet.
    Fleet,
    /// A text is no token.
    Token,
    /// The operating system failed.
    System,
}

/// An error with a kind, a place, a cause and what to do.
pub type PageError = fathom_record::error::Error<PageErrorKind>;

/// What to serve, and where.
#[derive(Debug)]
pub struct PagePlan {
    /// Where to listen; port 0 is any free one. At 127.0.0.1 it is at [::1] too, where the system has that.
    pub listen: SocketAddr,
    /// The stores, in the order of their numbers.
    pub stores: Vec<PathBuf>,
    /// Folders in which measurements of this user have their live seconds.
    pub live: Vec<PathBuf>,
    /// Rows of fleets, as `fathom size --fleet` writes them in Parquet, in the order of their numbers.
    pub fleets: Vec<PathBuf>,
    /// Who may change what people say of runs; absent where nobody may.
    pub editor: Option<Editor>,
    /// The secret that browsers show; absent for a new one. Needed where the address is not a loopback one.
    pub token: Option<Token>,
}

/// A server at work.
#[derive(Debug)]
pub struct PageServer {
    address: SocketAddr,
    shared: Arc<ServerState>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl PageServer {
    /// Listens and serves from now on.
    ///
    /// # Errors
    /// When the address is not one to serve at, a fleet's file is none, or the system gives no socket, thread or random bytes.
    pub fn start(plan: PagePlan) -> Result<Self, PageError> {
        admit_address(&plan)?;
        plan.fleets.iter().try_for_each(|path| fleet_table::admit(path))?;
        let place = format!("listening at {}", plan.listen);
        let failed = |error: std::io::Error| failed(&place, error);
        let undrawn = |error: std::io::Error| {
            let mut told = failed(error);
            told.cause.insert_str(0, "no random bytes: ");
            told
        };
        let secret = |token: Option<Token>| token.map_or_else(Token::draw, Ok).map_err(undrawn);
        let listeners = listen(plan.listen).map_err(|error| failed(error).with_remedy(TAKEN))?;
        let address = listeners[0].local_addr().map_err(failed)?;
        for listener in &listeners {
            listener.set_nonblocking(true).map_err(failed)?;
        }
        let guard = Guard::new(address, secret(plan.token)?, secret(None)?);
        let shelf = Shelf::of(plan.stores).with_fleets(plan.fleets).editable(plan.editor.is_some());
        let shared =
            Arc::new(ServerState { guard, shelf: Mutex::new(shelf), live: plan.live, editor: plan.editor });
        // One more thread reads the stores.
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(1)
            .build()
            .map_err(failed)?;
        let (stop, stopped) = oneshot::channel();
        let served = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("page".to_owned())
            .spawn(move || run(runtime, listeners, served, stopped))
            .map_err(failed)?;
        Ok(Self { address, shared, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address to open in a browser. What is behind `#` is not sent with requests: it lets in whoever has it.
    pub fn url(&self) -> String {
        format!("http://{}/#t={}", self.address, self.shared.guard.token().reveal())
    }
}

impl Drop for PageServer {
    /// Ends what is in progress.
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn admit_address(plan: &PagePlan) -> Result<(), PageError> {
    let ip = plan.listen.ip();
    let refuse = |cause: &str, remedy: &str| {
        let place = format!("listening at {}", plan.listen);
        Err(PageError::new(PageErrorKind::Address, place, cause).with_remedy(remedy))
    };
    if ip.is_unspecified() {
        return refuse(
            "that is every address of this machine, and requests are answered for one",
            "name one address of this machine, e.g. --listen 10.0.0.5:8080 --token-file FILE",
        );
    }
    if !ip.is_loopback() && plan.token.is_none() {
        return refuse(
            "that address is open to the network, where a token of your own is required",
            "add --token-file FILE with 32 or more letters and digits, and put TLS in front: this server has none",
        );
    }
    Ok(())
}

/// What listens: first the address itself, then its twin, which `localhost` may mean.
fn listen(address: SocketAddr) -> std::io::Result<Vec<Listener>> {
    let once = || {
        let first = Listener::bind(address)?;
        if address.ip() != IpAddr::V4(Ipv4Addr::LOCALHOST) {
            return Ok(vec![first]);
        }
        match Listener::bind((Ipv6Addr::LOCALHOST, first.local_addr()?.port())) {
            Ok(twin) => Ok(vec![first, twin]),
            // Somebody else would be asked who types `localhost`.
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => Err(error),
            Err(_) => Ok(vec![first]),
        }
    };
    let mut outcome = once();
    for _ in 1..PORTS_TRIED {
        if address.port() != 0 || outcome.is_ok() {
            break;
        }
        outcome = once();
    }
    outcome
}

fn failed(place: &str, error: std::io::Error) -> PageError {
    PageError::new(PageErrorKind::System, place, error.to_string()).with_source(error)
}

/// Serves until told to stop; the runtime ends with it.
fn run(runtime: Runtime, listeners: Vec<Listener>, shared: Arc<ServerState>, stopped: oneshot::Receiver<()>) {
    runtime.block_on(async move {
        let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        for listener in listeners {
            let Ok(listener) = TcpListener::from_std(listener) else { return };
            tokio::spawn(accept(listener, Arc::clone(&shared), Arc::clone(&places)));
        }
        let _ = stopped.await;
    });
    runtime.shutdown_timeout(GRACE);
}

async fn accept(listener: TcpListener, shared: Arc<ServerState>, places: Arc<Semaphore>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(REFUSED_PAUSE).await;
            continue;
        };
        match Arc::clone(&places).try_acquire_owned() {
            Ok(place) => {
                let shared = Arc::clone(&shared);
                tokio::spawn(async move {
                    connection(stream, shared).await;
                    drop(place);
                });
            }
            Err(_) => {
                tokio::spawn(turn_away(stream));
            }
        }
    }
}

async fn connection(stream: TcpStream, shared: Arc<ServerState>) {
    // Small answers are not held back for larger ones.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let shared = Arc::clone(&shared);
        async move { Ok::<_, Infallible>(respond(shared, request).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_buf_size(HEADER_MAX)
        .serve_connection(TokioIo::new(TimeoutStream::of(stream, WRITE_TIME)), service);
    // A client that breaks HTTP or goes has nobody to be told.
    let _ = served.await;
}

async fn turn_away(mut stream: TcpStream) {
    let _ = timeout(TURNING_AWAY, stream.write_all(TURNED_AWAY)).await;
}
