//! Options of the analysis in a report.

use fusion_results::pairs::Inference;
use fusion_results::report::Options;
use fusion_statistics::bootstrap;

/// The comparison to judge, and the resampling.
#[derive(Debug, clap::Args)]
pub(super) struct Choices {
    /// The comparison to judge: draws under rule set A minus draws under rule set B
    /// [default: the study's, else fusion-2020 fusion-1999]
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    primary: Option<Vec<String>>,
    /// Number of bootstrap resamples of a difference [draw margins take 2,000, piece values 400]
    #[arg(long, value_name = "N", default_value_t = bootstrap::RESAMPLES, value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    resamples: u32,
    /// Seed of the bootstrap
    #[arg(long, value_name = "N", default_value_t = bootstrap::SEED)]
    seed: u64,
}

impl From<Choices> for Options {
    fn from(choices: Choices) -> Self {
        let primary = choices.primary.and_then(|names| <[String; 2]>::try_from(names).ok());
        Options {
            primary: primary.map(|[first, second]| (first, second)),
            inference: Inference {
                resamples: choices.resamples,
                seed: choices.seed,
                ..Inference::default()
            },
            page_openings: None,
        }
    }
}
