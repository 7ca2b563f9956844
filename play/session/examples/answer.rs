//! Answers requests, one a line, as a page's engine does: `answer [NETWORK]...`. The tests of the page
//! compare it with the engine in the browser.

use fusion_play::Session;
use std::io::{BufRead, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<Vec<u8>> =
        std::env::args_os().skip(1).map(std::fs::read).collect::<Result<_, _>>()?;
    let networks: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
    let mut session = Session::new(&networks)?;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        writeln!(out, "{}", session.handle(&line?))?;
        out.flush()?;
    }
    Ok(())
}
