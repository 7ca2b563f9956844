//! Draws the pictures of the documentation.
//!
//! ```sh
//! cargo run -p fusion-chess --example pictures -- rules      # docs/img/*.svg
//! cargo run -p fusion-chess --example pictures -- rates CSV NODES PLAYER docs/finding.svg [RULES]...
//! ```
//!
//! `rules` draws a board for each example in `data/rules/examples.csv`. `rates` draws a Dragon
//! King beside the draw rates in CSV: the `summary.csv` of a report, of whose rows it takes those
//! with NODES nodes a move, or any table with the columns rules, nodes, draw_share,
//! draw_wilson95_low and draw_wilson95_high (shares from 0 to 1). PLAYER is written above them, such
//! as "alpha-beta". With RULES it draws these rule sets only. They come in the order fusion-1999, fusion-2006, fusion-2020, orthodox, then any
//! others in the table's order.

mod board;
mod examples;
mod rates;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: pictures rules | pictures rates CSV NODES PLAYER OUT.svg [RULES]...";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        ["rules"] => examples::draw_all(&examples::root().join("docs/img")),
        ["rates", table, nodes, player, out, ref rules @ ..] => {
            rates::draw(Path::new(table), nodes, player, rules, Path::new(out))
        }
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pictures: error: {error}");
            ExitCode::FAILURE
        }
    }
}
