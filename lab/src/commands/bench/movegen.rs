//! Move generation: nodes per second of move counts, by this engine and others.

use super::Effort;
use super::table::Table;
use super::timing::{Work, medians, timed};
use super::uci_peer::UciPeer;
use anyhow::{Error, ensure};
use fusion_game::{CompleteGame, RuleSet};
use std::io::Write;

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

/// Measures and prints the rates. Ratios are relative to this engine's rate under the reference
/// rules.
pub fn measure<G: CompleteGame>(
    table: &mut Table<impl Write>,
    effort: &Effort,
    peers: &mut [UciPeer],
) -> anyhow::Result<()> {
    table.section("Move generation, million nodes a second")?;
    for leaves in [Leaves::Made, Leaves::Bulk] {
        for &(name, text, depth) in G::BENCHMARK.counts {
            let depth = depth - effort.shallower;
            let how = match leaves {
                Leaves::Made => "every move made",
                Leaves::Bulk => "last ply counted in bulk",
            };
            table.part(&format!("{name}, depth {depth}, {how}"))?;
            let contenders = contenders::<G>(text, depth, leaves, peers)?;
            print::<G>(table, effort, contenders)?;
        }
    }
    Ok(())
}

/// Returns the contenders: this engine under both rule sets of the benchmark, then the peers, which
/// play the reference rules.
fn contenders<'a, G: CompleteGame>(
    text: &'a str,
    depth: u32,
    leaves: Leaves,
    peers: &'a mut [UciPeer],
) -> anyhow::Result<Vec<Contender<'a>>> {
    let [reference, rules] = [G::BENCHMARK.reference, G::BENCHMARK.rules];
    // The second tree is several times larger. One ply less keeps a run short.
    let other_depth = if leaves == Leaves::Made { depth - 1 } else { depth };
    let first = ours::<G>(reference, reference.into(), text, depth, leaves)?;
    let expected = first.nodes;
    let name = format!("{rules}, depth {other_depth}");
    let mut contenders = vec![first, ours::<G>(rules, name, text, other_depth, leaves)?];
    // UCI engines count in bulk.
    for peer in peers.iter_mut().filter(|_| leaves == Leaves::Bulk) {
        let name = peer.name().to_owned();
        let work = Box::new(move || {
            let (count, seconds) = peer.perft(text, depth)?;
            check(peer.name(), count, expected)?;
            Ok(seconds)
        });
        contenders.push(Contender { name, nodes: expected, work });
    }
    Ok(contenders)
}

fn ours<G: CompleteGame>(
    preset: &str,
    name: String,
    text: &str,
    depth: u32,
    leaves: Leaves,
) -> anyhow::Result<Contender<'static>> {
    let rules = G::Rules::parse(preset).map_err(Error::msg)?;
    let game = G::from_text(&rules, text).map_err(Error::msg)?;
    let nodes = game.perft(depth);
    let count = match leaves {
        Leaves::Made => G::perft_making_every_move,
        Leaves::Bulk => G::perft,
    };
    Ok(contender(name, nodes, move || count(&game, depth)))
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

fn print<G: CompleteGame>(
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
            1 => format!("{:.2} x our {} rate", rate / rates[0], G::BENCHMARK.reference),
            _ => format!("our {} rate is {:.2} x this", G::BENCHMARK.reference, rates[0] / rate),
        };
        table.row(name, &format!("{:.1} M/s", rate / 1e6), &remark)?;
    }
    Ok(())
}
