"""Run programs for the installer: quietly, with a time limit, and killed with their children when it stops."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

# Cold steps may wait for a slow network; an answer to --version may not.
SLOW_SECONDS = 1800.0
PROBE_SECONDS = 20.0

# A long step says this often that it is still at work.
BEAT_SECONDS = 30.0


class CommandError(Exception):
    """A program that could not be started, failed, or took too long; the text is one line for the reader."""


def progress(part: str, text: str) -> None:
    """One line on standard error about what is going on."""
    print(f"testbed: {part}: {text}", file=sys.stderr, flush=True)


def run(
    argv: Sequence[str | Path],
    *,
    name: str = "",
    seconds: float = SLOW_SECONDS,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    waiting: Callable[[int], None] | None = None,
) -> str:
    """Run a program and return its standard output, or its standard error when that is empty.

    Raises CommandError with the telling line of its errors. `name` is what they call it, its file name by default.
    `env` is added to our own environment. The program gets its own process group, which is killed as a whole when the
    time is over or when we are interrupted, so that no compiler stays behind. `waiting` is told the seconds since the
    start, now and then while the program runs.
    """
    name = name or Path(argv[0]).name
    full_env = {**os.environ, "LC_ALL": "C", **(env or {})}
    # Killed with us even when we are killed outright: an orphan would write where the next run cleans up.
    guard = ["setpriv", "--pdeathsig", "KILL", "--"] if shutil.which("setpriv") else []
    try:
        process = subprocess.Popen(
            [*guard, *(str(arg) for arg in argv)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=full_env,
            start_new_session=True,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise CommandError(f"{name} does not start: {error.strerror}") from error
    with process:
        try:
            out, err = _communicate(process, seconds, waiting)
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise CommandError(f"{name} took longer than {seconds:.0f} s") from error
            raise
    if process.returncode != 0:
        raise CommandError(f"{name} failed: {telling_line(err) or telling_line(out) or process.returncode}")
    return out or err


def _communicate(
    process: subprocess.Popen[str], seconds: float, waiting: Callable[[int], None] | None
) -> tuple[str, str]:
    started = time.monotonic()
    while True:
        left = started + seconds - time.monotonic()
        try:
            return process.communicate(timeout=max(0.0, min(left, BEAT_SECONDS)))
        except subprocess.TimeoutExpired:
            if left <= BEAT_SECONDS:
                raise
            if waiting is not None:
                waiting(round(time.monotonic() - started))


def telling_line(text: str) -> str:
    """The line of a program's output that says most: the first that begins like an error, else the last one.

    User names and passwords in addresses are taken out, for the line is shown and stored.
    """
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith(("e:", "error", "fatal"))]
    line = (errors or lines[-1:] or [""])[0]
    return re.sub(r"(\w+://)[^/@\s]*@", r"\1", line)[:300]
