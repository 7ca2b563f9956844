//! Plays a small run with four rule sets from the same openings, and one more measurement at
//! another budget, to look at its games.
//!
//! `cargo run -p fusion-report --example played_run -- DIR OPENINGS`
//!
//! The agent counts material. Its games are legal and short-sighted. The same arguments give the
//! same bytes.

use fusion_chess::FusionGame;
use fusion_jobs::stop::Stop;
use fusion_network::model::Model;
use fusion_runner::{measure, openings};
use fusion_study::Study;
use std::path::Path;

const SEED: u64 = 5;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dir, count] = &arguments[..] else {
        anyhow::bail!("usage: played_run DIR OPENINGS");
    };
    let dir = Path::new(dir);
    let study = Study::parse(&format!(
        "[study]\nname = 'played'\n[openings]\ncount = {count}\nnodes = 4\n[measure]\n\
         rules = ['fusion-1999', 'fusion-2020', 'metamorphin', 'orthodox']\nnodes = [6]\n\
         [extra.other]\nnodes = [4]\n"
    ))?;
    let stop = Stop::new();
    let rules = study.pool_rules::<FusionGame>()?;
    let search = study.measure.search;
    let pool = openings::make::<FusionGame>(&study.openings, &rules, &search, None, SEED, &stop)?;
    std::fs::create_dir_all(dir)?;
    pool.save(&dir.join("openings.csv"))?;
    let model = Model::open::<FusionGame>("material")?.into();
    for each in study.measurements() {
        let folder = dir.join(each.folder);
        measure::run::<FusionGame>(&each.config, &pool, &model, SEED, &folder, 0..1, &stop)?;
        let missing = measure::assemble_if_whole::<FusionGame>(&folder, &stop)?;
        anyhow::ensure!(missing.is_empty(), "the games of {} are not whole", folder.display());
    }
    Ok(())
}
