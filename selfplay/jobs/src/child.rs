//! Programs that run as steps of a job.

use std::process::{Command, ExitStatus};
use std::time::Duration;

use crate::stop::Stop;
use crate::system::Group;
use anyhow::Context;

/// Interval between checks of the child and of the stop.
const INTERVAL: Duration = Duration::from_millis(50);

/// Runs a program to its end. A requested stop is forwarded to the program, once, with the same
/// signal.
///
/// The program has a process group of its own, because a terminal sends Ctrl-C to the whole group
/// and a second Ctrl-C ends a program at once. What it has started ends with it.
///
/// # Errors
/// Fails if the program cannot be started, or if the operating system reports an error.
///
/// # Examples
/// ```
/// use fusion_jobs::{child, stop::Stop};
/// use std::process::Command;
///
/// let status = child::run(Command::new("sh").args(["-c", "exit 3"]), &Stop::new())?;
/// assert_eq!(status.code(), Some(3));
/// let error = child::run(&mut Command::new("/no/such/program"), &Stop::new()).unwrap_err();
/// assert_eq!(error.to_string(), "starting /no/such/program");
/// # Ok::<(), anyhow::Error>(())
/// ```
pub fn run(command: &mut Command, stop: &Stop) -> anyhow::Result<ExitStatus> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut group = Group::spawn(command).with_context(|| format!("starting {name}"))?;
    let mut told = false;
    while group.end_within(INTERVAL).is_none() {
        if let (false, Some(signal)) = (told, stop.signal()) {
            told = true;
            group.signal(signal);
        }
    }
    group.end().with_context(|| format!("waiting for {name}"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_stop_is_passed_on() {
        let stop = Stop::new();
        stop.request();
        // The shell exits with 7 on SIGTERM, else with 0 after a minute.
        let script = "trap 'exit 7' TERM; sleep 60 & wait";
        let status = run(Command::new("/bin/sh").args(["-c", script]), &stop).unwrap();
        assert!(status.code() == Some(7) || !status.success(), "{status}");
        let status = run(Command::new("/bin/sh").args(["-c", "exit 3"]), &Stop::new()).unwrap();
        assert_eq!(status.code(), Some(3));
    }
}
