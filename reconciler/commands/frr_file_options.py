"""Options of `run` about FRR: where its configuration is written, how it is loaded, and when sessions are late."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from ovnguard.reconciler.apply.files.file_store import FileStore
from ovnguard.reconciler.apply.frr.bgp_state import read_bgp
from ovnguard.reconciler.apply.frr.frr_file import FrrFile
from ovnguard.reconciler.apply.frr.frr_reload import LoadDifferences, Reload, RunCommand
from ovnguard.reconciler.commands.frr_options import VTYSH_OPTIONS, FrrOptions
from ovnguard.reconciler.commands.options import PATH, check_name, option_group
from ovnguard.reconciler.loop.inputs.plan_inputs import passwords_in
from ovnguard.reconciler.loop.zone.bgp_loop import BUDGET, BgpParts
from ovnguard.reconciler.loop.zone.bgp_metrics import BgpMetrics
from ovnguard.validators.cluster.resources import Part, Resource


@dataclass(frozen=True, slots=True)
class FrrFileOptions(FrrOptions):
    """The file of FRR on this node, or the folder of a file that others load; the operator's command that loads it, the
    namespace of passwords, and the seconds that sessions and routes may be missing.
    """

    frr_conf: Path | None
    frr_dir: Path | None
    frr_reload: str
    frr_secrets: str | None
    budget: float

    @property
    def of_writers(self) -> dict[str, object]:
        """The values of the options that an audit does not have."""
        files = {"--frr-conf": self.frr_conf, "--frr-dir": self.frr_dir, "--frr-reload": self.frr_reload}
        return {**files, **self.given, "--frr-secrets": self.frr_secrets}

    def passwords(self) -> list[tuple[Resource, Part]]:
        """Return what is watched for passwords; they are read only for a file of FRR. Raises click.UsageError."""
        if self.frr_secrets is None:
            return []
        if self.frr_conf is None and self.frr_dir is None:
            raise click.UsageError("--frr-secrets needs --frr-conf or --frr-dir")
        check_name(self.frr_secrets, "namespace", "--frr-secrets")
        return [passwords_in(self.frr_secrets)]

    def writer(self, node: str, store: Path | None) -> Callable[[str], bool]:
        """Return what writes the configuration of ``node``; without a file, into the folder ``store``, if there is one.

        Raises click.UsageError.
        """
        if self.frr_conf is not None and self.frr_dir is not None:
            raise click.UsageError("name one place for FRR: --frr-conf FILE or --frr-dir DIR")
        if self.frr_conf is not None:
            return self._file(self.frr_conf, local=True).write
        if self.frr_dir is not None:
            return self._file(self.frr_dir / f"{node}.conf", local=False).write
        if self.frr_reload or any(self.given.values()):
            name = "--frr-reload" if self.frr_reload else next(name for name, value in self.given.items() if value)
            raise click.UsageError(f"{name} needs --frr-conf or --frr-dir")
        if store is not None:
            return partial(FileStore(store).write_frr, node)
        return lambda _: False

    def bgp(self, write: Callable[[str], bool], metrics: BgpMetrics) -> BgpParts:
        """Return what follows the sessions and routes of the FRR that loads the file."""
        if self.is_here:
            return BgpParts(write, partial(read_bgp, self.vtysh()), budget=self.budget, metrics=metrics)
        reason = "what FRR runs is not verified: vtysh: no such program; install FRR or name it with --vtysh"
        return BgpParts(write, unread=f"{self.frr_conf}: {reason}", budget=self.budget, metrics=metrics)

    def _file(self, path: Path, *, local: bool) -> FrrFile:
        """The file ``path``; ``local`` says that FRR runs here.

        Where no vtysh is named or installed, the file is neither checked nor loaded except by the operator's command.
        """
        vtysh = self.vtysh() if self.is_here else None
        try:
            words = shlex.split(self.frr_reload)
        except ValueError as error:
            raise click.BadParameter(f"{self.frr_reload!r}: {error}", param_hint="--frr-reload") from error
        load: Reload | None = None
        if words:
            load = RunCommand(words, vtysh if local else None)
        elif local and vtysh is not None:
            load = LoadDifferences(vtysh)
        return FrrFile(path, load, (lambda _: None) if load is None or vtysh is None else vtysh.check)


with_frr_file = option_group(
    "frr",
    FrrFileOptions,
    click.option(
        "--frr-conf",
        type=PATH,
        metavar="FILE",
        help="Write FRR's configuration to this file, apply the difference with vtysh and restore it.",
    ),
    click.option("--frr-dir", type=PATH, metavar="DIR", help="Write DIR/NODE.conf instead, and load nothing."),
    click.option("--frr-reload", default="", metavar="CMD", help="Run CMD to load the file after vtysh accepts it."),
    *VTYSH_OPTIONS,
    click.option(
        "--frr-secrets",
        metavar="NAMESPACE",
        help="Read the passwords of sessions from the Secrets of this namespace, the one of the FRRConfigurations.",
    ),
    click.option(
        "--bgp-convergence-budget",
        "budget",
        type=click.FloatRange(0, min_open=True),
        default=BUDGET,
        show_default=True,
        metavar="SECONDS",
        help="How long BGP sessions or routes may be missing before that counts as a failure.",
    ),
)
"""Adds the options of `FrrFileOptions`, which the command gets as ``frr``."""
