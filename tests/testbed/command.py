"""Running other programs for the installer: quietly, within a time limit, killed with their children when we stop."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

# Cold steps may wait for a slow network; an answer to --version may not.
SLOW_SECONDS = 1800.0
PROBE_SECONDS = 20.0


class CommandError(Exception):
    """A program that could not be started, failed, or took too long; the text is one line for the reader."""


def progress(part: str, text: str) -> None:
    """One line on standard error about what is going on."""
    print(f"testbed: {part}: {text}", file=sys.stderr, flush=True)


def run(
    argv: Sequence[str | Path],
    *,
    seconds: float = SLOW_SECONDS,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> str:
    """Run a program and return its standard output; raises CommandError with the last telling line of its errors.

    `env` is added to our own environment. The program gets its own process group, which is killed as a whole when the
    time is over or when we are interrupted, so that no compiler stays behind.
    """
    name = Path(argv[0]).name
    full_env = {**os.environ, "LC_ALL": "C", **(env or {})}
    try:
        process = subprocess.Popen(
            [str(arg) for arg in argv],
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
            out, err = process.communicate(timeout=seconds)
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise CommandError(f"{name} took longer than {seconds:.0f} s") from error
            raise
    if process.returncode != 0:
        raise CommandError(f"{name} failed: {telling_line(err) or telling_line(out) or process.returncode}")
    return out or err


def telling_line(text: str) -> str:
    """The line of a program's output that says most: the first that begins like an error, else the last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith(("e:", "error", "fatal"))]
    return (errors or lines[-1:] or [""])[0][:300]
