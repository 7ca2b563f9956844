//! Who is on a ladder.

use std::collections::BTreeMap;
use std::path::Path;

use fusion_jobs::exit::Failure;

use crate::generations::{Outcome, network};

/// A player of a ladder.
#[derive(Clone, Debug, PartialEq)]
pub struct Entrant {
    /// Its name in the table: `generation-003`, or the text that the study names it by.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The generation whose network it is.
    pub generation: Option<u32>,
    /// What a player is opened from: an evaluator's name or the path of a network.
    pub text: String,
    /// What learning it took; `None` for fixed players.
    pub cost: Option<Cost>,
}

/// Kinds of players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What played generation 0: the zero of the scale.
    Start,
    /// An accepted network of the loop.
    Generation,
    /// A fixed player.
    Reference,
}

impl Kind {
    /// Its name in the table.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Start => "start",
            Kind::Generation => "generation",
            Kind::Reference => "reference",
        }
    }
}

/// What a loop spent up to and with a generation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Positions in the windows that its networks learnt from.
    pub positions: u64,
    /// Plies of its training games.
    pub plies: u64,
    /// Processor time; `None` where a generation did not note it.
    pub cpu_hours: Option<f64>,
}

impl Cost {
    fn with(self, outcome: &Outcome) -> Self {
        let hours = outcome.cpu.map(|cpu| cpu.hours());
        Self {
            positions: self.positions + outcome.fit.positions,
            plies: self.plies + outcome.plies,
            cpu_hours: self.cpu_hours.zip(hours).map(|(before, more)| before + more),
        }
    }
}

impl Entrant {
    /// The player's part of the names of its matches' folders.
    fn slug(&self) -> String {
        if self.kind == Kind::Start {
            return self.kind.name().to_owned();
        }
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-.".contains(c) { c } else { '_' };
        self.name.chars().map(plain).collect()
    }

    /// The folder of the match against another player.
    #[must_use]
    pub fn versus(&self, other: &Self) -> String {
        format!("{}-vs-{}", self.slug(), other.slug())
    }
}

/// The players of a loop's ladder in the order of [`super::plan::pairings`]: the start, the
/// accepted generations, the references but for one that is the start.
///
/// # Errors
/// References whose matches would share a folder (exit code 64).
pub fn entrants(
    folder: &Path,
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
    let mut cost = Cost { cpu_hours: Some(0.0), ..Cost::default() };
    let mut entrants = vec![fixed(start, Kind::Start, Some(cost))];
    for outcome in outcomes {
        cost = cost.with(outcome);
        if outcome.accepted {
            entrants.push(Entrant {
                name: format!("generation-{:03}", outcome.generation),
                kind: Kind::Generation,
                generation: Some(outcome.generation),
                text: network(folder, outcome.generation).display().to_string(),
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
