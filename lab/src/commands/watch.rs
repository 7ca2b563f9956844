//! `fusion watch`: a run on a page while it works.

use fusion_jobs::exit::say;
use fusion_registry::KnownGame;
use fusion_report::watch::Watch;
use fusion_server::{Front, Options};
use std::path::PathBuf;

/// Arguments of `watch`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the run, such as runs/quick
    run: PathBuf,
    /// Port of the page on this machine [default: a free one]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
}

impl Args {
    /// Serves the page until Ctrl-C.
    pub(super) fn run(self) -> anyhow::Result<()> {
        let mut watch = Watch::open(&self.run)?;
        let page = watch.page()?;
        let report = Box::new(watch.report());
        let front = Front { page, report, state: Box::new(move || watch.state()) };
        let networks = KnownGame::ALL.into_iter().filter_map(KnownGame::page_network);
        let networks = networks.map(<[u8]>::to_vec).collect();
        let port = self.port.unwrap_or(0);
        let options = Options { port, networks, front: Some(front), ..Options::default() };
        fusion_server::serve(options, |at| {
            say(format_args!(
                "Open http://{at}/ in a browser. Ctrl-C ends the server; the run goes on."
            ));
        })
    }
}
