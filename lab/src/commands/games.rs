//! `fusion games`

use fusion_jobs::exit::say;
use fusion_report::Pages;
use std::path::PathBuf;

/// Arguments of `games`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the run
    run_dir: PathBuf,
    /// Folder for games.html [default: the run's folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// First opening of the page, which holds the games of as many openings as fit
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u64,
    /// Address of the page on which people play, for the boards' links
    /// [default: play.html, if it lies beside the page]
    #[arg(long, value_name = "TEXT")]
    play_page: Option<String>,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let out = self.out.unwrap_or_else(|| self.run_dir.clone());
        let pages = Pages { first_opening: Some(self.from), play_page: self.play_page };
        say(fusion_report::write_games(&self.run_dir, &out, &pages)?);
        Ok(())
    }
}
