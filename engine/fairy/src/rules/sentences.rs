//! A definition in words.

use crate::board::Tables;
use crate::definition::{
    Counting, Definition, Fission, Kind, Kinds, Material, Role, Squares, Value,
};

/// Returns what a definition says, a sentence for each rule that is not that of chess, after the board and the
/// pieces.
#[must_use]
pub fn sentences(tables: &Tables) -> Vec<String> {
    let rules = &tables.rules;
    let mut out = Vec::new();
    out.push(format!("The board has {} files and {} ranks.", rules.files, rules.ranks));
    pawns(tables, &mut out);
    pieces(rules, &mut out);
    drops(rules, &mut out);
    compounds(rules, &mut out);
    duties(rules, &mut out);
    aims(tables, &mut out);
    lengths(rules, &mut out);
    out
}

/// Returns the letters of kinds: `N, B and R`.
fn letters(rules: &Definition, kinds: Kinds) -> String {
    let letters: Vec<String> = Tables::kinds(kinds)
        .map(|kind| rules.pieces[usize::from(kind)].letter.to_string())
        .collect();
    match letters.as_slice() {
        [] => "nothing".into(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Returns a set of squares as ranks if it is made of whole ranks, else as squares.
fn squares(tables: &Tables, set: Squares) -> String {
    let ranks = usize::from(tables.rules.ranks);
    let whole = |rank: &usize| tables.grid.rank(*rank) & !set == 0;
    let full: Vec<usize> = (0..ranks).filter(whole).collect();
    let covered = full.iter().fold(0, |all, &rank| all | tables.grid.rank(rank));
    if set == 0 {
        return "no square".into();
    }
    if covered == set {
        let names: Vec<String> = full.iter().map(|rank| (rank + 1).to_string()).collect();
        return format!("rank{} {}", if names.len() == 1 { "" } else { "s" }, names.join(", "));
    }
    let names = (0..tables.rules.squares()).filter(|&square| set >> square & 1 == 1);
    let names: Vec<String> = names.map(|square| tables.square_name(square)).collect();
    names.join(", ")
}

fn pawns(tables: &Tables, out: &mut Vec<String>) {
    let rules = &tables.rules;
    let promotion = &rules.promotion;
    let has_pawns =
        rules.pieces.iter().any(|piece| piece.role == Role::Pawn) || promotion.pawns[0] != 0;
    if has_pawns && promotion.region != [0; 2] && promotion.to[0] != 0 {
        let [first, second] = promotion.region.map(|region| squares(tables, region));
        let must = if promotion.pawns_must { "have to promote" } else { "may promote" };
        out.push(format!(
            "Pawns {must} on {first} (White) and {second} (Black), to {}.",
            letters(rules, promotion.to[0])
        ));
    }
    if has_pawns && rules.double_step != [0; 2] {
        let [first, second] = rules.double_step.map(|region| squares(tables, region));
        out.push(format!("They may step two squares from {first} (White) and {second} (Black)."));
    }
    for piece in &rules.pieces {
        if let Some(to) = piece.promotes_to {
            let must = if promotion.pieces_must { "has to become" } else { "may become" };
            out.push(format!(
                "{} {must} {} in the promotion region.",
                piece.letter,
                rules.pieces[usize::from(to)].letter
            ));
        }
        if piece.promotion_limit > 0 {
            out.push(format!(
                "A side may have {} {} by promotion.",
                piece.promotion_limit, piece.letter
            ));
        }
    }
}

fn pieces(rules: &Definition, out: &mut Vec<String>) {
    for (kind, piece) in rules.pieces.iter().enumerate() {
        let what = match piece.role {
            Role::King => ", is royal",
            Role::Pawn => ", moves as a Pawn",
            _ => "",
        };
        out.push(format!(
            "{} ({}){what}: {} in Betza’s notation.",
            piece.letter,
            crate::names::name(rules, kind as Kind),
            piece.betza
        ));
    }
    match &rules.castling {
        Some(castling) => {
            let file = |wing: usize| char::from(b'a' + castling.king_to[wing]);
            out.push(match [0, 1].map(|wing| castling.has_wing(wing, rules.files)) {
                [true, true] => {
                    format!("The King castles to the files {} and {}.", file(0), file(1))
                }
                [kingside, _] => {
                    let only = file(usize::from(!kingside));
                    format!("The King castles to the file {only} only.")
                }
            });
        }
        None => out.push("There is no castling.".into()),
    }
}

fn drops(rules: &Definition, out: &mut Vec<String>) {
    let drops = &rules.drops;
    let mut say = |holds: bool, words: &str| {
        if holds {
            out.push(words.into());
        }
    };
    say(drops.allowed, "Pieces may be dropped from the hand.");
    say(drops.captures, "A captured piece goes to the capturer’s hand.");
    say(drops.captures && drops.keep_promoted, "A captured promoted piece keeps its kind there.");
    say(drops.must, "A side with pieces in hand has to drop one if it can.");
    say(!drops.checks, "A drop may not give check.");
    say(drops.no_pawn_mate, "A mate by a dropped Pawn loses the game.");
    say(
        drops.no_doubled.is_some(),
        "A Pawn may not be dropped on a file that has one of its side.",
    );
    say(rules.no_immobile, "A piece may not go where it could never move again.");
}

fn compounds(rules: &Definition, out: &mut Vec<String>) {
    let fusion = &rules.fusion;
    let letter = |kind: usize| rules.pieces[kind].letter;
    let compounds = (0..rules.pieces.len()).filter(|&kind| rules.pieces[kind].components != 0);
    let compounds: Vec<String> = compounds
        .map(|kind| {
            format!("{} of {}", letter(kind), letters(rules, rules.pieces[kind].components))
        })
        .collect();
    let mut say = |holds: bool, words: String| {
        if holds {
            out.push(words);
        }
    };
    let any = !compounds.is_empty();
    say(any, format!("Compounds consist of other pieces: {}.", compounds.join("; ")));
    say(
        any && fusion.movers != 0 && fusion.targets != 0,
        format!(
            "{} may move onto a piece of their side, {}, if there is a compound of both.",
            letters(rules, fusion.movers),
            letters(rules, fusion.targets)
        ),
    );
    say(any && fusion.drops, "A dropped piece may merge with one on its square.".into());
    let attacked = if fusion.fission == Fission::Unattacked { " that is not attacked" } else { "" };
    say(
        any && fusion.fission != Fission::Never,
        format!("A component of a compound{attacked} may move away, to an empty square."),
    );
    say(
        any && fusion.assimilation,
        "A piece that captures merges with the captured piece, if there is a compound of both."
            .into(),
    );
    say(
        any && fusion.demotion,
        "A compound that captures otherwise becomes the component as which it moved, a royal one the King."
            .into(),
    );
    for (kind, piece) in rules.pieces.iter().enumerate() {
        let becomes = piece.attacked_becomes.map(|to| letter(to.into()));
        let to = becomes.unwrap_or_default();
        say(
            becomes.is_some(),
            format!(
                "{} may become {to} by moving from an attacked square to an empty one.",
                letter(kind)
            ),
        );
    }
    say(
        any && fusion.hands_of_components,
        "A captured compound goes to the hand as its components.".into(),
    );
    say(!fusion.royal_rides_cross, "A royal piece may not ride over attacked squares.".into());
    say(
        !fusion.royal_leaps_cross,
        "A royal piece may not leap if all squares beside both ends of the leap are attacked."
            .into(),
    );
}

fn duties(rules: &Definition, out: &mut Vec<String>) {
    let mut say = |holds: bool, words: &str| {
        if holds {
            out.push(words.into());
        }
    };
    say(!rules.checking, "A move may not give check.");
    say(rules.must_capture, "A side that can capture has to.");
    say(rules.pass == [true; 2], "A side may pass.");
    say(rules.pass_on_stalemate == [true; 2], "A side passes if it has no other move.");
    say(rules.flying_general, "The Kings may not face each other on an open file or rank.");
    say(rules.king_stays_in_check, "A King in check may only capture the piece that gives it.");
    say(rules.blast, "A capture destroys the capturing piece and all pieces around, except Pawns.");
}

/// Returns what a value is for the side that it is about.
fn result(value: Value) -> &'static str {
    match value {
        Value::Win => "wins",
        Value::Draw => "draws",
        Value::Loss => "loses",
    }
}

fn aims(tables: &Tables, out: &mut Vec<String>) {
    let rules = &tables.rules;
    let royal = rules.king().is_some() || rules.pseudo_royal;
    if royal {
        out.push(format!("A side that is mated {}.", result(rules.checkmate)));
    } else {
        out.push("No piece is royal.".into());
    }
    let by_count = if rules.stalemate_by_count { ", if it has fewer pieces" } else { "" };
    out.push(format!(
        "A side that has no move and is not in check {}{by_count}.",
        result(rules.stalemate)
    ));
    if let Some(extinction) = &rules.extinction {
        let kinds = if extinction.all {
            "pieces of any kind".into()
        } else {
            letters(rules, extinction.kinds)
        };
        out.push(if rules.pseudo_royal {
            format!("The last {} of a side is royal.", letters(rules, extinction.kinds))
        } else {
            format!(
                "A side that has at most {} {kinds} {}.",
                extinction.count,
                result(extinction.value)
            )
        });
    }
    if let Some(flag) = &rules.flag {
        let piece = flag.kind[0]
            .map_or("piece".into(), |kind| rules.pieces[usize::from(kind)].letter.to_string());
        let [first, second] = flag.region.map(|region| squares(tables, region));
        out.push(format!("A {piece} that reaches {first} (White) or {second} (Black) wins."));
    }
    if rules.check_counting {
        out.push("Checks are counted, and the last of them wins.".into());
    }
    if let Some(connect) = &rules.connect {
        out.push(format!(
            "{} pieces in a row are a {}.",
            connect.count,
            match connect.value {
                Value::Win => "win",
                Value::Draw => "draw",
                Value::Loss => "loss",
            }
        ));
    }
}

fn lengths(rules: &Definition, out: &mut Vec<String>) {
    let repetition = &rules.repetition;
    if repetition.fold > 0 {
        let whose = if repetition.absolute { "White" } else { "the side to move" };
        let what = match repetition.value {
            Value::Draw => "is a draw".into(),
            value => format!("ends the game: {whose} {}", result(value)),
        };
        out.push(format!("Occurrence {} of a position {what}.", repetition.fold));
    } else {
        out.push("A position may be repeated without end.".into());
    }
    if repetition.no_perpetual_check {
        out.push("Perpetual check loses.".into());
    }
    if repetition.no_back_and_forth {
        out.push("A side loses that moves a piece back and forth twice in a row.".into());
    }
    if rules.dead != 0 {
        let kinds = letters(rules, rules.dead & !rules.royals());
        let one = if rules.dead & !rules.royals() == 0 {
            String::new()
        } else {
            format!(", or one {kinds} beside them,").replace(" and ", " or ")
        };
        out.push(format!("Bare Kings{one} are a draw."));
    }
    if rules.move_rule > 0 {
        let kinds = letters(rules, rules.move_rule_kinds[0]);
        out.push(format!(
            "{} moves of each side without a capture or a move of {kinds} draw.",
            rules.move_rule
        ));
    }
    if let Some(counting) = rules.counting {
        let name = match counting {
            Counting::Makruk => "Makruk",
            Counting::Cambodian => "Ouk Chatrang",
            Counting::Asean => "ASEAN Chess",
        };
        out.push(format!("Endings with few pieces are limited as in {name}."));
    }
    match rules.material {
        None => {}
        Some(Material::Janggi) => {
            out.push("The points of Janggi decide games without another result.".into())
        }
        Some(Material::Unweighted) => {
            out.push("The number of pieces decides games without another result.".into())
        }
        Some(Material::WhiteDrawOdds) => {
            out.push("White wins games without another result.".into())
        }
        Some(Material::BlackDrawOdds) => {
            out.push("Black wins games without another result.".into())
        }
    }
}
