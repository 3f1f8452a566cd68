"""Brings a running FRR to the configuration in a file, and proves it by reading the running configuration back."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from ovnguard.reconciler.apply.frr.vtysh import Vtysh
from ovnguard.reconciler.apply.host.host_shell import Shell
from ovnguard.reconciler.apply.store_errors import FrrRefusedError, StoreError
from ovnguard.reconciler.plan.bgp.config_delta import Delta, Running, delta

COMMAND_SECONDS: Final = 120.0
"""Seconds that the operator's own reload command may take: frr-reload.py starts one vtysh per removed line."""


class Reload(Protocol):
    """How FRR gets to run the configuration in the file."""

    @property
    def reads_back(self) -> bool:
        """Whether it reads what FRR runs, so that calling it again without a change repairs FRR and costs little."""

    def __call__(self, wanted: str, written: str) -> bool:
        """Bring FRR to ``wanted``, the file's text; return whether it changed. ``written`` is the file before.

        Raises StoreError, FrrRefusedError for a difference that remains.
        """


@dataclass(slots=True)
class LoadDifferences:
    """Loads only the lines that differ, by one ``vtysh -f``: sessions of other neighbours stay up."""

    vtysh: Vtysh
    # A difference that FRR keeps although it complains about nothing: loading it again would only disturb.
    _kept: Delta | None = None
    reads_back: bool = True

    def __call__(self, wanted: str, written: str) -> bool:
        """Load what differs and read back."""
        found = _delta(wanted, self.vtysh.running(), written)
        if not found:
            self._kept = None
            return False
        if found == self._kept:
            raise _remains(found, "")
        complaint = self.vtysh.load(found.commands())
        left = _delta(wanted, self.vtysh.running(), written)
        if left:
            self._kept = None if complaint else left
            raise _remains(left, complaint)
        return True


@dataclass(frozen=True, slots=True)
class RunCommand:
    """Runs the operator's command when the running configuration differs; ``vtysh`` is None where there is none."""

    words: Sequence[str]
    vtysh: Vtysh | None
    shell: Shell = field(default_factory=lambda: Shell(seconds=COMMAND_SECONDS))

    @property
    def reads_back(self) -> bool:
        """Whether there is a vtysh to read with."""
        return self.vtysh is not None

    def __call__(self, wanted: str, written: str) -> bool:
        """Run the command and read back."""
        if self.vtysh is not None and not self._left(self.vtysh, wanted, written):
            return False
        shown = shlex.join(self.words[:2])
        try:
            done = self.shell.run(self.words)
        except StoreError as error:
            raise FrrRefusedError(str(error)) from error
        if done.code:
            raise FrrRefusedError(f"{shown} ended with {done.code}: {done.error_text}")
        if self.vtysh is not None and (left := self._left(self.vtysh, wanted, written)):
            raise _remains(left, "")
        return True

    @staticmethod
    def _left(vtysh: Vtysh, wanted: str, written: str) -> Delta:
        return _delta(wanted, vtysh.running(), written)


def _delta(wanted: str, running: Running, written: str) -> Delta:
    try:
        return delta(wanted, running, written)
    except ValueError as error:
        raise StoreError(f"configuration of FRR: {error}") from error


def _remains(left: Delta, complaint: str) -> FrrRefusedError:
    reason = f": {complaint}" if complaint else ""
    daemon = "; is bfdd running?" if all(line.context[:1] == ("bfd",) for line in left.added) and left.added else ""
    return FrrRefusedError(f"after the reload, the running configuration {left}{daemon}{reason}")
