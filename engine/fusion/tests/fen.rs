//! FEN: everything that is rejected, with its reason, and what is read leniently.

use fusion_chess::board::{FenError, Position};
use fusion_chess::rules::RuleSet;

fn rules() -> RuleSet {
    RuleSet::preset("fusion-2020").unwrap()
}

fn square(text: &str) -> fusion_chess::board::Square {
    text.parse().unwrap()
}

/// A kind of rejection without its particulars. The match is exhaustive: who adds a
/// rejection adds it to the table.
fn kind(error: &FenError) -> usize {
    match error {
        FenError::Fields(_) => 0,
        FenError::Ranks(_) => 1,
        FenError::RankWidth(_) => 2,
        FenError::Letter(_) => 3,
        FenError::Braces(_) => 4,
        FenError::NoRoyal(_) => 5,
        FenError::Royals(..) => 6,
        FenError::PawnRank(_) => 7,
        FenError::Pawns(..) => 8,
        FenError::OpponentInCheck(_) => 9,
        FenError::Side(_) => 10,
        FenError::Castling(_) => 11,
        FenError::CastlingPieces(..) => 12,
        FenError::EnPassant(_) => 13,
        FenError::EnPassantPawn(_) => 14,
        FenError::Number(..) => 15,
        FenError::Mann(_) => 16,
        FenError::KingMann(_) => 17,
        FenError::Components(..) => 18,
        FenError::EnPassantRank(_) => 19,
    }
}

#[test]
fn every_rejection_has_its_reason() {
    let table = [
        ("", FenError::Fields(0)),
        ("4k3/8/8/8/8/8/8/4K3 w -", FenError::Fields(3)),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0", FenError::Fields(5)),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 x", FenError::Fields(7)),
        ("4k3/8/8/8/8/8/4K3 w - - 0 1", FenError::Ranks(7)),
        ("4k3/8/8/8/8/8/8/4K3/8 w - - 0 1", FenError::Ranks(9)),
        ("4k3/8/8/7/8/8/8/4K3 w - - 0 1", FenError::RankWidth(5)),
        ("4k3/8/8/8/8/8/8/4K4 w - - 0 1", FenError::RankWidth(1)),
        ("4k3/8/8/8/8/8/ppppppppp/4K3 w - - 0 1", FenError::RankWidth(2)),
        ("4k3//8/8/8/8/8/4K3 w - - 0 1", FenError::RankWidth(7)),
        ("4k3/8/8/8/8/8/8/4K2x w - - 0 1", FenError::Letter('x')),
        ("4k3/9/8/8/8/8/8/4K3 w - - 0 1", FenError::Letter('9')),
        ("4k3/8/8/8/8/8/8/0004K3 w - - 0 1", FenError::Letter('0')),
        ("4k3/8/8/8/8/8/8/4K2} w - - 0 1", FenError::Letter('}')),
        ("4k3/8/8/8/8/8/8/4K2é w - - 0 1", FenError::Letter('é')),
        ("4k3/8/8/8/8/8/8/4K2{} w - - 0 1", FenError::Braces("}".into())),
        ("4k3/8/8/8/8/8/8/4K2{r} w - - 0 1", FenError::Braces("r}".into())),
        ("4k3/8/8/8/8/8/8/4K2{rr} w - - 0 1", FenError::Braces("rr}".into())),
        ("4k3/8/8/8/8/8/8/4K2{rB} w - - 0 1", FenError::Braces("rB}".into())),
        ("4k3/8/8/8/8/8/8/4K2{rp} w - - 0 1", FenError::Braces("rp}".into())),
        ("4k3/8/8/8/8/8/8/4K2{qn} w - - 0 1", FenError::Braces("qn}".into())),
        ("4k3/8/8/8/8/8/8/4K2{rb w - - 0 1", FenError::Braces("rb".into())),
        ("4k3/8/8/8/8/8/8/4K2{ré} w - - 0 1", FenError::Braces("ré}".into())),
        ("4k3/8/8/8/8/8/8/4K2o w - - 0 1", FenError::Mann("o".into())),
        ("4k3/8/8/8/8/8/8/4K2{RO} w - - 0 1", FenError::Mann("{ro}".into())),
        ("4k3/8/8/8/8/8/8/4K2{rbn} w - - 0 1", FenError::Components("{rbn}".into(), 3, 2)),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", FenError::NoRoyal("Black")),
        ("4k3/8/8/8/8/8/8/RNBQ4 w - - 0 1", FenError::NoRoyal("White")),
        ("4k3/8/8/8/8/8/8/K3K3 w - - 0 1", FenError::Royals("White", 2)),
        ("g3k1c1/8/8/8/8/8/8/4F3 w - - 0 1", FenError::Royals("Black", 3)),
        ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", FenError::PawnRank(square("a1"))),
        ("4k2p/8/8/8/8/8/8/4K3 w - - 0 1", FenError::PawnRank(square("h8"))),
        ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", FenError::Pawns("White", 9)),
        ("4k3/pppppppp/pppppppp/8/8/8/8/4K3 w - - 0 1", FenError::Pawns("Black", 16)),
        ("4k3/8/8/8/8/8/8/4K2r b - - 0 1", FenError::OpponentInCheck("White")),
        ("8/8/8/3kK3/8/8/8/8 w - - 0 1", FenError::OpponentInCheck("Black")),
        // A royal compound attacks with all its components.
        ("4k3/8/3c4/8/4K3/8/8/8 b - - 0 1", FenError::Royals("Black", 2)),
        ("8/8/3c4/8/4K3/8/8/8 b - - 0 1", FenError::OpponentInCheck("White")),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", FenError::Side("x".into())),
        ("4k3/8/8/8/8/8/8/4K3 W - - 0 1", FenError::Side("W".into())),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQA - 0 1", FenError::Castling("KQA".into())),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KK - 0 1", FenError::Castling("KK".into())),
        ("r3k2r/8/8/8/8/8/8/R3K2R w K- - 0 1", FenError::Castling("K-".into())),
        (
            "r3k2r/8/8/8/8/8/8/R3K3 w KQ - 0 1",
            FenError::CastlingPieces('K', square("e1"), square("h1")),
        ),
        (
            "r4k1r/8/8/8/8/8/8/R3K2R w q - 0 1",
            FenError::CastlingPieces('q', square("e8"), square("a8")),
        ),
        // Fused pieces do not castle.
        (
            "r3g3/8/8/8/8/8/8/R3K2R w kq - 0 1",
            FenError::CastlingPieces('k', square("e8"), square("h8")),
        ),
        (
            "4k3/8/8/8/8/8/8/M3K2R w Q - 0 1",
            FenError::CastlingPieces('Q', square("e1"), square("a1")),
        ),
        ("4k3/8/8/8/4P3/8/8/4K3 b - x 0 1", FenError::EnPassant("x".into())),
        ("4k3/8/8/8/4P3/8/8/4K3 b - e4 0 1", FenError::EnPassantRank(square("e4"))),
        ("4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1", FenError::EnPassantRank(square("e3"))),
        ("4k3/8/8/8/4P3/8/8/4K3 b - d3 0 1", FenError::EnPassantPawn(square("d3"))),
        ("4k3/8/8/8/4P3/8/4P3/4K3 b - e3 0 1", FenError::EnPassantPawn(square("e3"))),
        ("4k3/8/8/8/4P3/4N3/8/4K3 b - e3 0 1", FenError::EnPassantPawn(square("e3"))),
        ("4k3/8/8/8/4p3/8/8/4K3 b - e3 0 1", FenError::EnPassantPawn(square("e3"))),
        ("4k3/8/8/8/8/8/8/4K3 w - - x 1", FenError::Number("x".into(), 0)),
        ("4k3/8/8/8/8/8/8/4K3 w - - -1 1", FenError::Number("-1".into(), 0)),
        ("4k3/8/8/8/8/8/8/4K3 w - - +1 1", FenError::Number("+1".into(), 0)),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", FenError::Number("0".into(), 1)),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 10000", FenError::Number("10000".into(), 1)),
        ("4k3/8/8/8/8/8/8/4K3 w - - 99999999999 1", FenError::Number("99999999999".into(), 0)),
    ];
    // Where there are Manns and pieces of three components.
    let family = [
        ("4k3/8/8/8/8/8/8/4K2{ko} w - - 0 1", FenError::KingMann("{ko}".into())),
        ("4k3/8/8/8/8/8/8/4K2{rbno} w - - 0 1", FenError::Components("{rbno}".into(), 4, 3)),
        ("{rbo}3k3/8/8/8/8/8/8/4K3{RBO} w - - 0 1", FenError::RankWidth(1)),
        ("4k3/8/8/8/8/8/{krb}7/4K3 w - - 0 1", FenError::Royals("Black", 2)),
        ("4k3/5O2/8/8/8/8/8/4K3 w - - 0 1", FenError::OpponentInCheck("Black")),
    ];
    let combination = RuleSet::preset("combination").unwrap();
    let mut kinds = [false; 20];
    let table = table.map(|row| (rules(), row)).into_iter();
    for (rules, (fen, expected)) in table.chain(family.map(|row| (combination, row))) {
        kinds[kind(&expected)] = true;
        assert_eq!(Position::from_fen(&rules, fen), Err(expected), "{fen}");
    }
    assert_eq!(kinds, [true; 20]);
}

/// What is read though it is not what would be written.
#[test]
fn equivalent_fens_are_one_position() {
    let table = [
        // Without clocks, with other spacing.
        ("4k3/8/8/8/8/8/8/4K3 w - -", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        (" 4k3/8/8/8/8/8/8/4K3  w - - 3 9 ", "4k3/8/8/8/8/8/8/4K3 w - - 3 9"),
        ("4k3/71/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w qkQK - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
        ("4k3/8/8/8/8/8/8/4K2{BR} w - - 0 1", "4k3/8/8/8/8/8/8/4K2Q w - - 0 1"),
        // An en-passant square where no Pawn can capture, or none may: it is pinned.
        ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"),
        ("8/8/8/8/k3Pp1R/8/8/4K3 b - e3 0 1", "8/8/8/8/k3Pp1R/8/8/4K3 b - - 0 1"),
        ("8/8/8/8/4Pp1R/k7/8/4K3 b - e3 0 1", "8/8/8/8/4Pp1R/k7/8/4K3 b - e3 0 1"),
    ];
    for (fen, expected) in table {
        let position = Position::from_fen(&rules(), fen).unwrap();
        assert_eq!(position.to_fen(), expected);
        assert_eq!(position.hash(), Position::from_fen(&rules(), expected).unwrap().hash());
    }
}

#[test]
fn sets_of_components_are_written_in_order() {
    let rules = RuleSet::preset("combination").unwrap();
    let table = [
        ("o3k3/8/8/8/8/8/8/4K2O w - - 0 1", "o3k3/8/8/8/8/8/8/4K2O w - - 0 1"),
        (
            "{onb}3k3/8/8/8/8/8/8/{BRK}5{OR}{RNB} w - - 0 1",
            "{bno}3k3/8/8/8/8/8/8/{KRB}5{RO}{RBN} w - - 0 1",
        ),
    ];
    for (fen, expected) in table {
        let position = Position::from_fen(&rules, fen).unwrap();
        assert_eq!(position.to_fen(), expected);
        assert_eq!(Position::from_fen(&rules, expected), Ok(position));
    }
    let start = "rnbokbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBOKBNR w KQkq - 0 1";
    assert_eq!(Position::start(&rules).to_fen(), start);
}

#[test]
fn rules_without_castling_drop_its_rights() {
    let rules = RuleSet::preset("fusion-1999").unwrap();
    let start = Position::from_fen(&rules, fusion_chess::board::fen::START).unwrap();
    assert_eq!(start.to_fen(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1");
    assert_eq!(start, Position::start(&rules));
}

/// What other programs write is read with a remark, and what is wrong stays an error.
#[test]
fn harmless_faults_are_mended_with_a_remark() {
    let rules = "orthodox".parse().unwrap();
    for (fen, read, remarks) in [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0),
        ("  4k3/8/8/8/8/8/8/4K3\tw  - -  0 1 ", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0),
        ("\"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0),
        ("4k3/8/8/8/8/8/8/4K3_w_-_-_0_1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0),
        ("4k3/8/8/8/8/8/8/4K3 w - -", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0),
        ("4k3/8/8/8/8/8/8/4K3 b", "4k3/8/8/8/8/8/8/4K3 b - - 0 1", 1),
        ("4k3/8/8/8/8/8/8/4K3 w - - 7", "4k3/8/8/8/8/8/8/4K3 w - - 7 1", 1),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", 1),
        ("4k3/8/8/8/8/8/8/4K3 W - - -1 x", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", 3),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 12345", "4k3/8/8/8/8/8/8/4K3 w - - 0 9999", 1),
        ("4k3/8/8/8/8/8/8/4K3 w - - bm Kd1; id \"x\";", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", 3),
        ("r3k2r/8/8/8/8/8/8/R3K2R b HAha - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", 1),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KKq- - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 0 1", 1),
        ("4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", 4),
        ("1r2k3/8/8/8/8/8/8/4K3 b b - 0 1", "1r2k3/8/8/8/8/8/8/4K3 b - - 0 1", 1),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", 1),
        ("4k3/8/8/8/8/8/8/4K3 w - e3 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", 1),
        ("4k3/8/8/8/8/8/8/4K3 w - z9 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", 1),
    ] {
        let (position, found) = Position::read_fen(&rules, fen).unwrap();
        assert_eq!((position.to_fen().as_str(), found.len()), (read, remarks), "{fen}: {found:?}");
    }
    for fen in [
        "",
        "4k3/8/8/8/8/8/8/4K3",
        "4k3/8/8/8/8/8/8/8 w - - 0 0",
        "4k3/8/8/8/8/8/8/4K2r b - - 0 0",
        "4k3/8/8/8/8/8/8/4K3 x - - 0 0",
        "4k3/8/8/8/8/8/8/4K3 w Xx - 0 0",
        "4k3/8/8/8/8/8/4K3 w - - 0 0",
    ] {
        assert!(Position::read_fen(&rules, fen).is_err(), "{fen}");
    }
}
