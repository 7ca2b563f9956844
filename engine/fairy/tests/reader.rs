//! Reads files in the format of `variants.ini`: good ones, bad ones, and arbitrary text.

use fusion_fairy::Definition;
use fusion_fairy::betza::Way;
use fusion_fairy::definition::{Role, Value};
use fusion_fairy::ini::{File, Problems, Support, builtin, builtins, options, support};
use proptest::prelude::*;
use std::sync::LazyLock;

const GAMES: &str = include_str!("games.ini");

/// The definitions of `games.ini` and of the built-in games that are supported.
static DEFINITIONS: LazyLock<Vec<Definition>> = LazyLock::new(|| {
    let file = games();
    let own = file.sections().map(|section| file.resolve(section, &[]).unwrap().definition);
    let others = builtins().filter_map(|name| Some(builtin(name, &[]).ok()?.definition));
    own.chain(others).collect()
});

fn games() -> File {
    File::parse("games.ini", GAMES).unwrap()
}

fn game(section: &str) -> Definition {
    games().resolve(section, &[]).unwrap().definition
}

/// Resolves the section `my` of a text.
fn resolve(text: &str) -> Result<Definition, Problems> {
    File::parse("my.ini", text)?.resolve("my", &[]).map(|resolved| resolved.definition)
}

fn message(text: &str) -> String {
    resolve(text).map(|definition| definition.to_text()).expect_err(text).to_string()
}

#[test]
fn all_games_resolve() {
    let file = games();
    assert_eq!(file.sections().count(), 29);
    for section in file.sections() {
        let resolved = file.resolve(section, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(resolved.definition.name, section);
        assert_eq!(resolved.remarks, [""; 0]);
    }
}

#[test]
fn games_are_what_they_say() {
    let letters =
        |game: &Definition| game.pieces.iter().map(|piece| piece.letter).collect::<String>();
    let chess = game("d-orthodox");
    assert_eq!(letters(&chess), "PNBRQK");
    assert_eq!((chess.double_step, chess.en_passant), ([0xff00, 0xff << 48], [u128::MAX >> 64; 2]));
    assert_eq!(chess.promotion.to, [0b11110; 2]);
    let castling = chess.castling.unwrap();
    assert_eq!((castling.king_to, castling.rook_from, castling.rank), ([6, 2], [7, 0], 0));

    assert!(game("d-no-castling").castling.is_none());
    assert_eq!(game("d-pawn-one-square").double_step, [0; 2]);
    let back = game("d-pawn-back");
    let pawn = &back.pieces[usize::from(back.kind('p').unwrap())];
    assert_eq!(
        (pawn.region, pawn.role),
        ([!0xff & u128::MAX >> 64, u128::MAX >> 72], Role::Common)
    );
    assert_eq!(back.move_rule_kinds, [0; 2]);
    assert_eq!(game("d-horde").en_passant, [0xff << 40, 0xff << 16]);
    assert_eq!(game("d-grand").promotion.region[0].count_ones(), 30);
    let king = |game: &Definition| game.pieces[usize::from(game.king().unwrap())].clone();
    assert_eq!(king(&game("d-cavalier")).steps.len(), 16);
    assert_eq!(king(&game("d-knightmate")).betza, "N");
    assert_eq!(game("d-nightrider").pieces[4].steps[0].way, Way::Ride(0));
    let shatranj = game("d-shatranj").extinction.unwrap();
    assert!(shatranj.all && shatranj.claim && shatranj.kinds == 0);
    assert_eq!((shatranj.value, shatranj.count, shatranj.opponent_count), (Value::Loss, 1, 2));
    let shogi = game("d-minishogi");
    assert_eq!(shogi.pieces[usize::from(shogi.kind('r').unwrap())].promotes_to, shogi.kind('d'));
    assert_eq!(shogi.drops.no_doubled, shogi.kind('p'));
}

#[test]
fn builtin_games_resolve_or_name_what_they_need() {
    let all: Vec<&str> = builtins().collect();
    assert_eq!(all.len(), 139);
    let missing: Vec<&str> = all.into_iter().filter(|name| builtin(name, &[]).is_err()).collect();
    assert_eq!(
        missing.join(" "),
        "fischerandom cambodian karouk sittuyin shatar petrified duck isolation isolation7x7 snailtrail joust \
         amazons ataxx flipersi flipello flipello10 bughouse koedem seirawan shouse caparandom supply janggi \
         janggitraditional janggimodern janggicasual"
    );
    let xiangqi = builtin("xiangqi", &[]).unwrap();
    assert_eq!(xiangqi.definition.kind('e'), xiangqi.definition.kind('B'));
    assert_eq!(xiangqi.remarks.len(), 1, "{:?}", xiangqi.remarks);
    let duck = File::parse("my.ini", "[my:duck]\nwallingRule = none\n").unwrap();
    assert!(duck.resolve("my", &[]).is_ok(), "a child may take a rule away");
}

#[test]
fn parents_give_what_they_have() {
    let own = |text: &str| resolve(text).unwrap_or_else(|problems| panic!("{problems}"));
    let without = own("[my:chess]\nqueen = -\nstartFen = 8/8/8/8/8/8/8/k6K w");
    assert_eq!((without.promotion.to, without.pieces.len()), ([0b1110; 2], 5));
    // A piece takes its letter from another one, which leaves the game.
    let taken = own("[my:chess]\nchancellor = q");
    assert_eq!(
        (taken.kind('q'), taken.pieces.len(), taken.promotion.to),
        (Some(4), 6, [0b1110; 2])
    );
    assert_eq!(own("[my:chess]\nking = k:W").pieces[5].steps.len(), 4);
    // A double step that a parent does not have needs its option, not only a region.
    assert_eq!(own("[my:raazuvaa]\ndoubleStepRegionWhite = *2").double_step, [0; 2]);
    assert_eq!(
        own("[my:raazuvaa]\ndoubleStep = true\ndoubleStepRegionWhite = *2").double_step[0],
        0xff00
    );
    // The order of the lines does not matter, and one side's options have the last word.
    let text = "[my:chess]\npromotionPieceTypesBlack = q\npromotionPieceTypes = a\narchbishop = a";
    assert_eq!(own(text).promotion.to, [1 << 5, 1 << 4]);
    assert_eq!(own("[my:my2]\n[my2:chess]\npass = true").pass, [true; 2]);
    assert_eq!(
        own("[my:chess]\nflagPiece = k\nwhiteFlag = *8").flag.unwrap().region,
        [0xff << 56, 0]
    );
    assert_eq!(own("[my:chess]\npromotionRank = 7").promotion.region, [0xffff << 48, 0xffff]);
    assert_eq!(own("[my:chess]\ndoubleStepRank = 3").double_step, [0xffff00, 0xffff << 40]);
    assert_eq!(own("[my:chess]\ndoubleStepRankMin = 1").double_step, [0xffff, 0xffff << 48]);
    // A section of a built-in game's name may carry it on.
    let chess = File::parse("my.ini", "[chess:chess]\ncastling = false").unwrap();
    assert!(chess.resolve("chess", &[]).unwrap().definition.castling.is_none());
}

#[test]
fn unusual_files_are_read() {
    let text = "\u{feff}; made elsewhere\r\n\r\n# a comment\r\n[ my : chess ] ; mine\r\n  maxRank=8\r\ncastling = false # no\r\n";
    let file = File::parse("my.ini", text).unwrap();
    let resolved = file.resolve("my", &[]).unwrap();
    assert!(resolved.definition.castling.is_none());
    assert_eq!(
        resolved.remarks,
        [
            "my.ini:6: [my] castling: the comment behind the value is left out; Fairy-Stockfish may take it for a part \
          of it"
        ]
    );
    let text = "[my:chess]\nstartFen = rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/NNqq w - - 0 1\npieceDrops = true";
    assert!(resolve(text).is_ok());
    let remarks =
        |text: &str| File::parse("my.ini", text).unwrap().resolve("my", &[]).unwrap().remarks;
    assert_eq!(
        remarks("[my:chess]\nenPassantRegion ="),
        [
            "my.ini:2: [my] enPassantRegion: it has no value and is left out, as in Fairy-Stockfish: write - for none"
        ]
    );
    assert!(remarks("[my:chess]\nknight = n")[0].contains("Pawns no longer become it"));
    assert_eq!(remarks("[my:chess]\nknight = n\npromotionPieceTypes = nq"), [""; 0]);
}

#[test]
fn problems_of_options_say_what_to_do() {
    for (text, wanted) in [
        (
            "promotionPieceTypes = qxyx",
            "promotionPieceTypes: no piece has the letters 'x', 'y', 'x': letters are 'pnbrqk'",
        ),
        (
            "promotedPieceType = n:y b:z",
            "promotedPieceType: no piece has the letters 'y', 'z': letters are 'pnbrqk'",
        ),
        ("pawn = 1", "pawn: '1' begins with no letter from a to z: write one, or -"),
        (
            "pawn = p:fW",
            "pawn: pawn has moves of its own: write a letter only, or take customPiece1",
        ),
        (
            "pawn = pq",
            "pawn: 'pq' is no letter: write one, or two with a space for a piece that has two",
        ),
        ("customPiece1 = a", "customPiece1: 'a' has no moves: write a:MOVES in Betza's notation"),
        (
            "customPiece1 = a:XyzR9q[3]",
            "customPiece1: character 1 of 'XyzR9q[3]' is neither an atom nor a modifier",
        ),
        (
            "customPiece1 = a:W(2,1)",
            "customPiece1: character 2 of 'W(2,1)' belongs to moves of several legs or to a leap by numbers, which are not supported: write atoms",
        ),
        ("castlng = false", "castlng: no option has this name; did you mean castling?"),
        (
            "promotionregionwhite = *8",
            "promotionregionwhite: no option has this name; did you mean promotionRegionWhite?",
        ),
        (
            "customPiece26 = a:W",
            "customPiece26: no option has this name; did you mean customPiece2?",
        ),
        ("colour = red", "colour: no option has this name"),
        ("castling = yes", "castling: 'yes' is not known here: write true or false"),
        (
            "stalemateValue = none",
            "stalemateValue: 'none' is not known here: write win, draw or loss",
        ),
        (
            "countingRule = thai",
            "countingRule: 'thai' is not known here: write none, makruk, cambodian or asean",
        ),
        (
            "maxRank = 17",
            "maxRank: '17' is no size of a board: it is from 1 to 16, as in maxRank = 8",
        ),
        (
            "maxFile = z",
            "maxFile: 'z' is no size of a board: it is from 1 to 16, as in maxFile = 8 or h",
        ),
        (
            "flagRegion = d4 e4, d5",
            "flagRegion: 'e4,' is no square: write squares like e4, ranks like *4, files like e*, or -",
        ),
        ("flagRegion = *9", "flagRegion: *9 is not on the board of 8 files and 8 ranks"),
        ("flagPiece = x", "flagPiece: no piece has the letter 'x': letters are 'pnbrqk'"),
        ("flagPiece = kq", "flagPiece: 'kq' names several pieces: write one letter, or -"),
        (
            "promotionPieceTypes = n,b",
            "promotionPieceTypes: no piece has the letter ',': letters are 'pnbrqk'",
        ),
        (
            "promotionPieceTypes = *",
            "promotionPieceTypes: '*' is not possible here: write letters of pieces",
        ),
        ("promotionLimit = q", "promotionLimit: after 'q' a colon has to follow, as in q:2"),
        ("promotionLimit = q:", "promotionLimit: '' is no number from 0 to 255"),
        ("promotedPieceType = q:", "promotedPieceType: after the last colon a letter is missing"),
        ("nMoveRule = -5", "nMoveRule: '-5' is no number from 0 to 10000"),
        (
            "castlingRank = 9",
            "castlingRank: '9' is no rank of the board: write a number from 1 to 8",
        ),
        (
            "castlingKingFile = i",
            "castlingKingFile: 'i' is no file of the board: write a letter from a to h",
        ),
        (
            "gating = true",
            "gating: true is not possible, since pieces that enter behind a moving piece are not supported; only gating = false is",
        ),
        (
            "blastOnCapture = true",
            "blastOnCapture: a King cannot be destroyed: write king = -, commoner = k, extinctionValue = loss, extinctionPieceTypes = k, as [atomic] does",
        ),
        ("stalemate", "'stalemate' is no option with a value: write option = value"),
        ("= 3", "no option is before the equals sign: write option = value"),
    ] {
        assert_eq!(message(&format!("[my:chess]\n{text}")), format!("my.ini:2: [my] {wanted}"));
    }
}

#[test]
fn problems_of_positions_say_what_to_do() {
    let of = |position: &str| message(&format!("[my:chess]\nstartFen = {position}"));
    for (position, wanted) in [
        (
            "8/8/8/8 w - - 0 1",
            "the position has 4 ranks, the board 8: make maxRank and startFen agree",
        ),
        (
            "8/8/8/8/8/8/7/8 w - - 0 1",
            "rank 2, '7', has 7 files, the board 8: make maxFile and startFen agree",
        ),
        ("8/8/8/8/8/8/kK5x/8 w", "no piece has the letter 'x': letters are PNBRQK"),
        ("8/8/8/8/8/8/kK5+q/8 w", "+q is no piece: promotedPieceType says nothing for 'q'"),
        (
            "8/8/8/8/8/8/kK6/8 w KQz",
            "'z' is no right to castle: write K, Q, k, q or the Rook's file",
        ),
        ("8/8/8/8/8/8/kK6/8 x", "'x' is no side to move: write w or b after the board"),
        ("8/8/8/8/8/8/kK6/8[nn w", "the bracket of the hand is not closed: write ]"),
        ("8/8/8/8/8/8/kK6/8 w - ? 0 1", "'?' at the end means nothing: leave it out"),
        (
            "8/8/8/8/8/8/kKK5/8 w",
            "the first player has 2 Kings, and may have one: write king = - and commoner for several",
        ),
    ] {
        assert_eq!(of(position), format!("my.ini:2: [my] startFen: {wanted}"));
    }
    assert_eq!(
        message("[my]"),
        "my.ini:1: [my] startFen: no piece has the letter 'r', since the section has none: write lines like queen = q"
    );
    assert_eq!(
        message("[my:chess]\nmaxFile = j"),
        "my.ini:1: [my] startFen: rank 8, 'rnbqkbnr', has 8 files, the board 10: make maxFile and startFen agree"
    );
}

#[test]
fn all_problems_are_told_at_once() {
    let text = "[my:makruk]\ngatin = true\nmaxRank = 8\n\n[other:my]\nseirawanGating = true\nking = -\nking = k\nqueen\nduck\nflagRegion = z9";
    let problems = File::parse("my.ini", text)
        .unwrap()
        .resolve("other", &[("pass", "perhaps"), ("pas", "true")]);
    let lines = [
        "my.ini:2: [my] gatin: no option has this name; did you mean gating? ([other] in line 5 inherits it)",
        "my.ini:6: [other] seirawanGating: true is not possible, since pieces that enter behind a moving piece are not supported; only seirawanGating = false is",
        "my.ini:8: [other] king: line 7 gives it already: leave one out",
        "my.ini:9: [other] 'queen' is no option with a value: write option = value",
        "my.ini:10: [other] 'duck' is no option with a value: write option = value",
        "my.ini:11: [other] flagRegion: z9 is not on the board of 8 files and 8 ranks",
        "my.ini: [other] pas: no option has this name; did you mean pass?",
        "my.ini: [other] pass: 'perhaps' is not known here: write true or false",
    ];
    assert_eq!(problems.unwrap_err().to_string(), lines.join("\n"));
}

#[test]
fn problems_of_sections_say_what_to_do() {
    for (text, wanted) in [
        ("", "my.ini: the file has no section: write a line such as [my-game:chess]"),
        (
            "castling = false",
            "my.ini:1: the line is before the first section: put a line such as [my-game:chess] above it",
        ),
        (
            "castling = false\n\npawn = p\nking = k\n[my:chess]",
            "my.ini:1: lines 1 to 4 are before the first section: put a line such as [my-game:chess] above them",
        ),
        ("[my:chess", "my.ini:1: the bracket in '[my:chess' is not closed: write ]"),
        ("[my:chess] x", "my.ini:1: [my:chess] 'x' after the bracket means nothing: leave it out"),
        ("[]", "my.ini:1: the section has no name: write one into the brackets"),
        ("[my:]", "my.ini:1: [my] no parent follows the colon: write one, or no colon"),
        (
            "[my:chess]\n[my]",
            "my.ini:2: [my] line 1 begins a section of this name already: give it another one",
        ),
        (
            "[my:ches]",
            "my.ini:1: [my] no section of the file and no built-in game is named ches; did you mean chess?",
        ),
        (
            "[my:your]\n[your:my]",
            "my.ini:1: [my] the section is a parent of itself: give it another parent",
        ),
        ("[mine:chess]", "my.ini: the file has no section [my]; it has mine"),
    ] {
        assert_eq!(message(text), wanted);
    }
}

/// As in Fairy-Stockfish, which reads such files without a word.
#[test]
fn what_has_one_meaning_is_a_remark() {
    let remarks = |text: &str| {
        let resolved = File::parse("my.ini", text).unwrap().resolve("my", &[]).unwrap();
        resolved.remarks.join("\n")
    };
    assert_eq!(
        remarks("[my:chess]\nstartFen = 8/8/8/8/8/8/kK6/8"),
        "my.ini:2: [my] startFen: no side to move is given: it is w, as in Fairy-Stockfish"
    );
    assert_eq!(
        remarks("[my:chess]\npass = true\n[my:chess]\npass = true\n[other:chess]"),
        "my.ini:3: [my] line 1 begins an equal section already"
    );
    let narrow = "[my:chess]\nmaxFile = 6\nmaxRank = 6\nstartFen = r2k1r/6/6/6/6/R2K1R w Kq - 0 1";
    let wanted = "my.ini:4: [my] startFen: the rights K have no effect, since castlingKingsideFile or castlingQueensideFile is \
        not on the board";
    assert_eq!(remarks(narrow), wanted);
    // Two sections of one name do not stop the others.
    let file = File::parse("my.ini", "[my:chess]\n[my]\n[other:chess]").unwrap();
    assert!(file.resolve("my", &[]).is_err() && file.resolve("other", &[]).is_ok());
}

#[test]
fn compounds_are_checked() {
    let with = |lines: &str| message(&format!("[my:chess]\n{lines}"));
    for (lines, wanted) in [
        ("compounds = mrn", "'mrn' is no compound: write one as in m:rn"),
        ("compounds = m:r", "'m:r' has one component"),
        ("compounds = m:rr", "'m:rr' names r twice"),
        ("compounds = m:rp", "p cannot be a component: it has rules of its own"),
        ("compounds = m:rx", "no piece has the letter 'x'"),
        ("compounds = p:rn", "p cannot be a compound: it has rules of its own"),
        ("compounds = q:rn", "q moves as Q, its components as NR: leave its own line out"),
        ("compounds = m:rn z:rn", "have the same components: leave one out"),
        ("compounds = m:rn z:mb", "has a compound as a component"),
        ("compounds = m:rn\npromotedPieceType = r:q", "r promotes on its rank"),
        ("compounds = m:rq\ncaptureDemotion = true", "two components of m capture alike"),
        ("compounds = m:rn\nattackedPromotion = n:k", "n may not become a royal piece"),
        ("fission = often", "'often' is not known here: write always, unattacked or never"),
    ] {
        let problem = with(lines);
        assert!(problem.contains(wanted), "{lines}: {problem}");
    }
    let child = message("[a:chess]\ncompounds = m:rn\n[my:a]\nrook = -");
    assert!(child.contains("a component of m has left the game: give compounds anew"), "{child}");
}

#[test]
fn every_option_is_known() {
    let names: Vec<&str> = options().collect();
    let count = |wanted: fn(&Support) -> bool| {
        names.iter().filter(|name| wanted(&support(name).unwrap())).count()
    };
    let supported = count(|support| *support == Support::Supported);
    let ignored = count(|support| matches!(support, Support::Ignored(_)));
    let rejected = count(|support| matches!(support, Support::Rejected(_)));
    assert_eq!(supported + ignored + rejected, names.len());
    let mobility = names.iter().filter(|name| name.starts_with("mobilityRegion")).count();
    assert_eq!((mobility, supported - mobility, ignored, rejected), (124, 194, 19, 37));
    for name in names {
        match support(name).unwrap() {
            Support::Supported => {}
            Support::Ignored(why) => {
                assert!(why.len() > 20, "{name}: {why}");
                assert!(resolve(&format!("[my:chess]\n{name} = 1")).is_ok(), "{name}");
            }
            Support::Rejected(why) => {
                let problem = message(&format!("[my:chess]\n{name} = x"));
                assert!(problem.contains(why), "{problem}");
                let default = problem.rsplit_once("only ").unwrap().1.strip_suffix(" is").unwrap();
                assert!(resolve(&format!("[my:chess]\n{default}")).is_ok(), "{default}");
            }
        }
    }
    assert_eq!(support("gatin"), None);
}

#[test]
fn texts_give_the_same_definition() {
    for definition in DEFINITIONS.iter() {
        assert_eq!(&from_text(definition), definition, "{}", definition.to_text());
    }
}

#[test]
fn an_options_own_value_changes_nothing() {
    for definition in DEFINITIONS.iter() {
        let text = definition.to_text();
        let file = File::parse("my.ini", &text).unwrap();
        let values =
            options().filter_map(|option| Some((option, definition.option_value(option)?)));
        let values: Vec<(&str, String)> = values.collect();
        assert!(values.len() > 250);
        let changes: Vec<(&str, &str)> =
            values.iter().map(|(option, value)| (*option, value.as_str())).collect();
        assert_eq!(&file.resolve(&definition.name, &changes).unwrap().definition, definition);
        // One by one too, some for each game.
        for change in changes.into_iter().skip(definition.name.len()).step_by(20) {
            let changed = file.resolve(&definition.name, &[change]).unwrap();
            assert_eq!(&changed.definition, definition, "{change:?}");
        }
    }
}

fn from_text(definition: &Definition) -> Definition {
    let file = File::parse("text.ini", &definition.to_text()).unwrap();
    let resolved = file.resolve(&definition.name, &[]);
    resolved.unwrap_or_else(|problems| panic!("{problems}\n{}", definition.to_text())).definition
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn changed_games_come_back(base: prop::sample::Index, others: Vec<(prop::sample::Index, prop::sample::Index)>) {
        let base = &DEFINITIONS[base.index(DEFINITIONS.len())];
        let names: Vec<&str> = options().collect();
        let file = File::parse("text.ini", &base.to_text()).unwrap();
        let mut section = base.clone();
        // Values come from other games; what does not fit together is left out.
        for (other, option) in others.into_iter().take(12) {
            let option = names[option.index(names.len())];
            let other = &DEFINITIONS[other.index(DEFINITIONS.len())];
            let Some(value) = other.option_value(option) else { continue };
            let text = section.to_text();
            let file = File::parse("text.ini", &text).unwrap();
            if let Ok(changed) = file.resolve(&section.name, &[(option, &value)]) {
                prop_assert_eq!(&from_text(&changed.definition), &changed.definition, "{}={}\n{}", option, value, text);
                section = changed.definition;
            }
        }
        prop_assert!(file.resolve(&base.name, &[]).is_ok());
    }

    #[test]
    fn any_text_is_read_or_rejected(text: String) {
        if let Ok(file) = File::parse("any.ini", &text) {
            for section in file.sections() {
                let _ = file.resolve(section, &[]);
            }
        }
    }

    #[test]
    fn damaged_files_are_read_or_rejected(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, "[-=\\[\\]:*+/a-kA-K0-9 ~\u{e9}]{0,4}"), 1..6),
        section: prop::sample::Index,
    ) {
        let mut text: Vec<char> = GAMES.chars().collect();
        for (place, length, replacement) in changes {
            let place = place.index(text.len());
            let end = (place + length).min(text.len());
            text.splice(place..end, replacement.chars());
        }
        if let Ok(file) = File::parse("damaged.ini", &String::from_iter(text)) {
            let sections: Vec<&str> = file.sections().collect();
            let _ = file.resolve(sections[section.index(sections.len())], &[]);
        }
    }

    #[test]
    fn any_value_is_read_or_rejected(option: prop::sample::Index, value: String, base: prop::sample::Index) {
        let names: Vec<&str> = options().collect();
        let games: Vec<&str> = builtins().collect();
        let option = names[option.index(names.len())];
        if let Ok(resolved) = builtin(games[base.index(games.len())], &[(option, &value)]) {
            prop_assert_eq!(&from_text(&resolved.definition), &resolved.definition);
        }
    }
}

#[test]
fn options_that_contradict_each_other_are_rejected() {
    for (options, part) in [
        (
            "castlingKingsideFile = a",
            "my.ini:2: [my] castlingKingsideFile: the Rook arrives to the left",
        ),
        (
            "castlingQueensideFile = h",
            "my.ini:2: [my] castlingQueensideFile: the Rook arrives to the right",
        ),
        (
            "mustDrop = true\nmustCapture = true",
            "my.ini:2: [my] mustDrop: captures and drops cannot both",
        ),
        ("castlingKingPiece = q", "castlingKingPiece: in a game with a King only the King castles"),
        ("blastOnCapture = true", "my.ini:2: [my] blastOnCapture: a King cannot be destroyed"),
        (
            "checking = false\ncheckCounting = true",
            "my.ini:3: [my] checkCounting: no check is ever given",
        ),
    ] {
        let message = message(&format!("[my:chess]\n{options}\n"));
        assert!(message.contains(part), "{part} in\n{message}");
    }
}
