//! Which answer a path has.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{get, post};
use serde::Deserialize;

use crate::answer::{Answer, Refusal, answer};
use crate::assets::{self, ABSENT};
use crate::guard::{self, Guard, refused};
use crate::live_feed::{self, Feed};
use crate::shelf::Shelf;

/// Largest body of a request.
const BODY_MAX: usize = 64 << 10;
/// How long a client may take to send it.
const BODY_TIME: Duration = Duration::from_secs(10);

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) guard: Guard,
    pub(crate) shelf: Mutex<Shelf>,
    /// Folders of live seconds.
    pub(crate) live: Vec<PathBuf>,
}

/// The routes, behind the guard.
pub(crate) fn routes(shared: Arc<Shared>) -> Router {
    Router::new()
        .route(guard::SESSION, post(session))
        .route("/api/running", get(running))
        .route("/api/live", get(live))
        .route("/api/{*path}", get(api))
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
    // What a form of another site can send has another type.
    let is_json = request.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    let body = tokio::time::timeout(BODY_TIME, to_bytes(request.into_body(), BODY_MAX)).await;
    let Ok(Ok(body)) = body else {
        return refused(&Refusal::new(
            413,
            "request",
            "the body is larger than 64 KiB, or did not come in 10 s",
        ));
    };
    let admission = serde_json::from_slice::<Admission>(&body).ok().filter(|_| is_json);
    let Some(admission) = admission else {
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

/// What is asked of runs. It is read on another thread, so that connections are served meanwhile.
async fn api(State(shared): State<Arc<Shared>>, uri: Uri) -> Response {
    let given = tokio::task::spawn_blocking(move || {
        let path = uri.path().strip_prefix("/api/").unwrap_or_default();
        let mut shelf = shared.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        answer(&mut shelf, path, uri.query().unwrap_or_default())
    });
    match given.await {
        Ok(Ok(Answer::Json(bytes))) => content("application/json", bytes),
        Ok(Ok(Answer::Columns(bytes))) => content("application/octet-stream", bytes),
        Ok(Err(refusal)) => refused(&refusal),
        Err(_) => refused(&Refusal::new(500, "system", "reading the store failed")),
    }
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
