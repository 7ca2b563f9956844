//! Programs that end with this process, and with them whatever they have started.
//!
//! Such a program has a process group of its own: a terminal's Ctrl-C does not reach it, and a signal to
//! the group reaches a wrapper script as well as the program inside. The group is ended when [`Group`] is
//! dropped. For the ways on which nothing is dropped, such as SIGKILL or a second Ctrl-C, a shell waits for
//! the end of a pipe that only this process holds open, and then kills the group.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
};
use signal_hook::low_level::signal_name;

/// Time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_millis(500);
/// Interval between looks at a program that is to end.
const INTERVAL: Duration = Duration::from_millis(5);
/// Script of the shell that outlives this process. No signal but SIGKILL ends it.
const GUARD: &str = "trap '' HUP INT QUIT TERM; read -r _; kill -s KILL -- \"-$1\"";

/// A running program with its process group. Dropping it ends all processes of the group.
///
/// # Examples
/// ```
/// use fusion_jobs::system::Group;
/// use std::process::Command;
/// use std::time::Duration;
///
/// // The shell and its child.
/// let mut group = Group::spawn(Command::new("sh").args(["-c", "sleep 1000; true"]))?;
/// assert_eq!(group.end_within(Duration::ZERO), None);
/// drop(group);
/// let mut group = Group::spawn(Command::new("sh").args(["-c", "exit 3"]))?;
/// assert_eq!(group.end_within(Duration::from_secs(20)).unwrap(), "exit code 3");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Group {
    leader: Child,
    guard: Option<Child>,
    /// The program's status after the group has ended. Its number may be another group's then.
    ended: Option<ExitStatus>,
}

impl Group {
    /// Starts a program in a process group of its own.
    ///
    /// # Errors
    /// Fails if the program cannot be started.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        let leader = command.process_group(0).spawn()?;
        // Where there is no shell, the group ends whenever this process ends in order.
        let guard = Command::new("/bin/sh")
            .args(["-c", GUARD, "sh", &leader.id().to_string()])
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Ok(Self { leader, guard: guard.ok(), ended: None })
    }

    /// Returns the program, to take its pipes. Its end must not be waited for: until the group is ended,
    /// the process that has ended keeps the group's number from being used again.
    pub fn leader(&mut self) -> &mut Child {
        &mut self.leader
    }

    /// Sends a signal to the program, if it still runs.
    pub fn signal(&self, number: i32) {
        // An error means that the program has just ended.
        let _ = kill_process(self.pid(), Signal::from_named_raw(number).unwrap_or(Signal::TERM));
    }

    /// Returns the number of the program's process, which is also that of its group.
    fn pid(&self) -> Pid {
        Pid::from_child(&self.leader)
    }

    /// Returns how the program has ended: `exit code 1`, or `SIGSEGV`. Returns `None` if it still runs
    /// after `limit`.
    #[must_use]
    pub fn end_within(&mut self, limit: Duration) -> Option<String> {
        let started = Instant::now();
        loop {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            if let Ok(Some(status)) = waitid(WaitId::Pid(self.pid()), options) {
                let signal = status.terminating_signal();
                let name = |number| signal_name(number).map(str::to_owned);
                return Some(match (status.exit_status(), signal) {
                    (Some(code), _) => format!("exit code {code}"),
                    (_, Some(number)) => name(number).unwrap_or(format!("signal {number}")),
                    _ => "an unknown status".to_owned(),
                });
            }
            if started.elapsed() >= limit {
                return None;
            }
            thread::sleep(INTERVAL);
        }
    }

    /// Ends all processes of the group, those that ignore SIGTERM or are stopped included. Returns the
    /// program's status.
    ///
    /// # Errors
    /// Fails if the operating system reports an error.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.ended {
            return Ok(status);
        }
        // A signal fails only if no process is left.
        let group = self.pid();
        let signal = |signal| {
            let _ = kill_process_group(group, signal);
        };
        signal(Signal::TERM);
        signal(Signal::CONT);
        let _ = self.end_within(GRACE);
        signal(Signal::KILL);
        // The guard goes before the leader's number is free for another process.
        if let Some(guard) = &mut self.guard {
            let _ = guard.kill();
            let _ = guard.wait();
        }
        let status = self.leader.wait()?;
        Ok(*self.ended.insert(status))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Nothing depends on the status.
        let _ = self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// Waits until a file has a line, and returns it.
    fn line(path: &Path) -> String {
        let started = Instant::now();
        loop {
            match fs::read_to_string(path) {
                Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
                _ => assert!(started.elapsed() < Duration::from_secs(60), "{}", path.display()),
            }
            thread::sleep(INTERVAL);
        }
    }

    /// Returns whether a process runs. A zombie does not.
    fn runs(pid: &str) -> bool {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        status.lines().any(|line| line.starts_with("State:") && !line.contains('Z'))
    }

    #[test]
    fn no_process_of_the_group_survives() {
        // A wrapper that waits, one that has ended, and programs that ignore SIGTERM.
        for (before, inside, after) in [
            ("", "", "; true"),
            ("", "", "& exit"),
            ("trap '' TERM; ", "trap '' TERM; ", "; true"),
            ("", "kill -s STOP $$; ", "; true"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("pid");
            let inner = format!("echo $$ > {}; {inside}while :; do :; done", file.display());
            let script = format!("{before}sh -c '{}' {after}", inner.replace('\'', "'\\''"));
            let group = Group::spawn(Command::new("/bin/sh").args(["-c", &script])).unwrap();
            let pid = line(&file);
            assert!(runs(&pid), "{script}");
            let started = Instant::now();
            drop(group);
            while runs(&pid) {
                assert!(started.elapsed() < Duration::from_secs(5), "{script}");
                thread::sleep(INTERVAL);
            }
        }
    }
}
