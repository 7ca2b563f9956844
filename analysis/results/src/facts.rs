//! What a game itself is like: what its pieces do and are worth, how many moves there are, how games open, and what
//! is won by force or with few pieces. For every game, through its board.

use std::collections::BTreeMap;
use std::path::Path;

use crate::games::{GameResult, GameRow};
use crate::pairs::Inference;
use crate::record;
use crate::run_folder::RunFolder;
use fusion_game::{BoardGame, Notation, ReadGame, RuleSet, Side};
use fusion_registry::{KnownGame, for_game};
use fusion_statistics::piece_values::{PieceValues, Sample};
use fusion_statistics::{Confidence, Interval};

/// Distance in plies of the positions that are sampled.
const EVERY: usize = 8;
/// Number of resamples of the games.
const RESAMPLES: u32 = 200;
/// Smallest number of games with a kind of piece more on one side. With fewer the kind has no value.
const MIN_GAMES: usize = 50;
/// Lengths in plies of the openings that are listed.
const OPENINGS: [usize; 2] = [1, 4];
/// Most openings of a length.
const MOST: usize = 8;
/// Least games of an opening.
const LEAST: u64 = 2;

/// What the games of a run say about the game itself.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The pieces and moves under each rule set, at the main budget.
    pub pieces: Vec<Pieces>,
    /// The openings that the players chose themselves, most frequent first.
    pub openings: Vec<Opening>,
}

/// What the pieces did under a rule set, both sides together, after the openings.
#[derive(Clone, Debug)]
pub struct Pieces {
    /// The rule set.
    pub rules: String,
    /// Games.
    pub games: u64,
    /// Plies.
    pub plies: u64,
    /// Mean number of legal moves.
    pub choices: f64,
    /// Largest number of legal moves.
    pub most_choices: u64,
    /// Name of the kind whose value is 1.
    pub unit: Option<String>,
    /// The kinds of pieces, in the order of their number in the initial position.
    pub kinds: Vec<Deeds>,
}

/// What a kind of piece did, and its value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deeds {
    /// Its name.
    pub name: String,
    /// Pieces in the initial position, in hands, too.
    pub start: u64,
    /// Sampled positions in which the side to move had one.
    pub present: u64,
    /// Those in which one of them could move.
    pub free: u64,
    /// Moves and drops.
    pub moves: u64,
    /// Captures by it.
    pub captures: u64,
    /// Captures of it.
    pub captured: u64,
    /// Value in units of [`Pieces::unit`], with its 95% interval.
    pub value: Option<(f64, Interval)>,
}

/// An opening that the players chose themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// The rule set.
    pub rules: String,
    /// Its plies.
    pub plies: usize,
    /// The moves in words.
    pub line: String,
    /// Games that began with it.
    pub games: u64,
    /// All games under the rule set.
    pub all: u64,
    /// Games that the first side won, and that were drawn.
    pub results: [u64; 2],
}

impl Facts {
    /// Reads the moves of a run's main measurement at one budget, and those of the openings of the players' own.
    /// A game that has a section of its own for values or openings has none here.
    ///
    /// # Errors
    /// Fails if the moves cannot be read or do not belong to the games.
    pub fn read(run: &RunFolder, nodes: u64, inference: Inference) -> anyhow::Result<Self> {
        let known = run.game.known();
        let mut facts = Self::default();
        if let Some(path) = &run.moves {
            facts.pieces = for_game!(known, G => pieces::<G>(path, &run.games, nodes, inference)?);
        }
        if known != KnownGame::Chess {
            for extra in run.extras.iter().filter(|extra| extra.own_openings()) {
                if let Some(path) = &extra.moves {
                    let found = for_game!(known, G => openings::<G>(path, &extra.games)?);
                    facts.openings.extend(found);
                }
            }
        }
        Ok(facts)
    }
}

/// Calls a function with each row and its game.
fn each<G: BoardGame>(
    path: &Path,
    rows: &[GameRow],
    mut visit: impl FnMut(usize, &GameRow, &ReadGame),
) -> anyhow::Result<()> {
    record::each_text(
        path,
        rows,
        G::LAYOUT.paragraphs(),
        "reading the moves",
        |index, row, line, text| {
            visit(index, row, &record::parse::<G>(path, row, line, text)?);
            Ok(())
        },
    )
}

/// Returns the first position of a game. `None` if it cannot be read, which was checked before.
fn first<G: Notation>(row: &GameRow, game: &ReadGame) -> Option<G> {
    let rules = G::Rules::parse(&row.rules).ok()?;
    match &game.start {
        Some(text) => G::from_text(&rules, text).ok(),
        None => Some(G::new(&rules)),
    }
}

/// What the games under a rule set have shown so far.
#[derive(Default)]
struct Counts {
    games: u64,
    plies: u64,
    choices: u64,
    most_choices: u64,
    /// Names of the kinds, with what they did.
    kinds: Vec<Deeds>,
    samples: Vec<Sample>,
}

fn pieces<G: BoardGame>(
    path: &Path,
    rows: &[GameRow],
    nodes: u64,
    inference: Inference,
) -> anyhow::Result<Vec<Pieces>> {
    let mut all: BTreeMap<String, Counts> = BTreeMap::new();
    each::<G>(path, rows, |index, row, game| {
        if row.nodes == nodes && !row.failed() {
            let counts = all.entry(row.rules.clone()).or_insert_with(|| Counts::new::<G>(row));
            counts.take::<G>(index, row, game);
        }
    })?;
    // Chess games have a section of their own on values.
    let with_values = KnownGame::of_rules(rows.first().map_or("", |row| &row.rules));
    let inference = (with_values != KnownGame::Chess).then_some(inference);
    Ok(all.into_iter().map(|(rules, counts)| counts.finish(rules, inference)).collect())
}

impl Counts {
    /// Begins with the kinds of the initial position, the most numerous first.
    fn new<G: BoardGame>(row: &GameRow) -> Self {
        let mut counts = Self::default();
        let Ok(rules) = G::Rules::parse(&row.rules) else { return counts };
        for (_, name, count) in owned(&G::new(&rules)) {
            let kind = counts.kind(&name);
            counts.kinds[kind].start += count;
        }
        counts.kinds.sort_by_key(|deeds| std::cmp::Reverse(deeds.start));
        counts
    }

    /// Returns the place of a kind, which is added if it is new.
    fn kind(&mut self, name: &str) -> usize {
        if let Some(place) = self.kinds.iter().position(|deeds| deeds.name == name) {
            return place;
        }
        self.kinds.push(Deeds { name: name.to_owned(), ..Deeds::default() });
        self.kinds.len() - 1
    }

    fn take<G: BoardGame>(&mut self, index: usize, row: &GameRow, read: &ReadGame) {
        let Some(mut game) = first::<G>(row, read) else { return };
        self.games += 1;
        let offset = (row.moves_hash % EVERY as u64) as usize;
        let (mut moves, mut sampled) = (Vec::new(), Vec::new());
        for (ply, text) in read.line.moves.iter().enumerate() {
            let Some(mv) = game.parse_move(&text.text) else { return };
            if ply >= row.opening_plies as usize {
                moves.clear();
                game.legal_moves(&mut moves);
                self.plies += 1;
                self.choices += moves.len() as u64;
                self.most_choices = self.most_choices.max(moves.len() as u64);
                let captures = self.count_move(&game, mv);
                if ply % EVERY == offset {
                    self.count_free(&game, &moves);
                    if !captures && game.threatened().is_empty() {
                        sampled.push(self.balance(&game));
                    }
                }
            }
            game.play(mv);
        }
        let result = match row.result {
            GameResult::White => 1.0,
            GameResult::Black => -1.0,
            GameResult::Draw => 0.0,
            GameResult::None => return,
        };
        let weight = 1.0 / sampled.len().max(1) as f64;
        self.samples.extend(sampled.into_iter().map(|counts| Sample {
            result,
            counts,
            weight,
            cluster: index as u64,
        }));
    }

    /// Counts a move. Returns whether it captures.
    fn count_move<G: BoardGame>(&mut self, game: &G, mv: G::Move) -> bool {
        let shown = game.board_move(mv);
        if let Some(name) = mover(&by_space(game), &shown) {
            let kind = self.kind(&name);
            self.kinds[kind].moves += 1;
            self.kinds[kind].captures += u64::from(shown.captures.is_some());
        }
        if let Some(captured) = &shown.captures {
            let kind = self.kind(&captured.name);
            self.kinds[kind].captured += 1;
        }
        shown.captures.is_some()
    }

    /// Counts which kinds of the side to move could move.
    fn count_free<G: BoardGame>(&mut self, game: &G, moves: &[G::Move]) {
        let (side, pieces) = (game.side_to_move(), by_space(game));
        let mut free: Vec<String> =
            moves.iter().filter_map(|&mv| mover(&pieces, &game.board_move(mv))).collect();
        free.sort_unstable();
        free.dedup();
        let mut present: Vec<String> =
            owned(game).into_iter().filter(|of| of.0 == side).map(|of| of.1).collect();
        present.sort_unstable();
        present.dedup();
        for name in present {
            let kind = self.kind(&name);
            self.kinds[kind].present += 1;
            self.kinds[kind].free += u64::from(free.contains(&name));
        }
    }

    /// Returns the first side's pieces minus the other's, by kind.
    fn balance<G: BoardGame>(&mut self, game: &G) -> Vec<i8> {
        let mut balance = vec![0_i64; self.kinds.len()];
        for (side, name, count) in owned(game) {
            let kind = self.kind(&name);
            balance.resize(self.kinds.len(), 0);
            balance[kind] += if side == Side::First { count as i64 } else { -(count as i64) };
        }
        let byte = |count: i64| count.clamp(i8::MIN.into(), i8::MAX.into()) as i8;
        balance.into_iter().map(byte).collect()
    }

    fn finish(mut self, rules: String, inference: Option<Inference>) -> Pieces {
        let unit = inference.and_then(|inference| self.value(inference));
        Pieces {
            rules,
            games: self.games,
            plies: self.plies,
            choices: self.choices as f64 / self.plies.max(1) as f64,
            most_choices: self.most_choices,
            unit,
            kinds: self.kinds,
        }
    }

    /// Fits the values of the kinds. Returns the name of the unit: the most numerous kind of the initial
    /// position that has a value above 0.
    fn value(&mut self, inference: Inference) -> Option<String> {
        let columns = self.kinds.len();
        self.samples.iter_mut().for_each(|sample| sample.counts.resize(columns, 0));
        for kind in 0..columns {
            let with = self.samples.iter().filter(|sample| sample.counts[kind] != 0);
            let mut games: Vec<u64> = with.map(|sample| sample.cluster).collect();
            games.dedup();
            if games.len() < MIN_GAMES {
                self.samples.iter_mut().for_each(|sample| sample.counts[kind] = 0);
            }
        }
        let fitted = PieceValues::fit(&self.samples).ok()?;
        let of = |kind: &usize| fitted.coefficients()[*kind].is_some_and(|value| value > 0.0);
        let unit = (0..columns).find(of)?;
        let resampled = fitted.bootstrap(RESAMPLES, inference.seed).ok()?;
        for (kind, deeds) in self.kinds.iter_mut().enumerate() {
            let weights = [(kind, 1.0)];
            deeds.value = fitted.combination(&weights, Some(unit)).and_then(|value| {
                let spread = resampled.combination(&weights, Some(unit)).ok()?;
                Some((value, spread.interval(Confidence::P95).ok()?))
            });
        }
        Some(self.kinds[unit].name.clone())
    }
}

/// Returns the name of the piece that moves or is dropped; `None` for a pass.
fn mover(pieces: &BTreeMap<String, String>, shown: &fusion_game::BoardMove) -> Option<String> {
    match &shown.from {
        Some(from) => pieces.get(from).cloned(),
        None => shown.becomes.as_ref().map(|piece| piece.name.clone()),
    }
}

/// Returns the names of the pieces on the board by space.
fn by_space<G: BoardGame>(game: &G) -> BTreeMap<String, String> {
    game.pieces().into_iter().map(|placed| (placed.space, placed.piece.name)).collect()
}

/// Returns the pieces of both sides on the board and outside: owner, name and number.
fn owned<G: BoardGame>(game: &G) -> Vec<(Side, String, u64)> {
    let placed = game.pieces().into_iter().map(|placed| (placed.piece.side, placed.piece.name, 1));
    let held = game.reserves().into_iter();
    placed.chain(held.map(|of| (of.piece.side, of.piece.name, of.count.into()))).collect()
}

fn openings<G: BoardGame>(path: &Path, rows: &[GameRow]) -> anyhow::Result<Vec<Opening>> {
    let mut found: BTreeMap<(String, usize, String), (u64, [u64; 2])> = BTreeMap::new();
    let mut all: BTreeMap<String, u64> = BTreeMap::new();
    each::<G>(path, rows, |_, row, read| {
        let Some(mut game) = first::<G>(row, read).filter(|_| !row.failed()) else { return };
        *all.entry(row.rules.clone()).or_default() += 1;
        let mut words: Vec<String> = Vec::new();
        for text in read.line.moves.iter().take(OPENINGS[1]) {
            let Some(mv) = game.parse_move(&text.text) else { return };
            words.push(game.move_words(mv));
            game.play(mv);
            if OPENINGS.contains(&words.len()) {
                let key = (row.rules.clone(), words.len(), words.join(" "));
                let (games, results) = found.entry(key).or_default();
                *games += 1;
                results[0] += u64::from(row.result == GameResult::White);
                results[1] += u64::from(row.drawn());
            }
        }
    })?;
    let opening = |((rules, plies, line), (games, results)): (_, (u64, [u64; 2]))| {
        let all = all.get(&rules).copied().unwrap_or_default();
        Opening { rules, plies, line, games, all, results }
    };
    let mut list: Vec<Opening> = found.into_iter().map(opening).collect();
    list.retain(|of| of.games >= LEAST);
    list.sort_by(|a, b| {
        let key = |of: &Opening| (of.rules.clone(), of.plies, std::cmp::Reverse(of.games));
        key(a).cmp(&key(b)).then_with(|| a.line.cmp(&b.line))
    });
    let mut place = (String::new(), 0, 0);
    list.retain(|of| {
        let before = if (&place.0, place.1) == (&of.rules, of.plies) { place.2 } else { 0 };
        place = (of.rules.clone(), of.plies, before + 1);
        before < MOST
    });
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::test_row;
    use fusion_game::ReadLine;
    use fusion_registry::FairyGame;

    /// A game under the rules of chess as a file defines them.
    fn game(moves: &str) -> (GameRow, ReadGame) {
        let mut row = test_row("variants#chess", 8, 0, false);
        let mut line = ReadLine::default();
        moves.split(' ').for_each(|mv| line.push(mv.to_owned()));
        (row.opening_plies, row.plies) = (0, line.moves.len() as u32);
        (row.result, row.moves_hash) = (GameResult::White, 0);
        (row, ReadGame { rules: "variants#chess".into(), line, ..ReadGame::default() })
    }

    #[test]
    fn moves_and_captures_are_counted_by_kind() {
        let (row, read) = game("e2e4 d7d5 e4d5 d8d5 b1c3 d5e5 f1e2 e5g5");
        let mut counts = Counts::new::<FairyGame>(&row);
        counts.take::<FairyGame>(0, &row, &read);
        let deeds = |name: &str| {
            let of = counts.kinds.iter().find(|deeds| deeds.name == name).unwrap();
            (of.start, of.moves, of.captures, of.captured)
        };
        assert_eq!(deeds("Pawn"), (16, 3, 1, 2));
        assert_eq!(deeds("Queen"), (2, 3, 1, 0));
        assert_eq!(deeds("Rook"), (4, 0, 0, 0));
        assert_eq!((counts.games, counts.plies), (1, 8));
        let rook = counts.kinds.iter().find(|deeds| deeds.name == "Rook").unwrap();
        assert_eq!((rook.present, rook.free), (1, 0));
    }

    /// The side with more Knights wins, and Pawns do not matter much.
    #[test]
    fn values_follow_from_the_results() {
        let (row, _) = game("e2e4");
        let mut counts = Counts::new::<FairyGame>(&row);
        let (pawn, knight) = (counts.kind("Pawn"), counts.kind("Knight"));
        for cluster in 0..600_u64 {
            let mut balance = vec![0_i8; counts.kinds.len()];
            balance[pawn] = (cluster % 5) as i8 - 2;
            balance[knight] = (cluster % 3) as i8 - 1;
            let inside = 0.2 * f64::from(balance[pawn]) + 0.6 * f64::from(balance[knight]);
            let result = inside.tanh();
            counts.samples.push(Sample { result, counts: balance, weight: 1.0, cluster });
        }
        let pieces = counts.finish(
            "variants#chess".into(),
            Some(Inference { resamples: 200, seed: 1, ..Inference::default() }),
        );
        assert_eq!(pieces.unit.as_deref(), Some("Pawn"));
        let knight = pieces.kinds.iter().find(|deeds| deeds.name == "Knight").unwrap();
        let (value, interval) = knight.value.unwrap();
        assert!((value - 3.0).abs() < 1e-6 && interval.low <= value && value <= interval.high);
        assert!(pieces.kinds.iter().find(|deeds| deeds.name == "Rook").unwrap().value.is_none());
    }
}
