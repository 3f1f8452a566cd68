"""A cluster of OVN nodes on one underlay, with pods on them and a host outside, all on real links.

What the cluster would write is left to the user of the lab: rows of the Northbound databases. What else nodes need -
chassis of each other, ports plugged in, flows of br-ex - is here.
"""

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Self

from tests.testbed import netns
from tests.testbed import parts as parts_module
from tests.testbed.endpoint import Capture, Endpoint, capture
from tests.testbed.ovs import NodeSpec, OvnNode
from tests.testbed.process import scratch

POD_MTU: Final = 1400
OUTSIDE_MTU: Final = 1500
_UNDERLAY_DEVICE: Final = "segment"


class OvnLab:
    """Nodes by name while the context lasts; logs in `directory`. LookupError when OVN or the tools are missing.

    `external` are the addresses, with prefix length, of the host outside, which is the nodes' next hop.
    """

    def __init__(
        self,
        specs: Sequence[NodeSpec],
        external: Sequence[str],
        directory: Path,
        parts: parts_module.Parts | None = None,
    ) -> None:
        self._parts = parts_module.find() if parts is None else parts
        self.specs = {spec.name: spec for spec in specs}
        self.nodes = {spec.name: OvnNode(spec, directory, self._parts) for spec in specs}
        self._external_addresses, self._directory = tuple(external), directory
        self._cleanup = contextlib.ExitStack()
        self._numbers = itertools.count(1)
        self._places: dict[str, tuple[OvnNode, str, str]] = {}

    def __enter__(self) -> Self:
        self._parts.ovn.tool("ovs-vswitchd"), self._parts.tools.tool("ethtool")
        self._directory.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as undo:
            self.underlay = undo.enter_context(netns.Segment("underlay", undo.enter_context(scratch("underlay"))))
            self._cables = undo.enter_context(netns.Namespace("cables", undo.enter_context(scratch("cables"))))
            self._cables.mute()
            for node in self.nodes.values():
                undo.callback(node.start(self.underlay).stop)
            for node, spec in itertools.product(self.nodes.values(), self.specs.values()):
                if node.spec != spec:
                    node.add_remote(spec)
            undo.callback(self._stop_endpoints)
            self._endpoints: list[Endpoint] = []
            self._holders = undo.enter_context(contextlib.ExitStack())
            self.external = self.host("external", self._external_addresses)
            self._cleanup = undo.pop_all()
        return self

    def add(self, spec: NodeSpec) -> None:
        """One more node, which all others know and which knows all others."""
        node = OvnNode(spec, self._directory, self._parts)
        self._cleanup.callback(node.start(self.underlay).stop)
        for other in self.nodes.values():
            node.add_remote(other.spec)
            other.add_remote(spec)
        self.specs[spec.name], self.nodes[spec.name] = spec, node

    def __exit__(self, *_: object) -> None:
        for node in self.nodes.values():
            node.alive = False
        self._cleanup.close()

    def _stop_endpoints(self) -> None:
        for endpoint in self._endpoints:
            endpoint.stop()

    def __getitem__(self, name: str) -> OvnNode:
        return self.nodes[name]

    @property
    def alive(self) -> list[OvnNode]:
        """The nodes that were not killed."""
        return [node for node in self.nodes.values() if node.alive]

    def host(self, name: str, addresses: Sequence[str], gateways: Sequence[str] = ()) -> Endpoint:
        """Another machine on the underlay, outside of the cluster; it passes packets on as a router does."""
        endpoint = self._endpoint(name, addresses)
        self.underlay.plug(endpoint.namespace)
        endpoint.configure(gateways, "", OUTSIDE_MTU, advertised=False)
        endpoint.namespace.forward()
        return endpoint

    def pod(
        self,
        name: str,
        node: str,
        iface_id: str,
        mac: str,
        addresses: Sequence[str],
        gateways: Sequence[str] = (),
        *,
        version: str = "",
        mtu: int = POD_MTU,
        advertised: bool = False,
    ) -> Endpoint:
        """A machine behind a logical switch port of a node. `version` is what the port's iface-id-ver says.

        With `advertised` it takes IPv6 routes from router advertisements. Its port may come later than it does.
        """
        endpoint = self._endpoint(name, addresses)
        cable = f"c{next(self._numbers)}"
        # a bridge of its own between the machine and the node: its link stays up when the other end moves
        peer = ["peer", "name", "eth0", "netns", str(endpoint.namespace.pid)]
        self._cables.ip_batch(
            ["link", "add", cable, "type", "bridge", "forward_delay", "0", "mcast_snooping", "0"],
            ["link", "add", f"{cable}p", "type", "veth", *peer],
            ["link", "set", f"{cable}p", "master", cable, "up"],
            ["link", "set", cable, "up"],
        )
        self._places[name] = (self.nodes[node], cable, iface_id)
        self._plug(name, version)
        endpoint.configure(gateways, mac, mtu, advertised)
        return endpoint

    def move(self, endpoint: Endpoint, node: str, *, iface_id: str = "", version: str = "") -> None:
        """Plug a machine into another node. It keeps MAC, addresses, neighbours and connections, and is told nothing.

        Its logical switch ports have to be moved by who wrote them; `iface_id` is the new one where the name changes.
        """
        old, cable, former = self._places[endpoint.name]
        if old.alive:
            old.remove_port(cable)
        self._cables.ip("link", "delete", f"{cable}n")
        self._places[endpoint.name] = (self.nodes[node], cable, iface_id or former)
        self._plug(endpoint.name, version)

    def unplug(self, endpoint: Endpoint) -> None:
        """The machine is gone: its port of the node's switch, and what it runs."""
        endpoint.stop()
        node, cable, _ = self._places.pop(endpoint.name)
        node.remove_port(cable)
        self._cables.ip("link", "delete", f"{cable}n")

    def _plug(self, name: str, version: str) -> None:
        node, cable, iface_id = self._places[name]
        peer = ["peer", "name", cable, "netns", str(node.namespace.pid)]
        pair = ["link", "add", f"{cable}n", "type", "veth", *peer]
        self._cables.ip_batch(pair, ["link", "set", f"{cable}n", "master", cable, "up"])
        node.add_port(cable, iface_id, version)

    def _endpoint(self, name: str, addresses: Sequence[str]) -> Endpoint:
        home = self._holders.enter_context(scratch(name))
        namespace = self._holders.enter_context(netns.Namespace(name, home))
        endpoint = Endpoint(name, namespace, self._parts.tools, addresses, self._directory)
        self._endpoints.append(endpoint)
        return endpoint

    def kill(self, node: str) -> None:
        """Take a node's power away."""
        self.nodes[node].kill()

    def wait(self) -> None:
        """Return when every node that lives has followed its Northbound database."""
        for node in self.alive:
            node.wait()

    @contextlib.contextmanager
    def capture(self, expression: str = "") -> Iterator[Capture]:
        """See packets on the underlay, from whom to whomever."""
        log = self._directory / f"underlay-tcpdump-{next(self._numbers)}.out"
        with contextlib.ExitStack() as stack:
            yield capture(stack, self._parts.tools, self.underlay, log, _UNDERLAY_DEVICE, expression)
