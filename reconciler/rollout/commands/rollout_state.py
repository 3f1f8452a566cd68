"""What the commands that show an upgrade read: a live cluster, or manifests of its objects."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import click

from ovnguard.reconciler.apply.objects.server_side_apply import Applier
from ovnguard.reconciler.commands.loop_options import connected
from ovnguard.reconciler.commands.options import files_option, with_cluster
from ovnguard.reconciler.rollout.commands.rollout_options import RolloutOptions, with_rollout
from ovnguard.reconciler.rollout.loop.rollout_reader import Reading, RolloutReader, RolloutTarget
from ovnguard.reconciler.rollout.loop.rollout_resources import PODS
from ovnguard.reconciler.rollout.plan.decision import decide
from ovnguard.reconciler.rollout.plan.hanging import unfinished
from ovnguard.reconciler.rollout.plan.model import Decision, Phase
from ovnguard.reconciler.rollout.plan.stalls import Stall, stalls_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import Client, ClusterError, ClusterOptions
from ovnguard.validators.cluster.resources import NODES, Resource
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.manifest.sources import read_sources
from ovnguard.validators.network.cluster_view import GroupKind
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.ovnkube_settings.interconnect import NAMESPACE
from ovnguard.validators.network.parse_values import dig, text_of

_PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class RolloutState:
    """An upgrade now: what was read, what is decided, and what unfinished rollouts wait for."""

    target: RolloutTarget
    reading: Reading
    decision: Decision
    stalls: tuple[Stall, ...]


class ManifestObjects:
    """Objects of manifests, as if an API server served them."""

    def __init__(self, objects: Sequence[JsonObject]) -> None:
        self._objects = objects

    def get(self, resource: Resource, namespace: str, name: str) -> JsonObject | None:
        """Return the object, None when there is none."""
        wanted = resource.group_kind, namespace, name
        return next((each for each in self._objects if _identity(each) == wanted), None)

    def listed(self, resource: Resource, namespace: str = "") -> list[JsonObject]:
        """Return all objects of a resource, or those of a namespace."""
        kind = resource.group_kind
        return [each for each in self._objects if _identity(each)[0] == kind and namespace in ("", _identity(each)[1])]


class LiveObjects:
    """Objects of a live cluster."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._applier = Applier(client, "ovnguard", lambda: False)

    def get(self, resource: Resource, namespace: str, name: str) -> JsonObject | None:
        """Return the object, None when there is none or its kind is not served. Raises ClusterError."""
        return self._applier.get(resource, namespace, name)

    def listed(self, resource: Resource, namespace: str = "") -> list[JsonObject]:
        """Return all objects of a resource, or those of a namespace. Raises ClusterError."""
        path = resource.in_namespace(namespace) if namespace else resource.path
        query, found = {"limit": str(_PAGE)}, list[JsonObject]()
        while True:
            answer = self._client.request("GET", path, query)
            found += answer.get("items") or ()
            query["continue"] = text_of(dig(answer, "metadata", "continue"))
            if not query["continue"]:
                return found


def exit_of(state: RolloutState) -> Exit:
    """Return INVALID when a person has to do something."""
    workloads = (state.reading.seen.node, state.reading.seen.master, state.reading.seen.control_plane)
    hangs = any(each is not None and each.hung for each in workloads) or any(each.crashing for each in state.stalls)
    return Exit.INVALID if hangs or state.decision.status.phase is Phase.NOT_UNDERSTOOD else Exit.OK


def with_state(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of what is read; the command gets it as ``state``."""

    @functools.wraps(command)
    def with_options(files: tuple[str, ...], cluster: ClusterOptions, rollout: RolloutOptions, **rest: Any) -> int:
        try:
            state = state_of_manifests(files, rollout.target) if files else live_state(cluster, rollout)
        except ClusterError as error:
            click.echo(f"error: {error}", err=True)
            return Exit.INTERNAL
        return command(state=state, **rest)

    return files_option("the cluster's objects")(with_cluster(with_rollout(with_options)))


def live_state(cluster: ClusterOptions, rollout: RolloutOptions) -> RolloutState:
    """Read a cluster. Raises ClusterError, and click.UsageError without a usable configuration."""
    client = connected(cluster)
    return _state(LiveObjects(client), LiveObjects(rollout.control(client)), rollout.target)


def state_of_manifests(files: Sequence[str], target: RolloutTarget) -> RolloutState:
    """Read manifests; raise click.UsageError for those that cannot be read."""
    loaded = read_sources(files)
    if loaded.problems:
        first = loaded.problems[0]
        raise click.UsageError(f"{first.file}:{first.line}:{first.column}: {first.message}")
    objects = ManifestObjects([each.value for each in loaded.documents])
    return _state(objects, objects, target)


def _state(
    guest: ManifestObjects | LiveObjects, control: ManifestObjects | LiveObjects, target: RolloutTarget
) -> RolloutState:
    nodes = guest.listed(NODES)
    reading = RolloutReader(guest, control, target).read(nodes)
    seen = reading.seen
    rolling = [
        each for each in (seen.node, seen.master, seen.control_plane, seen.prepuller) if each and unfinished(each)
    ]
    stalls: tuple[Stall, ...] = ()
    if rolling:
        pods = guest.listed(PODS, NAMESPACE)
        if target.hosted:
            pods += control.listed(PODS, target.hosted)
        stalls = stalls_of(rolling, reading.workloads, pods, nodes)
    return RolloutState(target, reading, decide(seen), stalls)


def _identity(obj: JsonObject) -> tuple[GroupKind, str, str]:
    namespace, name = (text_of(dig(obj, "metadata", key)) for key in ("namespace", "name"))
    return group_kind_of(obj), namespace, name
