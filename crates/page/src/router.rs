//! Which answer a path has.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{get, post};
use serde::Deserialize;

use crate::answer::{Answer, Refusal, answer};
use crate::assets::{self, ABSENT};
use crate::edit::{Editor, edit};
use crate::guard::{self, Guard, refused};
use crate::live_feed::{self, Feed};
use crate::shelf::Shelf;

/// Largest body of a request.
const BODY_MAX: usize = 64 << 10;
/// Says that a request was made on purpose.
const MARKED: &str = "x-fathom";
/// How long a client may take to send it.
const BODY_TIME: Duration = Duration::from_secs(10);

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) guard: Guard,
    pub(crate) shelf: Mutex<Shelf>,
    /// Folders of live seconds.
    pub(crate) live: Vec<PathBuf>,
    /// Who may change what people say; absent where nobody may.
    pub(crate) editor: Option<Editor>,
}

/// The routes, behind the guard.
pub(crate) fn routes(shared: Arc<Shared>) -> Router {
    Router::new()
        .route(guard::SESSION, post(session))
        .route("/api/running", get(running))
        .route("/api/live", get(live))
        .route("/api/{*path}", get(api).post(change))
        .route("/theme.css", get(theme))
        .fallback(get(file))
        .layer(from_fn_with_state(Arc::clone(&shared), guard::watch))
        .with_state(shared)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Admission {
    token: String,
}

/// Exchanges the token for a cookie.
async fn session(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let body = match json_body(request).await {
        Ok(body) => body,
        Err(refusal) => return refused(&refusal),
    };
    let Ok(admission) = fathom_json::read_bytes::<Admission>(&body) else {
        return refused(&Refusal::new(400, "request", "the body is not a token in JSON"));
    };
    match shared.guard.admit(&admission.token) {
        Some(cookie) => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NO_CONTENT;
            response.headers_mut().insert(header::SET_COOKIE, cookie);
            response
        }
        None => refused(&Refusal::new(
            403,
            "session",
            "that token is not this server's: open the address that `fathom serve` printed last",
        )),
    }
}

/// The JSON that a request brings.
async fn json_body(request: Request) -> Result<Bytes, Refusal> {
    // What a form of another site can send has another type.
    let is_json = request.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    let body = tokio::time::timeout(BODY_TIME, to_bytes(request.into_body(), BODY_MAX)).await;
    let Ok(Ok(body)) = body else {
        let cause = "the body is larger than 64 KiB, or did not come in 10 s";
        return Err(Refusal::new(413, "request", cause));
    };
    if is_json {
        Ok(body)
    } else {
        Err(Refusal::new(400, "request", "the body is not of type application/json"))
    }
}

/// Something that is to be changed.
async fn change(State(shared): State<Arc<Shared>>, request: Request) -> Response {
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

fn given(answer: Result<Result<Answer, Refusal>, Refusal>) -> Response {
    match answer {
        Ok(Ok(Answer::Json(bytes))) => content("application/json", bytes),
        Ok(Ok(Answer::Columns(bytes))) => content("application/octet-stream", bytes),
        Ok(Err(refusal)) | Err(refusal) => refused(&refusal),
    }
}

/// What is asked of runs. It is read on another thread, so that connections are served meanwhile.
async fn api(State(shared): State<Arc<Shared>>, uri: Uri) -> Response {
    let read = tokio::task::spawn_blocking(move || {
        let path = uri.path().strip_prefix("/api/").unwrap_or_default();
        let mut shelf = shared.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        answer(&mut shelf, path, uri.query().unwrap_or_default())
    });
    given(read.await.map_err(|_| Refusal::new(500, "system", "reading failed")))
}

/// What runs on this machine now. It lies in memory, and is read at once.
async fn running(State(shared): State<Arc<Shared>>, uri: Uri) -> Response {
    match live_feed::running(&shared.live, uri.query().unwrap_or_default()) {
        Ok(bytes) => content("application/json", bytes),
        Err(refusal) => refused(&refusal),
    }
}

/// How one of them goes, as it goes.
async fn live(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap) -> Response {
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    match Feed::of(&shared.live, uri.query().unwrap_or_default(), last) {
        Ok(feed) => {
            let mut response = Response::new(Body::new(feed));
            let media_type = HeaderValue::from_static("text/event-stream");
            response.headers_mut().insert(header::CONTENT_TYPE, media_type);
            response
        }
        Err(refusal) => refused(&refusal),
    }
}

/// Colours in both themes, as the pages of `fathom report` have them.
async fn theme() -> Response {
    content("text/css; charset=utf-8", fathom_report::html::theme().into_bytes())
}

/// One of the page's own files.
async fn file(uri: Uri, headers: HeaderMap) -> Response {
    let Some(asset) = assets::find(uri.path()) else {
        if uri.path() == "/" {
            return content("text/plain; charset=utf-8", ABSENT.as_bytes().to_vec());
        }
        return refused(&Refusal::new(404, "not_found", "nothing is served at that path"));
    };
    let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|tag| tag == asset.tag);
    let mut response = content(asset.media_type, if is_known { Vec::new() } else { asset.bytes.to_vec() });
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    response.headers_mut().insert(header::ETAG, HeaderValue::from_static(asset.tag));
    response
}

fn content(media_type: &'static str, bytes: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(bytes));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}
