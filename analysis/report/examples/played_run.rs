//! Plays a small run with some rule sets of a game from the same openings, and one more measurement
//! at another budget, to look at its games.
//!
//! `cargo run -p fusion-report --example played_run -- DIR OPENINGS [RULES...]`
//!
//! The agent counts material. Its games are legal and short-sighted. The same arguments give the
//! same bytes.

use fusion_game::BoardGame;
use fusion_jobs::stop::Stop;
use fusion_network::model::Model;
use fusion_registry::{KnownGame, for_game};
use fusion_runner::{measure, openings};
use fusion_study::Study;
use std::path::Path;

const SEED: u64 = 5;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dir, count, rules @ ..] = &arguments[..] else {
        anyhow::bail!("usage: played_run DIR OPENINGS [RULES...]");
    };
    let usual = ["fusion-1999", "fusion-2020", "metamorphin", "orthodox"].map(str::to_owned);
    let rules = if rules.is_empty() { &usual } else { rules };
    for_game!(KnownGame::of_rules(&rules[0]), G => play::<G>(Path::new(dir), count, rules))
}

fn play<G: BoardGame>(dir: &Path, count: &str, rules: &[String]) -> anyhow::Result<()> {
    let study = Study::parse(&format!(
        "[study]\nname = 'played'\n[openings]\ncount = {count}\nnodes = 4\n[measure]\n\
         rules = {rules:?}\nnodes = [6]\n\
         [extra.other]\nnodes = [4]\n"
    ))?;
    let stop = Stop::new();
    let rules = study.pool_rules::<G>()?;
    let search = study.measure.search;
    let pool = openings::make::<G>(&study.openings, &rules, &search, None, SEED, &stop)?;
    std::fs::create_dir_all(dir)?;
    pool.save(&dir.join("openings.csv"))?;
    let model = Model::open::<G>("material", [])?.into();
    for each in study.measurements() {
        let folder = dir.join(each.folder);
        measure::run::<G>(&each.config, &pool, &model, SEED, &folder, 0..1, &stop)?;
        let missing = measure::assemble_if_whole::<G>(&folder, &stop)?;
        anyhow::ensure!(missing.is_empty(), "the games of {} are not whole", folder.display());
    }
    Ok(())
}
