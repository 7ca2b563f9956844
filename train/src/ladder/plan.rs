//! The pairings of a ladder.

/// Returns the pairings of a ladder, each once, the later player first.
///
/// Player 0 is the start, 1 to `generations` are the accepted generations in their order,
/// and the references follow. Every generation plays the start and the generations 1, 2, 4, 8 ...
/// before it, at most `earlier` of them. Every reference plays the start, the generations 1, 2, 4,
/// 8 ... and the last. These have a range of strengths. Except for the last, they are the same for
/// any length of the loop, so that their games can be reused.
#[must_use]
pub fn pairings(generations: usize, references: usize, earlier: u32) -> Vec<[usize; 2]> {
    let mut pairings = Vec::new();
    for generation in 1..=generations {
        let before = powers().take(earlier as usize).take_while(|&back| back < generation);
        pairings.extend(before.map(|back| [generation, generation - back]));
        pairings.push([generation, 0]);
    }
    for reference in generations + 1..=generations + references {
        let spread = powers().take_while(|&generation| generation < generations);
        let last = (generations > 0).then_some(generations);
        let opponents = std::iter::once(0).chain(spread).chain(last);
        pairings.extend(opponents.map(|opponent| [reference, opponent]));
    }
    pairings
}

/// Returns 1, 2, 4, 8 ...
fn powers() -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1_usize), |power| power.checked_mul(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_small_ladder_by_hand() {
        let wanted = [
            [1, 0],
            [2, 1],
            [2, 0],
            [3, 2],
            [3, 1],
            [3, 0],
            // The reference plays the start, the first generations and the last.
            [4, 0],
            [4, 1],
            [4, 2],
            [4, 3],
        ];
        assert_eq!(pairings(3, 1, 2), wanted);
        assert_eq!(pairings(0, 2, 2), [[1, 0], [2, 0]]);
        assert!(pairings(0, 0, 3).is_empty());
        let of = |player: usize| {
            let all = pairings(20, 1, 3).into_iter();
            all.filter(|[first, _]| *first == player).map(|[_, second]| second).collect::<Vec<_>>()
        };
        assert_eq!(of(20), [19, 18, 16, 0]);
        assert_eq!(of(21), [0, 1, 2, 4, 8, 16, 20]);
    }

    #[test]
    fn each_pairing_is_played_once() {
        for generations in 0..40 {
            let all = pairings(generations, 3, 5);
            let distinct: BTreeSet<[usize; 2]> = all.iter().copied().collect();
            assert_eq!(distinct.len(), all.len(), "{generations} generations: {all:?}");
            assert!(all.iter().all(|[first, second]| first > second));
        }
    }
}
