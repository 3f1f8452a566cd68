"""One OVN node that moves real packets: a zone of its own, Open vSwitch with the userspace datapath, ovn-controller.

The kernel needs veth, bridges, network namespaces and /dev/net/tun; neither its Open vSwitch nor its Geneve. What the
userspace datapath wants (learnt by running it): the tunnel's own address on a port of one of its bridges, OVS_RUNDIR
for both daemons, and checksums that are complete when packets come: `tx off` on every link that feeds it.

The tunnel's address is the node's only one and sits on br-ex, which the gateway routers share with it, as on a node of
OVN-Kubernetes: `share_uplink` says what of the bridge's traffic is whose.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from ipaddress import ip_interface
from pathlib import Path
from typing import Final, Self

from tests.testbed import netns
from tests.testbed.bridge import Uplink, bridge_flows
from tests.testbed.endpoint import Capture, capture
from tests.testbed.ovn import OvnZone
from tests.testbed.parts import Parts
from tests.testbed.process import BedError, Child, call, is_listening, scratch, wait_until

START_SECONDS = 60.0
SETTLE_SECONDS = 60
EXTERNAL: Final = "br-ex"
INTEGRATION: Final = "br-int"
_DEVICE: Final = "eth0"
_RELAY: Final = Path(__file__).with_name("relay.py")
_PHYSICAL_NETWORK: Final = "physnet"
_NO_NUMBER_YET: Final = "[]"


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """A node as the cluster knows it. Addresses have a prefix length; the first is where tunnels end.

    `mac` is the external bridge's, which the gateway routers have too.
    """

    name: str
    chassis: str
    mac: str
    addresses: tuple[str, ...]

    @property
    def ips(self) -> tuple[str, ...]:
        """The addresses without prefix length."""
        return tuple(str(ip_interface(address).ip) for address in self.addresses)


class OvnNode:
    """A node while the context lasts. Logs stay in `directory`. BedError when a program does not start."""

    def __init__(self, spec: NodeSpec, directory: Path, parts: Parts) -> None:
        self.spec, self.directory = spec, directory
        self.zone = OvnZone(spec.name, directory, parts.ovn)
        self.alive = False
        self._part, self._tools = parts.ovn, parts.tools
        self._children: dict[str, Child] = {}
        self._cleanup = contextlib.ExitStack()
        self._ns: netns.Namespace | None = None

    @property
    def name(self) -> str:
        """The node's name."""
        return self.spec.name

    @property
    def namespace(self) -> netns.Namespace:
        """The node's host: br-ex with its addresses is in there."""
        assert self._ns is not None, f"node {self.name} is used outside of its lab"
        return self._ns

    def start(self, underlay: netns.Segment) -> Self:
        """Start everything and tie br-ex to the underlay; returns when ovn-controller has registered its chassis."""
        with contextlib.ExitStack() as undo:
            home = undo.enter_context(scratch(self.name))
            self._ns = undo.enter_context(netns.Namespace(self.name, home))
            undo.enter_context(self.zone)
            self.zone.nbctl("set", "NB_Global", ".", f"name={self.name}")
            # the kernel sees what comes by the links of the switch, too: it must not answer there
            self.namespace.run("sh", "-c", "echo 1 > /proc/sys/net/ipv4/conf/all/arp_ignore")
            self.namespace.trust_addresses()
            underlay.plug(self.namespace, _DEVICE)
            self.namespace.mute(_DEVICE)
            self.namespace.run(self._tools.tool("ethtool"), "-K", _DEVICE, "tx", "off")
            self._start_switch(undo)
            self._make_bridges()
            self._start_child(undo, "ovn-controller", f"unix:{home / 'db.sock'}")
            self.zone.sbctl("wait-until", "Chassis", self.spec.chassis)
            self.alive = True
            self._cleanup = undo.pop_all()
        return self

    def stop(self) -> None:
        """Stop what runs and remove the databases."""
        self.alive = False
        for child in self._children.values():
            child.terminate()
        self._cleanup.close()

    def kill(self) -> None:
        """The machine loses power: nothing of it runs on, says goodbye, or answers; its namespace stays empty."""
        self.alive = False
        self.namespace.ip("link", "set", _DEVICE, "down")
        for pid in self.pids().values():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def pids(self) -> dict[str, int]:
        """The process ids of what runs, the zone's among them."""
        return self.zone.pids() | {name: child.pid for name, child in self._children.items()}

    def _start_switch(self, undo: contextlib.ExitStack) -> None:
        home = self.namespace.home
        call([self._part.tool("ovsdb-tool"), "create", home / "conf.db", self._part.file("vswitch.ovsschema")])
        socket = home / "db.sock"
        self._start_child(undo, "ovsdb-server", f"--remote=punix:{socket}", str(home / "conf.db"))
        wait_until(
            partial(is_listening, socket), f"{self.name} ovsdb-server", START_SECONDS, [self._children["ovsdb-server"]]
        )
        ids = {
            "system-id": self.spec.chassis,
            "hostname": self.name,
            "ovn-remote": self.zone.sb,
            "ovn-encap-type": "geneve",
            "ovn-encap-ip": self.spec.ips[0],
            "ovn-bridge-datapath-type": "netdev",
            "ovn-bridge-mappings": f"{_PHYSICAL_NETWORK}:{EXTERNAL}",
            "ovn-is-interconn": "true",
            "ovn-monitor-all": "true",
        }
        pairs = [f'external_ids:{key}="{value}"' for key, value in ids.items()]
        self.vsctl("--no-wait", "init", "--", "set", "Open_vSwitch", ".", *pairs)
        relay = Child(
            f"relay of {self.name}", [sys.executable, "-I", _RELAY, home / "relay.sock", socket], home / "relay"
        )
        undo.enter_context(relay)
        wait_until(partial(is_listening, home / "relay.sock"), relay.name, START_SECONDS, [relay])
        self._children["relay"] = relay
        self._start_child(undo, "ovs-vswitchd", f"unix:{home / 'relay.sock'}")

    def _make_bridges(self) -> None:
        netdev, hwaddr = "datapath_type=netdev", f'other_config:hwaddr="{self.spec.mac}"'
        external = ["add-br", EXTERNAL, "--", "set", "bridge", EXTERNAL, netdev, "fail-mode=secure", hwaddr]
        inside = ["add-br", INTEGRATION, "--", "set", "bridge", INTEGRATION, netdev, "fail-mode=secure"]
        self.vsctl(*external, "--", "add-port", EXTERNAL, _DEVICE, "--", *inside)
        for address in self.spec.addresses:
            self.namespace.add_address(EXTERNAL, address)
        self.namespace.ip("link", "set", EXTERNAL, "up")
        self.share_uplink({})

    def _start_child(self, undo: contextlib.ExitStack, tool: str, *args: str) -> None:
        home, log = self.namespace.home, self._log_file(tool)
        quiet = ["-vconsole:off", "-vsyslog:off", f"--log-file={log}"]
        control = [f"--unixctl={home / tool}.ctl", f"--pidfile={home / tool}.pid"]
        argv = self.namespace.inside([self._part.tool(tool), *quiet, *control, *args])
        child = Child(f"{tool} of {self.name}", argv, log.with_suffix(".out"), self._env())
        self._children[tool] = undo.enter_context(child)

    def _env(self) -> dict[str, str]:
        keys = ("OVN_RUNDIR", "OVS_RUNDIR", "OVN_LOGDIR", "OVS_LOGDIR")
        return {key: str(self.namespace.home) for key in keys}

    def _log_file(self, tool: str) -> Path:
        return self.directory / f"{self.name}-{tool}.log"

    def log(self, tool: str) -> str:
        """What `ovn-controller`, `ovs-vswitchd` or `ovsdb-server` logged so far; the zone's programs: `zone.log`."""
        return self._log_file(tool).read_text(encoding="utf-8", errors="replace")

    def vsctl(self, *args: str) -> str:
        """`ovs-vsctl ARGS` on this node; it waits until the switch has followed."""
        remote = f"unix:{self.namespace.home / 'db.sock'}"
        return call([self._part.tool("ovs-vsctl"), f"--db={remote}", f"--timeout={SETTLE_SECONDS}", *args])

    def ofctl(self, *args: str | Path) -> str:
        """`ovs-ofctl ARGS` in OpenFlow 1.5; bridges by name."""
        return call([self._part.tool("ovs-ofctl"), "--protocols=OpenFlow15", *args], env=self._env())

    def appctl(self, tool: str, *args: str) -> str:
        """`ovs-appctl ARGS` on `ovs-vswitchd` or `ovn-controller`."""
        return call([self._part.tool("ovs-appctl"), "-t", self.namespace.home / f"{tool}.ctl", *args])

    def add_remote(self, other: NodeSpec) -> None:
        """Make another node's chassis known in this zone, as an interconnection controller does.

        Its MAC is made known, too: the first packet into a tunnel would be lost while the switch asks for it.
        """
        self.appctl("ovs-vswitchd", "tnl/neigh/set", EXTERNAL, other.ips[0], other.mac)
        add = ("--may-exist", "chassis-add", other.chassis, "geneve", other.ips[0])
        ids = ("other_config:is-remote=true", f"hostname={other.name}")
        self.zone.sbctl(*add, "--", "set", "Chassis", other.chassis, *ids)

    def follow(self, zone: OvnZone) -> None:
        """Connect ovn-controller to a zone, this node's own or another one; its chassis is registered there then."""
        self.vsctl("--no-wait", "set", "Open_vSwitch", ".", f'external_ids:ovn-remote="{zone.sb}"')
        zone.sbctl("wait-until", "Chassis", self.spec.chassis)

    def remove_remote(self, other: NodeSpec) -> None:
        """Forget another node's chassis: its tunnels go."""
        self.zone.sbctl("--if-exists", "chassis-del", other.chassis)

    def wait(self) -> None:
        """Return when the flows of this node are those of what is in the Northbound database now."""
        self.zone.nbctl("--wait=hv", "sync")

    def wait_up(self, port: str) -> None:
        """Return when a logical switch port is plugged in here, its flows are there and northd says so."""
        self.zone.nbctl("wait-until", "Logical_Switch_Port", port, "up=true")

    def add_port(self, device: str, iface_id: str, version: str = "") -> None:
        """Plug a device of this namespace into br-int as a logical switch port; `version` is its iface-id-ver."""
        self.namespace.mute(device)
        self.namespace.run(self._tools.tool("ethtool"), "-K", device, "tx", "off")
        self.namespace.ip("link", "set", device, "up")
        ids = [f'external_ids:iface-id="{iface_id}"', *([f'external_ids:iface-id-ver="{version}"'] if version else [])]
        self.vsctl("add-port", INTEGRATION, device, "--", "set", "Interface", device, *ids)

    def add_internal(self, device: str, iface_id: str, mac: str, addresses: Sequence[str]) -> None:
        """Make a device of the node's own behind a logical switch port: its management port, for example."""
        interface = ["set", "Interface", device, "type=internal", f'mac="{mac}"', f'external_ids:iface-id="{iface_id}"']
        self.vsctl("add-port", INTEGRATION, device, "--", *interface)
        self.namespace.ip("link", "set", device, "address", mac, "up")
        for address in addresses:
            self.namespace.add_address(device, address)

    def remove_port(self, device: str) -> None:
        """Unplug a device."""
        self.vsctl("--if-exists", "del-port", INTEGRATION, device)

    def share_uplink(self, uplinks: Mapping[str, Uplink | Sequence[str]]) -> None:
        """Write the flows of br-ex: which localnet ports leave by it, and with what.

        Keys are names of localnet logical switch ports (their patch ports must be there: `wait` first); a value is
        their masquerade addresses, or an Uplink whose `port` is filled in here. Without, only the host uses br-ex.
        """
        resolved = []
        for localnet, wanted in uplinks.items():
            uplink = wanted if isinstance(wanted, Uplink) else Uplink(0, tuple(wanted))
            number = self.port_number(f"patch-{localnet}-to-{INTEGRATION}")
            resolved.append(replace(uplink, port=number))
        flows = self.namespace.home / f"{EXTERNAL}.flows"
        lines = bridge_flows(self.port_number(_DEVICE), self.spec.ips, resolved)
        flows.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.ofctl("replace-flows", EXTERNAL, flows)

    @contextlib.contextmanager
    def capture(self, expression: str = "", device: str = EXTERNAL) -> Iterator[Capture]:
        """See packets on a device of the node's own."""
        log = self.directory / f"{self.name}-tcpdump-{device}.out"
        with contextlib.ExitStack() as stack:
            yield capture(stack, self._tools, self.namespace, log, device, expression)

    def port_number(self, interface: str) -> int:
        """The OpenFlow port of an interface; BedError when there is none."""
        if self._number_of(interface) == _NO_NUMBER_YET:
            # ovn-controller's patch ports come when they come
            wait_until(lambda: self._number_of(interface) != _NO_NUMBER_YET, f"a number of {interface}", START_SECONDS)
        number = self._number_of(interface)
        if not number.isdigit():
            raise BedError(f"node {self.name} has no interface {interface}: {number or 'not in the database'}")
        return int(number)

    def _number_of(self, interface: str) -> str:
        return self.vsctl("--if-exists", "get", "Interface", interface, "ofport").strip()
