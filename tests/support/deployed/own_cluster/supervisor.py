"""The process that owns a cluster for people: it starts everything, and does what kubelets do, until a signal ends it.

Its main thread starts all processes, so the kernel kills them when it ends, however it ends.
"""

import sys
import time
import traceback
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tests.support.deployed.own_cluster.agent import UNTOUCHED, Agent
from tests.support.deployed.own_cluster.cluster import OwnCluster
from tests.support.deployed.own_cluster.day_objects import OPERATOR
from tests.support.deployed.own_cluster.day_steps import NODE_NAMES
from tests.support.deployed.own_cluster.place import Place
from tests.testbed import netns
from tests.testbed import parts as parts_module
from tests.testbed.parts import Parts
from tests.testbed.process import BedError

OPTIONS: Final = ("--enable-dynamic-udn-allocation", "--udn-deletion-grace-period=5s")
NEEDED: Final = ("etcd", "kube-apiserver", "kwok")
FOR_MACHINES: Final = ("ovn", "frr", "tools")
_TOOLS: Final = {
    "kube-apiserver": ("kubectl",),
    "ovn": ("ovn-nbctl", "ovn-sbctl", "ovn-trace", "ovs-vsctl", "ovs-ofctl"),
    "tools": ("ping", "tcpdump", "nft"),
}
_PROGRAMS: Final = ("ovnguard-reconciler", "ovnguard-webhook", "kubectl-ovn_preflight")
_ON: Final = """\
#!/bin/sh
# on NODE|NAMESPACE/POD COMMAND...: run a command there
[ -f "{inside}/$1" ] || {{ echo "on: there is no node or pod '$1'; those that are there:" >&2
  cd "{inside}" && find . -type f | sed 's,^./,  ,' | sort >&2; exit 2; }}
. "{inside}/$1"
shift
exec nsenter --target="$PID" --net --mount --wd="$PWD" -- "$@"
"""
_PAUSE: Final = 0.3


def missing_for_machines(parts: Parts) -> str:
    """Why nodes cannot be machines here, or nothing."""
    why = netns.why_not()
    lacking = [f"{name}: {parts[name].reason}" for name in FOR_MACHINES if parts[name].reason is not None]
    return "; ".join([*([f"network namespaces: {why}"] if why else []), *lacking])


def missing_for_people(machines: str, controllers: str | None) -> list[str]:
    """A line for each thing that the cluster does without, from the reasons why."""
    lines = [f"machines ({machines}): nodes and pods are kwok's, and no packet moves"] if machines else []
    if controllers is not None:
        lines.append(
            f"kube-controller-manager ({controllers}): "
            "deleted namespaces stay, dependants outlive owners, and Services get no EndpointSlices"
        )
    return lines


def supervise(place: Place, *, with_machines: bool = True) -> None:
    """Run the cluster until SIGTERM, which raises SystemExit here."""
    began, parts = time.monotonic(), parts_module.find()
    lacking = missing_for_machines(parts) if with_machines else "network namespaces: not wanted"
    with ExitStack() as undo:
        cluster = undo.enter_context(OwnCluster(parts, () if lacking else NODE_NAMES, place.folder))
        place.kubeconfig.symlink_to(cluster.api.kubeconfig)
        cluster.install(OPERATOR, *OPTIONS, stages=() if lacking else (UNTOUCHED,))
        for name in NODE_NAMES:
            cluster.register(name)
            if lacking:
                cluster.equip(name)
        write_programs(parts, place)
        agent = Agent(cluster, lambda: write_machines(cluster, place))
        agent.step()
        if not lacking:
            cluster.settle()
        missing = missing_for_people(lacking, parts.kube_controller_manager.reason)
        place.ready({"seconds": round(time.monotonic() - began), "missing": missing})
        while True:
            look(agent)
            write_machines(cluster, place)
            time.sleep(_PAUSE)


def look(agent: Agent) -> None:
    """One look of the agent; what fails now may succeed the next time."""
    try:
        agent.step()
    except (AssertionError, BedError, OSError):
        traceback.print_exc()
        sys.stderr.flush()


def write_programs(parts: Parts, place: Place) -> None:
    """Programs for a shell: those of the test bed and ours by name, and `on`."""
    place.bin.mkdir()
    place.inside.mkdir()
    programs: dict[str, Path] = {name: Path(sys.executable).parent / name for name in _PROGRAMS}
    for part, tools in _TOOLS.items():
        programs |= {tool: parts[part].tool(tool) for tool in tools if parts[part].reason is None}
    for name, program in programs.items():
        _script(place.bin / name, f'#!/bin/sh\nexec {program} "$@"\n')
    if parts.frr.reason is None:
        vtysh = parts.frr.tool("vtysh")
        _script(place.bin / "vtysh", f'#!/bin/sh\nexec {vtysh} --config_dir "$OVS_RUNDIR" "$@"\n')
    _script(place.bin / "on", _ON.format(inside=place.inside))


def _script(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)


def write_machines(cluster: OwnCluster, place: Place) -> None:
    """What `on` reads: a file for each node and pod, with its namespaces and what its programs find."""
    if not cluster.names:
        return
    wanted: dict[str, Mapping[str, object]] = {
        f"{namespace}/{name}": {"PID": machine.namespace.pid}
        for (namespace, name), (_, machine) in cluster.pods.items()
    }
    for name, node in cluster.machines.lab.nodes.items():
        databases = {"OVN_NB_DB": node.zone.nb, "OVN_SB_DB": node.zone.sb}
        wanted[name] = {"PID": node.namespace.pid, "OVS_RUNDIR": node.namespace.home, **databases}
    wanted["outside"] = {"PID": cluster.machines.lab.external.namespace.pid}
    for file in [each for each in place.inside.rglob("*") if each.is_file()]:
        if str(file.relative_to(place.inside)) not in wanted:
            file.unlink()
    for key, values in wanted.items():
        file, text = place.inside / key, "".join(f"export {name}={value}\n" for name, value in values.items())
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
