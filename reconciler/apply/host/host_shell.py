"""Runs programs of the node (ip, nft, ovs-vsctl), optionally inside a network namespace."""

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ovnguard.reconciler.apply.store_errors import StoreError, StoreUnavailableError, StoreUnusableError

TIMEOUT: Final = 60.0
MAX_OUTPUT: Final = 64 * 1024 * 1024
_SHOWN: Final = 400
_PACKAGES: Final = {
    "ip": "iproute2",
    "nft": "nftables",
    "ovs-vsctl": "Open vSwitch",
    "ovs-ofctl": "Open vSwitch",
    "unshare": "util-linux",
}
_NOT_FOUND: Final = 127


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of a program."""

    code: int
    out: str
    err: str

    @property
    def error_text(self) -> str:
        """Its error output, as one line."""
        lines = [line.strip() for line in (self.err.strip() or self.out.strip()).splitlines()]
        return "; ".join(line for line in lines if line)[:_SHOWN] or f"exit status {self.code}"


@dataclass(frozen=True, slots=True)
class Shell:
    """Runs programs, each after ``prefix``: ``nsenter --target=PID --net --`` enters a namespace.

    ``programs`` are paths of programs that are not on PATH, by name. After ``seconds`` a program is killed, together
    with the programs that it started.
    """

    prefix: tuple[str, ...] = ()
    programs: tuple[tuple[str, str], ...] = ()
    seconds: float = TIMEOUT

    def run(self, argv: Sequence[str], text: str = "") -> CommandResult:
        """Run a program to completion with ``text`` as its input, without a shell.

        Raises StoreUnusableError when it is not installed, StoreUnavailableError when it does not end in time.
        """
        name = argv[0]
        line = [*self.prefix, dict(self.programs).get(name, name), *argv[1:]]
        try:
            done = self._done(line, text)
        except FileNotFoundError:
            raise StoreUnusableError(_missing(name)) from None
        except subprocess.TimeoutExpired:
            raise StoreUnavailableError(f"{name} did not end within {self.seconds:g} s") from None
        except OSError as error:
            raise StoreUnusableError(f"{name}: {error.strerror}") from None
        if self.prefix and done.code == _NOT_FOUND:
            raise StoreUnusableError(_missing(name))
        if len(done.out) > MAX_OUTPUT:
            raise StoreError(f"{name} printed more than {MAX_OUTPUT >> 20} MiB")
        return done

    def _done(self, line: Sequence[str], text: str) -> CommandResult:
        # the words come from a plan: parsed names, numbers and addresses, each a separate argument
        with subprocess.Popen(  # noqa: S603 - a list, no shell
            line,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, "LC_ALL": "C"},
            start_new_session=True,
        ) as child:
            try:
                out, err = child.communicate(text, self.seconds)
            except BaseException:
                # The child leads a group of its own: what it started and left behind would keep its pipes open.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
                raise
        return CommandResult(child.returncode, out, err)

    def ask(self, *argv: str) -> Any:
        """Run a program that prints JSON and return it; raise StoreError when it fails or prints no JSON."""
        done = self.run(argv)
        if done.code:
            raise StoreError(f"{' '.join(argv)}: {done.error_text}")
        return parsed(argv[0], done.out)


def parsed(program: str, text: str) -> Any:
    """Return the JSON that a program printed, None for no output; raise StoreError for invalid JSON."""
    try:
        return json.loads(text) if text.strip() else None
    except (ValueError, RecursionError):
        raise StoreError(f"{program} printed invalid JSON: {text[:80]!r}") from None


def _missing(name: str) -> str:
    return f"{name}: no such program; install {_PACKAGES.get(name, name)}"
