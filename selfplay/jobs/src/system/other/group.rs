//! Programs that end with this process, as far as such systems have that.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// Interval between looks at a program that is to end.
const INTERVAL: Duration = Duration::from_millis(5);

/// A running program. Dropping it ends the program, but not what that has started.
#[derive(Debug)]
pub struct Group {
    leader: Child,
}

impl Group {
    /// Starts a program.
    ///
    /// # Errors
    /// Fails if the program cannot be started.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        Ok(Self { leader: command.spawn()? })
    }

    /// Returns the program, to take its pipes.
    pub fn leader(&mut self) -> &mut Child {
        &mut self.leader
    }

    /// Does nothing: there are no signals. Ctrl-C reaches all programs of a console.
    pub fn signal(&self, _: i32) {}

    /// Returns how the program has ended: `exit code 1`. Returns `None` if it still runs after `limit`.
    #[must_use]
    pub fn end_within(&mut self, limit: Duration) -> Option<String> {
        let started = Instant::now();
        loop {
            if let Ok(Some(status)) = self.leader.try_wait() {
                let code = status.code().map(|code| format!("exit code {code}"));
                return Some(code.unwrap_or_else(|| "an unknown status".to_owned()));
            }
            if started.elapsed() >= limit {
                return None;
            }
            thread::sleep(INTERVAL);
        }
    }

    /// Ends the program. Returns its status.
    ///
    /// # Errors
    /// Fails if the operating system reports an error.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        // It fails only if the program has ended.
        let _ = self.leader.kill();
        self.leader.wait()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Nothing depends on the status.
        let _ = self.end();
    }
}
