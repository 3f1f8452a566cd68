"""Planned FRR files on real FRR: the nodes of a lab from a plan, what they learn, and how long it takes."""

import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

from ovnguard.reconciler.plan.bgp.frr_conf import render
from ovnguard.reconciler.plan.bgp.node_configuration import FrrConfigurations
from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network
from tests.support.manifests.network_objects import JsonObject
from tests.testbed.frr import FrrLab, FrrNode
from tests.testbed.process import BedError, wait_until

ESTABLISHED: Final = "Established"
_GATEWAY: Final = 0x2
"""The flag of a route with a next hop (RTF_GATEWAY of route(8))."""


def planned(network: Network, members: Sequence[Node]) -> Plan:
    """The plan of one network; BedError when it has errors."""
    plan = make_plan([network], members, Settings())
    if plan.errors:
        raise BedError("; ".join(map(str, plan.errors)))
    return plan


def confs_of(network: Network, members: Sequence[Node]) -> Mapping[str, str]:
    """The frr.conf of every node."""
    return {zone.node: zone.frr for zone in planned(network, members).zones}


def files(members: Sequence[Node], documents: Sequence[JsonObject]) -> dict[str, str]:
    """The frr.conf of every node from all FRRConfigurations that select it; BedError when one has none."""
    settings, made = Settings(), {}
    merged = FrrConfigurations(documents)
    for member in members:
        configuration = merged.on(member, settings.default_join_subnets)
        if configuration.errors:
            raise BedError("; ".join(map(str, configuration.errors)))
        made[member.name] = render(configuration, settings.frr_log_level)
    return made


def lab_nodes(confs: Mapping[str, str], members: Sequence[Node]) -> list[FrrNode]:
    """FRR nodes with the addresses that the plan was made for; the first address of a pod subnet is its gateway."""
    return [
        FrrNode(
            member.name,
            [str(each) for each in member.primary_addresses],
            confs[member.name],
            [f"{share.network_address + 1}/{share.prefixlen}" for share in member.host_subnets["default"]],
        )
        for member in members
    ]


def shares_of_others(members: Sequence[Node], node: str, *versions: int) -> set[str]:
    """The pod subnets of all nodes but this one, of some families or of both."""
    others = (member for member in members if member.name != node)
    shares = (share for member in others for share in member.host_subnets["default"])
    return {str(share) for share in shares if share.version in (versions or (4, 6))}


def pod_address(member: Node, version: int) -> str:
    """The gateway address of a node's pods, which the lab gives to the node."""
    return next(str(share.network_address + 1) for share in member.host_subnets["default"] if share.version == version)


def learnt(node: FrrNode) -> set[str]:
    """The destinations that BGP brought into a node's kernel."""
    return {*node.bgp_routes("-4"), *node.bgp_routes("-6")}


def routed_count(node: FrrNode) -> int:
    """How many IPv4 routes with a next hop a node's kernel has, without starting a program in it."""
    listing = Path(f"/proc/{node.namespace.pid}/net/route").read_text(encoding="ascii")
    return sum(int(line.split()[3], 16) & _GATEWAY != 0 for line in listing.splitlines()[1:])


class Fabric:
    """The nodes of a running lab, of which each should know the IPv4 pod subnets of all others."""

    def __init__(self, lab: FrrLab, members: Sequence[Node]) -> None:
        self.lab, self.members = lab, tuple(members)

    def incomplete(self, without: Collection[str] = ()) -> list[str]:
        """The nodes whose kernel lacks a subnet; nodes of `without` neither count nor have to be known."""
        names = [member.name for member in self.members if member.name not in without]
        return [name for name in names if routed_count(self.lab[name]) < len(names) - 1]

    def wait_complete(self, seconds: float) -> None:
        """Return when every kernel has every subnet; BedError naming who lacks some otherwise."""
        deadline = time.monotonic() + seconds
        while lacking := self.incomplete():
            if time.monotonic() > deadline:
                counts = {name: routed_count(self.lab[name]) for name in lacking[:5]}
                raise BedError(f"{len(lacking)} nodes lack routes after {seconds:.0f} s: {counts}")
            time.sleep(0.02)

    def wait_learnt(self, seconds: float) -> None:
        """Return when every kernel has from BGP exactly the subnets of all others, of both families."""
        for member in self.members:
            node, wanted = self.lab[member.name], shares_of_others(self.members, member.name)
            wait_until(lambda node=node, wanted=wanted: learnt(node) == wanted, f"routes of {node.name}", seconds)

    def outage(self, quiet: float, seconds: float, without: Collection[str] = ()) -> float:
        """Seconds from now until the last moment at which a kernel lacked a subnet; 0 when none ever did.

        Returns when nothing was lacking for `quiet` seconds, BedError when that is not so within `seconds`.
        """
        began = last = time.monotonic()
        while (now := time.monotonic()) - last < quiet:
            if self.incomplete(without):
                last = now
            if now - began > seconds:
                raise BedError(f"{self.incomplete(without)[:5]} lack routes after {seconds:.0f} s")
            time.sleep(0.01)
        return last - began

    def check(self) -> None:
        """Assert that every kernel has from BGP exactly the subnets of all others."""
        names = [member.name for member in self.members]
        found = dict(zip(names, self.lab.each(learnt, [self.lab[name] for name in names]), strict=True))
        assert found == {name: shares_of_others(self.members, name) for name in names}

    def sessions(self) -> dict[str, int]:
        """How many sessions there are by state, each counted once; one that an end does not see yet is a half."""
        ends: dict[str, int] = {}
        for peers in self.lab.each(FrrNode.peers):
            for state in peers.values():
                ends[state] = ends.get(state, 0) + 1
        return {state: count // 2 for state, count in ends.items()}

    def memory(self) -> int:
        """The proportional set size of all FRR programs, in bytes."""
        pids = (pid for node in self.lab.nodes.values() for pid in node.pids.values())
        return sum(_pss(Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")) for pid in pids)


def _pss(rollup: str) -> int:
    line = next(line for line in rollup.splitlines() if line.startswith("Pss:"))
    return int(line.split()[1]) * 1024
