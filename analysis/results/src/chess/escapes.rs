//! Narrow escapes: checks that only a fusion or a fission could answer.

use crate::arms::Arm;
use crate::games::{GameRow, RowEnding};
use fusion_chess::game::CHECKMATE;
use fusion_print::format::count;
use fusion_statistics::Proportion;

/// Returns the share of would-be mates that were escaped, or `None` if there are none.
pub fn escapes(rows: &[&GameRow]) -> Option<Proportion> {
    rows.first()?.game.events.place("escapes")?;
    let escapes: u64 = rows.iter().map(|row| u64::from(row.events.of("escapes").count)).sum();
    let mated = |row: &&&GameRow| row.ending == RowEnding::Game(CHECKMATE);
    let mates = rows.iter().filter(mated).count() as u64;
    Proportion::new(escapes, escapes + mates).ok()
}

/// Rule set under which, the inventor claims, no mate can be escaped.
const CLAIMED: &str = "fusion-2020";

/// Defines the escapes, and compares the games under that rule set with the claim.
#[must_use]
pub fn in_words<'a>(mut arms: impl Iterator<Item = &'a Arm>) -> String {
    let mut text =
        "Escapes: checks that only a fusion or a fission could answer, out of these and the mates."
            .to_owned();
    let claimed = arms.find(|arm| arm.rules == CLAIMED);
    if let Some(escapes) = claimed.and_then(|arm| arm.escapes) {
        text += &format!(" {}", claim(escapes.successes()));
    }
    text
}

fn claim(found: u64) -> String {
    let claim =
        format!("The inventor claims that the rules of {CLAIMED} leave none in any position");
    match found {
        0 => format!("{claim}; that these games hold none does not prove it."),
        found => format!("{claim}; these games hold {}.", count(found)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_contradict_the_claim_and_their_absence_does_not_prove_it() {
        let none = claim(0);
        assert!(none.contains("hold none does not prove it"), "{none}");
        let some = claim(3);
        assert!(some.ends_with("these games hold 3.") && !some.contains("none does"), "{some}");
    }
}
