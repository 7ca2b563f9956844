//! Move generation: nodes per second of move counts, by this engine and others.

use super::Effort;
use super::table::Table;
use super::timing::{Work, medians, timed};
use super::uci_peer::UciPeer;
use anyhow::{Context, ensure};
use fusion_chess::board::{Position, perft};
use fusion_chess::positions::PERFT_POSITIONS;
use fusion_chess::rules::RuleSet;
use std::io::Write;

/// Depths of the positions of [`PERFT_POSITIONS`].
const DEPTHS: [u32; 2] = [6, 5];

/// The method of counting the last ply.
#[derive(Clone, Copy, PartialEq)]
enum Leaves {
    Made,
    Bulk,
}

/// A move counter, and the number of nodes that it counts.
struct Contender<'a> {
    name: String,
    nodes: u64,
    work: Work<'a>,
}

/// Measures and prints the rates. Ratios are relative to this engine's orthodox rate.
pub fn measure(
    table: &mut Table<impl Write>,
    effort: &Effort,
    peers: &mut [UciPeer],
) -> anyhow::Result<()> {
    table.section("Move generation, million nodes a second")?;
    for leaves in [Leaves::Made, Leaves::Bulk] {
        for ((name, fen), depth) in PERFT_POSITIONS.into_iter().zip(DEPTHS) {
            let depth = depth - effort.shallower;
            let how = match leaves {
                Leaves::Made => "every move made",
                Leaves::Bulk => "last ply counted in bulk",
            };
            table.part(&format!("{name}, depth {depth}, {how}"))?;
            let contenders = contenders(fen, depth, leaves, peers)?;
            print(table, effort, contenders)?;
        }
    }
    Ok(())
}

/// Returns the contenders: this engine under the orthodox rules, then under fusion-2020, then the
/// peers.
fn contenders<'a>(
    fen: &'a str,
    depth: u32,
    leaves: Leaves,
    peers: &'a mut [UciPeer],
) -> anyhow::Result<Vec<Contender<'a>>> {
    // The tree of fusion-2020 is several times larger. One ply less keeps a run short.
    let fusion_depth = if leaves == Leaves::Made { depth - 1 } else { depth };
    let orthodox = ours("orthodox", "orthodox".into(), fen, depth, leaves)?;
    let expected = orthodox.nodes;
    let name = format!("fusion-2020, depth {fusion_depth}");
    let mut contenders = vec![orthodox, ours("fusion-2020", name, fen, fusion_depth, leaves)?];
    contenders.extend(cozy(fen, depth, leaves, expected));
    // UCI engines count in bulk.
    for peer in peers.iter_mut().filter(|_| leaves == Leaves::Bulk) {
        let name = peer.name().to_owned();
        let work = Box::new(move || {
            let (count, seconds) = peer.perft(fen, depth)?;
            check(peer.name(), count, expected)?;
            Ok(seconds)
        });
        contenders.push(Contender { name, nodes: expected, work });
    }
    Ok(contenders)
}

fn ours(
    preset: &str,
    name: String,
    fen: &str,
    depth: u32,
    leaves: Leaves,
) -> anyhow::Result<Contender<'static>> {
    let rules = RuleSet::preset(preset)?;
    let position = Position::from_fen(&rules, fen).context("a position of the benchmark")?;
    let nodes = perft::perft(&position, &rules, depth);
    let count = match leaves {
        Leaves::Made => perft::perft_making_every_move,
        Leaves::Bulk => perft::perft,
    };
    Ok(contender(name, nodes, move || count(&position, &rules, depth)))
}

#[cfg(feature = "peers")]
fn cozy(fen: &str, depth: u32, leaves: Leaves, expected: u64) -> Option<Contender<'static>> {
    use super::cozy;
    let board = cozy::board(fen)?;
    let count = match leaves {
        Leaves::Made => cozy::perft_making_every_move,
        Leaves::Bulk => cozy::perft,
    };
    Some(contender("cozy-chess".into(), expected, move || count(&board, depth)))
}

#[cfg(not(feature = "peers"))]
fn cozy(_: &str, _: u32, _: Leaves, _: u64) -> Option<Contender<'static>> {
    None
}

fn contender(name: String, nodes: u64, count: impl Fn() -> u64 + 'static) -> Contender<'static> {
    let label = name.clone();
    let work = Box::new(move || {
        let (counted, seconds) = timed(&count);
        check(&label, counted, nodes)?;
        Ok(seconds)
    });
    Contender { name, nodes, work }
}

fn check(name: &str, counted: u64, expected: u64) -> anyhow::Result<()> {
    ensure!(counted == expected, "{name} counts {counted} nodes where we count {expected}");
    Ok(())
}

fn print(
    table: &mut Table<impl Write>,
    effort: &Effort,
    contenders: Vec<Contender>,
) -> anyhow::Result<()> {
    let (names, mut work): (Vec<_>, Vec<_>) =
        contenders.into_iter().map(|c| ((c.name, c.nodes), c.work)).unzip();
    let seconds = medians(effort.runs, &mut work)?;
    let rates: Vec<f64> =
        names.iter().zip(&seconds).map(|((_, nodes), s)| *nodes as f64 / s).collect();
    for (i, ((name, _), rate)) in names.iter().zip(&rates).enumerate() {
        let remark = match i {
            0 => String::new(),
            1 => format!("{:.2} x our orthodox rate", rate / rates[0]),
            _ => format!("our orthodox rate is {:.2} x this", rates[0] / rate),
        };
        table.row(name, &format!("{:.1} M/s", rate / 1e6), &remark)?;
    }
    Ok(())
}
