//! Rejects requests of other pages and of other names of this machine, and those that take too long.

use crate::Limits;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// A status with its reason.
pub(crate) type Rejection = (StatusCode, &'static str);

/// What the guard compares requests with.
#[derive(Clone)]
pub(crate) struct Guard {
    /// The values of `Host` that name this server.
    hosts: Arc<[String; 2]>,
    answer: Duration,
}

impl Guard {
    pub(crate) fn new(address: SocketAddr, limits: Limits) -> Self {
        let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", address.port()));
        Self { hosts: Arc::new(hosts), answer: limits.answer }
    }

    fn check(&self, headers: &HeaderMap) -> Result<(), Rejection> {
        let value = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let is_ours = |host: &str| self.hosts.iter().any(|known| known == host);
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
}

/// Answers a request that is allowed, and adds headers that protect the page.
pub(crate) async fn guard(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    if let Err(rejection) = guard.check(request.headers()) {
        return rejection.into_response();
    }
    let answer = tokio::time::timeout(guard.answer, next.run(request)).await;
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
