//! Material leads: how often they are won, and who is behind in draws, from the moves of the games.

use crate::section::{Block, Section};
use fusion_print::table::Unit::Decimals;
use fusion_print::table::{Fields, Table};
use fusion_results::chess::leads::Leads;
use fusion_results::report::Report;
use fusion_results::run_folder::MAIN;

fn fields() -> Fields<'static, Leads> {
    let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    Fields::<Leads>::default()
        .text("rules", ("Rule set", "rules"), |leads| leads.rules.clone())
        .text("measurement", "Measurement", |leads| leads.measurement.clone())
        .text("agent", "Player", |leads| leads.agent.clone())
        .count("nodes", ("Nodes", "nodes"), |leads| leads.nodes)
        .count("games", ("Games", "games"), |leads| leads.games)
        .count("drawn", "Drawn", |leads| leads.drawn)
        .count("behind", "Drawn with a side behind", |leads| leads.behind)
        .count("fused", "by a fused King", |leads| leads.fused)
        .count("led", "With a lead", |leads| leads.led)
        .count("converted", "Won by the leader", |leads| leads.converted)
        .share("drawn_share", "Drawn", move |leads| share(leads.drawn, leads.games))
        .share("behind_share", "Drawn with a side behind", move |of| share(of.behind, of.games))
        .share("fused_share", "and its King fused", move |of| share(of.fused, of.games))
        .share("led_share", "With a lead", move |leads| share(leads.led, leads.games))
        .share("converted_share", "Leads won", move |leads| share(leads.converted, leads.led))
        .value("quiet_plies", "Quiet plies at the end of draws", Decimals(0), |leads| leads.quiet)
}

pub(super) fn file(report: &Report) -> Table {
    let keys = "measurement agent nodes rules games drawn behind fused led converted quiet_plies";
    fields().table("leads", "Leads and draws", keys, &report.chess.leads)
}

const ABOUT: &str = "Shares of the games that ended, by what stands on the board at the end of a draw: whether a side has less material (Pawn 1, Knight, Bishop and Mann 3, Rook 5), and whether the King of that side is fused with another piece. A lead is a Knight or Bishop more for four plies; it is won if the side that led first wins the game. Quiet plies: the median of those since the last capture, fusion or Pawn’s move.";

pub(super) fn page(report: &Report) -> Option<Section> {
    let keys =
        "rules nodes drawn_share behind_share fused_share led_share converted_share quiet_plies";
    let title = "Leads, and who is behind in draws";
    let main = report.chess.leads.iter().filter(|leads| leads.measurement == MAIN);
    let table = fields().table("leads", title, keys, main).unless_empty()?;
    let others = report.chess.leads.iter().filter(|leads| leads.measurement != MAIN);
    let keys = "rules measurement nodes drawn_share behind_share fused_share led_share converted_share quiet_plies";
    let others = fields().table("leads-others", "In other measurements", keys, others);
    let others = others.unless_empty();
    let others =
        others.map(|of| Block::Folded("In other measurements".into(), vec![Block::Table(of)]));
    let section = Section::new("leads", "Leads", "Leads and draws")
        .folded()
        .with([Block::Table(table), Block::Fine(ABOUT.into())])
        .with(others);
    Some(section)
}
