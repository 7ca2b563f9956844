//! PGN files: what is read, what is rejected and how reading goes on after it.

use fusion_chess::board::Position;
use fusion_chess::game::CHECKMATE;
use fusion_chess::notation::parse_coordinate;
use fusion_chess::notation::pgn::{self, PgnError, PgnGame, PgnResult};
use fusion_chess::rules::RuleSet;
use fusion_game::{Outcome, Side};

fn written(game: &PgnGame) -> String {
    let mut file = Vec::new();
    game.write(&mut file).unwrap();
    String::from_utf8(file).unwrap()
}

/// What is read, errors as text.
fn games(text: &str) -> Vec<Result<PgnGame, String>> {
    pgn::read(text.as_bytes()).map(|game| game.map_err(|error| error.to_string())).collect()
}

fn coordinates(game: &PgnGame) -> String {
    let moves: Vec<String> = game.moves.iter().map(|m| m.mv.to_string()).collect();
    moves.join(" ")
}

/// A game from moves in coordinate notation.
fn game(rules: &str, fen: &str, moves: &str) -> PgnGame {
    let rules: RuleSet = rules.parse().unwrap();
    let mut position = Position::from_fen(&rules, fen).unwrap();
    let mut game = PgnGame::new(&rules, &position);
    for text in moves.split_whitespace() {
        let mv = parse_coordinate(&position, &rules, text).unwrap();
        game.moves.push(mv.into());
        position.play(mv);
    }
    game
}

#[test]
fn a_game_is_written_as_the_standard_has_it() {
    let fen = "4k3/8/8/8/8/5N2/4B3/4K2R w K - 3 17";
    let mut game = game("fusion-2020,attacked-split=yes", fen, "e2f3 e8e7 f3g4b e7f7 e1g1");
    game.set_tag("Event", "A \"test\" of \\");
    game.set_tag("Site", "two\nlines");
    game.comment = Some("before  all".into());
    game.moves[1].comment = Some(
        "a comment long enough to be broken between its words, since \
         lines of movetext have less than eighty columns {"
            .into(),
    );
    game.moves[2].comment = Some("with } in it".into());
    game.set_outcome(Outcome { winner: Some(Side::Second), ending: CHECKMATE });
    let expected = r#"[Event "A \"test\" of \\"]
[Site "two lines"]
[Date "????.??.??"]
[Round "?"]
[White "?"]
[Black "?"]
[Result "0-1"]
[Variant "fusion-2020"]
[RuleSet "fusion-2020,attacked-split=yes"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/5N2/4B3/4K2R w K - 3 17"]
[Termination "normal"]
[Ending "checkmate"]

{before all} 17. Bf3=BN Ke7 {a comment long enough to be broken between its
words, since lines of movetext have less than eighty columns {} 18. Bg4
;with } in it
18... Kf7 19. O-O 0-1

"#;
    assert_eq!(written(&game), expected);
}

#[test]
fn a_game_in_metamorphins_own_notation_is_read() {
    let own = "[Variant \"metamorphin\"]\n[SetUp \"1\"]\n[FEN \"7k/8/8/8/R6r/8/8/4K3 w - - 0 1\"]\n\n\
               1. Ra4-d4=M {one} (1. Ra4-a5) Kh8-g8 2. Rd4-c4; d4=N Kg8-h8 3. Nd4-e6 *\n";
    let [game] = &games(own)[..] else { panic!("one game") };
    let game = game.as_ref().unwrap();
    assert_eq!(coordinates(game), "a4d4m h8g8 d4c4r g8h8 d4e6");
    // It is written in the usual notation, and that is read as the same.
    let text = written(game);
    assert!(text.contains("1. Rd4=RN {one} ( 1. Ra5 ) 1... Kg8 2. Rc4 Kh8 3. Ne6 *"), "{text}");
    assert_eq!(coordinates(games(&text)[0].as_ref().unwrap()), coordinates(game));
}

#[test]
fn a_fission_broken_after_its_semicolon_is_read() {
    let own = "[Variant \"metamorphin\"]\n[SetUp \"1\"]\n[FEN \"7k/8/8/8/M6r/8/8/4K3 w - - 0 1\"]\n\n\
               1. Ra4-d4;\na4=N Kh8-g8 *\n";
    let [game] = &games(own)[..] else { panic!("one game") };
    assert_eq!(coordinates(game.as_ref().unwrap()), "a4d4r h8g8");
}

/// The Queen is Q, and no tag names a variant: so every chess program has it.
#[test]
fn orthodox_games_are_written_as_every_program_reads_them() {
    let moves = "d2d4 e7e5 d4e5 d8e7 d1d6 e7d6 e5d6";
    for rules in ["orthodox", "no-fusion"] {
        let game = game(rules, fusion_chess::board::fen::START, moves);
        let text = written(&game);
        assert!(text.contains("1. d4 e5 2. dxe5 Qe7 3. Qd6 Qxd6 4. exd6 *"), "{text}");
        assert!(!text.contains("Variant") && !text.contains("FEN"), "{text}");
        assert!(text.contains(&format!("[RuleSet \"{rules}\"]")), "{text}");
        assert_eq!(games(&text), [Ok(game)]);
    }
    let promotion = game("orthodox", "7k/1P6/8/8/8/8/8/K7 w - - 0 1", "b7b8q h8h7");
    let text = written(&promotion);
    let fen = "[SetUp \"1\"]\n[FEN \"7k/1P6/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. b8=Q+ Kh7 *";
    assert!(text.contains(fen) && !text.contains("Variant"), "{text}");
    // Other programs would castle.
    let uncastled = game("orthodox,castling=no", fusion_chess::board::fen::START, "e2e4");
    let text = written(&uncastled);
    assert!(text.contains("RNBQKBNR w - - 0 1\"]") && !text.contains("Variant"), "{text}");
    assert_eq!(games(&text), [Ok(uncastled)]);
    let one_sided = game("orthodox,denied=black:castling", fusion_chess::board::fen::START, "e2e4");
    let text = written(&one_sided);
    assert!(text.contains("RNBQKBNR w KQ - 0 1\"]") && !text.contains("Variant"), "{text}");
    assert_eq!(games(&text), [Ok(one_sided)]);
    // Pieces that chess has not: such a game is for us only.
    let text = written(&game("orthodox", "7k/8/8/8/8/8/8/KM6 w - - 0 1", "b1b2"));
    assert!(text.contains("[Variant \"orthodox\"]") && text.contains("1. RNb2 *"), "{text}");
    let text = written(&game("fusion-2020", fusion_chess::board::fen::START, moves));
    assert!(text.contains("[Variant \"fusion-2020\"]") && text.contains("3. RBd6"), "{text}");
}

/// Published studies have games in this form.
#[test]
fn orthodox_games_as_earlier_versions_wrote_them_are_read() {
    let text = "[Event \"Measurement\"]\n[Variant \"orthodox\"]\n[RuleSet \"orthodox\"]\n\n\
                1. d4 e5 2. dxe5 RBe7 3. RBd6 {[%wdl 512,300,188]} 3... RBxd6 4. exd6 1/2-1/2\n\n\
                [Event \"Measurement\"]\n[Variant \"orthodox\"]\n[RuleSet \"orthodox\"]\n\
                [FEN \"7k/1P6/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. b8=RB+ *\n";
    let games: Vec<PgnGame> = games(text).into_iter().map(Result::unwrap).collect();
    assert_eq!(coordinates(&games[0]), "d2d4 e7e5 d4e5 d8e7 d1d6 e7d6 e5d6");
    assert_eq!(coordinates(&games[1]), "b7b8q");
    assert_eq!(games[0].rules().unwrap().to_string(), "orthodox");
}

#[test]
fn comments_that_look_like_tags_or_escapes_stay_in_their_line() {
    let mut game = game("orthodox", fusion_chess::board::fen::START, "e2e4");
    let comment = format!("{}%escape [Event \"x\"] ;end", "word ".repeat(15));
    game.moves[0].comment = Some(comment);
    let text = written(&game);
    assert!(!text.contains("\n%") && !text.contains("\n[Event \"x"), "{text}");
    assert_eq!(games(&text), [Ok(game)]);
}

#[test]
fn files_of_other_programs_are_read() {
    let text = "\u{feff}; a file\n%an escaped line\n[Event \"a\"]\r\n[Site \"?\"]  [Result \"*\"]\r\n\r\n\
        {start}1.e4 {one} {two}(1. d4 d5 (1... Nf6 $3 {)} 2. c4 *) 2. c4) e5$1 2. Qh5!? Nc6 3 Bc4 \
        Nf6?? ; blunder\n4. Qxf7# 1-0\n\n\
        1. f3 e5 2. g4 Qh4 0-1 [Variant \"Chess\"]\n*\n";
    let games: Vec<PgnGame> = games(text).into_iter().map(Result::unwrap).collect();
    assert_eq!(games.len(), 3);
    assert_eq!(coordinates(&games[0]), "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7");
    assert_eq!(games[0].result, PgnResult::White);
    assert_eq!(games[0].tags, [("Event".into(), "a".into()), ("Site".into(), "?".into())]);
    assert_eq!(games[0].comment.as_deref(), Some("start"));
    assert_eq!(games[0].moves[0].comment.as_deref(), Some("one two"));
    assert_eq!(games[0].moves[5].comment.as_deref(), Some("blunder"));
    assert_eq!(games[1].tags, []);
    assert_eq!(coordinates(&games[1]), "f2f3 e7e5 g2g4 d8h4");
    assert_eq!(games[2].moves, []);
}

#[test]
fn the_rules_come_from_the_tags() {
    let rules = |tags: &str| {
        let game = games(&format!("{tags}\n*\n")).remove(0)?;
        Ok::<_, String>(game.rules().unwrap().to_string())
    };
    assert_eq!(rules(""), Ok("orthodox".into()));
    assert_eq!(rules("[Variant \"Standard\"]"), Ok("orthodox".into()));
    assert_eq!(rules("[Variant \"chess\"]"), Ok("orthodox".into()));
    assert_eq!(rules("[Variant \"Fusion-1999\"]"), Ok("fusion-1999".into()));
    assert_eq!(
        rules("[Variant \"fusion-1999\"][RuleSet \"fusion-2020,castling=no\"]"),
        Ok("fusion-2020,castling=no".into())
    );
    let error = rules("[Variant \"Atomic\"]").unwrap_err();
    assert!(error.contains("'Atomic'") && error.contains("fusion-2006"), "{error}");
    let error = rules("[RuleSet \"fusion-2020,castles=no\"]").unwrap_err();
    assert!(error.starts_with("game 1, line 1: RuleSet: unknown toggle 'castles'"), "{error}");
    let error = rules("[FEN \"8/8/8/8/8/8/8/K7 w - - 0 1\"]").unwrap_err();
    assert!(error.contains("FEN: Black has no royal piece"), "{error}");
}

/// Every bad game stands between two good ones, which are read all the same.
#[test]
fn reading_goes_on_after_a_bad_game() {
    let bad = [
        (
            "[Event \"b\"]\n[Site broken]\n[Round \"1\"]\n\n1. e4 *",
            "line 6: '[Site broken]' is not a tag",
        ),
        ("[Event \"b\"]\n[Variant \"x\"]\n\n1. e4 *", "line 6: Variant: unknown rule set 'x'"),
        (
            "[Event \"b\"]\n\n1. e4\ne5 2. Ke3 (2. d4) d5 1-0",
            "line 8: move 2 (White): no legal move is 'Ke3'",
        ),
        (
            "[Event \"b\"]\n\n1. e4 e5 2. Nf3 Nf6 3. Nc3 Nc6 4. Nd5 Ng4 5. Nh5 *",
            "line 7: move 5 (White): no legal move is 'Nh5'",
        ),
        (
            "[Event \"b\"]\n\n1. e4 e5 2. Nf3 Nf6 3. Nd4 Nd5 4. Nc3 a6 5. Ne2 *",
            "'Ne2' is ambiguous: it may be Nce2 or Nde2",
        ),
        ("[Event \"b\"]\n\n1. e4 -- *", "line 7: move 1 (Black): '--' is not a move"),
        ("[Event \"b\"]\n\n1. e4 {open\n\n", "line 7: a comment has no closing brace"),
        ("[Event \"b\"]\n\n1. e4 (1. d4", "line 9: a parenthesis has no partner"),
        ("[Event \"b\"]\n\n1. e4 ) e5 *", "line 7: a parenthesis has no partner"),
    ];
    for (bad, message) in bad {
        let text = format!("[Event \"a\"]\n\n1. e4 1-0\n\n{bad}\n\n[Event \"c\"]\n\n1. d4 0-1\n");
        let read = games(&text);
        assert_eq!(read.len(), 3, "{bad}");
        assert_eq!(read[0].as_ref().unwrap().tag("Event"), Some("a"), "{bad}");
        let error = read[1].as_ref().unwrap_err();
        assert!(error.starts_with("game 2, line ") && error.contains(message), "{bad}: {error}");
        assert_eq!(coordinates(read[2].as_ref().unwrap()), "d2d4", "{bad}");
    }
}

/// The result is that of the tags, or unknown.
#[test]
fn games_without_a_result_are_read() {
    let text = "[Event \"a\"]\n[Result \"1–0\"]\n\n1. e4 e5 2. Nf3\n\n\
                [Event \"b\"]\n\n1. d4\n\n[Event \"c\"]\n[Result \"½-½\"]\n\n\
                [Event \"d\"]\n\n1. c4 c5";
    let games: Vec<PgnGame> = games(text).into_iter().map(Result::unwrap).collect();
    let read: Vec<(String, PgnResult)> =
        games.iter().map(|game| (coordinates(game), game.result)).collect();
    let expected = [
        ("e2e4 e7e5 g1f3", PgnResult::White),
        ("d2d4", PgnResult::Unknown),
        ("", PgnResult::Draw),
        ("c2c4 c7c5", PgnResult::Unknown),
    ];
    assert_eq!(read, expected.map(|(moves, result)| (moves.to_owned(), result)));
    assert_eq!(self::games(""), []);
    assert_eq!(self::games("\n \n; nothing\n%\n"), []);
    assert_eq!(coordinates(self::games("1.e4 e5")[0].as_ref().unwrap()), "e2e4 e7e5");
}

#[test]
fn results_and_moves_of_people_and_sites_are_read() {
    for (texts, result) in [
        ("1-0, 1–0, 1−0, 1 - 0, 1 – 0, 1:0, 1—0", PgnResult::White),
        ("0-1, 0–1, 0 - 1, 0 : 1, O-1", PgnResult::Black),
        ("1/2-1/2, ½-½, ½–½, ½ - ½, 1/2, ½, 1/2 - 1/2, 0.5-0.5, 1/2:1/2", PgnResult::Draw),
        ("*", PgnResult::Unknown),
    ] {
        for text in texts.split(", ") {
            let file = format!("[Result \"?\"]\n\n1. e4 c5 {text}\n\n1. d4 {text}");
            let read: Vec<PgnGame> = games(&file).into_iter().map(Result::unwrap).collect();
            assert_eq!(read.len(), 2, "{text}");
            assert!(read.iter().all(|game| game.result == result), "{text}: {read:?}");
            assert_eq!(coordinates(&read[0]), "e2e4 c7c5", "{text}");
            assert_eq!(text.parse(), Ok(result), "{text}");
        }
    }
    for text in ["", "1", "0-0", "1-1", "½-1", "1-", "2-0", "1-0x", "0-0-0"] {
        assert!(text.parse::<PgnResult>().is_err(), "{text}");
    }
    let text = "1.♙e4 ♟e5 2. ♘f3 $1 ♞c6 ± 3.♗c4 ♝c5 4. 0–0 4… Nf6 5. d2-d4 Bxd4 6. Nxd4 e5xd4 \
                7. e5 d5 8. exd6 ep O-O 9. d6xc7+! a6 10. cxd8(Q) 1–0";
    let [game] = &games(text)[..] else { panic!("one game") };
    let game = game.as_ref().unwrap();
    let moves = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6 d2d4 c5d4 f3d4 e5d4 e4e5 d7d5 e5d6 e8g8 \
                 d6c7 a7a6 c7d8q";
    assert_eq!((coordinates(game).as_str(), game.result), (moves, PgnResult::White));
    // Engines' coordinates stand in some files.
    let text = "1. e2e4 e7e5 2. g1f3 b8c6 3. f1b5 g8f6 4. e1g1 1/2";
    assert_eq!(coordinates(games(text)[0].as_ref().unwrap()), "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1g1");
}

/// Harmless faults of a FEN are mended.
#[test]
fn starts_of_other_programs_are_read() {
    let text = "[SetUp \"1\"]\n[FEN \"r3k3/8/8/8/8/8/8/4K2R w HAa e3 0 0\"]\n\n1. O-O *";
    let game = games(text).remove(0).unwrap();
    assert_eq!(coordinates(&game), "e1g1");
    assert_eq!(game.start().unwrap().to_fen(), "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1");
}

#[test]
fn games_that_make_no_sense_are_not_written() {
    let fen = fusion_chess::board::fen::START;
    let rejection = |game: &PgnGame| game.write(&mut Vec::new()).unwrap_err().to_string();
    let mut illegal = game("orthodox", fen, "e2e4 e7e5");
    illegal.moves.swap(0, 1);
    assert_eq!(rejection(&illegal), "ply 1: e7e5 is not a legal move there");
    let mut named = game("orthodox", fen, "");
    named.set_tag("two words", "x");
    assert!(rejection(&named).contains("'two words' cannot name a tag"));
    named.tags = vec![("RuleSet".into(), "x".into())];
    assert!(rejection(&named).contains("unknown rule set 'x'"));
}

#[test]
fn a_failing_input_ends_the_reading() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("unplugged"))
        }
    }
    let mut reader = pgn::read(std::io::BufReader::new(Broken));
    assert!(matches!(reader.next(), Some(Err(PgnError::Io { .. }))));
    assert!(reader.next().is_none());
}

#[test]
fn every_kind_of_move_survives() {
    let cases = [
        ("fusion-1999", "4k3/8/8/8/8/8/6KR/8 w - - 0 1", "g2h2 e8d8 h2h8r d8c7 h2h3"),
        ("orthodox", "r3k3/7P/8/4Pp2/8/8/8/4K2R w Kq f6 0 9", "e5f6 e8c8 h7h8q c8d7 e1g1"),
        (
            "fusion-2020",
            "4k3/8/8/8/8/8/8/R3K2Q b - - 7 30",
            "e8d7 h1h7 d7c6 a1e1 c6c5 e1e5 c5b4 h7e4b",
        ),
    ];
    for (rules, fen, moves) in cases {
        let game = game(rules, fen, moves);
        assert_eq!(games(&written(&game)), [Ok(game)]);
    }
}

#[test]
fn variations_glyphs_and_comments_come_back() {
    let text = "{start} 1. e4! {one} (1. d4 d5 (1... Nf6 $3 2. c4) 2. c4 $14) (1. c4) 1... e5 $1 $10 2. Qh5?! (2. Nf9 Nc6 (2... d6)) 2... Nc6 *";
    let game = games(text).remove(0).unwrap();
    assert_eq!(coordinates(&game), "e2e4 e7e5 d1h5 b8c6");
    let first = &game.moves[0];
    assert_eq!((first.comment.as_deref(), &first.glyphs[..]), (Some("one"), &[1][..]));
    assert_eq!(first.variations.len(), 2);
    let main = &first.variations[0].moves;
    assert_eq!(
        (main.len(), main[1].variations[0].moves[0].glyphs[0], main[2].glyphs[0]),
        (3, 3, 14)
    );
    assert_eq!((&game.moves[1].glyphs[..], &game.moves[2].glyphs[..]), (&[1, 10][..], &[6][..]));
    // What is no move in a variation is not lost.
    let odd = &game.moves[2].variations[0];
    assert_eq!((odd.moves.len(), odd.comment.as_deref()), (0, Some("Nf9 Nc6 ( d6 )")));
    let text = written(&game);
    assert!(
        text.contains("( 1. d4 d5 ( 1... Nf6 $3 2. c4 ) 2. c4 $14 ) ( 1. c4 ) 1... e5"),
        "{text}"
    );
    assert_eq!(games(&text).remove(0).unwrap().moves, game.moves);
}

#[test]
fn deep_variations_are_read() {
    let depth = 100_000;
    let text = format!("1. e4 {}{}1... e5 *", "(1. d4 ".repeat(depth), ")".repeat(depth));
    let game = games(&text).remove(0).unwrap();
    assert_eq!(coordinates(&game), "e2e4 e7e5");
    assert!(games(&written(&game)).remove(0).unwrap().moves == game.moves);
}
