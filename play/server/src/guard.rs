//! Rejects requests of other pages and of other names of this machine.

use super::http::{Head, Rejection, reject};
use std::net::SocketAddr;

/// Names of this machine in an address.
const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];
/// The port of an address that names none.
const DEFAULT_PORT: u16 = 80;

/// What requests are compared with.
pub(crate) struct Guard {
    port: u16,
}

impl Guard {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { port: address.port() }
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

    /// Checks where a request comes from.
    ///
    /// # Errors
    /// Rejects a request of another page, or under another name.
    pub(crate) fn check(&self, head: &Head) -> Result<(), Rejection> {
        let is_ours = |host: &str| self.is_ours(host);
        if !head.header("host").is_some_and(is_ours) {
            let address = format!("http://127.0.0.1:{}/", self.port);
            return Err(reject(403, format!("this server has another name: open {address}")));
        }
        let origin = head.header("origin");
        let origin = origin.map(|origin| origin.strip_prefix("http://").unwrap_or("?"));
        let site = head.header("sec-fetch-site").unwrap_or("none");
        if !origin.is_none_or(is_ours) || !["same-origin", "none"].contains(&site) {
            return Err(reject(403, "requests of other pages are rejected"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the status of a request with these headers to a server at a port.
    fn allows(port: u16, host: &str, origin: Option<&str>) -> bool {
        let guard = Guard::new(SocketAddr::from(([127, 0, 0, 1], port)));
        let headers: Vec<_> =
            [("host", host)].into_iter().chain(origin.map(|origin| ("origin", origin))).collect();
        guard.check(&Head::with_headers(&headers)).is_ok()
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
