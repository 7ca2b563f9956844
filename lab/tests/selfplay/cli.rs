//! Tests the program on Fusion Chess, as schedulers and users run it.

use std::fs;
use std::path::Path;
use std::process::Command;

use fusion_chess::FusionGame;
use fusion_chess::notation::pgn::{self, PgnGame};
use fusion_game::Description;
use fusion_runner::measure;
use tempfile::TempDir;

use super::command::{code, fail, program, run, succeed, text};

const OPENINGS: &str = "openings --network material --out openings.csv --count 12 --rules fusion-1999 --rules fusion-2020 --rules orthodox";
const MEASURE: &str = "measure --network material --openings openings.csv --nodes 20,40 --shards 3 \
                       --rules fusion-2020 --rules fusion-1999 --out measure";

fn with_openings() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    succeed(folder.path(), OPENINGS);
    folder
}

#[test]
fn measurement_by_shards_and_threads_is_byte_identical() {
    let one = with_openings();
    succeed(one.path(), &format!("{MEASURE} --threads 1"));
    let two = with_openings();
    for shard in [2, 0] {
        let out = succeed(two.path(), &format!("{MEASURE} --threads 2 --shard {shard}"));
        assert!(out.contains(&format!("shard {shard} of 3 is whole")), "{out}");
    }
    assert!(succeed(two.path(), "status measure").starts_with("1\n"));
    fail(two.path(), &format!("{MEASURE} --merge"), 65, "shards still missing: 1; play them first");
    assert!(!two.path().join("measure/games.csv").exists());
    let last = program()
        .current_dir(two.path())
        .args(MEASURE.split_whitespace())
        .envs([("SLURM_ARRAY_TASK_ID", "1"), ("SLURM_CPUS_PER_TASK", "2")])
        .output()
        .unwrap();
    assert_eq!(code(&last), 0, "{}", text(&last));
    // A task that plays one shard writes no results, also if it is the last.
    assert!(!two.path().join("measure/games.csv").exists());
    succeed(two.path(), &format!("{MEASURE} --merge"));
    for name in ["games.csv", "games.pgn", "measure.json"] {
        let read = |folder: &TempDir| fs::read(folder.path().join("measure").join(name)).unwrap();
        assert!(read(&one) == read(&two), "{name} differs");
        assert!(!read(&one).is_empty());
    }
    let again = succeed(one.path(), MEASURE);
    assert!(again.contains("already complete"), "{again}");
    let csv = fs::read_to_string(one.path().join("measure/games.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 2 * 2 * 12);
    assert_eq!(
        csv.lines().next().unwrap(),
        "rules,opening,opening_plies,seed,network,nodes,result,ending,plies,captures,promotions,\
         fusions,royal_fusions,fissions,castlings,first_capture,first_fusion,first_royal_fusion,\
         first_fission,first_castling,escapes,lead_changes,drama,opening_entropy,start_fen,moves_hash,\
         metamorphoses,first_metamorphosis,demotions,first_demotion,self_captures,first_self_capture"
    );
}

/// Both files have the same games: rule set, result, ending, number of plies, and a value after
/// every move except those of the opening.
#[test]
fn pgn_and_csv_agree() {
    let folder = with_openings();
    succeed(folder.path(), MEASURE);
    let folder = folder.path().join("measure");
    let pgn = fs::read(folder.join("games.pgn")).unwrap();
    let games: Vec<PgnGame> = pgn::read(&pgn[..]).map(Result::unwrap).collect();
    let file = fs::File::open(folder.join("games.csv")).unwrap();
    let rows = measure::read_rows(Description::of::<FusionGame>(), file).unwrap();
    assert_eq!(games.len(), rows.len());
    for (game, row) in games.iter().zip(&rows) {
        assert_eq!(game.rules().unwrap().to_string(), row.rules);
        assert_eq!(game.tag("Ending"), Some(row.ending.name()));
        assert_eq!(
            (game.result.to_string(), game.moves.len()),
            (row.result.text().to_owned(), row.plies as usize)
        );
        for (ply, mv) in (0..).zip(&game.moves) {
            let value = mv.comment.as_ref().map(|comment| {
                let numbers =
                    comment.strip_prefix("[%wdl ").and_then(|rest| rest.strip_suffix(']')).unwrap();
                numbers.split(',').map(|n| n.parse::<u32>().unwrap()).sum::<u32>()
            });
            assert_eq!(value, (ply >= row.opening_plies).then_some(1000));
        }
    }
}

#[test]
fn a_study_file_can_be_checked() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("s.toml");
    fs::write(&study, "[study]\nname = 'own'\n[measure]\nrules = ['fusion-2020', 'no-fusion']\n")
        .unwrap();
    // Without a network and without training, the shipped network plays. It is in the checkout,
    // which a study outside of it finds by the place of the program.
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let absolute = format!("check {}", study.display());
    for (place, line) in [(checkout.as_path(), absolute.as_str()), (folder.path(), "check s.toml")]
    {
        let said = succeed(place, line);
        let out = place.canonicalize().unwrap().join("runs/own");
        assert!(said.starts_with(&format!("{}\n", out.display())), "{said}");
        assert!(said.ends_with("data/nets/family.fnet\n") && said.lines().count() == 2, "{said}");
    }
    let out = folder.path().canonicalize().unwrap().join("runs/own");
    fs::write(&study, "[study]\nname = 'own'\n[train]\ngenerations = 1\n").unwrap();
    assert_eq!(succeed(folder.path(), "check s.toml"), format!("{}\n", out.display()));
    fs::write(&study, "[study]\nname = 'own'\n[measure]\nrules = ['fusion-2021']\n").unwrap();
    fail(folder.path(), "check s.toml", 64, "s.toml: measure.rules: ");
    fail(folder.path(), "check t.toml", 66, "t.toml");
}

#[test]
fn the_pool_is_legal_everywhere_and_prints_its_hash() {
    let folder = with_openings();
    let again = succeed(folder.path(), OPENINGS);
    let sum = Command::new("sha256sum").arg(folder.path().join("openings.csv")).output().unwrap();
    let sum = String::from_utf8_lossy(&sum.stdout).into_owned();
    assert!(again.contains(&format!("sha256 {}", &sum[..64])), "{again}");
    fail(folder.path(), &format!("{OPENINGS} --seed 2"), 64, "exists with other openings");
    let narrow = "openings --network none --out few.csv --count 30 --plies 1 --rules fusion-2020";
    fail(folder.path(), narrow, 64, "need 30 openings, found 20 among");
}

#[test]
fn training_games_are_compact_and_resume() {
    let folder = tempfile::tempdir().unwrap();
    let line =
        "generate --network material --games 20 --rules fusion-2020:2 --rules orthodox --out games";
    let out = succeed(folder.path(), line);
    assert!(out.contains("20 games"), "{out}");
    let plies: u64 = out.split_whitespace().nth(2).unwrap().parse().unwrap();
    let shard = folder.path().join("games/games-00000-of-00001.shard");
    let bytes = fs::metadata(&shard).unwrap().len();
    assert!(bytes < 40 * plies, "{bytes} bytes for {plies} plies");
    let again = succeed(folder.path(), line);
    assert!(again.contains("already complete"), "{again}");
    fail(
        folder.path(),
        &format!("{line} --simulations 5"),
        64,
        "simulations is 32, now it would be 5",
    );
    let mut damaged = fs::read(&shard).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(&shard, &damaged).unwrap();
    fail(folder.path(), line, 65, "delete the file and make it again");
    fail(folder.path(), "status games", 65, "checksum");
}

#[test]
fn a_match_writes_its_result() {
    let folder = tempfile::tempdir().unwrap();
    let line = "match --first material --second uniform --nodes 30 --games 8 --rules fusion-2020 \
                --rules orthodox --out m --sprt -20,20";
    let out = succeed(folder.path(), line);
    assert!(out.contains("SPRT of Elo -20 against 20") && out.contains(" drawn "), "{out}");
    // The remark on capped games appears only if there are any.
    let strength = fs::read(folder.path().join("m/strength.json")).unwrap();
    let strength: serde_json::Value = serde_json::from_slice(&strength).unwrap();
    assert_eq!(out.contains("reached the cap"), strength["capped"] != 0, "{out}");
    let pgn = fs::read(folder.path().join("m/games.pgn")).unwrap();
    assert_eq!(pgn::read(&pgn[..]).map(Result::unwrap).count(), 8);
    let short = "match --first uniform --nodes 2 --games 4 --cap 10 --out short";
    let short = succeed(folder.path(), short);
    assert!(short.contains("4 of 4 games reached the cap: they have no result"), "{short}");
    let json = fs::read(folder.path().join("m/strength.json")).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    for key in [
        "first",
        "second",
        "rules",
        "games",
        "score",
        "elo",
        "elo_low",
        "elo_high",
        "los",
        "pentanomial",
    ] {
        assert!(!json[key].is_null(), "{key} is missing in {json}");
    }
    assert_eq!(json["games"], 8);
    assert_eq!(json["sprt"]["decision"], "undecided");
    assert_eq!(json["per_rules"].as_array().unwrap().len(), 2);
}

/// Of a match in which everything is won, the games settle only one end of the interval.
#[test]
fn one_sided_results_have_one_sided_intervals() {
    let folder = tempfile::tempdir().unwrap();
    let line = "match --first pvs:material --second uniform --nodes 400 --second-nodes 1 --rules \
                orthodox --plies 2 --games 8 --out m";
    let out = succeed(folder.path(), line);
    // Four pairs of four: 0.05^(1/4) = 0.4729.
    assert!(out.contains("above −19 (one-sided 95%)"), "{out}");
    let json = succeed(folder.path(), &format!("{line} --json"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let all = json["tables"][0]["rows"].as_array().unwrap().last().unwrap();
    let elo = &all["elo"];
    assert!(elo["value"].is_null() && elo["high"].is_null(), "{elo}");
    assert_eq!(elo["kind"], "one-sided 95%");
    assert!((elo["low"].as_f64().unwrap() + 18.86).abs() < 0.1, "{elo}");
    let file = fs::read(folder.path().join("m/strength.json")).unwrap();
    let file: serde_json::Value = serde_json::from_slice(&file).unwrap();
    assert!(file["elo"].is_null() && file["elo_high"].is_null(), "{file}");
    assert_eq!(file["elo_interval"], "one-sided 95%, above elo_low");
    let turned = line
        .replace("--first pvs:material --second uniform", "--first uniform --second pvs:material");
    let turned = turned.replace("--nodes 400 --second-nodes 1", "--nodes 1 --second-nodes 400");
    let out = succeed(folder.path(), &turned.replace("--out m", "--out n"));
    assert!(out.contains("below +19 (one-sided 95%)"), "{out}");
    // Another number of games is compared in games, as the option has it.
    let fewer = line.replace("--games 8", "--games 4");
    fail(folder.path(), &fewer, 64, "it is of 8 games, now it would be of 4");
}

#[test]
fn bad_input_ends_in_a_message_and_the_right_code() {
    let folder = with_openings();
    let at = folder.path();
    fail(at, "measure", 64, "give --out or --study");
    fail(at, "frobnicate", 64, "frobnicate");
    fail(at, &format!("{MEASURE} --rules fusion-3000"), 64, "fusion-3000");
    fail(at, &format!("{MEASURE} --shard 3"), 64, "numbered 0 to 2");
    fail(at, &format!("{MEASURE} --shard x"), 64, "auto");
    fail(at, &format!("{MEASURE} --threads 0"), 64, "--threads");
    fail(at, &format!("{MEASURE} --nodes 0"), 64, "--nodes must list");
    fail(at, "measure --network material --openings none.csv --out m", 66, "none.csv");
    fail(at, "measure --network none.fnet --openings openings.csv --out m", 66, "none.fnet");
    fail(at, "measure --network openings.csv --openings openings.csv --out m", 65, "openings.csv");
    fail(at, "measure --study none.toml", 66, "none.toml");
    fail(at, "generate --network material --rules fusion-2020:0 --out g", 64, "weight");
    fail(at, "generate --network material --games 2 --out openings.csv/g", 1, "openings.csv/g");
    fail(at, "match --first material --games 3 --out m", 64, "error: --games must be even");
    fail(at, "match --first pvz:material --out m", 64, "did you mean pvs:material?");
    fail(at, "match --first material --second stockfish --out m", 66, "uci:COMMAND");
    fail(at, "technique --network unifrom --out m", 64, "did you mean uniform?");
    fail(
        at,
        &format!("{MEASURE} --threads 4096"),
        64,
        "--threads is `4096`, not a number from 1 to",
    );
    fail(at, "generate --out g --simulations 4294967295", 64, "--simulations must lie");
    fail(at, "generate --out g --shards 4294967295", 64, "--shards must lie");
    let study = "[study]\nname = \"torch\"\n[selfplay]\nevaluator = \"torch\"\n";
    fs::write(at.join("torch.toml"), study).unwrap();
    let line = "generate --study torch.toml --network material --out g";
    fail(at, line, 64, "use fusion-train generate");
    fail(at, "generate --out g --rules orthodox:1 --rules orthodox:2", 64, "twice");
    fail(at, "status .", 66, "holds no shard");
    fs::write(at.join("study.toml"), "[study]\nname = 'x'\n[measure]\nnode = 3\n").unwrap();
    fail(
        at,
        "measure --study study.toml",
        64,
        "study.toml: line 4: unknown key `node` in [measure], known keys",
    );
    let study = "[study]\nname = 'x'\n[openings]\ncount = 13\n";
    fs::write(at.join("study.toml"), study).unwrap();
    fs::create_dir_all(at.join("runs/x")).unwrap();
    fs::copy(at.join("openings.csv"), at.join("runs/x/openings.csv")).unwrap();
    fail(at, "measure --study study.toml --network material", 65, "has 12 openings");
    fs::remove_file(at.join("runs/x/openings.csv")).unwrap();
    let how = "make it with fusion openings --study study.toml";
    fail(at, "measure --study study.toml --network material --shard 0", 66, how);
    fs::write(at.join("bad.csv"), "id,plies,moves,fen\n0,1,e2e5,x\n").unwrap();
    fail(
        at,
        "measure --network material --openings bad.csv --out m",
        65,
        "opening 0: e2e5 is not legal",
    );
}

/// Stages belong to the generations of a loop, and the games of `generate` to none.
#[test]
fn stages_of_a_study_are_not_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let study = "[study]\nname = \"staged\"\n[train]\nstages = [{ from = 1, RATE }, { from = 2, games = 7 }]\n";
    let staged = study.replace("RATE", "learning_rate = 0.001");
    fs::write(at.join("staged.toml"), &staged).unwrap();
    let line = "generate --study staged.toml --games 1 --cap 20 --out g";
    let how = "from generation 2 on, and these games belong to no generation: fusion train generate \
               staged.toml --generation N";
    fail(at, line, 64, how);
    fs::write(at.join("staged.toml"), staged.replace("games = 7", "learning_rate = 0.0001"))
        .unwrap();
    succeed(at, line);
}

#[test]
fn a_budget_is_the_number_of_nodes_in_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let line = "budget --network pvs:material --rules fusion-2020 --rules orthodox --time 0.5 \
                --time 20 --json";
    let printed: serde_json::Value = serde_json::from_str(&succeed(at, line)).unwrap();
    let rows = printed["tables"][0]["rows"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["rules"].as_str().unwrap()).collect();
    assert_eq!(names, ["fusion-2020", "orthodox", "all", "fusion-2020", "orthodox", "all"]);
    let nodes: Vec<u64> = rows.iter().map(|row| row["nodes"].as_u64().unwrap()).collect();
    // A search of 40 times the time visits far more than four times the nodes.
    assert!(nodes[..3].iter().zip(&nodes[3..]).all(|(few, many)| 4 * few < *many), "{printed}");
    fail(at, "budget --network material --time 1", 64, "give --rules or --study");
    fail(at, "budget --rules orthodox --time 1", 64, "give --network or --study");
    fail(at, "budget --network material --rules orthodox --time 0", 64, "--time: 0 ms");
    let study = "[study]\nname = 'x'\n[selfplay.search]\nhistory = false\n";
    fs::write(at.join("history.toml"), study).unwrap();
    fail(at, "check history.toml", 64, "selfplay.search.history must be true");
    let study = "[study]\nname = 'x'\n[measure.search]\nmax_nodes = 1000\n";
    fs::write(at.join("study.toml"), study).unwrap();
    let small = "budget --study study.toml --network uniform --time 1000";
    fail(at, small, 64, "measure.search.max_nodes = ");
}

#[test]
fn matches_at_equal_time_keep_the_nodes_they_began_with() {
    let folder = tempfile::tempdir().unwrap();
    let line = "match --first material --second rollout --nodes 40 --games 4 --cap 20 \
                --rules fusion-2020 --out m --equal-time";
    let first = succeed(folder.path(), line);
    assert!(first.contains("equal time: material at 40 nodes takes "), "{first}");
    let json = fs::read(folder.path().join("m/strength.json")).unwrap();
    let again = succeed(folder.path(), line);
    assert!(
        !again.contains("equal time") && again.contains("material at 40 nodes against rollout")
    );
    assert!(fs::read(folder.path().join("m/strength.json")).unwrap() == json);
    fail(folder.path(), &line.replace(" --equal-time", ""), 64, "match-00000-of-00001.shard");
    fail(folder.path(), &format!("{line} --second-nodes 3"), 64, "--second-nodes");
}

#[test]
fn technique_writes_its_table() {
    let folder = tempfile::tempdir().unwrap();
    let line = "technique --network material --nodes 50 --games 2 --rules fusion-2020 --out t";
    let out = succeed(folder.path(), line);
    assert!(out.contains("threefold") && out.contains("results in t/technique.csv"), "{out}");
    let csv = fs::read_to_string(folder.path().join("t/technique.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 3);
    assert_eq!(
        csv.lines().next().unwrap(),
        "rules,pieces,network,nodes,seed,games,mates,mean_plies,longest_plies,stalemate,\
         threefold,fifty_move,dead_position"
    );
    let pgn = fs::read(folder.path().join("t/games.pgn")).unwrap();
    assert_eq!(pgn::read(&pgn[..]).map(Result::unwrap).count(), 6);
    fail(folder.path(), &format!("{line} --exercise Q"), 64, "as in RB or R+R");
    fail(folder.path(), "technique --network material", 64, "give --out or --study");
    fail(folder.path(), "technique --network no.fnet --out t", 66, "no.fnet");
}

/// Text from files and arguments cannot control a terminal.
#[test]
fn control_characters_are_escaped() {
    const EVIL: &str = "\u{1b}]0;title\u{7}";
    let folder = tempfile::tempdir().unwrap();
    let study = |text: &str| {
        let text = text.replace("EVIL", "\\u001b]0;title\\u0007");
        fs::write(folder.path().join("study.toml"), text).unwrap();
    };
    let clean = |line: &str| {
        let said = text(&run(folder.path(), line));
        assert!(said.contains("\\u{1b}]0;title\\u{7}") || said.contains("\\u001b"), "{said}");
        assert!(!said.contains(|c: char| c.is_control() && c != '\n'), "{}", said.escape_debug());
    };
    study("[study]\nname = 'a'\n\"EVIL\" = 1\n[measure]\nrules = [\"EVIL\"]\n");
    clean("check study.toml");
    study("[study]\nname = 'a'\n[measure]\nrules = [\"EVIL\"]\n");
    clean("check study.toml");
    study("[study]\nname = 'a'\nout = \"EVIL\"\n");
    clean("check study.toml");
    clean("check study.toml --toml");
    study("[study]\nname = 'a'\n[network]\nfile = \"EVIL\"\n");
    clean("check study.toml");
    clean(&format!("check no{EVIL}.toml"));
    clean(&format!("match --first {EVIL} --second material --out m"));
    // The name is printed while games are played.
    study(
        "[study]\nname = 'a'\nout = 'o'\n[network]\nfile = 'material'\n[openings]\ncount = 1\n\
         [measure]\nrules = ['orthodox']\nnodes = [1]\ncap = 120\n[extra.\"EVIL\"]\nnodes = [2]\n",
    );
    run(folder.path(), "openings --study study.toml");
    clean("measure --study study.toml");
}
