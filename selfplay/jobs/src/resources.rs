//! Threads that a variable asks for.

use crate::cluster;
use crate::exit::note;
use anyhow::anyhow;
use std::error::Error;

/// Variable by which users set the threads of programs that use rayon.
const VARIABLE: &str = "RAYON_NUM_THREADS";

/// Starts the threads that analyses share: as many as the variable `RAYON_NUM_THREADS` says, else one
/// for each core. There are at most as many as [`cluster::threads`] allows. Does nothing if they
/// run already.
///
/// # Errors
/// Fails if the threads cannot be started.
pub fn start_threads() -> anyhow::Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let most = cluster::most_threads(cores);
    let text = std::env::var(VARIABLE).unwrap_or_default();
    let threads = match text.trim().parse() {
        Ok(0) | Err(_) => cores,
        Ok(asked) if asked > most => {
            note(format_args!("{VARIABLE} is {asked}: {most} threads are used, the most here"));
            most
        }
        Ok(asked) => asked,
    };
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build_global() {
        // An error without a cause says that the threads run already.
        Err(error) if error.source().is_some() => {
            Err(anyhow!("{threads} threads cannot be started; set {VARIABLE} lower: {error}"))
        }
        _ => Ok(()),
    }
}
