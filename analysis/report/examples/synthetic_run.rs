//! Writes a run folder with made-up games, to test the report without playing.
//!
//! `cargo run -p fusion-report --example synthetic_run -- DIR OPENINGS NODES...`
//!
//! The games have no meaning, but the format and the proportions of real ones. The same arguments
//! give the same bytes. `tests/data/run` was made with `40 64`.

use fusion_endgames::summary::Row;
use fusion_jobs::checksums;
use fusion_results::report_game::ReportGame;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Rule set, chance of a draw at 64 nodes, and White's share of the decisive games.
const RULES: [(&str, f64, f64); 4] = [
    ("fusion-1999", 0.52, 0.58),
    ("fusion-2006", 0.46, 0.57),
    ("fusion-2020", 0.30, 0.56),
    ("orthodox", 0.62, 0.55),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: synthetic_run DIR OPENINGS NODES...";
    let dir = PathBuf::from(arguments.next().ok_or(usage)?);
    let openings: u64 = arguments.next().ok_or(usage)?.parse()?;
    let nodes: Vec<u64> = arguments.map(|n| n.parse()).collect::<Result<_, _>>()?;
    if nodes.is_empty() {
        return Err(usage.into());
    }
    std::fs::create_dir_all(dir.join("measure"))?;
    let pool = pool(openings);
    let network = checksums::of(b"synthetic network");
    std::fs::write(dir.join("openings.csv"), &pool)?;
    std::fs::write(dir.join("measure/games.csv"), games(openings, &nodes, &network))?;
    let all = openings * (RULES.len() * nodes.len()) as u64;
    let settings = json!({
        "program": "synthetic", "seed": 1, "games": all, "played": all, "network": network,
        "pool": checksums::of(pool.as_bytes()), "openings": openings, "own_plies": 0,
        "rules": RULES.map(|rules| rules.0), "nodes": nodes,
        "primary": ["fusion-2020", "fusion-1999"], "stop": null, "cap": 600,
        "search": {"c_puct": 1.5, "max_nodes": 4096},
    });
    std::fs::write(dir.join("measure/measure.json"), format!("{settings:#}\n"))?;
    let strength = json!({
        "first": {"network": network, "nodes": 64}, "second": {"network": "uniform", "nodes": 64},
        "rules": ["fusion-2020", "orthodox"], "games": 400, "wins": 231, "draws": 113, "losses": 56, "capped": 0,
        "score": 0.71875, "elo": 162.9941306313072, "elo_low": 129.8854084633194, "elo_high": 196.10285279929496,
        "elo_interval": "two-sided 95%", "los": 1.0,
        "pentanomial": [0, 28, 53, 35, 84], "sprt": null, "per_rules": [],
    });
    std::fs::write(dir.join("strength.json"), format!("{strength:#}\n"))?;
    std::fs::write(dir.join("endgames.csv"), endgames()?)?;
    std::fs::write(
        dir.join("study.toml"),
        "[study]\nname = \"synthetic\" # <made up> & so on\nfixed = true\n",
    )?;
    Ok(())
}

fn pool(openings: u64) -> String {
    let mut text = String::from("id,plies,moves,fen\n");
    for id in 0..openings {
        writeln!(text, "{id},4,e2e4 e7e5 g1f3 b8c6,start-{id}").expect("strings take everything");
    }
    text
}

fn games(openings: u64, nodes: &[u64], network: &str) -> String {
    let mut text =
        fusion_runner::measure::columns(ReportGame::default().description()).join(",") + "\n";
    for (index, (rules, draw, white)) in RULES.into_iter().enumerate() {
        for &nodes in nodes {
            // Stronger play has more draws.
            let draw = draw + 0.04 * ((nodes as f64).log2() - 6.0);
            for opening in 0..openings {
                let stream = (index as u64) << 40 | nodes << 20 | opening;
                let row = game(rules, draw, white, opening, nodes, stream);
                writeln!(text, "{}", row.replace("NETWORK", network))
                    .expect("strings take everything");
            }
        }
    }
    text
}

/// Rule set of endings, and the share of them that the attacker wins.
const ENDGAMES: [(&str, u64); 6] = [
    ("fusion-1999", 2),
    ("fusion-1999,king-fuses=no", 20),
    ("fusion-1999,sliders-cross-check=no", 3),
    ("fusion-2006", 30),
    ("fusion-2020", 40),
    ("fusion-2020,attacked-split=yes", 31),
];

/// Returns a summary of endgame tables. With one component each, White never wins against a fused
/// one.
fn endgames() -> Result<Vec<u8>, csv::Error> {
    let one = |letter: char| [format!("K+{letter}"), format!("K{letter}")];
    let two = ["K+R+B", "K+RB", "KB+R", "KR+B"].map(str::to_owned);
    let mut writer = csv::Writer::from_writer(Vec::new());
    for (rules, percent) in ENDGAMES {
        for defender in ['R', 'B'] {
            for black in one(defender) {
                for (material, white, percent) in one('R')
                    .map(|white| ("KR", white, if black.contains('+') { percent } else { 0 }))
                    .into_iter()
                    .chain(two.clone().map(|white| ("KRB", white, 2 * percent)))
                {
                    let material = format!("{material}vK{defender}");
                    for to_move in ['w', 'b'] {
                        let row = ending([rules, &material, &white, &black], to_move, percent);
                        writer.serialize(row)?;
                    }
                }
            }
        }
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

fn ending([rules, material, white, black]: [&str; 4], to_move: char, percent: u64) -> Row {
    let pieces = [white, black].concat().matches('+').count() as u32;
    let positions = 100 * 60u64.pow(pieces) + if to_move == 'b' { 50 } else { 0 };
    let white_wins = positions * percent / if to_move == 'b' { 200 } else { 100 };
    let black_wins = if to_move == 'b' && white.contains('+') { positions / 10 } else { 0 };
    let longest = |wins: u64| (wins > 0).then(|| 90 + percent as u16);
    Row {
        rules: rules.into(),
        material: material.into(),
        white: white.into(),
        black: black.into(),
        to_move,
        positions,
        white_wins,
        draws: positions - white_wins - black_wins,
        black_wins,
        white_over_100: if percent > 10 { white_wins / 50 } else { 0 },
        black_over_100: 0,
        white_longest: longest(white_wins),
        white_longest_fen: None,
        white_longest_line: None,
        black_longest: longest(black_wins),
        black_longest_fen: None,
        black_longest_line: None,
    }
}

fn game(rules: &str, draw: f64, white: f64, opening: u64, nodes: u64, stream: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(stream);
    // All arms share the opening's sharpness, so that pairing reduces the variance.
    let mut shared = ChaCha8Rng::seed_from_u64(1 << 60 | opening);
    let sharpness = shared.random_range(-0.15..0.15);
    let (result, ending) = if rules == "fusion-1999" && opening == 17 {
        ("*", "cap")
    } else if rng.random_bool((draw + sharpness).clamp(0.01, 0.99)) {
        let ending = match rng.random_range(0..100) {
            0..8 => "stalemate",
            8..55 => "threefold",
            55..80 => "fifty-move",
            _ => "dead-position",
        };
        ("1/2-1/2", ending)
    } else if rng.random_bool(white) {
        ("1-0", "checkmate")
    } else {
        ("0-1", "checkmate")
    };
    let plies = match ending {
        "cap" => 600,
        "checkmate" => 30 + rng.random_range(0..70) + rng.random_range(0..90),
        _ => 60 + rng.random_range(0..110) + rng.random_range(0..130),
    };
    let fusion_chess = rules != "orthodox";
    let mut event = |most: u32, possible: bool| {
        let count = if possible { rng.random_range(0..=most) } else { 0 };
        let first = (count > 0).then(|| rng.random_range(5..=plies.min(50)));
        (count, first)
    };
    let captures = event(25, true);
    let fusions = event(6, fusion_chess);
    let royal = if fusions.0 > 2 { (1, fusions.1) } else { (0, None) };
    let fissions = event(5, fusion_chess);
    let castlings = event(2, matches!(rules, "fusion-2020" | "orthodox"));
    let escapes = u32::from(rules == "fusion-1999" && opening.is_multiple_of(9) && plies > 20);
    let lead_changes = (opening % 4) as u32;
    let decided = ending == "checkmate";
    let drama = if decided { format!("0.{}", 1 + opening % 5) } else { String::new() };
    let ply = |first: Option<u32>| first.map_or(String::new(), |ply| ply.to_string());
    // One game of fusion-2006 repeats another.
    let hash = if rules == "fusion-2006" && opening == 9 { stream - 1 } else { stream };
    format!(
        "{rules},{opening},4,{stream},NETWORK,{nodes},{result},{ending},{plies},{},{},{},{},{},{},{},{},{},{},{},{escapes},{lead_changes},{drama},,start-{opening},{:016x},0,,0,,0,",
        captures.0,
        captures.0 / 10,
        fusions.0,
        royal.0,
        fissions.0,
        castlings.0,
        ply(captures.1),
        ply(fusions.1),
        ply(royal.1),
        ply(fissions.1),
        ply(castlings.1),
        hash.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    )
}
