"""The machines of a cluster: nodes with OVN, Open vSwitch and FRR in namespaces, and what is in pods, on real links."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, Self

from ovnguard.reconciler.plan.rows.names import pod_port
from tests.support.deployed.first_pod import spec_of
from tests.support.lab.wire import OUTSIDE4
from tests.testbed.endpoint import Endpoint
from tests.testbed.frr_daemons import FrrDaemons
from tests.testbed.ovnlab import OvnLab
from tests.testbed.ovs import EXTERNAL
from tests.testbed.parts import Parts
from tests.testbed.process import wait_until

PORT: Final = 8080
_WAIT: Final = 60.0
_SWITCH: Final = "priority=0,actions=NORMAL"


class Machines:
    """Nodes by name while the context lasts; those of the cluster, and those that will join. Without a name, none."""

    def __init__(self, parts: Parts, names: tuple[str, ...], folder: Path) -> None:
        self.parts, self.names, self.folder = parts, names, folder
        self.frr: dict[str, FrrDaemons] = {}
        self._undo = ExitStack()

    def __enter__(self) -> Self:
        if not self.names:
            return self
        with ExitStack() as undo:
            specs = [spec_of(name) for name in self.names]
            self.lab = undo.enter_context(OvnLab(specs, (f"{OUTSIDE4}/16",), self.folder, self.parts))
            for name in self.names:
                self._prepare(name, undo)
            for frr in self.frr.values():
                frr.wait()
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    def add(self, name: str) -> None:
        """One more node."""
        self.lab.add(spec_of(name))
        self._prepare(name, self._undo)
        self.frr[name].wait()

    def _prepare(self, name: str, undo: ExitStack) -> None:
        """What somebody who sets up a node does: it routes packets, knows the way out, has a plain bridge and FRR."""
        node = self.lab[name]
        node.ofctl("del-flows", EXTERNAL)
        node.ofctl("add-flow", EXTERNAL, _SWITCH)
        node.namespace.forward()
        node.namespace.ip("-4", "route", "add", "default", "via", OUTSIDE4)
        # the programs of the node's image, under the names by which the reconciler calls them
        tools = self._tools(name)
        tools.mkdir()
        for part, tool in ((self.parts.ovn, "ovs-vsctl"), (self.parts.ovn, "ovs-ofctl"), (self.parts.tools, "nft")):
            (tools / tool).write_text(f'#!/bin/sh\nexec {part.tool(tool)} "$@"\n', encoding="utf-8")
            (tools / tool).chmod(0o755)
        self.frr[name] = FrrDaemons(name)
        self.frr[name].start(node.namespace, self.parts.frr, self.folder, undo)

    def _tools(self, name: str) -> Path:
        return self.folder / f"{name}-tools"

    def environment(self, name: str, path: str) -> list[str]:
        """What a program in a node finds: `env` with its arguments."""
        home = self.lab[name].namespace.home
        return ["env", f"OVS_RUNDIR={home}", f"PATH={self._tools(name)}:{path}"]

    def frr_options(self, name: str) -> list[str]:
        """Options of `run` for the FRR of a node."""
        home = self.lab[name].namespace.home
        return [f"--vtysh={self.frr[name].program('vtysh')}", f"--vtysh-config-dir={home}"]

    def plug(self, pod: dict[str, Any], attachment: str, entry: dict[str, Any]) -> Endpoint:
        """Put a machine into a pod, behind its port in a network, as the CNI plugin does from the record of the pod."""
        namespace, name, node = pod["metadata"]["namespace"], pod["metadata"]["name"], pod["spec"]["nodeName"]
        port, zone = pod_port(attachment, namespace, name), self.lab[node].zone
        listed = ("--bare", "--columns=name", "list", "Logical_Switch_Port")
        wait_until(lambda: port in zone.nbctl(*listed).split(), f"the port {port}", _WAIT)
        gateways = entry.get("gateway_ips", [])
        link = (f"{namespace}-{name}", node, port, entry["mac_address"], entry.get("ip_addresses", []), gateways)
        machine = self.lab.pod(*link, version=pod["metadata"]["uid"])
        for route in entry.get("routes", ()):
            machine.namespace.ip("route", "replace", route["dest"], "via", route["nextHop"])
        self.lab[node].wait_up(port)
        machine.serve("tcp", PORT)
        return machine
