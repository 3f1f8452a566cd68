"""vtysh of this node's FRR, with limits for the size of its output and for its time.

Two habits of vtysh need care. Without the right to talk to FRR (no ``username root nopassword`` in vtysh.conf, and no
PAM) it prints nothing and exits with 0. And ``vtysh -f`` is not a transaction: it reports a refused line and applies
the others. So only what is read back counts.
"""

import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ovnguard.reconciler.apply.host.host_shell import CommandResult, Shell, parsed
from ovnguard.reconciler.apply.store_errors import FrrRefusedError, StoreUnavailableError
from ovnguard.reconciler.plan.bgp.config_delta import Running
from ovnguard.reconciler.plan.bgp.config_lines import without_secrets

SECONDS: Final = 10.0
"""Seconds that vtysh may take. Loading 119 neighbours takes 0.05 s."""
# What vtysh prints about a line that it does not know or a daemon refuses.
_COMPLAINT: Final = re.compile(r"^(line \d+:|%)")
_SHOWN: Final = 400
_MUTE: Final = 'it printed nothing and exited with 0: has vtysh.conf the line "username root nopassword"?'


@dataclass(frozen=True, slots=True)
class Vtysh:
    """One vtysh. ``pathspace`` is FRR's -N, ``config_dir`` the folder of vtysh.conf; empty are FRR's defaults."""

    program: str = "vtysh"
    pathspace: str = ""
    config_dir: Path | None = None
    shell: Shell = field(default_factory=lambda: Shell(seconds=SECONDS))

    def check(self, file: Path) -> None:
        """Raise FrrRefusedError when vtysh does not know a command in ``file``."""
        done = self._run("-C", "-f", str(file))
        if done.code:
            raise FrrRefusedError(f"{self.program} -C ended with {done.code}: {_complaint(done)}")

    def running(self) -> Running:
        """Return the running configuration."""
        return Running(self._configuration("show running-config"), self._configuration("show running-config bgpd"))

    def _configuration(self, command: str) -> str:
        text = self._show(command)
        if "frr version" not in text:
            raise StoreUnavailableError(f"{self.program}: {command}: no configuration in its output; does bgpd run?")
        return text

    def json(self, command: str) -> Any:
        """Return what ``show ... json`` prints, decoded."""
        return parsed(self.program, self._show(command))

    def daemons(self) -> list[str]:
        """Return the daemons that run."""
        return self._show("show daemons").split()

    def load(self, commands: str) -> str:
        """Load commands; return what vtysh complains about, '' for nothing. Other lines are applied all the same."""
        with tempfile.NamedTemporaryFile("w", prefix="ovnguard-frr-", suffix=".conf", encoding="utf-8") as file:
            file.write(commands)
            file.flush()
            done = self._run("-f", file.name)
        found = _complaint(done)
        return found if done.code or _COMPLAINT.match(found) else ""

    def _show(self, command: str) -> str:
        done = self._run("-c", command)
        if done.code:
            raise StoreUnavailableError(f"{self.program}: {command}: {done.error_text}")
        if not done.out.strip():
            raise StoreUnavailableError(f"{self.program}: {command}: {_MUTE}")
        return done.out

    def _run(self, *words: str) -> CommandResult:
        where = ["-N", self.pathspace] if self.pathspace else []
        folder = ["--config_dir", str(self.config_dir)] if self.config_dir is not None else []
        return self.shell.run([self.program, *where, *folder, *words])


def _complaint(done: CommandResult) -> str:
    """What vtysh complains about, each line once: it repeats one for every daemon that does not know it."""
    lines = [without_secrets(" ".join(each.split())) for each in f"{done.err}\n{done.out}".splitlines()]
    found = dict.fromkeys(each for each in lines if _COMPLAINT.match(each))
    return "; ".join(found)[:_SHOWN] or done.error_text
