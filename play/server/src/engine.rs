//! Replies of the engine.

use super::http::{Connection, Head, Rejection, reject};
use super::sessions::Sessions;
use super::{Limits, caught};
use fusion_play::LONGEST_REQUEST;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Requests that are answered or wait for their turn at the same time. More are rejected.
const MOST_WAITING: usize = 64;

/// Name of the header by which a page names its session.
const SESSION: &str = "x-session";
/// Longest name of a session.
const LONGEST_NAME: usize = 64;

/// Pause between two looks for a session that is free.
const PAUSE: Duration = Duration::from_millis(20);

/// The engine behind the page.
pub(crate) struct Engine {
    sessions: Sessions,
    waiting: AtomicUsize,
}

/// A request that is counted until it is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Engine {
    pub(crate) fn new(sessions: Sessions) -> Self {
        Self { sessions, waiting: AtomicUsize::new(0) }
    }

    /// Reads the body of a request to the engine, and returns the reply.
    ///
    /// # Errors
    /// A request that is malformed, too long, late, or one too many is rejected.
    pub(crate) fn reply(
        &self,
        head: &Head,
        connection: &mut Connection,
        limits: &Limits,
    ) -> Result<String, Rejection> {
        let name = session_name(head)?;
        let body = connection.body(head, LONGEST_REQUEST, limits.body)?;
        let text = String::from_utf8(body).map_err(|_| reject(400, "a request is in UTF-8"))?;
        let waiting = Waiting(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::SeqCst) >= MOST_WAITING {
            return Err(reject(503, "too many requests at once"));
        }
        let end = Instant::now() + limits.answer;
        let session = loop {
            match self.sessions.get(&name) {
                Some(session) => break session,
                None if Instant::now() > end => {
                    return Err(reject(408, "the request took too long"));
                }
                None => std::thread::sleep(PAUSE),
            }
        };
        // A session that panicked is not used again: `Sessions::get` replaces it.
        let reply = caught(|| session.lock().ok().map(|mut session| session.handle(&text)));
        drop(waiting);
        reply.flatten().ok_or_else(|| reject(500, "the engine failed; the next request is new"))
    }
}

/// Checks the headers, and returns the name of the session.
fn session_name(head: &Head) -> Result<String, Rejection> {
    if head.header("content-type") != Some("application/json") {
        return Err(reject(415, "a request is application/json"));
    }
    let name = head.header(SESSION).unwrap_or_default();
    if name.len() > LONGEST_NAME {
        return Err(reject(400, "the name of the session is too long"));
    }
    Ok(name.to_owned())
}
