//! `fathom serve`: saved runs as a page in a browser, until Ctrl-C.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use fathom_campaign::live_seconds::candidates;
use fathom_page::{Editor, PageError, PageErrorKind, PagePlan, PageServer, Token, has_assets};
use serde::Serialize;

use super::author::author;
use crate::arguments::ServeArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::progress_display::Screen;
use crate::small_text::read_small_text;
use crate::{interrupt, observer_priority, output};

/// Where it listens where nothing says another: a bookmark of a view stays right.
const PORT: u16 = 8427;
/// Between two looks at whether to end.
const STEP: Duration = Duration::from_millis(50);
/// Largest file of a token.
const TOKEN_BYTES_MAX: u64 = 4096;

/// The line for programs when the page is ready.
#[derive(Serialize)]
struct PageReadyLine {
    format: &'static str,
    version: u32,
    url: String,
    /// Whether this build has the page, and not its answers for programs alone.
    page: bool,
    stores: Vec<String>,
    fleets: Vec<String>,
    /// Whether what people say may be changed on it.
    edit: bool,
}

/// Serves the stores.
///
/// # Errors
/// When it cannot listen, or the token's file is not one.
pub fn perform(stores: Vec<PathBuf>, arguments: &ServeArguments) -> Result<Status, Failure> {
    let token = arguments.token_file.as_deref().map(token).transpose()?;
    observer_priority::go_behind();
    let stop = interrupt::watch(Screen::new(false, None).voice())?;
    let names = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
    let (named, fleets) = (names(&stores), names(&arguments.fleet));
    let server = start(stores, token, arguments)?;
    let ready = PageReadyLine {
        format: "fathom.serve",
        version: 1,
        url: server.url(),
        page: has_assets(),
        stores: named,
        fleets,
        edit: arguments.edit,
    };
    if arguments.switch.json {
        output::line(&output::json_line(&ready))?;
    } else {
        output::line(&words(&ready))?;
    }
    if !ready.page {
        output::message(
            "this build has no page, only its answers for programs: in a checkout of fathom, with npm installed, type\n  \
             cargo xtask page\nand build again",
        );
    }
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(STEP);
    }
    drop(server);
    Ok(Status::Done)
}

fn start(
    stores: Vec<PathBuf>,
    token: Option<Token>,
    arguments: &ServeArguments,
) -> Result<PageServer, Failure> {
    let local = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let editor = arguments.edit.then(|| Editor { author: author() });
    let plan = |listen| PagePlan {
        listen,
        stores: stores.clone(),
        live: candidates(),
        fleets: arguments.fleet.clone(),
        editor: editor.clone(),
        token: token.clone(),
    };
    match (arguments.listen, arguments.port) {
        (Some(address), _) => Ok(PageServer::start(plan(address))?),
        (None, Some(port)) => Ok(PageServer::start(plan(local(port)))?),
        (None, None) => {
            Ok(PageServer::start(plan(local(PORT))).or_else(|_| PageServer::start(plan(local(0))))?)
        }
    }
}

fn token(path: &Path) -> Result<Token, Failure> {
    let refuse = |cause: String| {
        Failure::usage(
            format!("--token-file {}", path.display()),
            cause,
            "e.g. openssl rand -hex 32 > token.txt",
        )
    };
    let text = read_small_text(path, TOKEN_BYTES_MAX, "a token", refuse)?;
    Token::chosen(&text).map_err(|error| refuse(error.cause.clone()).with_source(error))
}

fn words(ready: &PageReadyLine) -> String {
    let listed = |paths: &[String]| paths.iter().map(|path| format!("  {path}\n")).collect::<String>();
    let does = if ready.edit { "shows, and lets you tag and annotate," } else { "shows" };
    let mut text = format!("{}\n\nOpen this address in a browser; Ctrl-C ends it. ", ready.url);
    text += &format!("It {does} the runs of\n{}", listed(&ready.stores));
    if !ready.fleets.is_empty() {
        text += &format!("and the fleets of\n{}", listed(&ready.fleets));
    }
    text
}

impl From<PageError> for Failure {
    fn from(error: PageError) -> Self {
        let (status, kind) = match error.kind {
            PageErrorKind::Address | PageErrorKind::Fleet | PageErrorKind::Token => (Status::Usage, "usage"),
            PageErrorKind::System => (Status::Invalid, "system"),
        };
        Self::of(status, kind, error)
    }
}
