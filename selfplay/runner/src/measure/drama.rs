//! Lead changes and drama of a game, from the searches' own evaluations.

use fusion_game::Side;

/// Smallest lead that counts. Evaluations fluctuate by that much from ply to ply.
const CLEAR: f64 = 0.1;

/// Returns the first player's lead by a search: chance of a win minus chance of a loss. It is
/// between -1 and 1. The input is win, draw and loss per mille.
#[must_use]
pub fn lead([win, _, loss]: [u16; 3]) -> f64 {
    (f64::from(win) - f64::from(loss)) / 1000.0
}

/// Counts how often the lead passed from one player to the other.
///
/// A lead counts from 0.1 on. Its holder keeps it until the other player has such a lead.
///
/// Source: C. Browne, *Automatic generation and evaluation of recombination games*, PhD thesis,
/// QUT Brisbane (2008), "lead change"; the band around zero is ours.
#[must_use]
pub fn lead_changes(leads: &[f64]) -> u32 {
    let clear = leads.iter().filter(|lead| lead.abs() >= CLEAR);
    let mut holders: Vec<bool> = clear.map(|lead| *lead > 0.0).collect();
    holders.dedup();
    holders.len().saturating_sub(1) as u32
}

/// Returns how far behind the winner was: the mean square root of the deficit, over the plies at
/// which the winner was behind. It is 0 for a winner who was never behind.
///
/// Source: C. Browne (2008), "drama".
#[must_use]
pub fn drama(leads: &[f64], winner: Side) -> f64 {
    let sign = if winner == Side::First { 1.0 } else { -1.0 };
    let behind: Vec<f64> = leads.iter().map(|lead| -sign * lead).filter(|&d| d > 0.0).collect();
    if behind.is_empty() {
        return 0.0;
    }
    behind.iter().map(|deficit| deficit.sqrt()).sum::<f64>() / behind.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lead_changes_when_the_other_has_a_clear_one() {
        assert_eq!(lead([700, 100, 200]), 0.5);
        assert_eq!(lead_changes(&[]), 0);
        assert_eq!(lead_changes(&[0.05, -0.05, 0.05]), 0);
        assert_eq!(lead_changes(&[0.2, 0.0, -0.05, 0.3]), 0);
        assert_eq!(lead_changes(&[0.2, -0.2, 0.0, -0.5, 0.1]), 2);
    }

    #[test]
    fn drama_is_the_winner_being_behind() {
        assert_eq!(drama(&[0.1, 0.5, 1.0], Side::First), 0.0);
        assert_eq!(drama(&[-0.25, 0.5, -0.09], Side::First), 0.4);
        assert_eq!(drama(&[-0.25, 0.64, 0.0], Side::Second), 0.8);
    }
}
