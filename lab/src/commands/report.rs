//! `fusion report`

use super::choices::Choices;
use super::output::Output;
use fusion_report::{Pages, terminal};
use std::path::PathBuf;

/// Arguments of `report`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the run; its games are in measure/games.csv or games.csv
    run_dir: PathBuf,
    /// Folder for report.html, report/*.csv and games.html [default: the run's folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Address of the page on which people play, for the boards' links
    /// [default: play.html, if it lies beside the report]
    #[arg(long, value_name = "TEXT")]
    play_page: Option<String>,
    #[command(flatten)]
    choices: Choices,
    #[command(flatten)]
    output: Output,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let out = self.out.unwrap_or_else(|| self.run_dir.clone());
        let pages = Pages { first_opening: Some(0), play_page: self.play_page };
        let options = self.choices.into();
        let (report, links) = fusion_report::run(&self.run_dir, &out, options, &pages)?;
        // A page that did not change is as new as what it was made from, too.
        let page = std::fs::File::options().append(true).open(out.join("report.html"));
        page.and_then(|page| page.set_modified(std::time::SystemTime::now())).ok();
        let text = if self.output.json { terminal::data(&report) } else { terminal::text(&report) };
        self.output.print(&text);
        links.iter().for_each(|link| self.output.remark(link));
        Ok(())
    }
}
