"""What the tests of studies on schedulers share: processes, waiting, and the comparison of files."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug"
FUSION = TARGET / "fusion"
NAME = Path(sys.argv[0]).name
BEGAN = time.monotonic()


def say(text):
    print(f"{NAME}: {time.monotonic() - BEGAN:5.0f} s: {text}", flush=True)


def skip(why):
    print(f"{NAME}: SKIPPED, nothing is checked: {why}")
    sys.exit(0)


def fail(why):
    sys.exit(f"{NAME}: {why}")


def run(*words, check=True):
    done = subprocess.run(words, capture_output=True, text=True)
    if check and done.returncode != 0:
        fail(f"{' '.join(map(str, words))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def install(*packages):
    """Installs packages of Debian, or skips the test."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for words in [["update"], ["install", "--yes", "--no-install-recommends", *packages]]:
        done = subprocess.run(["apt-get", *words], env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            skip(f"apt-get {words[0]} failed: {done.stderr.strip()[-300:]}")


class Process:
    """A process of this machine."""

    def __init__(self, path):
        self.id = int(path.name)
        self.words = (path / "cmdline").read_bytes().decode(errors="replace").split("\0")
        variables = (path / "environ").read_bytes().decode(errors="replace").split("\0")
        self.environment = dict(text.split("=", 1) for text in variables if "=" in text)

    def send(self, number):
        try:
            os.kill(self.id, number)
        except ProcessLookupError:
            pass

    def kill(self):
        self.send(signal.SIGKILL)

    def has_pending(self, number):
        """Whether a signal waits for the process, which stands still."""
        lines = dict(line.split(":\t", 1) for line in Path(f"/proc/{self.id}/status").read_text().splitlines())
        return int(lines["ShdPnd"], 16) >> (number - 1) & 1


def processes():
    for path in Path("/proc").glob("[0-9]*"):
        try:
            yield Process(path)
        except OSError:
            pass


def kill_all(variable):
    """Kills all other processes that have this process's value of a variable."""
    for process in processes():
        if process.environment.get(variable) == os.environ[variable] and process.id != os.getpid():
            process.kill()


def task(command, variables):
    """The program of a step's task with these variables, if there is one now. A value may be `any`."""
    for process in processes():
        has = process.environment
        is_task = all(name in has and value in (has[name], any) for name, value in variables.items())
        if is_task and process.words[0].startswith(str(TARGET)) and command in process.words:
            return process
    return None


def begun(folder, number):
    """Whether a shard has games but is not finished."""
    parts = list(folder.glob(f"*-{number:05}-of-*.part"))
    return parts and parts[0].stat().st_size > 20_000


def logs(folder):
    texts = [f"{path.name}:\n{path.read_text()[-1500:]}" for path in sorted(folder.glob("*.log"))]
    return "\n".join(texts[-6:])


def results(folder):
    """The files that may not depend on where the study ran: all but those with times and paths."""
    timed = {"cpu.json", "generation.json", "generations.csv", "study.toml", "report.html", "games.html"}
    files = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return {
        name: path.read_bytes()
        for name, path in files.items()
        if not {"slurm", "hq", "cpu-of-tasks"} & set(name.parts)
        and name.name not in timed
        and not name.name.startswith(".")
    }


def compare(ours, theirs):
    """Fails if the files of two folders differ."""
    ours, theirs = results(ours), results(theirs)
    differing = sorted(str(name) for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
    if differing or len(ours) < 20:
        fail(f"not the files of one machine: {differing}, {len(ours)} files")
    say(f"all {len(ours)} files are those of one machine, byte for byte")
