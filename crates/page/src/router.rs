//! Which answer a path has.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http_body_util::{BodyExt, Either, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Method, Request, Response, StatusCode, Uri};
use serde::Deserialize;

use crate::answer::{Answer, Refusal, answer};
use crate::assets::{self, ABSENT};
use crate::edit::{Editor, edit};
use crate::live_feed::{self, Feed};
use crate::request_guard::{self, Guard};
use crate::shelf::Shelf;

/// Largest body of a request.
const BODY_MAX: usize = 64 << 10;
/// Says that a request was made on purpose.
const MARKED: &str = "x-fathom";
/// How long a client may take to send it.
const BODY_TIME: Duration = Duration::from_secs(10);

/// What all requests share.
#[derive(Debug)]
pub(crate) struct ServerState {
    pub(crate) guard: Guard,
    pub(crate) shelf: Mutex<Shelf>,
    /// Folders of live seconds.
    pub(crate) live: Vec<PathBuf>,
    /// Who may change what people say; absent where nobody may.
    pub(crate) editor: Option<Editor>,
}

/// What a request is answered with: something whole, or a feed that goes on.
pub(crate) type Reply = Response<Either<Full<Bytes>, Feed>>;

/// The answer to a request, if the guard lets it in.
pub(crate) async fn respond(shared: Arc<ServerState>, request: Request<Incoming>) -> Reply {
    let is_api = request_guard::is_api(request.uri().path());
    let mut reply = match shared.guard.judge(request.uri(), request.headers()) {
        Ok(()) => route(shared, request).await,
        Err(refusal) => refused(&refusal),
    };
    request_guard::protect(reply.headers_mut(), is_api);
    reply
}

async fn route(shared: Arc<ServerState>, request: Request<Incoming>) -> Reply {
    let (uri, headers) = (request.uri(), request.headers());
    // What HEAD asks for is GET's answer, of which the connection sends the headers alone.
    let method = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
    match (method, uri.path()) {
        (&Method::POST, request_guard::SESSION) => session(&shared, request).await,
        (&Method::GET, "/api/running") => running(&shared, uri),
        (&Method::GET, "/api/live") => live(&shared, uri, headers),
        (_, request_guard::SESSION) => unfit("POST"),
        (_, "/api/running" | "/api/live") => unfit("GET, HEAD"),
        (&Method::GET, path) if request_guard::is_api(path) => api(shared, uri.clone()).await,
        (&Method::POST, path) if request_guard::is_api(path) => change(shared, request).await,
        (_, path) if request_guard::is_api(path) => unfit("GET, HEAD, POST"),
        (&Method::GET, "/theme.css") => theme(),
        (&Method::GET, path) => file(path, headers),
        _ => unfit("GET, HEAD"),
    }
}

/// The answer to a method that its path does not have.
fn unfit(allowed: &'static str) -> Reply {
    let mut reply = refused(&Refusal::new(405, "request", format!("that path takes {allowed} alone")));
    reply.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    reply
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Admission {
    token: String,
}

/// Exchanges the token for a cookie.
async fn session(shared: &ServerState, request: Request<Incoming>) -> Reply {
    let body = match json_body(request).await {
        Ok(body) => body,
        Err(refusal) => return refused(&refusal),
    };
    let Ok(admission) = fathom_json::read_bytes::<Admission>(&body) else {
        return refused(&Refusal::new(400, "request", "the body is not a token in JSON"));
    };
    match shared.guard.admit(&admission.token) {
        Some(cookie) => {
            let mut reply = whole(Vec::new());
            *reply.status_mut() = StatusCode::NO_CONTENT;
            reply.headers_mut().insert(header::SET_COOKIE, cookie);
            reply
        }
        None => refused(&Refusal::new(
            403,
            "session",
            "that token is not this server's: open the address that `fathom serve` printed last",
        )),
    }
}

/// The JSON that a request brings.
async fn json_body(request: Request<Incoming>) -> Result<Bytes, Refusal> {
    // What a form of another site can send has another type.
    let is_json = request.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    let body = Limited::new(request.into_body(), BODY_MAX).collect();
    let body = tokio::time::timeout(BODY_TIME, body).await;
    let Ok(Ok(body)) = body else {
        let cause = "the body is larger than 64 KiB, or did not come in 10 s";
        return Err(Refusal::new(413, "request", cause));
    };
    if is_json {
        Ok(body.to_bytes())
    } else {
        Err(Refusal::new(400, "request", "the body is not of type application/json"))
    }
}

/// Something that is to be changed.
async fn change(shared: Arc<ServerState>, request: Request<Incoming>) -> Reply {
    if shared.editor.is_none() {
        let cause = "this page shows and changes nothing";
        let remedy = "to change tags, notes, marks and baselines on it, start it with: fathom serve --edit";
        return refused(&Refusal::new(403, "read_only", cause).with_remedy(remedy));
    }
    // Pages of other origins cannot set it without being asked for.
    if request.headers().get(MARKED).is_none_or(|value| value != "1") {
        let remedy = "add the header X-Fathom: 1";
        return refused(
            &Refusal::new(403, "request", "a change needs a header of its own").with_remedy(remedy),
        );
    }
    let path = request.uri().path().to_owned();
    let body = match json_body(request).await {
        Ok(body) => body,
        Err(refusal) => return refused(&refusal),
    };
    let made = tokio::task::spawn_blocking(move || {
        let Some(editor) = &shared.editor else { return Err(Refusal::no_such("nothing is changed here")) };
        let mut shelf = shared.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        edit(&mut shelf, editor, path.strip_prefix("/api/").unwrap_or_default(), &body)
    });
    given(made.await.map_err(|_| Refusal::new(500, "system", "writing the store failed")))
}

fn given(answer: Result<Result<Answer, Refusal>, Refusal>) -> Reply {
    match answer {
        Ok(Ok(Answer::Json(bytes))) => content("application/json", bytes),
        Ok(Ok(Answer::Columns(bytes))) => content("application/octet-stream", bytes),
        Ok(Err(refusal)) | Err(refusal) => refused(&refusal),
    }
}

/// What is asked of runs. It is read on another thread, so that connections are served meanwhile.
async fn api(shared: Arc<ServerState>, uri: Uri) -> Reply {
    let read = tokio::task::spawn_blocking(move || {
        let path = uri.path().strip_prefix("/api/").unwrap_or_default();
        let mut shelf = shared.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        answer(&mut shelf, path, uri.query().unwrap_or_default())
    });
    given(read.await.map_err(|_| Refusal::new(500, "system", "reading failed")))
}

/// What runs on this machine now. It lies in memory, and is read at once.
fn running(shared: &ServerState, uri: &Uri) -> Reply {
    match live_feed::running(&shared.live, uri.query().unwrap_or_default()) {
        Ok(bytes) => content("application/json", bytes),
        Err(refusal) => refused(&refusal),
    }
}

/// How one of them goes, as it goes.
fn live(shared: &ServerState, uri: &Uri, headers: &HeaderMap) -> Reply {
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    match Feed::of(&shared.live, uri.query().unwrap_or_default(), last) {
        Ok(feed) => {
            let mut reply = Response::new(Either::Right(feed));
            let media_type = HeaderValue::from_static("text/event-stream");
            reply.headers_mut().insert(header::CONTENT_TYPE, media_type);
            reply
        }
        Err(refusal) => refused(&refusal),
    }
}

/// Colours in both themes, as the pages of `fathom report` have them.
fn theme() -> Reply {
    content("text/css; charset=utf-8", fathom_report::html::theme().into_bytes())
}

/// One of the page's own files.
fn file(path: &str, headers: &HeaderMap) -> Reply {
    let Some(asset) = assets::find(path) else {
        if path == "/" {
            return content("text/plain; charset=utf-8", ABSENT.as_bytes().to_vec());
        }
        return refused(&Refusal::new(404, "not_found", "nothing is served at that path"));
    };
    let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|tag| tag == asset.tag);
    let mut reply = content(asset.media_type, if is_known { Vec::new() } else { asset.bytes.to_vec() });
    if is_known {
        *reply.status_mut() = StatusCode::NOT_MODIFIED;
    }
    reply.headers_mut().insert(header::ETAG, HeaderValue::from_static(asset.tag));
    reply
}

fn whole(bytes: Vec<u8>) -> Reply {
    Response::new(Either::Left(Full::new(Bytes::from(bytes))))
}

fn content(media_type: &'static str, bytes: Vec<u8>) -> Reply {
    let mut reply = whole(bytes);
    reply.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    reply
}

/// A refusal as an answer.
fn refused(refusal: &Refusal) -> Reply {
    let mut reply = content("application/json", refusal.document());
    *reply.status_mut() = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    reply
}
