//! Results against a lone King that has one Rook, Bishop or Knight, fused with it or beside it. The
//! rule changes of 2006 and 2020 answer a complaint about these endings. The results are from
//! summaries of endgame tables.

use fusion_chess::endgame::{Material, equivalent_rules};
use fusion_chess::rules::{RuleSet, TOGGLES};
use fusion_endgames::summary::Row;
use fusion_endgames::tables::recorded::extras;
use fusion_game::ToggleKind;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The rule sets that the complaint is about.
const PRESETS: [&str; 3] = ["fusion-1999", "fusion-2006", "fusion-2020"];
/// Rule sets whose toggles are changed one at a time.
const BASES: [&str; 2] = ["fusion-1999", "fusion-2020"];
/// Maximum number of compared rule sets. With more, bars are hard to tell apart.
const MOST_RULES: usize = 4;

/// The component that the lone King has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lone {
    /// KR, the Dragon King.
    Rook,
    /// KB, the Pontiff.
    Bishop,
    /// KN, the Cavalier King.
    Knight,
}

impl Lone {
    /// All components.
    pub const ALL: [Self; 3] = [Self::Rook, Self::Bishop, Self::Knight];

    fn of(extras: [u8; 3]) -> Option<Self> {
        let one = extras.iter().sum::<u8>() == 1;
        Self::ALL.into_iter().find(|lone| one && lone.extras() == extras)
    }

    fn extras(self) -> [u8; 3] {
        let mut extras = [0; 3];
        extras[self as usize] = 1;
        extras
    }

    /// Returns the defender's pieces: `KR` fused, `K+R` split.
    #[must_use]
    pub fn pieces(self, fused: bool) -> &'static str {
        match (self, fused) {
            (Self::Rook, true) => "KR",
            (Self::Bishop, true) => "KB",
            (Self::Knight, true) => "KN",
            (Self::Rook, false) => "K+R",
            (Self::Bishop, false) => "K+B",
            (Self::Knight, false) => "K+N",
        }
    }

    /// Returns the fused piece's name.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Rook => "Dragon King",
            Self::Bishop => "Pontiff",
            Self::Knight => "Cavalier King",
        }
    }
}

/// The attacker's pieces. The order is by material, less first, and then split before fused.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attacker {
    components: u8,
    extras: Reverse<[u8; 3]>,
    /// Component that is fused with the King, as its place in `RBN` from 1; 0 for none.
    partner: usize,
    number: Reverse<usize>,
    pieces: String,
}

impl Attacker {
    fn of(pieces: &str) -> Option<Self> {
        let extras = extras(pieces)?;
        let components: u8 = extras.iter().sum();
        (components > 0).then(|| Self {
            components,
            extras: Reverse(extras),
            partner: partner(pieces),
            number: Reverse(pieces.split('+').count()),
            pieces: pieces.to_owned(),
        })
    }

    /// Returns the pieces. `K+RB` is the King and a fused Rook and Bishop.
    #[must_use]
    pub fn pieces(&self) -> &str {
        &self.pieces
    }

    /// Returns whether the King is fused.
    #[must_use]
    pub fn king_fused(&self) -> bool {
        self.partner > 0
    }

    /// Returns the number of Rooks, Bishops and Knights.
    #[must_use]
    pub fn components(&self) -> u8 {
        self.components
    }
}

fn partner(pieces: &str) -> usize {
    let mut royal = pieces.split('+').filter_map(|piece| piece.strip_prefix('K'));
    royal.find_map(|rest| "RBN".find(rest.chars().next()?)).map_or(0, |place| place + 1)
}

/// Pieces of both sides for which positions are counted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Start {
    /// Component of the lone King.
    pub defender: Lone,
    /// Whether the component is fused with the lone King.
    pub fused: bool,
    /// Pieces of the other side.
    pub attacker: Attacker,
}

impl Start {
    fn material(&self) -> Option<Material> {
        let sides = [self.attacker.extras.0, self.defender.extras()];
        Material::new(sides).map(|(material, _)| material)
    }
}

/// The side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToMove {
    /// The attacker.
    Attacker,
    /// The lone King.
    Defender,
    /// Either side: all positions of both kinds.
    Either,
}

impl ToMove {
    /// All values.
    pub const ALL: [Self; 3] = [Self::Attacker, Self::Defender, Self::Either];

    /// Returns the name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Attacker => "attacker",
            Self::Defender => "defender",
            Self::Either => "either",
        }
    }
}

/// Counts of positions by their result with best play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of positions.
    pub positions: u64,
    /// Positions that the attacker wins.
    pub won: u64,
    /// Positions that neither side wins.
    pub drawn: u64,
    /// Positions that the lone King's side wins.
    pub lost: u64,
    /// Won positions that take more than 100 plies.
    pub over_100: u64,
    /// Plies of the longest win; `None` without wins.
    pub longest: Option<u16>,
}

impl Tally {
    /// Returns the share of the positions that the attacker wins.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.won as f64 / self.positions as f64
    }

    /// Returns the sum of both tallies.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            positions: self.positions + other.positions,
            won: self.won + other.won,
            drawn: self.drawn + other.drawn,
            lost: self.lost + other.lost,
            over_100: self.over_100 + other.over_100,
            longest: self.longest.max(other.longest),
        }
    }
}

/// A rule set with one toggle changed.
#[derive(Clone, Debug)]
pub struct Change {
    /// The toggle with its new value: `king-fuses=no`.
    pub text: String,
    /// The toggle.
    pub toggle: ToggleKind,
    /// Its new value.
    pub value: String,
    /// Rule set with the new value.
    pub rules: RuleSet,
}

/// The changes of a rule set's toggles, one at a time.
#[derive(Clone, Debug)]
pub struct Changes {
    /// Rule set that is changed.
    pub base: RuleSet,
    /// Changes that change a number, in the order of the rules' table.
    pub changes: Vec<Change>,
    /// Changes that change no number.
    pub without_effect: Vec<Change>,
}

/// The results of a summary.
///
/// Rule sets with the same moves in an ending share its rows, whatever rule set the rows name.
#[derive(Clone, Debug)]
pub struct LoneKing {
    /// Rule sets that the summary names, as text.
    named: BTreeSet<String>,
    starts: BTreeSet<Start>,
    /// Tallies by equivalent rules and start: attacker to move, defender to move.
    tallies: BTreeMap<(String, Start), [Tally; 2]>,
}

impl LoneKing {
    /// Reads the rows of a summary. Returns `None` if it has no such endings.
    #[must_use]
    pub fn of(rows: &[Row]) -> Option<Self> {
        let (named, starts, tallies) = Default::default();
        let mut all = Self { named, starts, tallies };
        // Rows of rule sets with the same moves repeat each other.
        let mut counted = BTreeSet::new();
        for row in rows {
            let Ok(rules) = row.rules.parse::<RuleSet>() else { continue };
            for (white_attacks, start) in views(row) {
                let Some(material) = start.material() else { continue };
                all.named.insert(rules.to_string());
                all.starts.insert(start.clone());
                let key = (equivalent_rules(&rules, &material).to_string(), start);
                let attacker_moves = white_attacks == (row.to_move == 'w');
                if counted.insert((key.clone(), attacker_moves)) {
                    let pair = all.tallies.entry(key).or_default();
                    pair[usize::from(!attacker_moves)] = tally(row, white_attacks);
                }
            }
        }
        all.tallies.retain(|_, pair| pair.iter().all(|tally| tally.positions > 0));
        (!all.tallies.is_empty()).then_some(all)
    }

    /// Returns how the positions of a start end under the rules, or `None` if that was not solved.
    #[must_use]
    pub fn tally(&self, rules: &RuleSet, start: &Start, to_move: ToMove) -> Option<Tally> {
        let rules = equivalent_rules(rules, &start.material()?).to_string();
        let [attacker, defender] = *self.tallies.get(&(rules, start.clone()))?;
        Some(match to_move {
            ToMove::Attacker => attacker,
            ToMove::Defender => defender,
            ToMove::Either => attacker.with(defender),
        })
    }

    /// Returns the starts against a lone King, least material first.
    pub fn starts(&self, defender: Lone, fused: bool) -> impl Iterator<Item = &Start> {
        let all = self.starts.iter();
        all.filter(move |start| (start.defender, start.fused) == (defender, fused))
    }

    /// Returns every start.
    pub fn all_starts(&self) -> impl Iterator<Item = &Start> {
        self.starts.iter()
    }

    /// Returns the sum of all solved positions against a lone King under the rules, or `None` if no
    /// start was solved.
    #[must_use]
    pub fn total(
        &self,
        rules: &RuleSet,
        defender: Lone,
        fused: bool,
        to_move: ToMove,
    ) -> Option<Tally> {
        let starts = self.starts(defender, fused);
        starts.filter_map(|start| self.tally(rules, start, to_move)).reduce(Tally::with)
    }

    /// Returns all rule sets: those that the summary names, and the presets of the complaint.
    #[must_use]
    pub fn rules(&self) -> Vec<RuleSet> {
        let mut names: BTreeSet<&str> = self.named.iter().map(String::as_str).collect();
        names.extend(PRESETS);
        let parsed = names.into_iter().filter_map(|name| name.parse().ok());
        parsed.filter(|rules| self.any(rules)).collect()
    }

    /// Returns the rule sets to compare. These are the named rule sets under which a King can fuse
    /// and at least one start was solved. If none or too many are left, the presets are compared.
    #[must_use]
    pub fn compared<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<RuleSet> {
        let solved = |names: &mut dyn Iterator<Item = &str>| -> Vec<RuleSet> {
            let mut found: Vec<RuleSet> = Vec::new();
            for rules in names.filter_map(|name| name.parse().ok()) {
                if may_fuse(&rules) && self.any(&rules) && !found.contains(&rules) {
                    found.push(rules);
                }
            }
            found
        };
        let mut names = names;
        match solved(&mut names) {
            found if (1..=MOST_RULES).contains(&found.len()) => found,
            _ => solved(&mut PRESETS.into_iter()),
        }
    }

    fn any(&self, rules: &RuleSet) -> bool {
        self.starts.iter().any(|start| self.tally(rules, start, ToMove::Either).is_some())
    }

    /// Returns the toggles of the presets that were changed one at a time. A change is included
    /// under two conditions. For one of the lone Kings, the summary has every start that it has
    /// without the change. The change also alters a move in some of these endings.
    #[must_use]
    pub fn changes(&self) -> Vec<Changes> {
        let bases = BASES.iter().filter_map(|name| name.parse::<RuleSet>().ok());
        let found = bases.map(|base| {
            let (without_effect, changes) = base
                .neighbours()
                .into_iter()
                .filter(|rules| Lone::ALL.iter().any(|lone| self.covers(&base, rules, *lone)))
                .filter(|rules| self.other_moves(&base, rules))
                .filter_map(|rules| change(&base, rules))
                .partition(|change| !self.differ(&base, &change.rules));
            Changes { base, changes, without_effect }
        });
        found.filter(|changes| !changes.changes.is_empty()).collect()
    }

    /// Returns whether every start against a lone King that was solved under the base was also
    /// solved under the rules. At least one start must be solved.
    #[must_use]
    pub fn covers(&self, base: &RuleSet, rules: &RuleSet, lone: Lone) -> bool {
        let known = |rules, start| self.tally(rules, start, ToMove::Either).is_some();
        let starts = self.starts.iter().filter(|start| start.defender == lone);
        let mut asked = starts.filter(|start| known(base, start)).peekable();
        asked.peek().is_some() && asked.all(|start| known(rules, start))
    }

    /// Returns whether some ending has other moves under the two rule sets. For example, castling
    /// and promotion cannot matter, because no castling right or Pawn is left.
    fn other_moves(&self, base: &RuleSet, rules: &RuleSet) -> bool {
        let materials = self.starts.iter().filter_map(Start::material);
        let mut differ =
            materials.map(|m| equivalent_rules(base, &m) != equivalent_rules(rules, &m));
        differ.any(|differs| differs)
    }

    fn differ(&self, base: &RuleSet, rules: &RuleSet) -> bool {
        let tallies = |rules, start| {
            [ToMove::Attacker, ToMove::Defender].map(|to_move| self.tally(rules, start, to_move))
        };
        let mut starts = self.starts.iter().filter(|start| tallies(base, start)[0].is_some());
        starts.any(|start| tallies(base, start) != tallies(rules, start))
    }
}

/// Returns whether a King ever becomes a compound.
fn may_fuse(rules: &RuleSet) -> bool {
    rules.king_fuses || rules.fuse_onto_king
}

fn change(base: &RuleSet, rules: RuleSet) -> Option<Change> {
    let differs = |toggle: &ToggleKind| base.get(toggle.name) != rules.get(toggle.name);
    let toggle = TOGGLES.iter().copied().find(differs)?;
    let value = rules.get(toggle.name)?;
    Some(Change { text: format!("{}={value}", toggle.name), toggle, value, rules })
}

/// Returns whether White attacks, and the start, for each lone King of a row. If each side has a
/// component, either side is a lone King. If both have the same components, White attacks in one
/// row, and Black attacks in another row that mirrors it. Only the former counts.
fn views(row: &Row) -> Vec<(bool, Start)> {
    let sides = [&row.white, &row.black];
    let view = |attacker: usize| {
        let defender = sides[1 - attacker];
        Some(Start {
            defender: Lone::of(extras(defender)?)?,
            fused: !defender.contains('+'),
            attacker: Attacker::of(sides[attacker])?,
        })
    };
    let mirrored = extras(&row.white) == extras(&row.black);
    let attackers = [Some(0), (!mirrored).then_some(1)].into_iter().flatten();
    attackers.filter_map(|attacker| Some((attacker == 0, view(attacker)?))).collect()
}

fn tally(row: &Row, white_attacks: bool) -> Tally {
    let (won, lost) = (row.white_wins, row.black_wins);
    let all = Tally { positions: row.positions, drawn: row.draws, ..Tally::default() };
    if white_attacks {
        Tally { won, lost, over_100: row.white_over_100, longest: row.white_longest, ..all }
    } else {
        let (won, lost) = (lost, won);
        Tally { won, lost, over_100: row.black_over_100, longest: row.black_longest, ..all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rules, material, White, Black, side to move, positions, wins of White, draws, wins of Black,
    /// and plies of the longest wins, as solved.
    const SOLVED: &str = "\
fusion-1999 KRvKR K+R K+R w 10780728 3134552 7574512 71664 33 32
fusion-1999 KRvKR K+R K+R b 10780728 71664 7574512 3134552 32 33
fusion-1999 KRvKR K+R KR w 175168 0 173128 2040 - 26
fusion-1999 KRvKR K+R KR b 184072 0 124808 59264 - 27
fusion-1999 KRvKR KR K+R w 184072 59264 124808 0 27 -
fusion-1999 KRvKR KR K+R b 175168 2040 173128 0 26 -
fusion-2020 KRvKR K+R KR w 175168 336 173128 1704 1 32
fusion-2020 KRvKR K+R KR b 184072 48 155984 28040 0 33
fusion-1999 KRvKB KR K+B w 184072 79896 104176 0 45 -
fusion-1999 KRvKB KR K+B b 193284 9736 183548 0 46 -
fusion-1999 KRvKB K+R KB w 175168 0 175168 0 - -
fusion-1999 KRvKB K+R KB b 202160 0 202160 0 - -
fusion-1999 KRvK K+R K w 175168 175168 0 0 29 -";

    fn row(line: &str) -> Row {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |i: usize| words[i].parse().unwrap();
        let plies = |i: usize| words[i].parse().ok();
        Row {
            rules: words[0].into(),
            material: words[1].into(),
            white: words[2].into(),
            black: words[3].into(),
            to_move: words[4].parse().unwrap(),
            positions: number(5),
            white_wins: number(6),
            draws: number(7),
            black_wins: number(8),
            white_over_100: 0,
            black_over_100: 0,
            white_longest: plies(9),
            white_longest_fen: None,
            white_longest_line: None,
            black_longest: plies(10),
            black_longest_fen: None,
            black_longest_line: None,
        }
    }

    fn solved() -> LoneKing {
        LoneKing::of(&SOLVED.lines().map(row).collect::<Vec<_>>()).unwrap()
    }

    fn start(attacker: &str, defender: Lone, fused: bool) -> Start {
        Start { defender, fused, attacker: Attacker::of(attacker).unwrap() }
    }

    fn rules(text: &str) -> RuleSet {
        text.parse().unwrap()
    }

    #[test]
    fn a_rook_never_beats_a_dragon_king_of_1999() {
        let all = solved();
        let start = start("K+R", Lone::Rook, true);
        let tally = |rules_text, to_move| all.tally(&rules(rules_text), &start, to_move).unwrap();
        let attacker = tally("fusion-1999", ToMove::Attacker);
        assert_eq!((attacker.won, attacker.positions, attacker.lost), (0, 175_168, 2_040));
        let either = tally("fusion-1999", ToMove::Either);
        assert_eq!((either.positions, either.lost), (359_240, 61_304));
        assert_eq!((either.share(), either.longest), (0.0, None));
        let either = tally("fusion-2020", ToMove::Either);
        assert_eq!((either.won, either.longest), (384, Some(1)));
        assert!((either.share() - 384.0 / 359_240.0).abs() < 1e-12);
    }

    #[test]
    fn either_side_can_be_the_lone_king() {
        let all = solved();
        let of = |start: Start, to_move| all.tally(&rules("fusion-1999"), &start, to_move);
        // KR v K+B with White to move: White attacks and is to move, and Black is a split KB.
        let kr = of(start("KR", Lone::Bishop, false), ToMove::Attacker).unwrap();
        assert_eq!((kr.won, kr.positions, kr.longest), (79_896, 184_072, Some(45)));
        // The same row for Black: its K+B attacks a fused KR that is to move.
        let kb = of(start("K+B", Lone::Rook, true), ToMove::Defender).unwrap();
        assert_eq!((kb.won, kb.lost, kb.positions), (0, 79_896, 184_072));
        // A lone KR beside its Rook, against the same, is counted once.
        let mirrored = of(start("KR", Lone::Rook, false), ToMove::Attacker).unwrap();
        assert_eq!((mirrored.won, mirrored.positions), (59_264, 184_072));
        let split = of(start("K+R", Lone::Rook, false), ToMove::Either).unwrap();
        assert_eq!((split.won, split.positions), (3_206_216, 21_561_456));
        // A bare King is no lone King with a component, so it has no starts.
        assert_eq!(all.starts(Lone::Rook, true).count(), 2);
        assert!(LoneKing::of(&[row(SOLVED.lines().last().unwrap())]).is_none());
    }

    #[test]
    fn attackers_are_in_order_of_material() {
        let given = ["KB+R", "KR+B", "K+N", "K+B+N", "K+RB", "KR", "K+R+R", "K+R+B", "K+R"];
        let mut attackers = given.map(|pieces| Attacker::of(pieces).unwrap());
        attackers.sort();
        let sorted = attackers.each_ref().map(Attacker::pieces);
        assert_eq!(sorted, ["K+R", "KR", "K+N", "K+R+R", "K+R+B", "K+RB", "KR+B", "KB+R", "K+B+N"]);
        assert!(Attacker::of("K").is_none());
    }

    #[test]
    fn rule_sets_to_compare() {
        let all = solved();
        let names =
            |rules: Vec<RuleSet>| -> Vec<String> { rules.iter().map(RuleSet::to_string).collect() };
        let arms = ["fusion-2020", "fusion-1999", "fusion-1999,fission=no", "orthodox"];
        assert_eq!(names(all.compared(arms.into_iter())), ["fusion-2020", "fusion-1999"]);
        assert_eq!(names(all.compared(["orthodox"].into_iter())), ["fusion-1999", "fusion-2020"]);
        assert_eq!(names(all.rules()), ["fusion-1999", "fusion-2020"]);
    }

    #[test]
    fn toggles_changed_alone() {
        // All toggles that matter here must be solved for all starts.
        let changed = "fusion-1999,king-fuses=no";
        let base: Vec<Row> = SOLVED.lines().filter(|line| line.contains("1999")).map(row).collect();
        let mut rows = base.clone();
        rows.extend(base.into_iter().map(|row| Row { rules: changed.into(), ..row }));
        let same = LoneKing::of(&rows).unwrap();
        assert!(same.changes().is_empty(), "nothing changes a number");
        let idle = rows.clone().into_iter().filter(|row| row.rules == changed);
        let idle: Vec<Row> =
            idle.map(|row| Row { rules: "fusion-1999,fission=no".into(), ..row }).collect();
        let last = rows.iter_mut().rfind(|row| row.material == "KRvKB").unwrap();
        (last.white_wins, last.draws) = (60, 202_100);
        rows.extend(idle);
        let found = LoneKing::of(&rows).unwrap().changes();
        let [changes] = &found[..] else { panic!("{found:?}") };
        assert_eq!(changes.base.to_string(), "fusion-1999");
        let texts = |list: &[Change]| -> Vec<String> {
            list.iter().map(|change| change.text.clone()).collect()
        };
        assert_eq!(texts(&changes.changes), ["king-fuses=no"]);
        // Some toggles are left out: those that the summary lacks, and those without effect when
        // there are no Pawns, castling rights, Knights or pairs.
        assert_eq!(texts(&changes.without_effect), ["fission=no"]);
    }
}
