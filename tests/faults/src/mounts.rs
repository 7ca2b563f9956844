//! Small and read-only file systems in a separate namespace. They are not visible outside it and
//! end with the process.

use crate::programs::{self, Job};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

/// The result of one command in such a file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Exit code of the command.
    pub code: i32,
    /// Output of the command.
    pub said: String,
}

/// Returns a command that may mount file systems: a direct one, or one as root of a user namespace.
fn namespace() -> Option<&'static [&'static str]> {
    const WAYS: [&[&str]; 2] =
        [&["unshare", "--mount"], &["unshare", "--user", "--map-root-user", "--mount"]];
    WAYS.into_iter().find(|way| {
        let script = "mount -t tmpfs -o size=64k tmpfs /tmp";
        let tried = Command::new(way[0]).args(&way[1..]).args(["sh", "-c", script]).output();
        tried.is_ok_and(|output| output.status.success())
    })
}

/// Returns whether this machine allows mounting file systems. Prints a note if it does not, because
/// the tests that need them are then skipped.
#[must_use]
pub fn can_mount() -> bool {
    let can = namespace().is_some();
    if !can {
        // The text is written past the test harness, which hides the output of tests that pass.
        let _ = writeln!(
            io::stderr(),
            "NOT TESTED: full and read-only disks, for this machine allows no mounts, not even in a \
             user namespace"
        );
    }
    can
}

/// Runs a script on a file system of `kibibytes` KiB with the inputs of jobs, in that folder. `$1`
/// is the folder for files that are to outlive the file system.
fn within(kibibytes: u32, script: &str, keep: &Path) {
    let Some(way) = namespace() else { return };
    let inputs = programs::prepared();
    let mounted = tempfile::tempdir().expect("a temporary folder");
    let script = format!(
        "set -e\nmount -t tmpfs -o size={kibibytes}k tmpfs \"$2\"\ncp \"$3\"/* \"$2\"\ncd \"$2\"\nset +e\n{script}"
    );
    let folders = [keep, mounted.path(), inputs.path()];
    let mut command = Command::new(way[0]);
    command.args(&way[1..]).args(["sh", "-c", &script, "sh"]).args(folders);
    programs::set_variables(&mut command);
    let output = command.output().expect("starting a shell");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn step(keep: &Path, name: &str) -> Step {
    let read = |extension: &str| {
        fs::read_to_string(keep.join(format!("{name}.{extension}"))).expect("what a command left")
    };
    Step { code: read("code").trim().parse().expect("an exit code"), said: read("said") }
}

/// Runs a job on a disk of only `kibibytes` KiB, then again with enough room. The results are then
/// in the folder `keep`.
#[must_use]
pub fn on_full_disk(job: &Job, kibibytes: u32, keep: &Path) -> [Step; 2] {
    let command = job.shell();
    let script = format!(
        "{command} >\"$1/full.said\" 2>&1; echo $? >\"$1/full.code\"\n\
         mount -o remount,size=512m \"$2\"\n\
         {command} >\"$1/room.said\" 2>&1; echo $? >\"$1/room.code\"\n\
         cp -r . \"$1\""
    );
    within(kibibytes, &script, keep);
    ["full", "room"].map(|name| step(keep, name))
}

/// Runs a job on a read-only disk with the files of the folder `keep`.
#[must_use]
pub fn on_read_only_disk(job: &Job, keep: &Path) -> Step {
    let script = format!(
        "cp -r \"$1\"/. .\nmount -o remount,ro \"$2\"\n{} >\"$1/ro.said\" 2>&1; echo $? >\"$1/ro.code\"",
        job.shell()
    );
    within(1 << 16, &script, keep);
    step(keep, "ro")
}
