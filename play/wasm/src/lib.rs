//! The session of `fusion-play` and the measurements of `fusion-play-measure` for WebAssembly.
//!
//! A page writes bytes into memory that it gets from [`allocate`], calls [`network`] with the bytes of
//! each network and [`open`] once, and then [`handle`] with a request. A worker that measures calls [`hold`] with
//! the bytes of its files, and then [`measure`] with a request. `open`, `handle` and `measure` return the
//! address of a reply: its length in bytes (u32, little-endian), then its text. The reply is valid
//! until the next call.

use fusion_game::files;
use fusion_network::kernels::{Change, Kernel};
use fusion_play::Session;
use fusion_play_measure::Measuring;
use std::cell::RefCell;

thread_local! {
    static MEASURING: RefCell<Measuring> = RefCell::default();
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
    static NETWORKS: RefCell<Vec<Box<[u8]>>> = const { RefCell::new(Vec::new()) };
    static REPLY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Returns the address of `length` bytes, which the next [`network`] or [`handle`] takes over.
#[unsafe(no_mangle)]
pub extern "C" fn allocate(length: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; length].into_boxed_slice()).cast()
}

/// Takes over the bytes of [`allocate`].
///
/// # Safety
/// `address` is the result of `allocate(length)` and was not passed on before.
unsafe fn take(address: *mut u8, length: usize) -> Box<[u8]> {
    // SAFETY: the caller guarantees that the box of `allocate` had this address and length.
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(address, length)) }
}

/// Keeps a reply and returns its address.
fn reply(text: &str) -> *const u8 {
    REPLY.with_borrow_mut(|reply| {
        reply.clear();
        reply.extend((text.len() as u32).to_le_bytes());
        reply.extend(text.as_bytes());
        reply.as_ptr()
    })
}

/// Adds a network to those of the next [`open`].
///
/// # Safety
/// `address` is the result of `allocate(length)` and was not passed on before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn network(address: *mut u8, length: usize) {
    // SAFETY: the caller guarantees the conditions of `take`.
    let network = unsafe { take(address, length) };
    NETWORKS.with_borrow_mut(|networks| networks.push(network));
}

/// Opens the session with the networks of [`network`]. The reply is empty, or the reason why one is
/// rejected.
#[unsafe(no_mangle)]
pub extern "C" fn open() -> *const u8 {
    let networks = NETWORKS.take();
    let networks: Vec<&[u8]> = networks.iter().map(|network| &**network).collect();
    match Session::new(&networks) {
        Ok(session) => {
            SESSION.set(Some(session));
            reply("")
        }
        Err(reason) => reply(&reason),
    }
}

/// Answers a request, which is JSON in UTF-8.
///
/// # Safety
/// `address` is the result of `allocate(length)` and was not passed on before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn handle(address: *mut u8, length: usize) -> *const u8 {
    // SAFETY: the caller guarantees the conditions of `take`.
    let request = unsafe { take(address, length) };
    let request = String::from_utf8_lossy(&request);
    let answer = SESSION.with_borrow_mut(|session| {
        let closed = r#"{"error":{"kind":"request","message":"the session is not open"}}"#;
        session.as_mut().map_or_else(|| closed.to_owned(), |session| session.handle(&request))
    });
    reply(&answer)
}

/// Holds a file in memory: its path in UTF-8, a zero, and its content.
///
/// # Safety
/// `address` is the result of `allocate(length)` and was not passed on before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hold(address: *mut u8, length: usize) {
    // SAFETY: the caller guarantees the conditions of `take`.
    let file = unsafe { take(address, length) };
    let mut parts = file.splitn(2, |&byte| byte == 0);
    if let (Some(path), Some(content)) = (parts.next(), parts.next()) {
        files::hold(&*String::from_utf8_lossy(path), content.to_vec());
    }
}

/// Answers a request about a measurement, which is JSON in UTF-8.
///
/// # Safety
/// `address` is the result of `allocate(length)` and was not passed on before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn measure(address: *mut u8, length: usize) -> *const u8 {
    // SAFETY: the caller guarantees the conditions of `take`.
    let request = unsafe { take(address, length) };
    let request = String::from_utf8_lossy(&request);
    reply(&MEASURING.with_borrow_mut(|measuring| measuring.handle(&request)))
}

/// Compares every kernel of this build with the portable one on random numbers. Returns the number of
/// rounds in which a result differs: 0.
#[unsafe(no_mangle)]
pub extern "C" fn compare_kernels(rounds: u32) -> u32 {
    let mut random = 1u64;
    let mut next = move || {
        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        random >> 33
    };
    let mut differing = 0;
    for round in 0..rounds {
        let width = 64 * (1 + round as usize % 8);
        let weights: Vec<i16> = (0..20 * width).map(|_| next() as i16).collect();
        let bias: Vec<i16> = (0..width).map(|_| next() as i16 >> 4).collect();
        let rows: Vec<i8> = (0..9 * width).map(|_| next() as i8).collect();
        let mut named = |most: u64, count: u64| -> Vec<u16> {
            (0..next() % count).map(|_| (next() % most) as u16).collect()
        };
        let (added, removed, dots) = (named(20, 90), named(20, 9), named(9, 20));
        let (change, _) = Change::new(&added, &removed, &[0; 20]);
        let run = |kernel: Kernel| {
            let (mut sums, mut hidden, mut out) = (bias.clone(), vec![0; width], Vec::new());
            kernel.change(&weights, &change, None, &mut sums, &mut hidden);
            kernel.dots(&hidden, &rows, &dots, &mut out);
            (sums, hidden, out)
        };
        let expected = run(Kernel::PORTABLE);
        let all_agree = Kernel::available().into_iter().all(|kernel| run(kernel) == expected);
        differing += u32::from(!all_agree);
    }
    differing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send<T>(call: unsafe extern "C" fn(*mut u8, usize) -> T, bytes: &[u8]) -> T {
        let address = allocate(bytes.len());
        // SAFETY: `allocate` returned this many bytes.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), address, bytes.len());
            call(address, bytes.len())
        }
    }

    fn text(reply: *const u8) -> String {
        // SAFETY: the reply has its length in front.
        unsafe {
            let length = u32::from_le_bytes(*reply.cast::<[u8; 4]>()) as usize;
            let text = std::slice::from_raw_parts(reply.add(4), length);
            String::from_utf8(text.to_vec()).unwrap()
        }
    }

    #[test]
    fn kernels_agree() {
        assert_eq!(compare_kernels(50), 0);
    }

    #[test]
    fn measurements_read_the_files_in_memory() {
        send(hold, b"mine/some.fnet\0no network");
        let study = "[study]\\nname = 'x'\\n[network]\\nfile = 'mine/some.fnet'";
        let request = format!(r#"{{"measure": "begin", "study": "{study}"}}"#);
        let said = text(send(measure, request.as_bytes()));
        assert!(said.contains("mine/some.fnet") && !said.contains("No such file"), "{said}");
        send(hold, b"no end of the path");
    }

    #[test]
    fn requests_and_replies_go_through_memory() {
        assert!(text(send(handle, b"{}")).contains("not open"));
        send(network, b"no network");
        assert!(text(open()).contains("damaged"));
        assert_eq!(text(open()), "", "a rejected network is not kept");
        let reply = text(send(handle, br#"{"request": "start"}"#));
        assert!(reply.contains("fusion-2020"), "{reply}");
        assert!(text(send(handle, b"\xff")).starts_with(r#"{"error""#));
    }
}
