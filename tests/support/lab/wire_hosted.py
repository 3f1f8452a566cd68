"""A lab cluster whose hosts follow the plan, too: flows of br-ex, management ports, routes, nftables."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Final

from ovnguard.reconciler.apply.host.host import Host
from ovnguard.reconciler.apply.host.host_shell import Shell
from ovnguard.reconciler.plan.host.host_diff import host_as_text
from ovnguard.reconciler.plan.host.host_planner import HostInputs, host_plan
from ovnguard.reconciler.plan.rows.row import ZonePlan
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network
from tests.support.lab.wire import OUTSIDE4, OUTSIDE6, Cluster, LabFactory, spec_of
from tests.testbed.ovs import EXTERNAL, OvnNode
from tests.testbed.parts import Parts
from tests.testbed.process import wait_until

# What a bridge without other flows does.
_DEFAULT_FLOW: Final = "priority=0,actions=NORMAL"
_SETTLE_SECONDS: Final = 60.0


def bridged(members: Sequence[Node]) -> tuple[Node, ...]:
    """The nodes with the lab's bridge as their external one."""
    found = []
    for member in members:
        assert member.gateway is not None, "a node of the lab has a gateway"
        found.append(member._replace(gateway=member.gateway._replace(bridge_id=EXTERNAL)))
    return tuple(found)


class HostedCluster(Cluster):
    """Like Cluster, but nothing of the lab's stands in for what a node's host does: `apply` applies host plans."""

    parts: Parts

    def _share(self, node: OvnNode, zone: ZonePlan) -> None:
        host = self.host(node)
        inputs = HostInputs(self.networks, self.members, self.plan().ids, self.settings)
        desired = host_plan(node.name, inputs, host.abilities())
        # flows wait for patch ports, which ovn-controller makes in its own time
        wait_until(
            lambda: not any(each.endswith(" yet") for each in host.apply(desired).failures),
            f"patch ports of {node.name}",
            _SETTLE_SECONDS,
        )
        done = host.apply(desired)
        assert (done.failures, host_as_text(done.left)) == ((), "")

    def host(self, node: OvnNode) -> Host:
        """A node as the product sees it."""
        paths = {name: str(self.parts.ovn.tool(name)) for name in ("ovs-vsctl", "ovs-ofctl")}
        paths["nft"] = str(self.parts.tools.tool("nft"))
        # where the programs of this node's Open vSwitch meet
        inside = [str(word) for word in node.namespace.inside(["env", f"OVS_RUNDIR={node.namespace.home}"])]
        return Host(node.name, Shell(tuple(inside), tuple(paths.items())))

    def prepare(self) -> None:
        """What whoever sets up a node does: it routes packets, knows the way out, and its bridge is a plain one."""
        for node in self.lab.nodes.values():
            node.ofctl("del-flows", EXTERNAL)
            node.ofctl("add-flow", EXTERNAL, _DEFAULT_FLOW)
            node.namespace.forward()
            node.namespace.ip("-4", "route", "add", "default", "via", OUTSIDE4)
            node.namespace.ip("-6", "route", "add", "default", "via", OUTSIDE6)


@contextlib.contextmanager
def hosted_cluster(
    ovn_lab: LabFactory, parts: Parts, members: Sequence[Node], networks: Sequence[Network], settings: Settings
) -> Iterator[HostedCluster]:
    """A lab with these nodes, of `bridged`, and networks; `apply` has not been called."""
    lab = ovn_lab([spec_of(member) for member in members], (f"{OUTSIDE4}/16", f"{OUTSIDE6}/64"))
    with contextlib.closing(HostedCluster(lab, members, networks, settings)) as made:
        made.parts = parts
        made.prepare()
        yield made
