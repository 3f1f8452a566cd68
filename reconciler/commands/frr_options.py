"""Options that name this node's FRR: `run` loads its configuration, `verify` reads its state."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from ovnguard.reconciler.apply.frr.vtysh import Vtysh
from ovnguard.reconciler.commands.options import PATH

_VTYSH: Final = "vtysh"


@dataclass(frozen=True, slots=True)
class FrrOptions:
    """The vtysh of this node's FRR: the program if it was named, FRR's pathspace, and the folder of vtysh.conf."""

    shell: str | None
    pathspace: str
    config_dir: Path | None

    @property
    def given(self) -> dict[str, object]:
        """The values of the options."""
        return {"--vtysh": self.shell, "--frr-pathspace": self.pathspace, "--vtysh-config-dir": self.config_dir}

    @property
    def is_here(self) -> bool:
        """Whether there is a vtysh: named, or installed."""
        return self.shell is not None or shutil.which(_VTYSH) is not None

    def vtysh(self) -> Vtysh:
        """Return the vtysh; a program that does not exist fails when it runs."""
        return Vtysh(self.shell or _VTYSH, self.pathspace, self.config_dir)


VTYSH_OPTIONS: Final = (
    click.option("--vtysh", "shell", metavar="PATH", help="FRR's shell. Default: vtysh of PATH."),
    click.option("--frr-pathspace", "pathspace", default="", metavar="NAME", help="The -N of FRR's daemons."),
    click.option("--vtysh-config-dir", "config_dir", type=PATH, metavar="DIR", help="The folder of vtysh.conf."),
)
"""The options of `FrrOptions`."""
