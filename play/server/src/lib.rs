//! The page on which people play, served on this machine, with the native engine behind it.
//!
//! The server listens on 127.0.0.1 only. Other web pages that are open in the same browser could send it
//! requests, or name it by a host name of their own. So requests with a foreign `Origin` or `Host` are
//! rejected. Everything is bounded: the number of connections, the time and the size of a request, and the
//! work of its reply, which is that of one reply of a [`Session`](fusion_play::Session).

mod connections;
mod engine;
mod guard;
mod http;
mod sessions;

use anyhow::Context;
pub use connections::Limits;
use engine::Engine;
use guard::Guard;
use http::{Answer, Connection, Head, Rejection, reject};
use sessions::Sessions;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

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
    let engine = Engine::new(Sessions::new(networks).map_err(anyhow::Error::msg)?);
    let page = fusion_page::served_page()?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listener =
        TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))?;
    let address = listener.local_addr()?;
    let front = front.map(|Front { page, report, state }| Served {
        page,
        report,
        state: Mutex::new(state),
    });
    let routes = Routes { guard: Guard::new(address), limits, engine, page, front };
    ready(address);
    connections::serve(&listener, routes)
}

/// What is served under which path.
struct Routes {
    guard: Guard,
    limits: Limits,
    engine: Engine,
    /// The page on which people play.
    page: String,
    front: Option<Served>,
}

/// A [`Front`] whose data are asked for by one thread at a time.
struct Served {
    page: String,
    report: Box<dyn Fn() -> Option<String> + Send + Sync>,
    state: Mutex<Box<dyn FnMut() -> String + Send>>,
}

impl Routes {
    /// Answers a request.
    ///
    /// # Errors
    /// A request of another page, for another path or method, or to the engine and malformed is rejected.
    fn answer(&self, head: &Head, connection: &mut Connection) -> Result<Answer, Rejection> {
        self.guard.check(head)?;
        let is_get = ["GET", "HEAD"].contains(&&*head.method);
        match (&*head.path, &self.front) {
            ("/engine", _) if head.method == "POST" => {
                self.engine.reply(head, connection, &self.limits).map(Answer::json)
            }
            ("/", None) | ("/play.html", Some(_)) if is_get => Ok(Answer::html(self.page.clone())),
            ("/", Some(front)) if is_get => Ok(Answer::html(front.page.clone())),
            ("/report.html", Some(front)) if is_get => {
                let report = caught(|| (front.report)()).flatten();
                report.map(Answer::html).ok_or_else(|| reject(404, "the run has no report yet"))
            }
            ("/state", Some(front)) if is_get => {
                // Whatever a panic has left, the next call reads its data again.
                let state =
                    || front.state.lock().unwrap_or_else(PoisonError::into_inner).as_mut()();
                let failed = || reject(500, "the data could not be read");
                caught(state).map(Answer::json).ok_or_else(failed)
            }
            ("/" | "/engine", _) | ("/play.html" | "/report.html" | "/state", Some(_)) => {
                Err(reject(405, "the path has another method"))
            }
            _ => Err(reject(404, "there is no such page")),
        }
    }
}

/// Calls a function. Returns `None` if it panics: an error in one request must not end the others.
fn caught<T>(call: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(call)).ok()
}
