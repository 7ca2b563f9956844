//! Tests every game of the list of games through the whole program: rules, positions, random games,
//! openings, training games, measurements, matches, reports, publications and play.
//!
//! The settings are as small as can be, so nothing here says how well a game is played.

use assert_cmd::Command;
use fusion_game::prelude::*;
use fusion_registry::{KnownGame, for_game};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Words of chess that no output about another game may have.
const CHESS: [&str; 8] =
    ["FEN", "PGN", "castling", "fission", "orthodox", "fifty", "Queen", "games.pgn"];

/// Runs the program in a folder, and returns what it prints if it succeeds.
fn succeed(folder: &Path, arguments: &str) -> String {
    succeed_with(folder, arguments, "")
}

fn succeed_with(folder: &Path, arguments: &str, input: &str) -> String {
    let mut command = Command::cargo_bin("fusion").unwrap();
    let command = command.current_dir(folder).args(arguments.split_whitespace()).write_stdin(input);
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{arguments}\n{out}\n{errors}");
    out + &errors
}

/// The presets of a game. The one with the smallest board is the last.
fn presets(game: KnownGame) -> Vec<&'static str> {
    fn names<G: Game>() -> Vec<&'static str> {
        G::Rules::presets().into_iter().map(|(name, _)| name).collect()
    }
    for_game!(game, G => names::<G>())
}

/// The games other than chess, with their smallest preset.
fn others() -> impl Iterator<Item = (KnownGame, &'static str)> {
    let games = KnownGame::ALL.into_iter().filter(|&game| game != KnownGame::Chess);
    games.map(|game| (game, *presets(game).last().unwrap()))
}

fn has_no_chess(game: KnownGame, text: &str, what: &str) {
    // Games that files define may be kinds of chess.
    if game == KnownGame::Fairy {
        return;
    }
    for word in CHESS {
        assert!(!text.contains(word), "{what} has {word}: {text}");
    }
}

#[test]
fn rules_positions_and_moves_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    let all = succeed(folder.path(), "rules");
    for (game, small) in others() {
        for preset in presets(game) {
            assert!(all.contains(preset), "{all}");
            has_no_chess(game, &succeed(folder.path(), &format!("rules {preset}")), preset);
        }
        let moves = succeed(folder.path(), &format!("moves --rules {small}"));
        assert!(moves.lines().count() > 2, "{moves}");
        let count: usize = succeed(folder.path(), &format!("perft --depth 1 --rules {small}"))
            .trim()
            .parse()
            .unwrap();
        assert_eq!(count, moves.lines().count());
    }
}

#[test]
fn a_game_is_played_in_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    for (game, rules) in others() {
        let first = succeed(folder.path(), &format!("moves --rules {rules}"));
        let first = first.split_whitespace().next().unwrap().to_owned();
        let line = format!("play --terminal --side both --nodes 4 --rules {rules}");
        let input = format!("moves\n{first}\nhint\nboard\nsave {rules}.txt\nundo\nquit\n");
        let said = succeed_with(folder.path(), &line, &input);
        has_no_chess(game, &said, rules);
        assert_eq!(
            said.contains("No network of the tree search"),
            game.network().is_none(),
            "{said}"
        );
        let game = fs::read_to_string(folder.path().join(format!("{rules}.txt"))).unwrap();
        assert!(game.contains(rules) && game.contains("* unfinished"), "{game}");
    }
}

/// A study whose players need no network.
fn study(rules: &str, changed: &str, out: &Path) -> String {
    let out = out.display();
    let name = rules.replace('#', "-");
    format!(
        r#"
[study]
name = "{name}"
out = "{out}"
[network]
file = "material"
[openings]
count = 6
plies = [2, 4]
nodes = 2
max_advantage = 1.0
[measure]
rules = ["{rules}", "{changed}"]
nodes = [4]
cap = 120
[random]
games = 4
[strength]
opponent = "uniform"
games = 2
nodes = 4
cap = 120
"#
    )
}

/// Returns a change of a rule set whose initial position has the same moves.
fn changed(game: KnownGame, rules: &str) -> String {
    fn of<G: CompleteGame>(rules: &str) -> String {
        let rules = G::Rules::parse(rules).unwrap();
        let moves = |rules: &G::Rules| {
            let (game, mut moves) = (G::new(rules), Vec::new());
            game.legal_moves(&mut moves);
            moves.into_iter().map(|mv| game.move_text(mv)).collect::<Vec<_>>()
        };
        let near = rules.neighbours().into_iter();
        let same = |near: &G::Rules| {
            moves(near) == moves(&rules) && G::new(near).to_text() == G::new(&rules).to_text()
        };
        near.filter(same).last().unwrap().to_string()
    }
    for_game!(game, G => of::<G>(rules))
}

/// Plays a whole study in the folder `run`.
fn played(game: KnownGame, rules: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = study(rules, &changed(game, rules), &folder.path().join("run"));
    fs::write(folder.path().join("study.toml"), text).unwrap();
    let plan = succeed(folder.path(), "plan study.toml --no-calibration");
    has_no_chess(game, &plan, rules);
    succeed(folder.path(), "study study.toml");
    folder
}

#[test]
fn a_study_is_played_reported_compared_and_published() {
    for (game, rules) in others() {
        let folder = played(game, rules);
        let at = |name: &str| folder.path().join(name);
        let said = succeed(folder.path(), "report run");
        has_no_chess(game, &said, "the terminal");
        let page = fs::read_to_string(at("run/report.html")).unwrap();
        // The page's scripts and styles are those of all games.
        let body = page.split("<main").nth(1).and_then(|rest| rest.split("</main>").next());
        // Packed games are no text: any letters may be among theirs.
        let (before, packed) = body.unwrap_or(&page).split_once("id=\"viewer-model\">").unwrap();
        let (_, after) = packed.split_once("</script>").unwrap();
        has_no_chess(game, before, "the page");
        has_no_chess(game, after, "the page");
        let beside = fs::read_to_string(at("run/games.html")).unwrap();
        assert!(beside.contains("All 12 games of this run") && beside.contains("games.txt"));
        succeed(folder.path(), "games run --out again");
        assert_eq!(fs::read_to_string(at("again/games.html")).unwrap(), beside, "{rules}");
        // A turn of the other games may have several plies.
        let turns = game != KnownGame::Fairy;
        assert_eq!(page.contains("Turns a game after the opening"), turns, "{rules}");
        let games = fs::read_to_string(at("run/measure/games.txt")).unwrap();
        assert_eq!(games.matches("\n\n").count(), 12, "two rule sets, six openings: {games}");
        succeed(folder.path(), "publish run published");
        assert!(at("published/report.html").exists());
        has_no_chess(game, &succeed(folder.path(), "compare run published"), "the comparison");
    }
}

#[test]
fn training_games_are_played() {
    for (_, rules) in others() {
        let folder = tempfile::tempdir().unwrap();
        let line = format!(
            "generate --network material --rules {rules} --games 2 --simulations 4 --cap 30 --out games"
        );
        succeed(folder.path(), &line);
        let shards = fs::read_dir(folder.path().join("games")).unwrap().count();
        assert!(shards > 0);
    }
}

#[test]
fn results_of_a_game_are_read_without_the_file_that_defines_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text = "[own:losalamos]\nstalemateValue = loss\n";
    fs::write(at("my.ini"), text).unwrap();
    fs::write(at("study.toml"), study("my.ini#own", "my.ini#own,nMoveRule=20", &at("run")))
        .unwrap();
    succeed(folder.path(), "study study.toml");
    fs::remove_file(at("my.ini")).unwrap();
    succeed(folder.path(), "report run");
    let page = fs::read_to_string(at("run/report.html")).unwrap();
    assert!(page.contains("definitions.my.ini#own@"), "the settings have the definition");
    fs::write(at("my.ini"), text.replace("loss", "win")).unwrap();
    let mut command = Command::cargo_bin("fusion").unwrap();
    let output = command.current_dir(folder.path()).args(["study", "study.toml"]).output().unwrap();
    assert!(!output.status.success());
}
