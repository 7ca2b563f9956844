//! HTTP/1.1 as the page needs it: one request a connection, bounded in size and time.

use std::borrow::Cow;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// Most bytes of a request's head.
const LONGEST_HEAD: usize = 32 << 10;
/// Most headers of a request.
const MOST_HEADERS: usize = 100;
/// Time and bytes for which a request that is not read to its end is still received, so that its sender
/// reads the answer before the connection is reset.
const LINGER: (Duration, usize) = (Duration::from_secs(2), 4 << 20);

/// An answer to a request.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// Status code.
    pub(crate) status: u16,
    /// Media type of the body.
    pub(crate) kind: &'static str,
    pub(crate) body: Cow<'static, str>,
}

/// A status with its reason.
pub(crate) type Rejection = (u16, Cow<'static, str>);

impl Answer {
    pub(crate) fn html(body: impl Into<Cow<'static, str>>) -> Self {
        Self { status: 200, kind: "text/html; charset=utf-8", body: body.into() }
    }

    pub(crate) fn json(body: String) -> Self {
        Self { status: 200, kind: "application/json", body: body.into() }
    }
}

impl From<Rejection> for Answer {
    fn from((status, reason): Rejection) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", body: reason }
    }
}

/// Returns a status with its reason.
pub(crate) fn reject(status: u16, reason: impl Into<Cow<'static, str>>) -> Rejection {
    (status, reason.into())
}

/// The head of a request.
#[derive(Debug, Default)]
pub(crate) struct Head {
    pub(crate) method: String,
    /// The path, without a query.
    pub(crate) path: String,
    /// Names in lower case, with their values.
    headers: Vec<(String, String)>,
}

impl Head {
    /// Returns the value of a header whose name is given in lower case; `?` if it is no text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the length of the body.
    ///
    /// # Errors
    /// A request whose length is not a number, or is given twice or not at all, is rejected.
    fn length(&self) -> Result<usize, Rejection> {
        let lengths = self.headers.iter().filter(|(name, _)| name == "content-length");
        let lengths: Vec<&str> = lengths.map(|(_, value)| value.as_str()).collect();
        match lengths[..] {
            _ if self.header("transfer-encoding").is_some() => {
                Err(reject(411, "the length of the body is missing"))
            }
            [] => Ok(0),
            [length] if length.bytes().all(|byte| byte.is_ascii_digit()) => {
                length.parse().map_err(|_| reject(413, "the request is too long"))
            }
            _ => Err(reject(400, "the length of the body is not clear")),
        }
    }

    fn parse(bytes: &[u8]) -> Result<Option<(Self, usize)>, Rejection> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        let length = match request.parse(bytes) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(httparse::Error::TooManyHeaders) => return Err(reject(431, "too many headers")),
            Err(httparse::Error::Version) => return Err(reject(505, "this server has HTTP/1.1")),
            Err(error) => return Err(reject(400, error.to_string())),
        };
        let target = request.path.unwrap_or_default();
        let path = target.split('?').next().unwrap_or_default().to_owned();
        let text = |value: &[u8]| str::from_utf8(value).unwrap_or("?").to_owned();
        let headers = request.headers.iter();
        let headers = headers.map(|header| (header.name.to_lowercase(), text(header.value)));
        let method = request.method.unwrap_or_default().to_owned();
        let head = Self { method, path, headers: headers.collect() };
        if head.headers.iter().filter(|(name, _)| name == "host").count() > 1 {
            return Err(reject(400, "a request names one host"));
        }
        Ok(Some((head, length)))
    }

    #[cfg(test)]
    pub(crate) fn with_headers(headers: &[(&str, &str)]) -> Self {
        let owned = headers.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
        Self { headers: owned.collect(), ..Self::default() }
    }
}

/// A connection with one request.
pub(crate) struct Connection {
    stream: TcpStream,
    /// What was received after the head.
    received: Vec<u8>,
}

impl Connection {
    /// Takes a connection. `write` is the time in which the other side must take a part of the answer.
    ///
    /// # Errors
    /// Fails if the other side has left.
    pub(crate) fn new(stream: TcpStream, write: Duration) -> io::Result<Self> {
        stream.set_write_timeout(Some(write))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, received: Vec::new() })
    }

    /// Receives more bytes until `end`. Returns their number: 0 if the other side has sent all.
    fn receive(&mut self, end: Instant) -> io::Result<usize> {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        let mut part = [0; 8 << 10];
        let length = self.stream.read(&mut part)?;
        self.received.extend_from_slice(&part[..length]);
        Ok(length)
    }

    /// Reads the head of the request in this time. Returns `None` if none arrives.
    ///
    /// # Errors
    /// Rejects a head that is too long or malformed.
    pub(crate) fn head(&mut self, time: Duration) -> Result<Option<Head>, Rejection> {
        let end = Instant::now() + time;
        loop {
            if let Some((head, length)) = Head::parse(&self.received)? {
                self.received.drain(..length);
                return Ok(Some(head));
            }
            if self.received.len() > LONGEST_HEAD {
                return Err(reject(431, "the head of the request is too long"));
            }
            match self.receive(end) {
                Ok(0) | Err(_) => return Ok(None),
                Ok(_) => {}
            }
        }
    }

    /// Reads the body of the request in this time.
    ///
    /// # Errors
    /// Rejects a body that is too long, late or incomplete.
    pub(crate) fn body(
        &mut self,
        head: &Head,
        longest: usize,
        time: Duration,
    ) -> Result<Vec<u8>, Rejection> {
        let length = head.length()?;
        if length > longest {
            return Err(reject(413, "the request is too long"));
        }
        let end = Instant::now() + time;
        while self.received.len() < length {
            match self.receive(end) {
                Ok(0) => return Err(reject(400, "the body of the request is incomplete")),
                Ok(_) => {}
                Err(_) => {
                    return Err(reject(408, "the body of the request did not arrive in time"));
                }
            }
        }
        self.received.truncate(length);
        Ok(std::mem::take(&mut self.received))
    }

    /// Sends the answer, without its body to a `HEAD` request, and closes the connection.
    ///
    /// # Errors
    /// Fails if the other side has left or does not read.
    pub(crate) fn answer(mut self, answer: &Answer, with_body: bool) -> io::Result<()> {
        let Answer { status, kind, body } = answer;
        let head = format!(
            "HTTP/1.1 {status} {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\
             X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n\
             Content-Security-Policy: frame-ancestors 'none'\r\nReferrer-Policy: no-referrer\r\n\r\n",
            phrase(*status),
            body.len()
        );
        self.stream.write_all(head.as_bytes())?;
        if with_body {
            self.stream.write_all(body.as_bytes())?;
        }
        self.stream.shutdown(Shutdown::Write)?;
        let (time, most) = LINGER;
        let (end, mut bytes) = (Instant::now() + time, 0);
        while bytes < most {
            self.received.clear();
            match self.receive(end)? {
                0 => break,
                length => bytes += length,
            }
        }
        Ok(())
    }
}

/// Returns the phrase of a status (RFC 9110, section 15).
fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        _ => "Internal Server Error",
    }
}
