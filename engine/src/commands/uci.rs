//! `uci`: the engine for chess programs.

/// Speaks the protocol on standard input and output.
pub fn run() -> anyhow::Result<()> {
    fusion_engine::uci::run(std::io::stdin().lock(), std::io::stdout())
}
