"""The host of a node without OVN: Open vSwitch, nftables and routing in a namespace, machines outside, a pod inside.

br-int is a plain switch here, so that the pod's packets come to the node by its management port as in local gateway
mode; what OVN does before that is tested with OVN.
"""

import contextlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Self

import pytest

from ovnguard.reconciler.apply.host.host import Host
from ovnguard.reconciler.apply.host.host_shell import Shell
from tests.testbed import netns
from tests.testbed.endpoint import Capture, capture
from tests.testbed.fixtures import need
from tests.testbed.netns import Namespace, Segment
from tests.testbed.parts import Parts
from tests.testbed.process import Child, is_listening, scratch, wait_until

BRIDGE = "breth0"
MAC = "02:42:ac:12:00:02"
# Where patch ports of the external bridge end.
_OVN = "br-void"
_START_SECONDS = 60.0
_SOCKET = "/var/run/openvswitch/db.sock"


class HostNode:
    """One node while the context lasts, on a segment with what is outside; `directory` takes logs."""

    def __init__(self, parts: Parts, segment: Segment, directory: Path) -> None:
        self.parts, self.segment, self.directory = parts, segment, directory
        self._cleanup = contextlib.ExitStack()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as undo:
            self.namespace = undo.enter_context(Namespace("host", undo.enter_context(scratch("host"))))
            self.segment.plug(self.namespace)
            self._start_switch(undo)
            self._make_bridges()
            self._cleanup = undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._cleanup.close()

    def _start_switch(self, undo: contextlib.ExitStack) -> None:
        home, ovn = self.namespace.home, self.parts.ovn
        (home / "run" / "openvswitch").mkdir()
        database = home / "conf.db"
        self.namespace.run(ovn.tool("ovsdb-tool"), "create", database, ovn.file("vswitch.ovsschema"))
        server = self._child(undo, "ovsdb-server", f"--remote=punix:{_SOCKET}", database)
        socket = home / "run" / "openvswitch" / "db.sock"
        wait_until(partial(is_listening, socket), "ovsdb-server of the host", _START_SECONDS, [server])
        self.vsctl("--no-wait", "init")
        self._child(undo, "ovs-vswitchd", f"unix:{_SOCKET}")

    def _child(self, undo: contextlib.ExitStack, tool: str, *args: str | Path) -> Child:
        log = self.directory / f"host-{tool}.out"
        argv = self.namespace.inside([self.parts.ovn.tool(tool), "-vconsole:warn", "-vsyslog:off", "--pidfile", *args])
        return undo.enter_context(Child(f"{tool} of the host", argv, log))

    def _make_bridges(self) -> None:
        for bridge in (BRIDGE, "br-int", _OVN):
            self.vsctl("add-br", bridge, "--", "set", "bridge", bridge, "datapath_type=netdev")
        self.vsctl("set", "bridge", _OVN, "fail-mode=secure")
        self.vsctl("set", "bridge", BRIDGE, f'other_config:hwaddr="{MAC}"')
        self.namespace.run(self.parts.tools.tool("ethtool"), "-K", "eth0", "tx", "off")
        # the kernel sees what comes by the link of the switch, too: it must not answer there
        self.namespace.run("sysctl", "-w", "net/ipv4/conf/all/arp_ignore=1")
        self.vsctl("add-port", BRIDGE, "eth0")
        self.namespace.ip("link", "set", BRIDGE, "up")
        self.namespace.forward()

    def patch(self, name: str) -> None:
        """Make a patch port of the external bridge, as ovn-controller does; what goes there ends."""
        peer = f"{name}-peer"
        for bridge, port, other in ((BRIDGE, name, peer), (_OVN, peer, name)):
            kind = ("type=patch", f"options:peer={other}")
            self.vsctl("add-port", bridge, port, "--", "set", "Interface", port, *kind)

    def ofctl(self, *args: str) -> str:
        """`ovs-ofctl ARGS` in OpenFlow 1.5."""
        return self.namespace.run(self.parts.ovn.tool("ovs-ofctl"), "-O", "OpenFlow15", *args)

    def vsctl(self, *args: str) -> str:
        """`ovs-vsctl ARGS` of the node."""
        return self.namespace.run(self.parts.ovn.tool("ovs-vsctl"), "--timeout=20", *args)

    def nft(self, *args: str) -> str:
        """`nft ARGS` in the node."""
        return self.namespace.run(self.parts.tools.tool("nft"), *args)

    def host(self, name: str, **programs: str) -> Host:
        """The node as the product sees it; `programs` are other paths of programs, with `-` as `_`."""
        paths = {name: str(self.parts.ovn.tool(name)) for name in ("ovs-vsctl", "ovs-ofctl")}
        paths |= {"nft": str(self.parts.tools.tool("nft"))}
        paths |= {program.replace("_", "-"): path for program, path in programs.items()}
        prefix = tuple(str(word) for word in self.namespace.inside([]))
        return Host(name, Shell(prefix, tuple(paths.items())))

    @contextlib.contextmanager
    def router(self, patch: str, address: str) -> Iterator[Namespace]:
        """A machine in the place of a gateway router: behind a patch port, with the bridge's MAC."""
        with scratch("router") as home, Namespace("router", home) as router:
            self.namespace.ip("link", "add", "gr0", "type", "veth", "peer", "name", "eth0", "netns", str(router.pid))
            self.namespace.ip("link", "set", "gr0", "up")
            self.vsctl("add-port", _OVN, "gr0", "--", "set", "Interface", "gr0", "ofport_request=77")
            self.vsctl("set", "Interface", f"{patch}-peer", "ofport_request=78")
            self.mark(0)
            router.run(self.parts.tools.tool("ethtool"), "-K", "eth0", "tx", "off")
            router.ip("link", "set", "eth0", "address", MAC, "up")
            router.add_address("eth0", address)
            yield router

    def mark(self, mark: int) -> None:
        """Give what comes from the router this packet mark."""
        self.ofctl("add-flow", _OVN, "in_port=78,actions=output:77")
        self.ofctl("add-flow", _OVN, f"in_port=77,actions=set_field:{mark}->pkt_mark,output:78")

    @contextlib.contextmanager
    def pod(self, address: str, gateway: str) -> Iterator[Namespace]:
        """A machine on br-int whose packets go to the node's management port."""
        with scratch("pod") as home, Namespace("pod", home) as pod:
            self.namespace.ip("link", "add", "pod0", "type", "veth", "peer", "name", "eth0", "netns", str(pod.pid))
            self.namespace.ip("link", "set", "pod0", "up")
            self.vsctl("add-port", "br-int", "pod0")
            pod.run(self.parts.tools.tool("ethtool"), "-K", "eth0", "tx", "off")
            pod.ip("link", "set", "eth0", "up")
            pod.add_address("eth0", address)
            pod.ip("route", "add", "default", "via", gateway)
            yield pod


@contextlib.contextmanager
def machine(segment: Segment, tools: Parts, *addresses: str) -> Iterator[Namespace]:
    """A machine outside, with these addresses."""
    with scratch("machine") as home, Namespace("machine", home) as outside:
        segment.plug(outside)
        outside.run(tools.tools.tool("ethtool"), "-K", "eth0", "tx", "off")
        for address in addresses:
            outside.add_address("eth0", address)
        yield outside


@contextlib.contextmanager
def seen(where: Namespace, parts: Parts, log: Path, expression: str) -> Iterator[Capture]:
    """Packets on a machine's link."""
    with contextlib.ExitStack() as stack:
        yield capture(stack, parts.tools, where, log, "eth0", expression)


@pytest.fixture
def segment(parts: Parts, netns_allowed: None) -> Iterator[Segment]:
    """What the node and machines outside are plugged into."""
    need(parts, "ovn", "tools")
    with scratch("segment") as home, netns.Segment("segment", home) as made:
        yield made


@pytest.fixture
def host_node(parts: Parts, segment: Segment, tmp_path: Path) -> Iterator[HostNode]:
    """One node."""
    with HostNode(parts, segment, tmp_path) as node:
        yield node
