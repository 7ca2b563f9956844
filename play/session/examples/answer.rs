//! Answers requests, one a line, as a page's engine does: `answer [NETWORK]`. The tests of the page
//! compare it with the engine in the browser.

use fusion_play::Session;
use std::io::{BufRead, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let network = std::env::args_os().nth(1).map(std::fs::read).transpose()?;
    let networks: Vec<&[u8]> = network.iter().map(Vec::as_slice).collect();
    let mut session = Session::new(&networks)?;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        writeln!(out, "{}", session.handle(&line?))?;
        out.flush()?;
    }
    Ok(())
}
