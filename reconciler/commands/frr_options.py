"""Options that name this node's FRR: `run` loads its configuration, `verify` reads its state."""

import functools
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from reconciler.apply.frr.frr_file import FrrFile
from reconciler.apply.frr.frr_reload import LoadDifferences, Reload, RunCommand
from reconciler.apply.frr.vtysh import Vtysh
from reconciler.commands.options import PATH

_VTYSH: Final = "vtysh"


@dataclass(frozen=True, slots=True)
class FrrOptions:
    """The vtysh of this node's FRR: the program if it was named, FRR's pathspace, and the folder of vtysh.conf."""

    program: str | None = None
    pathspace: str = ""
    config_dir: Path | None = None

    @property
    def given(self) -> dict[str, object]:
        """The values of the options."""
        return {"--vtysh": self.program, "--frr-pathspace": self.pathspace, "--vtysh-config-dir": self.config_dir}

    @property
    def is_here(self) -> bool:
        """Whether there is a vtysh: named, or installed."""
        return self.program is not None or shutil.which(_VTYSH) is not None

    def vtysh(self) -> Vtysh:
        """Return the vtysh; a program that does not exist fails when it runs."""
        return Vtysh(self.program or _VTYSH, self.pathspace, self.config_dir)

    def file(self, path: Path, reload: str, *, local: bool) -> FrrFile:
        """Return the file ``path``; ``reload`` is the operator's command, ``local`` says that FRR runs here.

        Where no vtysh is named or installed, the file is neither checked nor loaded except by that command.
        """
        vtysh = self.vtysh() if self.is_here else None
        words = _words(reload)
        load: Reload | None = None
        if words:
            load = RunCommand(words, vtysh if local else None)
        elif local and vtysh is not None:
            load = LoadDifferences(vtysh)
        return FrrFile(path, load, (lambda _: None) if load is None or vtysh is None else vtysh.check)


def with_frr(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of `FrrOptions`, which the command gets as ``frr``."""

    @functools.wraps(command)
    def with_options(vtysh: str | None, frr_pathspace: str, vtysh_config_dir: Path | None, **rest: Any) -> int:
        return command(frr=FrrOptions(vtysh, frr_pathspace, vtysh_config_dir), **rest)

    program = click.option("--vtysh", metavar="PATH", help="FRR's shell. Default: vtysh of PATH.")
    pathspace = click.option("--frr-pathspace", default="", metavar="NAME", help="The -N of FRR's daemons.")
    folder = click.option("--vtysh-config-dir", type=PATH, metavar="DIR", help="The folder of vtysh.conf.")
    return program(pathspace(folder(with_options)))


def _words(reload: str) -> list[str]:
    try:
        return shlex.split(reload)
    except ValueError as error:
        raise click.BadParameter(f"{reload!r}: {error}", param_hint="--frr-reload") from error
