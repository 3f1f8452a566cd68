"""The upgrade as the rows of the decision table see it; they read the ConfigMap as the release does."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from ovnguard.reconciler.rollout.plan.guards import Guards
from ovnguard.reconciler.rollout.plan.model import Observed, Problem
from ovnguard.validators.network.cluster.release import Release
from ovnguard.validators.network.ovnkube_settings.interconnect import (
    FAST_FORWARD,
    NAME,
    NAMESPACE,
    ONGOING,
    RELEASE_LINE,
    TEMPORARY,
    Mode,
    Stream,
    mode_of,
    stream,
)
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import FLAG, MASTER, NODE

CONFIG_MAP: Final = f"ConfigMap {NAMESPACE}/{NAME}"


@dataclass(frozen=True)
class Situation:
    """What is observed, with the answers that several rows need."""

    seen: Observed
    release: Release
    guards: Guards = field(default_factory=Guards)

    @cached_property
    def early(self) -> bool:
        """Whether the release reads the keys up to 4.14.13. A build without a z-stream reads those of later ones."""
        return stream(self.release) is Stream.EARLY

    @cached_property
    def has_interconnect(self) -> bool:
        """Whether the release runs interconnect."""
        return self.release.line >= RELEASE_LINE

    @cached_property
    def mode(self) -> Mode:
        """The request in the ConfigMap, without the overrides that the release does not read."""
        data = self.seen.config_map
        if data is None:
            return Mode.ABSENT
        ignored = (FAST_FORWARD,) if self.early else (TEMPORARY, ONGOING)
        return mode_of({"data": {key: value for key, value in data.items() if key not in ignored}})

    @cached_property
    def multizone(self) -> bool:
        """Whether the template of the nodes gives each of them a zone of its own."""
        return self.seen.node is not None and self.seen.node.multizone

    @cached_property
    def leaves_interconnect(self) -> bool:
        """Whether workloads of 4.14 run under a release of 4.13."""
        seen = self.seen
        runs = any(each is not None and each.interconnect for each in (seen.node, seen.master))
        return not self.has_interconnect and (runs or seen.control_plane is not None)

    @cached_property
    def installs(self) -> bool:
        """Whether nothing is there that could be disturbed: no nodes, or multizone nodes without a cluster manager."""
        seen = self.seen
        central = seen.master or seen.control_plane
        return self.mode is Mode.ABSENT and (seen.node is None or (central is None and self.multizone))

    @cached_property
    def completed(self) -> bool:
        """Whether the masters are of no use any longer."""
        return self.seen.node is not None and not self.guards.masters_needed(self.seen)

    @cached_property
    def too_early(self) -> bool:
        """Whether the ConfigMap asks for multizone, without an override, before every node runs interconnect."""
        return self.mode is Mode.MULTI and not self.guards.interconnect_everywhere(self.seen)

    @cached_property
    def first_phase(self) -> bool:
        """Whether the cluster is on the way to one zone with interconnect."""
        return self.mode is Mode.SINGLE or (not self.multizone and self.too_early)

    def contradictions(self) -> Iterator[Problem]:
        """Iterate over what cannot be: states that no upgrade goes through."""
        seen, node, master, plane = self.seen, self.seen.node, self.seen.master, self.seen.control_plane
        if not self.has_interconnect:
            return
        if self.mode is Mode.UNREADABLE:
            yield Problem(CONFIG_MAP, "zone-mode must be singlezone or multizone")
        if self.early and self.mode is Mode.SINGLE and (seen.config_map or {}).get(TEMPORARY) != "true":
            yield Problem(CONFIG_MAP, 'up to 4.14.13, zone-mode singlezone requires temporary "true"')
        if node is None:
            if self.mode is not Mode.ABSENT:
                yield Problem(f"DaemonSet {NAMESPACE}/{NODE}", "is missing while the upgrade is in progress")
            return
        if node.multizone:
            if not node.interconnect:
                yield Problem(str(node), f"has a zone on each node, but does not run with {FLAG}")
            if self.mode is Mode.SINGLE:
                yield Problem(CONFIG_MAP, f"asks for a single zone, but {node} is multizone")
            return
        if plane is not None and self.mode in (Mode.SINGLE, Mode.ABSENT):
            yield Problem(str(plane), f"exists while {node} is in a single zone")
        if master is None and self.mode is not Mode.FAST:
            yield Problem(MASTER, f"is missing while {node} is in a single zone and needs its databases")
        if self.mode is Mode.ABSENT and self.release.line > RELEASE_LINE:
            yield Problem(str(node), f"is in a single zone: upgrade to 4.14 before {self.release.text}")

    def remarks(self) -> Iterator[str]:
        """Iterate over warnings about the request."""
        data = self.seen.config_map or {}
        ignored = (FAST_FORWARD,) if self.early else (TEMPORARY, ONGOING)
        unread = [key for key in ignored if key in data]
        if unread and self.has_interconnect:
            yield f"{CONFIG_MAP}: release {self.release.text} does not read {', '.join(unread)}"
        if data and not self.has_interconnect:
            yield f"{CONFIG_MAP}: release {self.release.text} does not read it; an interrupted upgrade left it"
        if self.mode is Mode.FAST:
            yield f"{FAST_FORWARD} skips both phases: pods on different nodes can lose each other until the end"
        if self.mode is Mode.SKIP and self.seen.node is not None and not self.seen.node.interconnect:
            yield "the first phase is skipped: nodes without interconnect cannot reach multizone nodes"
        if self.mode is Mode.MULTI and not self.multizone and self.too_early:
            yield "zone-mode multizone comes too early: the first phase continues until every node runs interconnect"
        families = self.seen.ip_families
        if families is not None and families.changes:
            yield f"the change to {families.wanted} waits for the cluster network operator, which records it"
