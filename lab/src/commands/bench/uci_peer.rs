//! Move counts by another program, with `go perft` over UCI.

use anyhow::{Context, anyhow};
use fusion_runner::matches::UciClient;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time limit for one count.
const COUNT: Duration = Duration::from_secs(120);
/// The option that every error names.
const OPTION: &str = "--uci-peer";

/// A running UCI engine, which is ended on drop.
pub struct UciPeer(UciClient);

impl UciPeer {
    /// Starts a program and reads its name.
    pub fn start(path: &Path) -> anyhow::Result<Self> {
        UciClient::start(path, []).map(Self).context(OPTION)
    }

    /// Returns the name that the program reports, else its path.
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// Returns the count of a position, and the seconds from the command to the answer.
    pub fn perft(&mut self, fen: &str, depth: u32) -> anyhow::Result<(u64, f64)> {
        self.count(fen, depth)
            .map_err(|error| anyhow!("{OPTION}: {error}; does it know `go perft`?"))
    }

    fn count(&mut self, fen: &str, depth: u32) -> anyhow::Result<(u64, f64)> {
        let engine = &mut self.0;
        engine.send(&format!("position fen {fen}"))?;
        engine.synchronise()?;
        let question = format!("go perft {depth}");
        let start = Instant::now();
        engine.send(&question)?;
        let answer = engine.wait(&question, COUNT, |line| {
            line.strip_prefix("Nodes searched:").map(|count| count.trim().to_owned())
        })?;
        let seconds = start.elapsed().as_secs_f64();
        let count =
            answer.parse().map_err(|_| engine.error(&format!("counts '{answer}' nodes")))?;
        Ok((count, seconds))
    }
}
