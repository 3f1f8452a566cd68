"""What drift does to packets: traces through the Southbound databases of an archive, if OVN's programs are on PATH."""

import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Final

from ovnguard.reconciler.apply.files.must_gather import MustGather
from ovnguard.reconciler.apply.ovn.ovn_trace import run_probe
from ovnguard.reconciler.apply.ovn.private_server import served
from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.commands.planned_manifests import PlannedManifests
from ovnguard.reconciler.plan.comparison.row_differences import printable
from ovnguard.reconciler.plan.comparison.severities import Meaning
from ovnguard.reconciler.plan.probes.probe_packets import Probe, probes_of
from ovnguard.validators.network.list_text import counted

# A trace takes a tenth of a second.
_MOST: Final = 50


def packets_of(
    gathered: MustGather,
    places: Mapping[str, str],
    plan: Callable[[Collection[str] | None], PlannedManifests],
    drifts: Iterable[Meaning],
) -> Iterator[str]:
    """Yield a sentence about the packets of each network and node that ``drifts`` name.

    Nothing without the programs, and nothing about a node whose Southbound database is not in the archive. ``places``
    are the nodes by pod.
    """
    trace, server = shutil.which("ovn-trace"), shutil.which("ovsdb-server")
    if trace is None or server is None:
        return
    networks: dict[str, dict[str, None]] = {}
    for each in drifts:
        networks.setdefault(each.node, {})[each.network] = None
    for node, named in networks.items():
        database = gathered.southbound({pod for pod, place in places.items() if place == node})
        if database is None:
            continue
        rows = next((zone.rows for zone in plan((node,)).plan.zones if zone.node == node), ())
        probes = [probe for probe in probes_of(rows, ()) if probe.network in named]
        try:
            with served(server, database) as remote:
                for name in named:
                    wanted = [probe for probe in probes if probe.network == name][:_MOST]
                    yield printable(_sentence(node, name, wanted, trace, remote))
        except StoreError as error:
            yield f"packets on {node} cannot be followed: {error}"


def _sentence(node: str, network: str, probes: Collection[Probe], trace: str, remote: str) -> str:
    results = [run_probe(probe, program=trace, southbound=remote) for probe in probes]
    stopped = [each for each in results if not each.reached]
    of = f"network {network} on {node}"
    if not results:
        return f"no packet of {of} can be followed: it has no gateway and fewer than two pods there"
    if not stopped:
        return f"{counted(len(results), 'traced packet')} of {of}: all arrive"
    first = stopped[0]
    lost = f"{len(stopped):,} of {counted(len(results), 'traced packet')} of {of} do not arrive"
    return f"{lost}: {first.probe.title}: {first.words}"
