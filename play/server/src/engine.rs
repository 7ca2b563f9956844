//! Replies of the engine, and the data of the front page.

use crate::guard::Rejection;
use crate::sessions::Sessions;
use axum::body::Bytes;
use axum::extract::{self, FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Requests that are answered or wait for their turn at the same time. More are rejected.
const MOST_WAITING: usize = 64;

/// Name of the header by which a page names its session.
const SESSION: &str = "x-session";
/// Longest name of a session.
const LONGEST_NAME: usize = 64;

/// Pause between two looks for a session that is free.
const PAUSE: Duration = Duration::from_millis(20);

const BUSY: Rejection = (StatusCode::SERVICE_UNAVAILABLE, "too many requests at once");
const FAILED: Rejection =
    (StatusCode::INTERNAL_SERVER_ERROR, "the engine failed; the next request is new");

/// The engine behind the page.
pub(crate) struct Engine {
    sessions: Sessions,
    waiting: Arc<Semaphore>,
    body: Duration,
}

impl Engine {
    pub(crate) fn new(sessions: Sessions, body: Duration) -> Self {
        Self { sessions, waiting: Arc::new(Semaphore::new(MOST_WAITING)), body }
    }
}

/// Answers a request to the engine.
pub(crate) async fn reply(
    extract::State(engine): extract::State<Arc<Engine>>,
    request: Request,
) -> Response {
    let name = match session_name(request.headers()) {
        Ok(name) => name,
        Err(rejection) => return rejection.into_response(),
    };
    let late = (StatusCode::REQUEST_TIMEOUT, "the body of the request did not arrive in time");
    let body = match tokio::time::timeout(engine.body, Bytes::from_request(request, &())).await {
        Ok(Ok(body)) => body,
        Ok(Err(rejection)) => return rejection.into_response(),
        Err(_) => return late.into_response(),
    };
    match answer(engine, name, body).await {
        Ok(reply) => json(reply),
        Err(rejection) => rejection.into_response(),
    }
}

fn json(text: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// Checks the headers, and returns the name of the session.
fn session_name(headers: &HeaderMap) -> Result<String, Rejection> {
    if headers.get(header::CONTENT_TYPE).is_none_or(|kind| kind != "application/json") {
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "a request is application/json"));
    }
    let name = headers.get(SESSION).and_then(|name| name.to_str().ok()).unwrap_or_default();
    if name.len() > LONGEST_NAME {
        return Err((StatusCode::BAD_REQUEST, "the name of the session is too long"));
    }
    Ok(name.to_owned())
}

async fn answer(engine: Arc<Engine>, name: String, body: Bytes) -> Result<String, Rejection> {
    let text = String::from_utf8(body.into());
    let text = text.map_err(|_| (StatusCode::BAD_REQUEST, "a request is in UTF-8"))?;
    let permit = engine.waiting.clone().try_acquire_owned().map_err(|_| BUSY)?;
    // The guard bounds the time of the whole answer.
    let session = loop {
        match engine.sessions.get(&name) {
            Some(session) => break session,
            None => tokio::time::sleep(PAUSE).await,
        }
    };
    let answered = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        session.lock().map(|mut session| session.handle(&text)).ok()
    });
    // A session that panicked is not used again: `Sessions::get` replaces it.
    answered.await.ok().flatten().ok_or(FAILED)
}

/// The function that returns the data of the front page.
#[derive(Clone)]
pub(crate) struct State(Arc<Mutex<Box<dyn FnMut() -> String + Send>>>);

impl State {
    pub(crate) fn new(state: Box<dyn FnMut() -> String + Send>) -> Self {
        Self(Arc::new(Mutex::new(state)))
    }
}

/// Answers with the data of the front page.
pub(crate) async fn state(
    extract::State(State(state)): extract::State<State>,
) -> Result<Response, Rejection> {
    let made = tokio::task::spawn_blocking(move || {
        // Whatever a panic has left, the next call reads its data again.
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state()
    });
    let failed = (StatusCode::INTERNAL_SERVER_ERROR, "the data could not be read");
    made.await.map(json).map_err(|_| failed)
}
