"""Run real programs as children of the test run: in the foreground, with a log, awaited, stopped by process id."""

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

STOP_SECONDS = 30.0

# Longest path of a UNIX socket: sun_path of unix(7), less its final zero byte.
SOCKET_PATH_BYTES = 107


class BedError(Exception):
    """A program of the test bed did not start, died, or refused a command; the text holds what it said."""


class CallError(BedError):
    """A command that ended with an error; `output` is all that it printed."""

    def __init__(self, text: str, output: str) -> None:
        super().__init__(text)
        self.output = output


def guarded(argv: Sequence[str | Path]) -> list[str]:
    """The command line of a program that the kernel kills when the thread that starts it ends."""
    setpriv = shutil.which("setpriv")
    return [*([setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []), *map(str, argv)]


class Child:
    """One program. Its output goes to `log`; `name` is what errors call it.

    The kernel kills it when the thread that started it ends (PR_SET_PDEATHSIG through setpriv), so that a killed test
    run leaves nothing behind: start beds from a thread that outlives them, the main one for example. It has its own
    process group, so that Ctrl-C reaches the test run alone, which then stops it in order.
    """

    def __init__(self, name: str, argv: Sequence[str | Path], log: Path, env: Mapping[str, str] | None = None) -> None:
        self.name, self.log = name, log
        with log.open("ab") as out:
            self.process = subprocess.Popen(
                guarded(argv),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(env or {})},
                process_group=0,
            )

    @property
    def pid(self) -> int:
        """The program's process id: every wrapper on the way to it execs."""
        return self.process.pid

    def tail(self, lines: int = 15) -> str:
        """The last lines that it wrote."""
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])

    def check(self) -> None:
        """Raise BedError when it has ended, which no program of a bed does by itself."""
        status = self.process.poll()
        if status is not None:
            raise BedError(f"{self.name} ended with status {status}:\n{self.tail()}")

    def stop(self) -> None:
        """SIGTERM, and SIGKILL when that is not heard; returns when it is gone."""
        self.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def terminate(self) -> None:
        """Ask it to end and do not wait: for stopping several at once."""
        if self.process.poll() is None:
            self.process.terminate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def is_listening(path: Path) -> bool:
    """Whether a connection to the Unix socket succeeds; its file exists a moment before a server listens on it."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


def wait_until(done: Callable[[], bool], what: str, seconds: float, children: Sequence[Child] = ()) -> None:
    """Ask `done` until it says yes; BedError when a child dies meanwhile or the time is over."""
    deadline = time.monotonic() + seconds
    pause = 0.002
    while not done():
        for child in children:
            child.check()
        if time.monotonic() > deadline:
            tails = "".join(f"\n{child.name}:\n{child.tail()}" for child in children)
            raise BedError(f"{what}: not within {seconds:.0f} s{tails}")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)


def call(argv: Sequence[str | Path], seconds: float = 60.0, env: Mapping[str, str] | None = None) -> str:
    """Run a command to its end and return its output; CallError when it fails, BedError when it hangs.

    Errors name the program, not the `nsenter ... --` before it.
    """
    name = Path(argv[argv.index("--") + 1] if argv[0] == "nsenter" else argv[0]).name
    try:
        done = subprocess.run(
            [str(arg) for arg in argv],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
            env={**os.environ, **(env or {})},
        )
    except subprocess.TimeoutExpired as error:
        raise BedError(f"{name} took longer than {seconds:.0f} s") from error
    if done.returncode != 0:
        output = (done.stderr or done.stdout).strip()
        raise CallError(f"{name} failed ({done.returncode}): {output}", done.stdout + done.stderr)
    return done.stdout


@contextlib.contextmanager
def scratch(label: str) -> Iterator[Path]:
    """A short-named folder in memory where there is some, removed afterwards: for sockets, whose paths must be short,
    and for databases, which would wait for a disk otherwise.
    """
    memory = Path("/dev/shm")
    base = memory if os.access(memory, os.W_OK) else Path(tempfile.gettempdir())
    with tempfile.TemporaryDirectory(prefix=f"ovng-{os.getpid()}-{label[:12]}-", dir=base) as name:
        yield Path(name)


def unique(label: str) -> str:
    """A name that no other test run on this machine uses: ovng-PID-RANDOM-LABEL."""
    return f"ovng-{os.getpid()}-{secrets.token_hex(2)}-{label}"
