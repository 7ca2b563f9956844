//! The endings and events of the games, as data.

use super::{FairyGame, number};
use crate::board::{Action, Move};
use crate::rules::FairyRules;
use fusion_game::{
    Describe, Ending, EndingKind, EventKind, EventKinds, EventSet, Game, Results, Tactics,
};

/// Declares an ending.
macro_rules! ending {
    ($(#[$doc:meta])* $name:ident, $file:literal, $short:literal, $words:literal, $results:ident) => {
        $(#[$doc])*
        pub const $name: Ending = Ending::new(&EndingKind {
            name: $file,
            short: $short,
            words: $words,
            results: Results::$results,
        });
    };
}

ending!(/// The royal piece is attacked, and no move saves it.
    CHECKMATE, "checkmate", "checkmate", "checkmate", Either);
ending!(/// The side to move has no move and is not in check.
    STALEMATE, "stalemate", "stalemate", "stalemate", Either);
ending!(/// A side has too few pieces of a kind.
    EXTINCTION, "extinction", "extinction", "extinction of a kind of piece", Either);
ending!(/// A piece has reached its goal.
    FLAG, "flag", "flag", "a piece at its goal", Either);
ending!(/// A side has given all its checks.
    CHECKS, "checks", "checks", "the last of the checks that win", Win);
ending!(/// Pieces stand in a row.
    CONNECTION, "connection", "in a row", "pieces in a row", Either);
ending!(/// Both sides have passed.
    PASSES, "passes", "passes", "a pass by both sides", Either);
ending!(/// The position has occurred too often.
    REPETITION, "repetition", "repetition", "repetition", Either);
ending!(/// The position has occurred too often, and a side gave check all the time.
    PERPETUAL, "perpetual-check", "perp. check", "perpetual check", Either);
ending!(/// Too little material for any mate.
    DEAD, "dead-position", "dead", "dead position", Draw);
ending!(/// Too many moves without progress.
    MOVE_RULE, "move-rule", "move rule", "limit on moves without progress", Either);
ending!(/// A counting rule has run out.
    COUNTING, "counting", "counting", "end of the count", Draw);

// Places in `EVENTS`.
const CAPTURE: usize = 0;
const PROMOTION: usize = 1;
const DROP: usize = 2;
const CASTLING: usize = 3;
const CHECK: usize = 4;
const FUSION: usize = 5;
const FISSION: usize = 6;
const CHANGE: usize = 7;

/// Declares an event that games without its rule do not have.
const fn rare(columns: (&'static str, Option<&'static str>), place: usize) -> EventKind {
    EventKind { common: false, ..EventKind::of_move(columns.0, columns.0, columns.1, place) }
}

/// The kinds in the order of their columns in `games.csv`.
static EVENTS: [EventKind; 8] = [
    EventKind::of_move("captures", "captures", Some("first_capture"), CAPTURE),
    EventKind::of_move("promotions", "promotions", Some("first_promotion"), PROMOTION),
    rare(("drops", Some("first_drop")), DROP),
    rare(("castlings", Some("first_castling")), CASTLING),
    EventKind::of_move("checks", "checks", Some("first_check"), CHECK),
    rare(("fusions", Some("first_fusion")), FUSION),
    rare(("fissions", Some("first_fission")), FISSION),
    // A piece changes by a capture or because it was attacked.
    rare(("changes", None), CHANGE),
];

impl Describe for FairyGame {
    const ENDINGS: &'static [Ending] = &[
        CHECKMATE, STALEMATE, EXTINCTION, FLAG, CHECKS, CONNECTION, PASSES, REPETITION, PERPETUAL,
        DEAD, MOVE_RULE, COUNTING,
    ];

    const EVENTS: EventKinds = EventKinds { kinds: &EVENTS };

    fn can_end(rules: &FairyRules, ending: Ending, decided: bool) -> bool {
        let rules = &rules.tables().rules;
        let conditions = [
            (CHECKMATE, rules.king().is_some() || rules.pseudo_royal),
            (EXTINCTION, rules.extinction.is_some()),
            (FLAG, rules.flag.is_some()),
            (CHECKS, rules.check_counting),
            (CONNECTION, rules.connect.is_some()),
            (PASSES, rules.pass.iter().chain(&rules.pass_on_stalemate).any(|&yes| yes)),
            (REPETITION, rules.repetition.fold > 0),
            (PERPETUAL, rules.repetition.fold > 0 && rules.repetition.no_perpetual_check),
            (DEAD, rules.dead != 0),
            (MOVE_RULE, rules.move_rule > 0),
            (COUNTING, rules.counting.is_some()),
        ];
        let possible =
            conditions.iter().find(|(known, _)| *known == ending).is_none_or(|&(_, holds)| holds);
        possible && ending.kind().results.include(decided)
    }

    fn events(&self, mv: Move) -> EventSet {
        let promotes = matches!(mv.action(), Action::Promote | Action::Upgrade);
        let merges = self.merges(mv);
        EventSet::default()
            .with(CAPTURE, self.position().captures(mv))
            .with(PROMOTION, promotes)
            .with(DROP, mv.is_drop())
            .with(CASTLING, mv.action() == Action::Castle)
            .with(CHECK, self.threats()(mv))
            .with(FUSION, merges)
            .with(FISSION, mv.action() == Action::Split)
            .with(CHANGE, mv.action() == Action::Change && !merges)
    }

    /// Moves of pieces that neither capture nor change.
    fn is_plain(&self, mv: Move) -> bool {
        mv.action() == Action::Go && !self.position().captures(mv)
    }

    /// Returns the board with the first side below, its pieces in capitals, and the names of ranks and
    /// files.
    fn diagram(&self) -> String {
        let tables = self.tables();
        let (files, ranks) = (usize::from(tables.rules.files), usize::from(tables.rules.ranks));
        let mut text = String::new();
        for rank in (0..ranks).rev() {
            text += &format!("{:>2} ", rank + 1);
            for file in 0..files {
                text.push(' ');
                text.push(self.position().letter(tables, rank * files + file));
            }
            text.push('\n');
        }
        let names: Vec<String> =
            (0..files).map(|file| char::from(b'a' + file as u8).to_string()).collect();
        text += &format!("    {}\n", names.join(" "));
        let to_move = number(self.side_to_move());
        text + &format!(
            "{} to move\n{}",
            ["White", "Black"][to_move],
            self.position().to_text(tables)
        )
    }
}
