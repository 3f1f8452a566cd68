"""FRR nodes of the test bed with the plan of a no-overlay default network, and what the reconciler does there."""

from collections.abc import Sequence

from ovnguard.reconciler.apply.frr.frr_file import FrrFile
from ovnguard.reconciler.apply.frr.frr_reload import LoadDifferences
from ovnguard.reconciler.apply.frr.vtysh import Vtysh
from ovnguard.reconciler.apply.host.host_shell import Shell
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network
from tests.testbed.frr import FrrLab, FrrNode


def confs(network: Network, members: Sequence[Node]) -> dict[str, str]:
    """frr.conf of every node by name."""
    plan = make_plan([network], members, Settings())
    assert plan.errors == ()
    return {zone.node: zone.frr for zone in plan.zones}


def bare_nodes(members: Sequence[Node]) -> list[FrrNode]:
    """Nodes with the addresses and pod subnets of ``members``, whose FRR is not configured."""
    return [
        FrrNode(
            member.name,
            [str(each) for each in member.primary_addresses],
            "",
            [f"{share.network_address + 1}/{share.prefixlen}" for share in member.host_subnets["default"]],
        )
        for member in members
    ]


def vtysh_of(node: FrrNode, seconds: float = 30.0) -> Vtysh:
    """The vtysh of a node, with time enough for a busy machine."""
    prefix = tuple(str(word) for word in node.namespace.inside([]))
    return Vtysh(str(node.program("vtysh")), "", node.namespace.home, Shell(prefix, seconds=seconds))


def file_of(node: FrrNode, vtysh: Vtysh | None = None) -> FrrFile:
    """The frr.conf of a node, loaded by its vtysh."""
    vtysh = vtysh or vtysh_of(node)
    return FrrFile(node.namespace.home / "etc" / "frr.conf", LoadDifferences(vtysh), vtysh.check)


def write(lab: FrrLab, texts: dict[str, str]) -> None:
    """Bring every node of the lab to its text."""
    for name, node in lab.nodes.items():
        file_of(node).write(texts[name])


def counters(node: FrrNode) -> dict[str, tuple[int, int]]:
    """How often the sessions with each peer were established and dropped."""
    summary = node.json("show bgp summary")
    return {
        peer: (state["connectionsEstablished"], state["connectionsDropped"])
        for family in summary.values()
        if isinstance(family, dict)
        for peer, state in family.get("peers", {}).items()
    }
