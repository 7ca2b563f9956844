//! What a game says about itself to people: endings, events, pieces, and positions to try a player on.

use crate::{Ending, Notation, Results};

/// A kind of event that happens when a move is made, or that a position has: all that files, tables
/// and pages say about it.
#[derive(Debug, PartialEq, Eq)]
pub struct EventKind {
    /// Name in the plural, as tables have it: `royal fusions`.
    pub plural: &'static str,
    /// Column of `games.csv` with the count.
    pub count: &'static str,
    /// Column of `games.csv` with the ply of the first one; `None` if it is not recorded.
    pub first: Option<&'static str>,
    /// Place in tables, from 0.
    pub place: usize,
    /// Whether tables list the kind even if no game has it.
    pub common: bool,
    /// Whether a position has it, whatever move is made there.
    pub of_position: bool,
    /// Another kind, by its column, that happens whenever this one does.
    pub implies: Option<&'static str>,
}

impl EventKind {
    /// Creates a kind of event of moves that tables always list: its name in the plural, its
    /// columns, and its place in tables.
    ///
    /// ```
    /// use fusion_game::EventKind;
    ///
    /// const CAPTURE: EventKind =
    ///     EventKind::of_move("captures", "captures", Some("first_capture"), 0);
    /// // Kinds that differ in more use the syntax for updates.
    /// const PASS: EventKind =
    ///     EventKind { common: false, ..EventKind::of_move("passes", "passes", None, 1) };
    /// assert!(CAPTURE.common && !PASS.common && !PASS.of_position);
    /// ```
    #[must_use]
    pub const fn of_move(
        plural: &'static str,
        count: &'static str,
        first: Option<&'static str>,
        place: usize,
    ) -> Self {
        let (common, of_position, implies) = (true, false, None);
        Self { plural, count, first, place, common, of_position, implies }
    }
}

/// The kinds of events of a game, in the order of their columns in `games.csv`.
///
/// The columns of common kinds stand in the middle of a row: the counts of events of moves, the plies
/// of the first ones, the counts of events of positions. The columns of the other kinds come last, in
/// pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventKinds {
    /// All kinds.
    pub kinds: &'static [EventKind],
}

impl EventKinds {
    /// Returns the place of the kind with this column of counts.
    #[must_use]
    pub fn place(self, count: &str) -> Option<usize> {
        self.kinds.iter().position(|kind| kind.count == count)
    }
}

/// What files and reports need to know about a game, as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// The endings of the rules, in the order in which tables list them.
    pub endings: &'static [Ending],
    /// [`Describe::RECORDED`].
    pub recorded: Option<&'static [Ending]>,
    /// The kinds of events.
    pub events: EventKinds,
    /// Column of `games.csv` with the position after the opening.
    pub start_column: &'static str,
}

impl Description {
    /// Returns the description of the game `G`.
    #[must_use]
    pub fn of<G: Describe>() -> Self {
        Self {
            endings: G::ENDINGS,
            recorded: G::RECORDED,
            events: G::EVENTS,
            start_column: G::START_COLUMN,
        }
    }

    /// Returns every ending that a game can have, in the order of [`Describe::RECORDED`].
    pub fn all_endings(self) -> impl Iterator<Item = Ending> {
        let [first, then]: [&[Ending]; 2] = match self.recorded {
            Some(recorded) => [recorded, &[]],
            None => [self.endings, &Ending::OUTSIDE],
        };
        first.iter().chain(then).copied()
    }

    /// Returns the endings of the rules that can be draws.
    pub fn drawn_endings(self) -> impl Iterator<Item = Ending> {
        let can_be_drawn =
            |ending: &Ending| matches!(ending.kind().results, Results::Draw | Results::Either);
        self.endings.iter().copied().filter(can_be_drawn)
    }

    /// Returns the ending with this name.
    #[must_use]
    pub fn ending(self, name: &str) -> Option<Ending> {
        self.all_endings().find(|ending| ending.name() == name)
    }
}

/// A set of kinds of events: bit i is kind i of the game's [`EventKinds`].
///
/// ```
/// use fusion_game::EventSet;
///
/// let mut events = EventSet::default();
/// events.insert(2);
/// assert!(events.has(2) && !events.has(0));
/// assert_eq!(events.iter().collect::<Vec<_>>(), [2]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventSet(u32);

impl EventSet {
    /// Adds a kind.
    pub fn insert(&mut self, kind: usize) {
        self.0 |= 1 << kind;
    }

    /// Returns the set with a kind added if the condition holds.
    #[must_use]
    pub fn with(mut self, kind: usize, condition: bool) -> Self {
        self.0 |= u32::from(condition) << kind;
        self
    }

    /// Returns whether the kind is in the set.
    #[must_use]
    pub fn has(self, kind: usize) -> bool {
        self.0 >> kind & 1 == 1
    }

    /// Returns the kinds in order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..u32::BITS as usize).filter(move |&kind| self.has(kind))
    }
}

/// A position with an obvious move; see [`Describe::sanity_positions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SanityPosition {
    /// Description of the position's obvious point.
    pub what: &'static str,
    /// The position's text form.
    pub position: &'static str,
    /// The move in engine notation.
    pub best: &'static str,
}

/// A move that is legal, or ends the game, depending on a toggle; see [`Describe::rule_examples`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleExample {
    /// Name of the toggle.
    pub toggle: &'static str,
    /// The position's text form; `None` for the initial position.
    pub position: Option<&'static str>,
    /// Moves that are made before, in engine notation, joined by blanks.
    pub line: &'static str,
    /// The move in engine notation.
    pub mv: &'static str,
}

impl RuleExample {
    /// Returns the position before the move under a rule set; `None` if it cannot be there.
    #[must_use]
    pub fn game<G: Notation>(&self, rules: &G::Rules) -> Option<G> {
        let mut game = match self.position {
            None => G::new(rules),
            Some(text) => G::from_text(rules, text).ok()?,
        };
        for text in self.line.split_whitespace() {
            game.play(game.parse_move(text)?);
        }
        Some(game)
    }
}

/// What files, tables and pages need to know about a game.
pub trait Describe: Notation {
    /// Every ending of the rules, in the order in which tables list them.
    const ENDINGS: &'static [Ending];
    /// Every ending, in the order in which records of training games number them: by default those of
    /// the rules, then [`Ending::OUTSIDE`]. A number must keep its meaning, so a game that gets another
    /// ending lists them here, the new one last.
    const RECORDED: Option<&'static [Ending]> = None;
    /// Every kind of event of a move or a position.
    const EVENTS: EventKinds;

    /// Returns whether a game can end by its rules with an ending of this game, decided or drawn.
    fn can_end(rules: &Self::Rules, ending: Ending, decided: bool) -> bool {
        let _ = rules;
        ending.kind().results.include(decided)
    }

    /// Returns the endings by which a game can be drawn under some of these rule sets.
    fn drawn_endings(rules: &[Self::Rules]) -> Vec<Ending> {
        let drawn = Description::of::<Self>().drawn_endings();
        drawn
            .filter(|&ending| rules.iter().any(|rules| Self::can_end(rules, ending, false)))
            .collect()
    }

    /// Returns the events of a legal move.
    fn events(&self, mv: Self::Move) -> EventSet;

    /// Returns the events of the position itself, whatever move is made in it. `moves` are its legal
    /// moves.
    fn occasions(&self, moves: &[Self::Move]) -> EventSet {
        let _ = moves;
        EventSet::default()
    }

    /// Returns whether a legal move is of a kind that every rule set of the game has. Openings that
    /// rule sets share consist of such moves.
    fn is_plain(&self, mv: Self::Move) -> bool {
        let _ = mv;
        true
    }

    /// Returns the position as people read it in a terminal, on several lines if it has a board.
    fn diagram(&self) -> String {
        self.to_text()
    }

    /// Returns examples of what toggles do.
    fn rule_examples() -> Vec<RuleExample> {
        Vec::new()
    }

    /// Returns positions in which the best move is obvious to every experienced player. A network
    /// is tested on them before it may play.
    fn sanity_positions() -> &'static [SanityPosition] {
        &[]
    }
}
