"""Packets through recorded zones: databases, northd and ovn-trace are real."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing

from ovnguard.reconciler.apply.ovn.ovsdb_json import row_json
from ovnguard.reconciler.apply.ovn.session import Session
from ovnguard.reconciler.apply.store_errors import TransactionRefusedError
from ovnguard.reconciler.plan.probes.probe_packets import Probe, probes_of
from ovnguard.reconciler.plan.probes.probe_rows import Endpoint, ZoneRows, endpoint
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.topology.common_rows import match_name
from ovnguard.validators.network.declared.node import Node
from tests.testbed.ovn import OvnZone

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


def packets_of(rows: Sequence[Row], wanted: Sequence[Row], members: Sequence[Node]) -> list[Probe]:
    """Packets from every planned port that the zone ``rows`` has, too.

    Of two ports with one address, northd chooses the one that gets the answer, so neither sends.
    """
    ports = {f'inport=="{row.columns["name"]}"' for row in rows if row.table == SWITCH_PORT}
    twice = _shared(rows)
    sent = [each for each in packets(wanted, members) if each.microflow.partition(" && ")[0] in ports]
    return [each for each in sent if not any(f".src=={address} " in each.microflow for address in twice)]


def _shared(rows: Sequence[Row]) -> set[str]:
    """The addresses that more than one port has."""
    ports = (row.columns["addresses"] for row in rows if row.table == SWITCH_PORT)
    found = Counter(
        word for texts in ports if isinstance(texts, tuple) for text in texts for word in str(text).split()[1:]
    )
    return {address for address, count in found.items() if count > 1}


def change(remote: str, before: Iterable[Row], after: Iterable[Row]) -> bool:
    """Let a database that has the rows ``before`` have those ``after``; whether it accepts them."""
    old, new = ({row.uuid: row for row in rows} for rows in (before, after))
    steps = [
        {"op": "update", "table": row.table, "where": _where(uuid), "row": row_json(row.columns)}
        for uuid, row in new.items()
        if uuid in old and row != old[uuid]
    ]
    steps += [
        {"op": "insert", "table": row.table, "uuid": uuid, "row": row_json(row.columns)}
        for uuid, row in new.items()
        if uuid not in old
    ]
    steps += [
        {"op": "delete", "table": row.table, "where": _where(uuid)} for uuid, row in old.items() if uuid not in new
    ]
    with closing(Session(remote, 30, lambda: False)) as session:
        try:
            session.transact(steps)
        except TransactionRefusedError:
            return False
    return True


def _where(uuid: str) -> list[object]:
    return [["_uuid", "==", ["uuid", uuid]]]
