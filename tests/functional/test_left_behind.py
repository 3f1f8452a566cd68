"""What OVN-Kubernetes leaves in a zone changes no packet: ovn-trace through its rows, and through the planned ones.

Two zones of one recording, with databases and northd of their own: the recorded rows, and the plan of the same objects.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from reconciler.apply.ovn.ovn_nb import NorthboundStore
from reconciler.plan.comparison.explanation import explained
from reconciler.plan.comparison.explanations import EXPLANATIONS
from reconciler.plan.desired_state import DesiredState
from reconciler.plan.probes.probe_packets import Probe, probes_of
from reconciler.plan.probes.probe_rows import Endpoint, ZoneRows, endpoint
from reconciler.plan.rows.row import Row
from reconciler.plan.rows.row_diff import diff
from reconciler.plan.topology.common_rows import match_name
from tests.support.recorded_rows import RecordedZone, compared, fill, planned, recorded_rows, rows_of_plan
from tests.testbed.ovn import OvnZone
from validators.network.declared.node import Node

pytestmark = pytest.mark.conformance

# Recorded zones, and the rules that explain their differences.
SHOWN = {
    RecordedZone("attachments@less", "node1"): {"pods-on-deleted-attachments"},
    RecordedZone("delete-node", "node1"): {"stranded-pods"},
    RecordedZone("dynamic-grace@grace", "node1"): {"grace"},
    RecordedZone("egressservice-layer3", "node2"): {"egress-services-of-primary-networks"},
    RecordedZone("layer2-mixed@upgraded", "node2"): {"remote-routers-after-upgrade"},
    RecordedZone("layer2-preconfigured", "node1"): {
        "default-services-of-the-second-family",
        "refused-pods",
        "reservation-beyond-ipv6",
    },
    RecordedZone("managed-cudn-vrf@one-deleted", "node1"): {"sets-of-deleted-networks", "subnets-of-deleted-networks"},
    RecordedZone("routed-mix@swapped", "node1"): {
        "default-services-of-the-second-family",
        "excluded-addresses-of-advertised-networks",
        "nat-of-networks-not-advertised-any-more",
    },
}
SWITCH_PORT = "Logical_Switch_Port"
COMMENT = re.compile(r" */\*.*?\*/")
# Addresses outside of all networks, and the first address of the services' subnet.
FURTHER = {4: ("192.0.2.1", "10.96.0.1"), 6: ("2001:db8::1", "fd00:10:96::1")}


def bring(zone: OvnZone, members: Iterable[Node], own: str) -> None:
    """Add the chassis of all nodes."""
    for each in members:
        zone.sbctl("chassis-add", each.chassis_id, "geneve", str(each.internal_ips[0]))
        zone.sbctl("set", "chassis", each.chassis_id, f"other_config:is-remote={str(each.name != own).lower()}")
    zone.wait_sb()


def starts(rows: Sequence[Row]) -> Iterator[tuple[Endpoint, str]]:
    """The endpoints of every switch that are here, with the MAC of its gateway."""
    zone = ZoneRows(rows)
    for switch in zone.switches():
        gateways = list(zone.gateways(switch))
        for port in zone.ports(switch):
            found = endpoint(str(switch.columns["name"]), port.columns)
            if found is not None and not found.remote and gateways:
                yield found, gateways[0][1]


def packets(rows: Sequence[Row], members: Sequence[Node]) -> Iterator[Probe]:
    """Those of `verify`, and from every endpoint to all nodes, to a service and to the outside."""
    yield from probes_of(rows, ())
    for start, mac in starts(rows):
        for version in (4, 6):
            source = start.of_family(version)
            nodes = [str(ip) for node in members for ip in node.internal_ips if ip.version == version]
            for target in (*nodes, *FURTHER[version]) if source is not None else ():
                family, place = match_name(version), f'inport=="{start.port}"'
                link = f"{place} && eth.src=={start.mac} && eth.dst=={mac} && ip.ttl==64"
                packet = f"{family}.src=={source} && {family}.dst=={target} && udp && udp.src==4000 && udp.dst==53"
                yield Probe("", f"{start.port} to {target}", start.switch, f"{link} && {packet}", ())


def ways(zone: OvnZone, probes: Iterable[Probe]) -> Mapping[str, list[str]]:
    """What happens to each packet; the first line has the numbers that northd gave to ports."""
    with zone.tracer("--ct=new", "--select-id=1") as trace:
        texts = {each.title: trace("--minimal", each.datapath, each.microflow) for each in probes}
    return {title: COMMENT.sub("", text).splitlines()[1:] for title, text in texts.items()}


@pytest.fixture
def sides(ovn_zone: Callable[[str], OvnZone], tmp_path: Path) -> Callable[[RecordedZone], tuple[OvnZone, OvnZone]]:
    def make(recorded: RecordedZone) -> tuple[OvnZone, OvnZone]:
        theirs, ours = ovn_zone("recorded"), ovn_zone("planned")
        fill(theirs.nb, recorded)
        desired: DesiredState = planned(recorded, tmp_path).desired
        with closing(NorthboundStore(ours.nb)) as store:
            store.apply(diff(store.read(), rows_of_plan(desired, recorded.node)[0]))
        for zone in (theirs, ours):
            bring(zone, desired.nodes, recorded.node)
        return theirs, ours

    return make


@pytest.mark.parametrize("recorded", SHOWN, ids=str)
def test_packets_take_the_same_way_on_both_sides(
    sides: Callable[[RecordedZone], tuple[OvnZone, OvnZone]], tmp_path: Path, recorded: RecordedZone
) -> None:
    found = [explained(each, EXPLANATIONS) for each in compared(recorded).differences]
    assert {each.id for each in found if each is not None} == SHOWN[recorded]
    theirs, ours = sides(recorded)
    desired = planned(recorded, tmp_path).desired
    ports = {f'inport=="{row.columns["name"]}"' for row in recorded_rows(recorded) if row.table == SWITCH_PORT}
    sent = packets(list(rows_of_plan(desired, recorded.node)[0]), desired.nodes)
    # nothing sends where only one side has a port
    probes = [each for each in sent if each.microflow.partition(" && ")[0] in ports]
    # of two ports with one address, northd chooses the one that gets the answer
    probes = [each for each in probes if not any(f".src=={address} " in each.microflow for address in shared(recorded))]
    assert len(probes) > 8
    mine, left = ways(ours, probes), ways(theirs, probes)
    assert {title: (way, left[title]) for title, way in mine.items() if way != left[title]} == {}


def shared(recorded: RecordedZone) -> set[str]:
    """The addresses that more than one port has."""
    ports = (row.columns["addresses"] for row in recorded_rows(recorded) if row.table == SWITCH_PORT)
    found = Counter(
        word for texts in ports if isinstance(texts, tuple) for text in texts for word in str(text).split()[1:]
    )
    return {address for address, count in found.items() if count > 1}


def test_every_rule_is_shown() -> None:
    assert set().union(*SHOWN.values()) == {each.id for each in EXPLANATIONS}
