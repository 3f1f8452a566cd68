"""Options of the `rollout` commands that read the operator's manifests, and what is wrong with those."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from ovnguard.reconciler.commands.options import PATH, option_group
from ovnguard.reconciler.rollout.commands.rollout_state import RolloutState
from ovnguard.reconciler.rollout.loop.manifest_folder import ManifestFolder, read_values
from ovnguard.reconciler.rollout.loop.rollout_reader import RolloutTarget
from ovnguard.reconciler.rollout.plan.model import Flavour, Folder
from ovnguard.reconciler.rollout.plan.phase_manifests import PhaseManifests
from ovnguard.reconciler.rollout.plan.refusals import refusals
from ovnguard.reconciler.rollout.plan.template_rendering import Problem
from ovnguard.validators.network.cluster.release import release_of
from ovnguard.validators.network.ovnkube_settings.interconnect import RELEASE_LINE
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import NODE, VERSION_ANNOTATION
from ovnguard.validators.network.parse_values import dig

_MOST: Final = 20


def _folder(manifests: Path | None, values: Path | None) -> ManifestFolder | None:
    if manifests is None:
        if values is not None:
            raise click.UsageError("--values needs --manifests")
        return None
    if not manifests.is_dir():
        raise click.UsageError(f"--manifests: {manifests} is not a folder")
    if values is None:
        return ManifestFolder(manifests, None)
    found, problems = read_values(values)
    raise_for(problems)
    return ManifestFolder(manifests, found)


with_manifests = option_group(
    "folder",
    _folder,
    click.option(
        "--manifests",
        type=PATH,
        metavar="DIR",
        help="The operator's manifests of the release: rendered, or templates together with --values.",
    ),
    click.option("--values", type=PATH, metavar="FILE", help="The values of the templates, as YAML."),
)
"""Adds the options of a `ManifestFolder`, which the command gets as ``folder``."""


def raise_for(problems: Sequence[Problem]) -> None:
    """Raise click.UsageError when there are problems."""
    if problems:
        more = [f"and {len(problems) - _MOST} more"] if len(problems) > _MOST else []
        raise click.UsageError("\n".join([*map(str, problems[:_MOST]), *more]))


def phases_of(release: str) -> tuple[Folder, ...]:
    """Return the phases of which a release has manifests."""
    found = release_of(release)
    if found is not None and found.line < RELEASE_LINE:
        return (Folder.LEGACY,)
    return Folder.SINGLE, Folder.TEMPORARY, Folder.FINAL


def loaded(folder: ManifestFolder, target: RolloutTarget) -> PhaseManifests:
    """Return the manifests of a release. Raises click.UsageError for those that cannot be used."""
    flavour = Flavour.MANAGED if target.hosted else Flavour.SELF_HOSTED
    phases = phases_of(target.release)
    manifests, problems = folder.load(flavour, phases)
    raise_for(problems)
    for phase in phases:
        version = dig(manifests.workload(phase, NODE), "metadata", "annotations", VERSION_ANNOTATION)
        if version != target.release:
            raise click.UsageError(f"--manifests: {NODE} of {phase} is of release {version}, not {target.release}")
    return manifests


def refused(folder: ManifestFolder | None, state: RolloutState) -> list[str] | None:
    """Return why ``own`` refuses the upgrade, None when that was not checked. Raises click.UsageError."""
    if folder is None:
        return None
    return [*refusals(state.reading.seen, state.reading.workloads, loaded(folder, state.target))]


def refused_lines(found: list[str] | None) -> Iterator[str]:
    """Iterate over the lines about refusals."""
    if found is None:
        yield "refusals were not checked: --manifests is not given"
    else:
        yield from (f"refused: {each}" for each in found)
