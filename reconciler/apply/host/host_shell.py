"""Runs programs of the node (ip, nft, ovs-vsctl), optionally inside a network namespace."""

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from reconciler.apply.store_errors import StoreError, StoreUnavailableError, StoreUnusableError

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
    def said(self) -> str:
        """Its error output, as one line."""
        lines = [line.strip() for line in (self.err.strip() or self.out.strip()).splitlines()]
        return "; ".join(line for line in lines if line)[:_SHOWN] or f"exit status {self.code}"


@dataclass(frozen=True, slots=True)
class Shell:
    """Runs programs, each after ``prefix``: ``nsenter --target=PID --net --`` enters a namespace.

    ``programs`` are paths of programs that are not on PATH, by name.
    """

    prefix: tuple[str, ...] = ()
    programs: tuple[tuple[str, str], ...] = ()

    def run(self, argv: Sequence[str], text: str = "") -> CommandResult:
        """Run a program to completion with ``text`` as its input, without a shell.

        Raises StoreUnusableError when it is not installed, StoreUnavailableError when it does not end in time.
        """
        name = argv[0]
        line = [*self.prefix, dict(self.programs).get(name, name), *argv[1:]]
        try:
            # the words come from a plan: parsed names, numbers and addresses, each a separate argument
            done = subprocess.run(  # noqa: S603 - a list, no shell
                line,
                input=text,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=TIMEOUT,
                check=False,
                env={**os.environ, "LC_ALL": "C"},
            )
        except FileNotFoundError:
            raise StoreUnusableError(_missing(name)) from None
        except subprocess.TimeoutExpired:
            raise StoreUnavailableError(f"{name} did not end within {TIMEOUT:g} s") from None
        except OSError as error:
            raise StoreUnusableError(f"{name}: {error.strerror}") from None
        if self.prefix and done.returncode == _NOT_FOUND:
            raise StoreUnusableError(_missing(name))
        if len(done.stdout) > MAX_OUTPUT:
            raise StoreError(f"{name} printed more than {MAX_OUTPUT >> 20} MiB")
        return CommandResult(done.returncode, done.stdout, done.stderr)

    def ask(self, *argv: str) -> Any:
        """Run a program that prints JSON and return it; raise StoreError when it fails or prints no JSON."""
        done = self.run(argv)
        if done.code:
            raise StoreError(f"{' '.join(argv)}: {done.said}")
        return parsed(argv[0], done.out)


def parsed(program: str, text: str) -> Any:
    """Return the JSON that a program printed, None for no output; raise StoreError for invalid JSON."""
    try:
        return json.loads(text) if text.strip() else None
    except (ValueError, RecursionError):
        raise StoreError(f"{program} printed invalid JSON: {text[:80]!r}") from None


def _missing(name: str) -> str:
    return f"{name}: no such program; install {_PACKAGES.get(name, name)}"
