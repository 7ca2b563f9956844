//! Connections, with bounds on their number, and on the time and the size of what arrives.

use super::Routes;
use super::http::{Answer, Connection};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Pause after an error of the system, such as one of too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// Bounds of connections and requests.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at the same time. More wait until one is closed.
    pub connections: usize,
    /// Time in which the head of a request must arrive. An idle connection is closed after it.
    pub head: Duration,
    /// Time in which the body of a request must arrive.
    pub body: Duration,
    /// Time in which a request must be answered.
    pub answer: Duration,
    /// Time in which the other side must take a part of the answer.
    pub write: Duration,
}

impl Default for Limits {
    /// Returns bounds that no page comes near: 256 connections, half a minute for parts of a request.
    fn default() -> Self {
        let half_a_minute = Duration::from_secs(30);
        Self {
            connections: 256,
            head: half_a_minute,
            body: half_a_minute,
            answer: Duration::from_secs(120),
            write: half_a_minute,
        }
    }
}

/// The places of connections.
#[derive(Default)]
struct Places {
    taken: Mutex<usize>,
    freed: Condvar,
}

/// A place that is taken until it is dropped.
struct Place(Arc<Places>);

impl Places {
    /// Takes a place. Waits while `most` are taken.
    fn take(self: &Arc<Self>, most: usize) -> Place {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.freed.wait_while(taken, |taken| *taken >= most);
        *waited.unwrap_or_else(PoisonError::into_inner) += 1;
        Place(self.clone())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        *self.0.taken.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.freed.notify_one();
    }
}

/// Answers connections until the process ends, each in a thread of its own.
pub(crate) fn serve(listener: &TcpListener, routes: Routes) -> ! {
    let places = Arc::new(Places::default());
    let routes = Arc::new(routes);
    loop {
        let place = places.take(routes.limits.connections);
        let Ok((stream, _)) = listener.accept() else {
            std::thread::sleep(PAUSE);
            continue;
        };
        let routes = routes.clone();
        let answering = std::thread::Builder::new().spawn(move || {
            let _place = place;
            // An error means that the other side has left or does not read.
            let _ = answer(stream, &routes);
        });
        if answering.is_err() {
            std::thread::sleep(PAUSE);
        }
    }
}

/// Reads the request of a connection and answers it. One without a request is closed.
fn answer(stream: TcpStream, routes: &Routes) -> std::io::Result<()> {
    let mut connection = Connection::new(stream, routes.limits.write)?;
    match connection.head(routes.limits.head) {
        Ok(None) => Ok(()),
        Ok(Some(head)) => {
            let answer = routes.answer(&head, &mut connection).unwrap_or_else(Answer::from);
            connection.answer(&answer, head.method != "HEAD")
        }
        Err(rejection) => connection.answer(&rejection.into(), true),
    }
}
