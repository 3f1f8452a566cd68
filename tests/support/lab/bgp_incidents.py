"""What incidents cost a generated fabric of many nodes: time to full reachability, and lost packets."""

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import FULL_MESH, ROUTE_REFLECTOR, ManagedBGP
from tests.support.frr_nodes import file_of
from tests.support.lab.bgp_fabric import Fabric, confs_of, lab_nodes, pod_address
from tests.support.plan_samples import default_network, nodes
from tests.testbed import neighbour_room
from tests.testbed.frr import FrrLab
from tests.testbed.parts import Parts
from tests.testbed.pinging import Loss, Pinging, pinging
from tests.testbed.process import wait_until

BUDGET: Final = float(os.environ.get("OVNGUARD_CONVERGENCE_SECONDS", "300"))
"""Within which a fabric converges, from the start of FRR on all nodes on."""
CROWDED: Final = 24
"""So many nodes on a segment have about half of the neighbours that a kernel has room for by default."""
_REFLECTOR: Final = {"k8s.ovn.org/internal-bgp-role": "route-reflector"}
# A node's part of 120 in a mesh, by neighbour, is 870 KB.
_BYTES_OF_PEER: Final = 900_000
# Sessions and routes that have not changed for so long are settled.
_QUIET: Final = 3.0


@dataclass(frozen=True, slots=True)
class Shape:
    """A fabric: how many nodes, and how many of them are reflectors; none is a full mesh."""

    count: int
    reflectors: int = 0

    @property
    def members(self) -> tuple[Node, ...]:
        """The nodes; the first are the reflectors."""
        made = nodes(self.count)
        return (*(each._replace(labels=_REFLECTOR) for each in made[: self.reflectors]), *made[self.reflectors :])

    @property
    def confs(self) -> Mapping[str, str]:
        """The frr.conf of every node."""
        topology = ROUTE_REFLECTOR if self.reflectors else FULL_MESH
        return confs_of(default_network(managed_bgp=ManagedBGP(64512, topology)), self.members)

    @property
    def sessions(self) -> int:
        """All of a mesh; with reflectors those between them and from each other node to every one of them."""
        full = self.reflectors or self.count
        return full * (full - 1) // 2 + (self.count - full) * self.reflectors

    def why_not(self) -> str | None:
        """Why this machine cannot run as many nodes as in a full mesh, or None when it can."""
        if self.count > CROWDED and (reason := neighbour_room.why_not()):
            return reason
        needed, there = self.count**2 * _BYTES_OF_PEER, _available()
        if there < needed:
            return f"{self.count} nodes need {needed >> 30} GiB of memory, {there >> 30} are available"
        return None

    @property
    def more(self) -> "Shape":
        """The same with one node more, which is no reflector."""
        return replace(self, count=self.count + 1)


@dataclass(frozen=True, slots=True)
class Converged:
    """What it took until every node knew every other one's pods."""

    seconds: float
    configuring: float
    memory: int


@dataclass(frozen=True, slots=True)
class Incident:
    """Seconds until every kernel had every subnet again, and what a ping between pods of two nodes lost."""

    seconds: float
    loss: Loss


class Subject:
    """A fabric of real FRR that incidents happen to. Pings go from the pods of one ordinary node to another's."""

    def __init__(self, shape: Shape, lab: FrrLab, parts: Parts, directory: Path) -> None:
        self.shape, self.lab, self._parts, self._directory = shape, lab, parts, directory
        self.fabric = Fabric(lab, shape.members)
        self._pings = 0

    def converge(self) -> Converged:
        """Start FRR everywhere and wait until all know all; BedError when that exceeds the budget."""
        confs = self.shape.confs
        fresh = lab_nodes(confs, self.shape.members)
        self.lab.place(fresh)
        began = time.monotonic()
        self.lab.start(fresh)
        configuring = time.monotonic() - began
        self.fabric.wait_complete(max(BUDGET - configuring, 0.0))
        seconds = time.monotonic() - began
        self._settle()
        return Converged(seconds, configuring, self.fabric.memory())

    def add(self) -> Incident:
        """One node more, which starts first; then the reconciler brings the others to their new files."""
        self.shape = self.shape.more
        members = self.shape.members
        confs = self.shape.confs
        changed = [each for each in self.lab.nodes.values() if each.conf != confs[each.name]]
        (fresh,) = lab_nodes(confs, members[-1:])
        self.lab.place([fresh])
        with self._pinging() as ping:
            self.fabric, began = Fabric(self.lab, members), time.monotonic()
            for each in changed:
                each.conf = confs[each.name]
            self.lab.start([fresh])
            self.lab.each(lambda each: file_of(each).write(each.conf), changed)
            self.fabric.wait_complete(BUDGET)
            seconds = time.monotonic() - began
            ping.wait_more()
        self._settle()
        return Incident(seconds, ping.loss)

    def lose(self, name: str) -> Incident:
        """A node's bgpd dies; seconds until all others know each other, its own pods are not looked for."""
        with self._pinging() as ping:
            self.lab[name].kill("bgpd")
            seconds = self.fabric.outage(_QUIET, BUDGET, {name})
            ping.wait_more()
        return Incident(seconds, ping.loss)

    def revive(self, name: str) -> Incident:
        """A bgpd that died starts again."""
        with self._pinging() as ping:
            began = time.monotonic()
            self.lab[name].revive("bgpd", self.lab[name].conf)
            self.fabric.wait_complete(BUDGET)
            seconds = time.monotonic() - began
            ping.wait_more()
        self._settle()
        return Incident(seconds, ping.loss)

    def restart(self) -> Incident:
        """The bgpd of the pinged node dies and starts again at once."""
        node = self.lab[self._ends[1].name]
        with self._pinging() as ping:
            began = time.monotonic()
            node.kill("bgpd")
            node.revive("bgpd", node.conf)
            self.fabric.wait_complete(BUDGET)
            seconds = time.monotonic() - began
            ping.wait_more()
        self._settle()
        return Incident(seconds, ping.loss)

    @property
    def _ends(self) -> tuple[Node, Node]:
        one, other = self.shape.members[self.shape.reflectors :][:2]
        return one, other

    @contextlib.contextmanager
    def _pinging(self) -> Iterator[Pinging]:
        source, target = (pod_address(each, 4) for each in self._ends)
        self._pings += 1
        log = self._directory / f"ping-{self._pings}.out"
        with pinging(self.lab[self._ends[0].name].namespace, self._parts.tools, source, target, log) as ping:
            yield ping

    def _settle(self) -> None:
        """Return when every session is Established."""
        wanted = {"Established": self.shape.sessions}
        wait_until(lambda: self.fabric.sessions() == wanted, f"{self.shape.sessions} sessions", BUDGET)


@contextlib.contextmanager
def subject(shape: Shape, parts: Parts, directory: Path) -> Iterator[Subject]:
    """A lab for a fabric that does not run yet; the kernel's limits allow one node more."""
    with contextlib.ExitStack() as stack:
        if shape.count > CROWDED:
            stack.enter_context(neighbour_room.neighbour_room(shape.more.count**2))
        yield Subject(shape, stack.enter_context(FrrLab((), directory, parts.frr)), parts, directory)


def _available() -> int:
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
