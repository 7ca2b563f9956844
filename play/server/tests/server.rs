//! The server over real connections.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::time::Duration;

/// Starts a server, which ends with the test's process.
fn start() -> SocketAddr {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        fusion_server::serve(0, None, |address| sender.send(address).unwrap()).unwrap();
    });
    receiver.recv_timeout(Duration::from_secs(20)).unwrap()
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

/// Sends a text and returns the whole answer. The server closes the connection.
fn send(address: SocketAddr, text: &str) -> String {
    let mut stream = connect(address);
    // A server that rejects a long request may close the connection before it has read it all.
    let _ = stream.write_all(text.as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn post(address: SocketAddr, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST /engine HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )
}

const JSON: &str = "Content-Type: application/json\r\n";

#[test]
fn the_page_and_the_engine_answer() {
    let address = start();
    let page =
        send(address, &format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"));
    assert!(page.starts_with("HTTP/1.1 200 OK") && page.contains("data-server=\"yes\""));
    assert!(page.contains("frame-ancestors 'none'"));
    let body = r#"{"request": "count", "at": {"rules": "orthodox"}, "depth": 2}"#;
    let own = format!("{JSON}Origin: http://{address}\r\nSec-Fetch-Site: same-origin\r\n");
    assert!(send(address, &post(address, &own, body)).ends_with("{\"ok\":400}"));
    // Malformed requests are answered by the reason.
    let answer = send(address, &post(address, JSON, "{"));
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("not a request"), "{answer}");
}

#[test]
fn foreign_and_oversized_requests_are_rejected() {
    let address = start();
    let status = |text: &str| send(address, text).lines().next().unwrap_or_default().to_owned();
    let body = r#"{"request": "start"}"#;
    for (headers, expected) in [
        (format!("{JSON}Origin: https://example.org\r\n"), "403"),
        (format!("{JSON}Origin: null\r\n"), "403"),
        (format!("{JSON}Origin: http://localhost:1\r\n"), "403"),
        (format!("{JSON}Sec-Fetch-Site: cross-site\r\n"), "403"),
        ("Content-Type: text/plain\r\n".to_owned(), "415"),
        (String::new(), "415"),
        (format!("{JSON}X-Session: {}\r\n", "x".repeat(65)), "400"),
        (JSON.to_owned(), "200"),
    ] {
        let line = status(&post(address, &headers, body));
        assert!(line.contains(expected), "{headers}: {line}");
    }
    let port = address.port();
    for (host, expected) in [
        (format!("localhost:{port}"), "200"),
        (format!("rebound.example.org:{port}"), "403"),
        ("127.0.0.1".to_owned(), "403"),
    ] {
        let line = status(&format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
        assert!(line.contains(expected), "{host}: {line}");
    }
    let line = status(&post(address, JSON, &"x".repeat(1 << 20)));
    assert!(line.contains("413") || line.is_empty(), "{line}");
    assert!(status("DANCE\r\n\r\n").contains("400"));
    let line = status(&format!(
        "GET /../etc/hosts HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    ));
    assert!(line.contains("404"), "{line}");
}

#[test]
fn many_connections_at_once_harm_nothing() {
    let address = start();
    let body = r#"{"request": "count", "at": {"rules": "fusion-2020"}, "depth": 1}"#;
    let text = post(address, JSON, body);
    let (head, rest) = text.split_at(40);
    let mut streams: Vec<TcpStream> = (0..200).map(|_| connect(address)).collect();
    streams.iter_mut().for_each(|stream| stream.write_all(head.as_bytes()).unwrap());
    // They are all open, and another one is answered.
    assert!(send(address, &text).ends_with("{\"ok\":22}"));
    streams.iter_mut().for_each(|stream| stream.write_all(rest.as_bytes()).unwrap());
    let answers = streams.iter_mut().map(|stream| {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    });
    let answers: Vec<String> = answers.collect();
    let good = answers.iter().filter(|answer| answer.ends_with("{\"ok\":22}")).count();
    let busy = answers.iter().filter(|answer| answer.starts_with("HTTP/1.1 503")).count();
    assert!(good > 0 && good + busy == 200, "{good} answered, {busy} rejected");
    assert!(send(address, &text).ends_with("{\"ok\":22}"));
}
