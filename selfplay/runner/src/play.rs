//! Functions shared by training, measurement and match games.

use fusion_game::{CompleteGame, Ending, Outcome, Side};
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use fusion_study::MAX_OPENING_PLIES;

/// Returns the outcome of a game that is over by the rules or by the cap on its turns.
pub(crate) fn outcome<G: CompleteGame>(
    game: &G,
    moves: &[G::Move],
    turns: Turns,
    cap: u32,
) -> Option<Outcome> {
    let capped = || (turns.0 >= cap).then_some(Outcome { winner: None, ending: Ending::CAP });
    game.outcome(moves).or_else(capped)
}

/// Number of turns of a game that have ended, of both sides together. Where every turn has one ply
/// it is the number of plies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turns(u32);

impl Turns {
    /// Makes a move in a game and counts the turn if it ends.
    pub(crate) fn play<G: CompleteGame>(&mut self, game: &mut G, mv: G::Move) {
        let mover = game.side_to_move();
        game.play(mv);
        self.count(mover, game.side_to_move());
    }

    /// Counts the turn of a side if the side to move is another one now.
    pub(crate) fn count(&mut self, mover: Side, now: Side) {
        self.0 += u32::from(mover != now);
    }

    /// Returns the turns of moves from a position, in engine notation. A move that is not legal ends
    /// the count.
    pub(crate) fn of_line<'a, G: CompleteGame>(
        first: &G,
        line: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let (mut game, mut turns) = (first.clone(), Self::default());
        for text in line {
            let Some(mv) = game.parse_move(text) else { break };
            turns.play(&mut game, mv);
        }
        turns
    }
}

/// Returns 1 for a game that counts as a draw in the progress display, else 0.
pub(crate) fn draws(outcome: Outcome) -> u64 {
    u64::from(outcome.winner.is_none() && outcome.ending != Ending::CAP)
}

/// Plays random plies in several games at once, the same in all games.
///
/// A ply is drawn uniformly from the moves that are legal in every game and neither fuse, split nor
/// castle in any. If a turn may have several plies, the last turn is played to its end. Returns
/// `None` if there is no such move, if a game ends, if the games differ in the side to move, or if
/// the turn does not end within [`MAX_OPENING_PLIES`].
pub(crate) fn random_plies<G: CompleteGame>(
    games: &mut [G],
    plies: u32,
    rng: &mut ChaCha8Rng,
) -> Option<Vec<String>> {
    let mut line = Vec::with_capacity(plies as usize);
    let mut turn_ended = true;
    while line.len() < plies as usize || !turn_ended {
        if line.len() >= MAX_OPENING_PLIES as usize {
            return None;
        }
        let mover = games.first()?.side_to_move();
        let common = common_moves(games);
        let text = common.choose(rng)?.clone();
        for game in games.iter_mut() {
            game.play(game.parse_move(&text)?);
        }
        line.push(text);
        let next = games.first()?.side_to_move();
        if games.iter().any(|game| game.side_to_move() != next) {
            return None;
        }
        turn_ended = next != mover;
    }
    let mut moves = Vec::new();
    let over = games.iter().any(|game| {
        moves.clear();
        game.legal_moves(&mut moves);
        game.outcome(&moves).is_some()
    });
    (!over).then_some(line)
}

/// Returns the texts of the moves that are plain and legal in all games; none once a game is over.
fn common_moves<G: CompleteGame>(games: &[G]) -> Vec<String> {
    let mut moves = Vec::new();
    let mut common: Option<Vec<String>> = None;
    for game in games {
        moves.clear();
        game.legal_moves(&mut moves);
        if game.outcome(&moves).is_some() {
            return Vec::new();
        }
        let plain = moves.iter().filter(|&&mv| game.is_plain(mv));
        let texts: Vec<String> = plain.map(|&mv| game.move_text(mv)).collect();
        match &mut common {
            Some(common) => common.retain(|text| texts.contains(text)),
            None => common = Some(texts),
        }
    }
    common.unwrap_or_default()
}
