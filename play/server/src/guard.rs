//! Rejects requests of other pages and of other names of this machine, and those that take too long.

use crate::Limits;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::SocketAddr;
use std::time::Duration;

/// A status with its reason.
pub(crate) type Rejection = (StatusCode, &'static str);

/// Names of this machine in an address.
const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];
/// The port of an address that names none.
const DEFAULT_PORT: u16 = 80;

/// What the guard compares requests with.
#[derive(Clone)]
pub(crate) struct Guard {
    port: u16,
    answer: Duration,
}

impl Guard {
    pub(crate) fn new(address: SocketAddr, limits: Limits) -> Self {
        Self { port: address.port(), answer: limits.answer }
    }

    /// Returns whether a host with its port names this server. Browsers leave out the port 80.
    fn is_ours(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, "")) => (name, Some(DEFAULT_PORT)),
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(DEFAULT_PORT)),
        };
        port == Some(self.port) && NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    fn check(&self, headers: &HeaderMap) -> Result<(), (StatusCode, String)> {
        let value = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let is_ours = |host: &str| self.is_ours(host);
        if !value("host").is_some_and(is_ours) {
            let address = format!("http://127.0.0.1:{}/", self.port);
            let reason = format!("this server has another name: open {address}");
            return Err((StatusCode::FORBIDDEN, reason));
        }
        let origin = value("origin").map(|origin| origin.strip_prefix("http://").unwrap_or("?"));
        let site = value("sec-fetch-site").unwrap_or("none");
        if !origin.is_none_or(is_ours) || !["same-origin", "none"].contains(&site) {
            let reason = "requests of other pages are rejected".to_owned();
            return Err((StatusCode::FORBIDDEN, reason));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the status of a request with these headers to a server at a port.
    fn allows(port: u16, host: &str, origin: Option<&str>) -> bool {
        let guard = Guard::new(SocketAddr::from(([127, 0, 0, 1], port)), Limits::default());
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        guard.check(&headers).is_ok()
    }

    #[test]
    fn port_80_may_be_left_out() {
        for name in ["127.0.0.1", "localhost", "[::1]", "LocalHost"] {
            for host in [name.to_owned(), format!("{name}:80"), format!("{name}:")] {
                assert!(allows(80, &host, None), "{host}");
                assert!(allows(80, &host, Some(&format!("http://{name}"))), "{host}");
                assert!(!allows(8080, &host, None), "{host}");
                assert!(!allows(80, &host, Some(&format!("http://{name}:8080"))), "{host}");
                assert!(!allows(80, &host, Some(&format!("https://{name}"))), "{host}");
            }
            let host = format!("{name}:8080");
            assert!(
                allows(8080, &host, Some(&format!("http://{host}"))) && !allows(80, &host, None)
            );
        }
        for host in ["example.org", "example.org:80", "127.0.0.1.example.org", "::1", "", ":80"] {
            assert!(!allows(80, host, None), "{host}");
        }
    }
}
