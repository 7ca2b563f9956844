//! The players of a ladder.

use std::collections::BTreeMap;
use std::path::Path;

use fusion_jobs::exit::Failure;
use fusion_study::{SearchKind, Searcher};

use crate::generations::{Outcome, network};

/// A player of a ladder.
#[derive(Clone, Debug, PartialEq)]
pub struct Entrant {
    /// Its name in the table: `generation-003`, or its text in the study.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// The generation of its network.
    pub generation: Option<u32>,
    /// The text that opens the player: an evaluator's name or the path of a network.
    pub text: String,
    /// The cost of its training; `None` for fixed players.
    pub cost: Option<Cost>,
}

/// Kinds of players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The player of generation 0: the zero of the scale.
    Start,
    /// An accepted network of the loop.
    Generation,
    /// A fixed player.
    Reference,
}

impl Kind {
    /// Returns its name in the table.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Start => "start",
            Kind::Generation => "generation",
            Kind::Reference => "reference",
        }
    }
}

/// The cost of a loop up to and including a generation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Positions in the training windows of its networks.
    pub positions: u64,
    /// Plies of its training games.
    pub plies: u64,
    /// Processor time.
    pub cpu_hours: f64,
}

impl Cost {
    fn with(self, outcome: &Outcome) -> Self {
        Self {
            positions: self.positions + outcome.fit.positions,
            plies: self.plies + outcome.plies,
            cpu_hours: self.cpu_hours + outcome.cpu.hours(),
        }
    }
}

impl Entrant {
    /// Returns the player's part of the names of its matches' folders.
    fn slug(&self) -> String {
        if self.kind == Kind::Start {
            return self.kind.name().to_owned();
        }
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-.".contains(c) { c } else { '_' };
        self.name.chars().map(plain).collect()
    }

    /// Returns the folder of the match against another player.
    #[must_use]
    pub fn versus(&self, other: &Self) -> String {
        format!("{}-vs-{}", self.slug(), other.slug())
    }
}

/// Returns the players of the ladder of a loop, whose networks are for `search`, in the order of [`super::plan::pairings`]: the start,
/// the accepted generations, then the references except one that equals the start.
///
/// # Errors
/// The matches of two references would share a folder (exit code 64).
pub fn entrants(
    folder: &Path,
    search: SearchKind,
    start: &str,
    outcomes: &[Outcome],
    references: &[String],
) -> Result<Vec<Entrant>, Failure> {
    let fixed = |text: &str, kind, cost| Entrant {
        name: text.to_owned(),
        kind,
        generation: None,
        text: text.to_owned(),
        cost,
    };
    let mut cost = Cost::default();
    let mut entrants = vec![fixed(start, Kind::Start, Some(cost))];
    for outcome in outcomes {
        cost = cost.with(outcome);
        if outcome.accepted {
            entrants.push(Entrant {
                name: format!("generation-{:03}", outcome.generation),
                kind: Kind::Generation,
                generation: Some(outcome.generation),
                text: Searcher::text(
                    search,
                    &network(folder, outcome.generation).display().to_string(),
                ),
                cost: Some(cost),
            });
        }
    }
    let others = references.iter().filter(|text| *text != start);
    entrants.extend(others.map(|text| fixed(text, Kind::Reference, None)));
    let mut slugs = BTreeMap::new();
    for entrant in &entrants {
        if let Some(other) = slugs.insert(entrant.slug(), &entrant.name) {
            return Err(Failure::usage(format!(
                "ladder.references: `{other}` and `{}` would play in the same folder; \
                 name one of them otherwise",
                entrant.name
            )));
        }
    }
    Ok(entrants)
}
