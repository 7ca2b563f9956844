//! The page on which people play, served on this machine, with the native engine behind it.
//!
//! The server listens on 127.0.0.1 only. Other web pages that are open in the same browser could send it
//! requests, or name it by a host name of their own. So requests with a foreign `Origin` or `Host` are
//! rejected. Everything is bounded: the number of connections, the time and the size of a request, and the
//! work of its reply, which is that of one reply of a [`Session`](fusion_play::Session).

mod connections;
mod engine;
mod guard;
mod sessions;

use anyhow::Context;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::response::Html;
use axum::routing::{get, post};
pub use connections::Limits;
use engine::Engine;
use fusion_play::LONGEST_REQUEST;
use sessions::Sessions;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// What is served, and how.
#[derive(Debug, Default)]
pub struct Options {
    /// The port; 0 is any free one.
    pub port: u16,
    /// Networks of either search; a game without one is played by material.
    pub networks: Vec<Vec<u8>>,
    /// Bounds of connections and requests.
    pub limits: Limits,
    /// A page that stands before the one on which people play.
    pub front: Option<Front>,
}

/// A page with data that change while it is open.
///
/// It is served as `/`, its data as `/state`, the report as `/report.html`, and the page on which people play
/// as `/play.html`.
pub struct Front {
    /// The page, as HTML.
    pub page: String,
    /// Returns the report, as HTML, once there is one.
    pub report: Box<dyn Fn() -> Option<String> + Send + Sync>,
    /// Returns the data at this moment, as JSON. It is called by one thread at a time.
    pub state: Box<dyn FnMut() -> String + Send>,
}

impl std::fmt::Debug for Front {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Front").finish_non_exhaustive()
    }
}

/// Serves the page on a port of 127.0.0.1 until the process ends. Calls `ready` with the address.
///
/// # Errors
/// Fails if the network is rejected, or if the port is in use.
///
/// ```no_run
/// use fusion_server::{Options, serve};
///
/// let options = Options { port: 8080, ..Options::default() };
/// serve(options, |address| println!("http://{address}/")).unwrap();
/// ```
pub fn serve(options: Options, ready: impl FnOnce(SocketAddr)) -> anyhow::Result<()> {
    let Options { port, networks, limits, front } = options;
    let sessions = Sessions::new(networks).map_err(anyhow::Error::msg)?;
    let engine = Arc::new(Engine::new(sessions, limits.body));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = tokio::net::TcpListener::bind(address);
        let listener = listener.await.with_context(|| format!("cannot listen on {address}"))?;
        let address = listener.local_addr()?;
        let router = router(engine, front)?;
        let guarded =
            middleware::from_fn_with_state(guard::Guard::new(address, limits), guard::guard);
        ready(address);
        connections::serve(listener, router.layer(guarded), limits).await
    })
}

fn router(engine: Arc<Engine>, front: Option<Front>) -> anyhow::Result<Router> {
    let page = Html(fusion_page::served_page()?);
    let play = get(move || std::future::ready(page));
    let router = Router::new().route("/engine", post(engine::reply)).with_state(engine);
    let router = match front {
        None => router.route("/", play),
        Some(Front { page, report, state }) => router
            .route("/report.html", get(engine::report).with_state(Arc::from(report)))
            .route("/", get(move || std::future::ready(Html(page))))
            .route("/state", get(engine::state).with_state(engine::State::new(state)))
            .route("/play.html", play),
    };
    Ok(router.layer(DefaultBodyLimit::max(LONGEST_REQUEST)))
}
