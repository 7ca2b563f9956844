//! The outcome of a generation.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::path::Path;

use anyhow::Context;
use fusion_jobs::atomic::write_bytes;
use fusion_runner::matches::{MatchReport, Score};
use fusion_statistics::elo;
use fusion_statistics::sprt::Decision;
use indicatif::HumanCount;
use serde::{Deserialize, Serialize};

use super::cpu::Seconds;
use crate::fit::Report;
use fusion_print::chart::{Chart, Panel, Point};

/// A finished generation: `generation.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Its number, from 0.
    pub generation: u32,
    /// Whether its network is the best so far.
    pub accepted: bool,
    /// The player of its games.
    pub player: String,
    /// Training games.
    pub games: u64,
    /// Plies of these games.
    pub plies: u64,
    /// Games by ending.
    pub endings: BTreeMap<String, u64>,
    /// The report of its fit.
    pub fit: Report,
    /// Why the network must not play; absent if it is sound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected: Option<String>,
    /// The match that decided; absent if every sound network is accepted.
    pub gate: Option<Gate>,
    /// Processor time.
    pub cpu: Seconds,
    /// Time by the clock.
    #[serde(default)]
    pub clock: Seconds,
}

/// The match of a new network, from the new network's view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    /// The best network before.
    pub opponent: String,
    /// Games.
    pub games: u64,
    /// Results.
    pub counts: Counts,
    /// Mean points per game, half a point for a capped one.
    pub score: f64,
    /// Difference in Elo; absent if everything was won or lost.
    pub elo: Option<f64>,
    /// Lower end of its 95% interval; absent if everything was lost.
    pub elo_low: Option<f64>,
    /// Upper end of its 95% interval; absent if everything was won.
    pub elo_high: Option<f64>,
    /// Decision of the sequential test.
    pub decision: Decision,
}

/// The games of a match by result, from the new network's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Games won.
    pub won: u64,
    /// Games drawn by the rules.
    pub drawn: u64,
    /// Games lost.
    pub lost: u64,
    /// Games that reached the cap and have no result.
    pub capped: u64,
}

impl Display for Counts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { won, drawn, lost, capped } = self;
        write!(f, "{won} won, {drawn} drawn, {lost} lost, {capped} capped")
    }
}

impl Gate {
    /// Returns the match of a new network against the best one before, `opponent`.
    #[must_use]
    pub fn new(report: &MatchReport, opponent: String) -> Self {
        let estimate = report.total.estimate;
        let Score { games, wins: won, draws: drawn, losses: lost, capped, .. } = report.total;
        Self {
            opponent,
            games,
            counts: Counts { won, drawn, lost, capped },
            score: estimate.map_or(0.5, |of| of.score),
            elo: estimate.and_then(|of| of.elo),
            elo_low: estimate.and_then(|of| of.elo_low),
            elo_high: estimate.and_then(|of| of.elo_high),
            decision: report.sprt.as_ref().map_or(Decision::Undecided, |sprt| sprt.decision),
        }
    }

    /// Returns whether the new network is accepted.
    #[must_use]
    pub fn accepts(&self) -> bool {
        match self.decision {
            Decision::H1 => true,
            Decision::H0 => false,
            Decision::Undecided => self.score > 0.5,
        }
    }
}

impl Display for Outcome {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let number = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{x:.3}"));
        let last = &self.fit.last;
        write!(
            f,
            "generation {}: {} games, {} positions learned from, policy {}, value {}; ",
            self.generation,
            HumanCount(self.games),
            HumanCount(self.fit.positions),
            number(last.held_out_policy_loss.or(last.policy_loss)),
            number(last.held_out_value_loss.or(last.value_loss)),
        )?;
        if let Some(reason) = &self.rejected {
            return write!(f, "rejected: {reason}");
        }
        let verdict = if self.accepted { "accepted" } else { "rejected" };
        match &self.gate {
            None => f.write_str("accepted without a match"),
            Some(gate) => {
                let Gate { games, counts, opponent, .. } = gate;
                write!(
                    f,
                    "{verdict} after {games} games ({counts}) against {opponent}: {}",
                    elo::words(gate.elo, gate.elo_low, gate.elo_high)
                )
            }
        }
    }
}

/// Header of `generations.csv`.
const COLUMNS: [&str; 24] = [
    "generation",
    "accepted",
    "player",
    "games",
    "plies",
    "positions",
    "steps",
    "policy_loss",
    "value_loss",
    "held_out_policy_loss",
    "held_out_policy_top1",
    "held_out_value_loss",
    "gate_games",
    "gate_won",
    "gate_drawn",
    "gate_lost",
    "gate_capped",
    "gate_score",
    "gate_elo",
    "gate_elo_low",
    "gate_elo_high",
    "selfplay_cpu_seconds",
    "fit_cpu_seconds",
    "gate_cpu_seconds",
];

/// Writes `generations.csv` and `generations.svg`.
pub(super) fn publish(folder: &Path, outcomes: &[Outcome]) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for outcome in outcomes {
        writer.write_record(row(outcome))?;
    }
    write_bytes(
        &folder.join("generations.csv"),
        &writer.into_inner().context("writing the table")?,
    )?;
    draw(&folder.join("generations.svg"), outcomes)
}

fn row(outcome: &Outcome) -> [String; 24] {
    let last = &outcome.fit.last;
    let number = |x: Option<f64>| x.map_or_else(String::new, |x| x.to_string());
    let gate = |value: fn(&Gate) -> Option<f64>| number(outcome.gate.as_ref().and_then(value));
    let counts = |value: fn(Counts) -> u64| {
        outcome.gate.as_ref().map_or_else(String::new, |gate| value(gate.counts).to_string())
    };
    let cpu = outcome.cpu;
    [
        outcome.generation.to_string(),
        outcome.accepted.to_string(),
        outcome.player.clone(),
        outcome.games.to_string(),
        outcome.plies.to_string(),
        outcome.fit.positions.to_string(),
        last.step.to_string(),
        number(last.policy_loss),
        number(last.value_loss),
        number(last.held_out_policy_loss),
        number(last.held_out_policy_top1),
        number(last.held_out_value_loss),
        gate(|gate| Some(gate.games as f64)),
        counts(|counts| counts.won),
        counts(|counts| counts.drawn),
        counts(|counts| counts.lost),
        counts(|counts| counts.capped),
        gate(|gate| Some(gate.score)),
        gate(|gate| gate.elo),
        gate(|gate| gate.elo_low),
        gate(|gate| gate.elo_high),
        cpu.selfplay.to_string(),
        cpu.fit.to_string(),
        cpu.gate.to_string(),
    ]
}

fn draw(path: &Path, outcomes: &[Outcome]) -> anyhow::Result<()> {
    let panel = |title, value: fn(&Outcome) -> Option<f64>| {
        let point =
            |outcome: &Outcome| Some(Point::exact(f64::from(outcome.generation), value(outcome)?));
        let line = outcomes.iter().filter_map(point).collect();
        Panel { title, x: "generation", lines: vec![line] }
    };
    let panels = vec![
        panel("Policy: held-out cross-entropy (nats)", |o| o.fit.last.held_out_policy_loss),
        panel("Value: held-out cross-entropy (nats)", |o| o.fit.last.held_out_value_loss),
        panel("Gate: Elo against the best so far", |o| o.gate.as_ref()?.elo),
    ];
    let chart = Chart { title: "Generations", panels, ..Chart::default() };
    write_bytes(path, chart.svg().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequential_test_decides_and_else_the_score() {
        let gate = |score, decision| Gate {
            opponent: "material".to_owned(),
            games: 100,
            counts: Counts { won: 0, drawn: 0, lost: 0, capped: 0 },
            score,
            elo: Some(0.0),
            elo_low: Some(0.0),
            elo_high: Some(0.0),
            decision,
        };
        assert!(gate(0.4, Decision::H1).accepts());
        assert!(!gate(0.6, Decision::H0).accepts());
        assert!(gate(0.51, Decision::Undecided).accepts());
        assert!(!gate(0.5, Decision::Undecided).accepts());
    }
}
