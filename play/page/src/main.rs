//! Writes `play.html`: the page with the engine and its networks in it. `scripts/play` calls it.

use clap::Parser;
use fusion_jobs::atomic;
use fusion_jobs::exit::{self, say};
use fusion_jobs::plain;
use std::path::PathBuf;
use std::process::ExitCode;

/// Writes the page on which people play, as one file that needs no server.
#[derive(Debug, Parser)]
#[command(name = "fusion-page", max_term_width = 100)]
struct Args {
    /// The engine as WebAssembly
    #[arg(long, value_name = "FILE")]
    program: PathBuf,
    /// A network of either search, by its path in a checkout; one for each game
    #[arg(long = "network", value_name = "FILE", required = true)]
    networks: Vec<PathBuf>,
    /// The page to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

fn main() -> ExitCode {
    exit::main(|args: Args| run(&args))
}

fn run(args: &Args) -> anyhow::Result<()> {
    let read = |path: &PathBuf| plain::read(path, plain::TABLE);
    let named = |path: &PathBuf| anyhow::Ok((path.to_string_lossy().into_owned(), read(path)?));
    let networks = args.networks.iter().map(named).collect::<anyhow::Result<Vec<_>>>()?;
    let page = fusion_page::static_page(&read(&args.program)?, &networks)?;
    atomic::write_bytes(&args.out, page.as_bytes())?;
    say(format_args!("{}: {:.1} MB", args.out.display(), page.len() as f64 / 1e6));
    Ok(())
}
