//! Tests of the streams: what a reader without rules finds against the engine, for every game.

use super::*;
use crate::viewer::replay::{Place, own, replay};
use fusion_game::prelude::*;
use fusion_game::{BoardGame, Side};
use fusion_registry::{KnownGame, for_game};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A reader like the page's, which has lists and streams but no rules.
struct Reader<'a> {
    encoder: &'a Encoder,
    at: Vec<usize>,
}

/// The state of the game that is read.
struct Seen<'a> {
    shape: &'a BoardShape,
    contents: Vec<Content>,
    lists: [Vec<u16>; 2],
    side: Side,
    words: String,
}

impl<'a> Reader<'a> {
    fn byte(&mut self, stream: usize) -> u8 {
        self.at[stream] += 1;
        self.encoder.streams[stream][self.at[stream] - 1]
    }

    fn number(&mut self, stream: usize) -> usize {
        let byte = self.byte(stream);
        let rest = if byte < 128 { 0 } else { self.number(stream) };
        usize::from(byte & 127) + 128 * rest
    }

    fn begin(&self, game: &Encoded) -> Seen<'a> {
        let encoder: &'a Encoder = self.encoder;
        let lists = &encoder.lists;
        let start = &lists.starts.list()[game.start];
        let shape = &lists.shapes.list()[start.shape];
        let side = if start.second { Side::Second } else { Side::First };
        let contents = vec![0; shape.spaces.len()];
        let mut seen =
            Seen { shape, contents, lists: Default::default(), side, words: String::new() };
        seen.change(&start.pieces, None);
        seen
    }

    /// Reads an action, and returns it in engine notation.
    fn action(&mut self, seen: &mut Seen) -> String {
        let encoder = self.encoder;
        let (place, index) = match self.byte(HEADS) {
            SPELLED => (self.number(SPECIALS), self.number(SPECIALS)),
            head => (usize::from(head) % PLACES, usize::from(head) / PLACES),
        };
        let from = place.checked_sub(1).map(|place| seen.lists[seen.side as usize][place]);
        let on = |space: Option<u16>| {
            own(space.map_or(0, |space| seen.contents[usize::from(space)]), seen.side)
        };
        let mover = on(from).checked_sub(1).map(|of| usize::from(of / 2));
        let figure = mover.map_or("", |kind| encoder.lists.kinds.list()[kind].figure());
        let figures = encoder.lists.figures.list();
        let figure = figures.iter().position(|known| known == figure).unwrap();
        let way = encoder.lists.ways[figure].list()[self.number(WAYS + figure)];
        let to = way.map(|way| seen.away(from, way));
        let before = [from, to].map(on);
        let known = |context: &&Context| context.before == before;
        let context = encoder.lists.contexts.iter().find(known).unwrap();
        let effect = &context.effects.list()[index];
        let space = |place: &Place| match *place {
            Place::Named(0) => from.unwrap(),
            Place::Named(_) => to.unwrap(),
            Place::Away(columns, rows) => seen.away(to.or(from), (columns, rows)),
        };
        let changes = effect.changes.iter();
        let changes: Vec<_> =
            changes.map(|(place, content)| (space(place), own(*content, seen.side))).collect();
        let text = seen.named(&effect.text, from, to);
        let kept = seen.words.len() - effect.cut;
        seen.words.truncate(kept);
        seen.words += &seen.named(&effect.words, from, to);
        seen.change(&changes, to);
        if effect.ends {
            seen.side = seen.side.other();
        }
        text
    }

    /// Returns the pieces by their spaces.
    fn pieces(&self, seen: &Seen) -> BTreeMap<String, (usize, Kind)> {
        let kinds = self.encoder.lists.kinds.list();
        let piece = |(space, &content): (usize, &Content)| {
            let of = usize::from(content.checked_sub(1)?);
            Some((seen.shape.spaces[space].name.clone(), (of % 2, kinds[of / 2].clone())))
        };
        seen.contents.iter().enumerate().filter_map(piece).collect()
    }
}

impl Seen<'_> {
    fn away(&self, from: Option<u16>, (columns, rows): (i32, i32)) -> u16 {
        let from = from.map(|from| &self.shape.spaces[usize::from(from)]);
        let (column, row) = from.map_or((0, 0), |space| (space.column.into(), space.row.into()));
        let rows: i32 = if self.side == Side::First { rows } else { -rows };
        let mut spaces = self.shape.spaces.iter();
        let is_there = |space: &fusion_game::Space| {
            (i32::from(space.column), i32::from(space.row)) == (column + columns, row + rows)
        };
        spaces.position(is_there).unwrap() as u16
    }

    fn change(&mut self, changes: &[(u16, Content)], to: Option<u16>) {
        let owner = |content: Content| content.checked_sub(1).map(|of| usize::from(of % 2));
        for &(space, content) in changes {
            let before = std::mem::replace(&mut self.contents[usize::from(space)], content);
            if owner(before) != owner(content) {
                self.lists.iter_mut().for_each(|list| list.retain(|&own| own != space));
                if let Some(side) = owner(content) {
                    self.lists[side].insert(0, space);
                }
            }
        }
        let Some(to) = to else { return };
        if let Some(side) = owner(self.contents[usize::from(to)]) {
            self.lists[side].retain(|&own| own != to);
            self.lists[side].insert(0, to);
        }
    }

    fn named(&self, text: &str, from: Option<u16>, to: Option<u16>) -> String {
        let space = |space: Option<u16>| &self.shape.spaces[usize::from(space.unwrap())];
        let name = |letter: char| match letter {
            '\u{1}' => space(from).name.clone(),
            '\u{2}' => space(to).name.clone(),
            '\u{3}' => self.shape.column_names[usize::from(space(from).column)].clone(),
            '\u{4}' => self.shape.row_names[usize::from(space(from).row)].clone(),
            other => other.into(),
        };
        text.chars().map(name).collect()
    }
}

/// A game for the test: its rules and its moves.
type Played<G> = (<G as Game>::Rules, Vec<<G as Game>::Move>);

/// Plays a game of at most some plies. Special moves are more frequent than among all legal moves.
fn played<G: BoardGame>(rules: &G::Rules, seed: usize, most: usize) -> Played<G> {
    let mut game = G::new(rules);
    let mut played = Vec::new();
    for ply in 0..most {
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            break;
        }
        let special: Vec<G::Move> =
            legal.iter().copied().filter(|&mv| !game.is_plain(mv)).collect();
        let among = if ply % 3 == 0 && !special.is_empty() { &special } else { &legal };
        let mv = among[(7 * ply + 31 * seed + ply * ply / 5) % among.len()];
        played.push(mv);
        game.play(mv);
    }
    (rules.clone(), played)
}

fn encode<G: BoardGame>(encoder: &mut Encoder, (rules, moves): &Played<G>) -> Encoded {
    let mut game = G::new(rules);
    let text = |&mv: &G::Move| {
        let text = game.move_text(mv);
        game.play(mv);
        text
    };
    let texts: Vec<String> = moves.iter().map(text).collect();
    encoder.encode(replay::<G>(rules, None, texts.iter().map(String::as_str), 1).unwrap())
}

/// Encodes games, reads them back in another order, and compares every ply with the engine.
fn check<G: BoardGame>(games: &[Played<G>]) {
    let mut encoder = Encoder::default();
    let encoded: Vec<Encoded> = games.iter().map(|game| encode::<G>(&mut encoder, game)).collect();
    encoded.iter().rev().for_each(|game| encoder.append(game));
    let mut reader = Reader { encoder: &encoder, at: vec![0; encoder.streams.len()] };
    for ((rules, moves), encoded) in games.iter().zip(&encoded).rev() {
        let mut seen = reader.begin(encoded);
        let (mut game, mut turn) = (G::new(rules), Vec::new());
        let mut begin = game.clone();
        for (ply, &mv) in moves.iter().enumerate() {
            let text = game.move_text(mv);
            turn.push(mv);
            game.play(mv);
            assert_eq!(reader.action(&mut seen), text, "{rules}, ply {ply}");
            assert_eq!(seen.words, begin.turn_words(&turn), "{rules}, ply {ply}");
            assert_eq!(seen.side, game.side_to_move(), "{rules}, ply {ply}");
            let placed = game.pieces().into_iter().map(|placed| {
                let kind = Kind::of(&placed.piece);
                (placed.space, (placed.piece.side as usize, kind))
            });
            assert_eq!(reader.pieces(&seen), placed.collect(), "{rules}, ply {ply}: {text}");
            if game.side_to_move() != begin.side_to_move() {
                begin = game.clone();
                turn.clear();
                seen.words.clear();
            }
        }
    }
    assert_eq!(reader.at, encoder.lengths(), "nothing is left over");
}

#[test]
fn games_under_all_rules_are_read_back() {
    for game in KnownGame::ALL {
        for_game!(game, G => {
            let presets = <G as Game>::Rules::presets();
            let games: Vec<Played<G>> = presets
                .iter()
                .flat_map(|(_, rules)| (0..2).map(|seed| played::<G>(rules, seed, 120)))
                .collect();
            check::<G>(&games);
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn random_games_are_read_back(seeds in prop::collection::vec(0usize..10_000, 1..4), preset in any::<prop::sample::Index>()) {
        for game in KnownGame::ALL {
            for_game!(game, G => {
                let presets = <G as Game>::Rules::presets();
                let (_, rules) = preset.get(&presets);
                let games: Vec<Played<G>> =
                    seeds.iter().map(|&seed| played::<G>(rules, seed, 80)).collect();
                check::<G>(&games);
            });
        }
    }
}

#[test]
fn a_ply_takes_two_bytes_unless_it_is_rare() {
    for game in KnownGame::ALL {
        for_game!(game, G => {
            let presets = <G as Game>::Rules::presets();
            let game = played::<G>(&presets[0].1, 1, 100);
            let plies = game.1.len();
            let mut encoder = Encoder::default();
            let encoded = encode::<G>(&mut encoder, &game);
            encoder.append(&encoded);
            let lengths = encoder.lengths();
            assert_eq!(lengths[HEADS], plies);
            assert!(lengths.iter().sum::<usize>() < 3 * plies, "{}: {lengths:?}", game.0);
        });
    }
}

#[test]
fn positions_in_the_middle_of_a_game_are_starts_too() {
    for_game!(KnownGame::Chess, G => {
        let rules = <G as Game>::Rules::parse("fusion-2020").unwrap();
        let start = "4k3/8/8/8/8/8/3p4/6KR b - - 3 40";
        let replayed = replay::<G>(&rules, Some(start), ["d2d1n"], 40).unwrap();
        assert!(replayed.start.second && replayed.start.number == 40);
        assert_eq!(replayed.start.text.as_deref(), Some(start));
        assert_eq!(replayed.actions[0].effect.words, "\u{2}=N");
        // The rules' own position needs no text.
        let initial = G::new(&rules).to_text();
        let replayed = replay::<G>(&rules, Some(&initial), ["e2e4"], 1).unwrap();
        assert_eq!(replayed.start.text, None);
        let error = replay::<G>(&rules, None, ["e2e4", "e7e4"], 1).unwrap_err().to_string();
        assert!(error.starts_with("ply 2: e7e4 is not a legal move in "), "{error}");
    });
}
