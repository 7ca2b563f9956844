//! The server over real connections.

use fusion_server::{Front, Limits, Options, serve};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// Starts a server, which ends with the test's process.
fn start_with(options: Options) -> SocketAddr {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        serve(options, |address| sender.send(address).unwrap()).unwrap();
    });
    receiver.recv_timeout(Duration::from_secs(20)).unwrap()
}

fn start() -> SocketAddr {
    start_with(Options::default())
}

/// Starts a server with short times.
fn start_impatient(connections: usize) -> SocketAddr {
    let short = Duration::from_millis(1500);
    let limits = Limits { connections, head: short, body: short, ..Limits::default() };
    start_with(Options { limits, ..Options::default() })
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

/// Returns the status of the answer to these bytes; empty if the connection was closed without one.
fn status(address: SocketAddr, text: &str) -> String {
    send(address, text).split(' ').nth(1).unwrap_or_default().to_owned()
}

const COUNT: &str = r#"{"request": "count", "at": {"rules": "fusion-2020"}, "depth": 1}"#;
const COUNTED: &str = "{\"ok\":22}";

#[test]
fn what_is_no_request_is_rejected() {
    let address = start_impatient(16);
    let host = format!("Host: {address}\r\n");
    let get = |headers: &str| format!("GET / HTTP/1.1\r\n{host}Connection: close\r\n{headers}\r\n");
    let many: String = (0..200).map(|i| format!("X-{i}: x\r\n")).collect();
    for (text, expected) in [
        (get(""), "200"),
        // Heads that are too long, or no heads.
        (get(&format!("X-Long: {}\r\n", "x".repeat(100_000))), "431"),
        (get(&many), "431"),
        (format!("GET /{} HTTP/1.1\r\n{host}\r\n", "x".repeat(100_000)), "431"),
        (get("Host: example.org\r\n\0: x\r\n"), "400"),
        (get("No header\r\n"), "400"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(), "505"),
        ("GET / HTTP/1.1\r\n\r\n".to_owned(), "403"),
        // Lengths that contradict each other.
        (post(address, &format!("{JSON}Content-Length: 3\r\n"), COUNT), "400"),
        (post(address, &format!("{JSON}Content-Length: many\r\n"), COUNT), "400"),
        // Methods and paths that do not exist.
        (format!("DELETE / HTTP/1.1\r\n{host}Connection: close\r\n\r\n"), "405"),
        (format!("GET /engine HTTP/1.1\r\n{host}Connection: close\r\n\r\n"), "405"),
        (format!("GET /state HTTP/1.1\r\n{host}Connection: close\r\n\r\n"), "404"),
        // A body that is no JSON is answered by the reason.
        (post(address, JSON, "\u{0}\u{1}"), "200"),
        (post(address, JSON, &"[".repeat(100_000)), "200"),
    ] {
        assert_eq!(status(address, &text), expected, "{}", &text[..text.len().min(200)]);
    }
    assert!(send(address, &post(address, JSON, COUNT)).ends_with(COUNTED));
}

#[test]
fn bodies_are_bounded_in_size_and_time() {
    let address = start_impatient(16);
    // A body in chunks has no length.
    let head = format!(
        "POST /engine HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{JSON}Transfer-Encoding: chunked\r\n\r\n"
    );
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 16, "x".repeat(1 << 16));
    let answer = status(address, &format!("{head}{}0\r\n\r\n", chunk.repeat(16)));
    assert!(answer == "411" || answer.is_empty(), "{answer}");
    // A body that is not UTF-8.
    let bytes = [post(address, JSON, "??").trim_end_matches('?').as_bytes(), b"\xff\xfe"].concat();
    let mut stream = connect(address);
    stream.write_all(&bytes).unwrap();
    assert!(rest(&mut stream).starts_with("HTTP/1.1 400"));
    // A body that never comes to its end.
    let begun = Instant::now();
    let mut stream = connect(address);
    stream.write_all(post(address, JSON, COUNT).strip_suffix('}').unwrap().as_bytes()).unwrap();
    assert!(rest(&mut stream).starts_with("HTTP/1.1 408"));
    assert!(begun.elapsed() < Duration::from_secs(20));
}

/// Reads until the server closes the connection.
fn rest(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the connection stays open: {error}"),
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// Opens connections: some idle, some with half a head, some with half a body, some that do not read.
fn open_lazy(address: SocketAddr, number: usize) -> Vec<TcpStream> {
    let text = post(address, JSON, COUNT);
    let page = format!("GET / HTTP/1.1\r\nHost: {address}\r\n\r\n");
    (0..number)
        .map(|i| {
            let mut stream = connect(address);
            let sent = ["", &text[..40], &text[..text.len() - 5], page.as_str()][i % 4];
            stream.write_all(sent.as_bytes()).unwrap();
            stream
        })
        .collect()
}

#[test]
fn two_hundred_lazy_connections_harm_nothing() {
    let address = start_impatient(256);
    let mut lazy = open_lazy(address, 200);
    // While they are all open, others are answered at once.
    let begun = Instant::now();
    for _ in 0..5 {
        assert!(send(address, &post(address, JSON, COUNT)).ends_with(COUNTED));
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    // They are closed: those with half a body have their answer.
    for (i, stream) in lazy.iter_mut().enumerate() {
        let answer = rest(stream);
        match i % 4 {
            2 => assert!(answer.starts_with("HTTP/1.1 408"), "{answer}"),
            3 => assert!(answer.starts_with("HTTP/1.1 200"), "{}", &answer[..answer.len().min(80)]),
            _ => assert!(!answer.contains("200 OK"), "{answer}"),
        }
    }
    assert!(send(address, &post(address, JSON, COUNT)).ends_with(COUNTED));
}

#[test]
fn more_connections_than_allowed_wait_for_their_turn() {
    let address = start_impatient(8);
    let lazy = open_lazy(address, 40);
    assert!(send(address, &post(address, JSON, COUNT)).ends_with(COUNTED));
    drop(lazy);
    assert!(send(address, &post(address, JSON, COUNT)).ends_with(COUNTED));
}

#[test]
fn a_front_page_has_its_data() {
    let mut calls = 0;
    let state = move || {
        calls += 1;
        assert_ne!(calls, 2, "for the test");
        format!("{{\"calls\":{calls}}}")
    };
    let written = Arc::new(AtomicBool::new(false));
    let report = {
        let written = written.clone();
        move || written.load(Ordering::SeqCst).then(|| "<!doctype html>report".to_owned())
    };
    let page = "<!doctype html>front".to_owned();
    let front = Front { page, report: Box::new(report), state: Box::new(state) };
    let address = start_with(Options { front: Some(front), ..Options::default() });
    let get = |path: &str| {
        send(
            address,
            &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"),
        )
    };
    assert!(get("/").ends_with("<!doctype html>front"));
    assert!(get("/play.html").contains("data-server=\"yes\""));
    assert!(get("/report.html").starts_with("HTTP/1.1 404"));
    written.store(true, Ordering::SeqCst);
    assert!(get("/report.html").ends_with("<!doctype html>report"));
    assert!(get("/state").ends_with("{\"calls\":1}"));
    // A failure is one of this request only.
    assert!(get("/state").starts_with("HTTP/1.1 500"));
    assert!(get("/state").ends_with("{\"calls\":3}"));
    assert!(send(address, &post(address, JSON, COUNT)).ends_with(COUNTED));
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

/// Returns the most memory that this process has used, in MiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() >> 10
}

/// Each session that searches has a table of 32 MiB. Of a hundred names, only some have one at a time.
#[test]
fn a_hundred_sessions_share_the_memory_of_a_few() {
    let address = start();
    let before = peak();
    let body = r#"{"request": "search", "at": {"rules": "fusion-2020"}, "nodes": 20000, "slice": 20000, "lines": 1}"#;
    let answers: Vec<_> = (0..100)
        .map(|name| {
            let headers = format!("{JSON}X-Session: page-{name}\r\n");
            std::thread::spawn(move || send(address, &post(address, &headers, body)))
        })
        .collect();
    let answers: Vec<String> = answers.into_iter().map(|answer| answer.join().unwrap()).collect();
    let good = answers.iter().filter(|answer| answer.contains("\"ok\":{")).count();
    let busy = answers.iter().filter(|answer| answer.starts_with("HTTP/1.1 503")).count();
    assert!(good >= 8 && good + busy == 100, "{good} answered, {busy} rejected: {}", answers[0]);
    assert!(peak() < before + 600, "{before} MiB, then {} MiB", peak());
}
