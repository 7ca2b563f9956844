//! Connections, with bounds on their number, and on the time and the size of what arrives.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

/// Most bytes of a request's head.
const LONGEST_HEAD: usize = 32 << 10;

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

/// Answers connections until the process ends.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
) -> anyhow::Result<()> {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(LONGEST_HEAD);
    let open = Arc::new(Semaphore::new(limits.connections));
    loop {
        let permit = open.clone().acquire_owned().await?;
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.write));
        let service = TowerToHyperService::new(router.clone());
        let connection = http.serve_connection(TokioIo::new(Box::pin(stream)), service);
        tokio::spawn(async move {
            let _permit = permit;
            // The other side has left, or has sent what is no request: it has had its answer.
            let _ = connection.await;
        });
    }
}
