//! The page on which people play, served on this machine, with the native engine behind it.
//!
//! The server listens on 127.0.0.1 only. Other web pages that are open in the same browser could send it
//! requests, or name it by a host name of their own. So requests with a foreign `Origin` or `Host` are
//! rejected. A request is bounded in size, and its work is that of one reply of a [`Session`].

mod sessions;

use anyhow::Context;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use fusion_play::{LONGEST_REQUEST, Session};
use sessions::Sessions;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Requests that are answered or wait for their turn at the same time. More are rejected.
const MOST_WAITING: usize = 64;

/// Longest time in which a request must have arrived and be answered.
const PATIENCE: Duration = Duration::from_secs(120);

/// Name of the header by which a page names its session.
const SESSION: &str = "x-session";

struct Server {
    page: String,
    /// The values of `Host` that name this server.
    hosts: [String; 2],
    sessions: Sessions,
    waiting: Arc<Semaphore>,
}

type Shared = Arc<Server>;
type Rejection = (StatusCode, &'static str);

/// Serves the page on a port of 127.0.0.1 until the process ends; 0 is any free port. Calls `ready` with the address.
///
/// # Errors
/// Fails if the network is rejected, or if the port is in use.
///
/// ```no_run
/// fusion_server::serve(8080, None, |address| println!("http://{address}/")).unwrap();
/// ```
pub fn serve(
    port: u16,
    network: Option<Vec<u8>>,
    ready: impl FnOnce(SocketAddr),
) -> anyhow::Result<()> {
    let sessions = Sessions::new(network).map_err(anyhow::Error::msg)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = tokio::net::TcpListener::bind(address);
        let listener = listener.await.with_context(|| format!("cannot listen on {address}"))?;
        let address = listener.local_addr()?;
        let server = Arc::new(Server {
            page: fusion_page::served_page()?,
            hosts: ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", address.port())),
            sessions,
            waiting: Arc::new(Semaphore::new(MOST_WAITING)),
        });
        ready(address);
        axum::serve(listener, router(server)).await.context("the server stopped")
    })
}

fn router(server: Shared) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/engine", post(engine))
        .layer(DefaultBodyLimit::max(LONGEST_REQUEST))
        .layer(middleware::from_fn_with_state(server.clone(), guard))
        .with_state(server)
}

/// Rejects requests of other pages and of other names of this machine, and those that take too long.
async fn guard(State(server): State<Shared>, request: Request, next: Next) -> Response {
    if let Err(rejection) = check_origin(&server, request.headers()) {
        return rejection.into_response();
    }
    let answer = tokio::time::timeout(PATIENCE, next.run(request)).await;
    let late = (StatusCode::REQUEST_TIMEOUT, "the request took too long");
    let mut response = answer.unwrap_or_else(|_| late.into_response());
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn check_origin(server: &Server, headers: &HeaderMap) -> Result<(), Rejection> {
    let value = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let is_ours = |host: &str| server.hosts.iter().any(|known| known == host);
    if !value("host").is_some_and(is_ours) {
        return Err((StatusCode::FORBIDDEN, "this server has another name: open 127.0.0.1"));
    }
    let origin = value("origin").map(|origin| origin.strip_prefix("http://").unwrap_or("?"));
    let site = value("sec-fetch-site").unwrap_or("none");
    if !origin.is_none_or(is_ours) || !["same-origin", "none"].contains(&site) {
        return Err((StatusCode::FORBIDDEN, "requests of other pages are rejected"));
    }
    Ok(())
}

async fn page(State(server): State<Shared>) -> Html<String> {
    Html(server.page.clone())
}

/// Answers a request to the engine.
async fn engine(
    State(server): State<Shared>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Rejection> {
    let is_json = headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if !is_json {
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "a request is application/json"));
    }
    let text = String::from_utf8(body.into());
    let text = text.map_err(|_| (StatusCode::BAD_REQUEST, "a request is in UTF-8"))?;
    let name = headers.get(SESSION).and_then(|name| name.to_str().ok()).unwrap_or_default();
    if name.len() > 64 {
        return Err((StatusCode::BAD_REQUEST, "the name of the session is too long"));
    }
    let busy = (StatusCode::SERVICE_UNAVAILABLE, "too many requests at once");
    let permit = server.waiting.clone().try_acquire_owned().map_err(|_| busy)?;
    let session = server.sessions.get(name);
    let answered = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        session
            .lock()
            .map(|mut session: std::sync::MutexGuard<'_, Session>| session.handle(&text))
            .ok()
    });
    // A session that panicked is not used again: `Sessions::get` replaces it.
    let failed = (StatusCode::INTERNAL_SERVER_ERROR, "the engine failed; the next request is new");
    let reply = answered.await.ok().flatten().ok_or(failed)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], reply).into_response())
}
