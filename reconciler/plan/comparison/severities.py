"""What a drift means to people: how bad it is, and a sentence about the packets that it concerns.

One entry for each table that a plan has rows of; the text of an ACL, a NAT and a route follows from its columns.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.comparison.identities import ID
from ovnguard.reconciler.plan.comparison.row_differences import Difference, Side, printable


class Severity(IntEnum):
    """How bad a drift is; the larger, the worse."""

    LOW = 1
    """No packet takes another way."""
    MEDIUM = 2
    """Protection or comfort is missing: limits, logs, marks, answers to DHCP."""
    HIGH = 3
    """Some packets are lost or have another address."""
    CRITICAL = 4
    """Pods have no network, or packets pass between networks that are apart."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The severity of one drift on a node, and a sentence about it."""

    severity: Severity
    sentence: str
    node: str = field(default="", compare=False)
    network: str = field(default="", compare=False)


class _Texts(NamedTuple):
    """The severity and text of a row that is missing, that is not planned, and that has another value.

    ``{network}``, ``{node}`` and ``{row}`` are filled in.
    """

    missing: tuple[Severity, str]
    extra: tuple[Severity, str]
    changed: tuple[Severity, str]


# Rows of tables that no plan has.
_OTHER: Final = _Texts(
    (Severity.MEDIUM, "{node} lacks a row of {table} of {network}: {row}"),
    (Severity.LOW, "{node} has a row of {table} of {network} that is not planned: {row}"),
    (Severity.MEDIUM, "a row of {table} of {network} on {node} has other values: {row}"),
)
_TABLES: Final[Mapping[str, _Texts]] = MappingProxyType(
    {
        "ACL": _Texts(
            (Severity.CRITICAL, "packets of {network} on {node} are not filtered by an ACL: {row} is missing"),
            (Severity.HIGH, "packets of {network} on {node} are filtered by an ACL that is not planned: {row}"),
            (Severity.CRITICAL, "an ACL of {network} on {node} filters other packets: {row}"),
        ),
        "Address_Set": _Texts(
            (Severity.HIGH, "rules of {network} on {node} that use address set {row} match no packet: it is missing"),
            (Severity.LOW, "address set {row} of {network} on {node} is not planned"),
            (Severity.HIGH, "rules of {network} on {node} that use address set {row} match other addresses"),
        ),
        "Copp": _Texts(
            (Severity.MEDIUM, "the control plane of {node} is not protected from floods: {row} is missing"),
            (Severity.LOW, "{node} has a protection of its control plane that is not planned: {row}"),
            (Severity.MEDIUM, "the control plane of {node} is protected by other limits: {row}"),
        ),
        "DHCP_Options": _Texts(
            (Severity.HIGH, "virtual machines of {network} on {node} get no answer to DHCP: {row} is missing"),
            (Severity.LOW, "{node} has DHCP options of {network} that are not planned: {row}"),
            (Severity.MEDIUM, "virtual machines of {network} on {node} get another answer to DHCP: {row}"),
        ),
        "Gateway_Chassis": _Texts(
            (Severity.CRITICAL, "no node carries a gateway port of {network}: {row} is missing on {node}"),
            (Severity.HIGH, "another node may carry a gateway port of {network}: {row} on {node} is not planned"),
            (Severity.HIGH, "another node may carry a gateway port of {network}: {row} on {node}"),
        ),
        "Load_Balancer": _Texts(
            (Severity.HIGH, "a service of {network} does not answer on {node}: load balancer {row} is missing"),
            (Severity.MEDIUM, "{node} answers for a service of {network} that is not planned: load balancer {row}"),
            (Severity.HIGH, "a service of {network} has other addresses or servers on {node}: load balancer {row}"),
        ),
        "Load_Balancer_Group": _Texts(
            (Severity.HIGH, "services of {network} do not answer on {node}: load balancer group {row} is missing"),
            (Severity.LOW, "{node} has a load balancer group of {network} that is not planned: {row}"),
            (Severity.HIGH, "{node} has other services of {network}: load balancer group {row}"),
        ),
        "Logical_Router": _Texts(
            (
                Severity.CRITICAL,
                "pods of {network} on {node} reach nothing beyond their switch: router {row} is missing",
            ),
            (Severity.HIGH, "{node} has a router of {network} that is not planned: {row}"),
            (Severity.HIGH, "router {row} of {network} on {node} has another configuration"),
        ),
        "Logical_Router_Policy": _Texts(
            (Severity.HIGH, "packets of {network} on {node} take another way: router policy {row} is missing"),
            (Severity.HIGH, "packets of {network} on {node} take another way: router policy {row} is not planned"),
            (Severity.HIGH, "packets of {network} on {node} take another way: router policy {row}"),
        ),
        "Logical_Router_Port": _Texts(
            (Severity.CRITICAL, "a router of {network} on {node} is not connected: port {row} is missing"),
            (Severity.HIGH, "a router of {network} on {node} has a connection that is not planned: port {row}"),
            (Severity.HIGH, "port {row} of a router of {network} on {node} has other addresses or options"),
        ),
        "Logical_Router_Static_Route": _Texts(
            (Severity.HIGH, "packets of {network} on {node} find no route: {row} is missing"),
            (Severity.HIGH, "packets of {network} on {node} take a route that is not planned: {row}"),
            (Severity.HIGH, "packets of {network} on {node} take another route: {row}"),
        ),
        "Logical_Switch": _Texts(
            (Severity.CRITICAL, "pods of {network} on {node} have no network: switch {row} is missing"),
            (Severity.HIGH, "{node} has a switch of {network} that is not planned: {row}"),
            (Severity.HIGH, "switch {row} of {network} on {node} has another configuration"),
        ),
        "Logical_Switch_Port": _Texts(
            (Severity.CRITICAL, "{row} of {network} on {node} has no network: its switch port is missing"),
            (Severity.MEDIUM, "a switch of {network} on {node} has a port that is not planned: {row}"),
            (Severity.HIGH, "switch port {row} of {network} on {node} has other addresses or options"),
        ),
        "Meter": _Texts(
            (
                Severity.MEDIUM,
                "{node} does not limit log messages or packets to its control plane: meter {row} is missing",
            ),
            (Severity.LOW, "{node} has a meter that is not planned: {row}"),
            (Severity.MEDIUM, "meter {row} on {node} has another limit"),
        ),
        "Meter_Band": _Texts(
            (Severity.MEDIUM, "a meter on {node} has no limit: band {row} is missing"),
            (Severity.LOW, "a meter on {node} has a limit that is not planned: band {row}"),
            (Severity.MEDIUM, "a meter on {node} has another limit: band {row}"),
        ),
        "NAT": _Texts(
            (Severity.HIGH, "packets of {network} leave {node} with the addresses of their pods: NAT {row} is missing"),
            (Severity.HIGH, "packets of {network} leave {node} with an address that is not planned: NAT {row}"),
            (Severity.HIGH, "packets of {network} leave {node} with another address: NAT {row}"),
        ),
        "Port_Group": _Texts(
            (Severity.CRITICAL, "rules of {network} on {node} concern no port: port group {row} is missing"),
            (Severity.LOW, "{node} has a port group of {network} that is not planned: {row}"),
            (Severity.CRITICAL, "rules of {network} on {node} concern other ports: port group {row}"),
        ),
        "QoS": _Texts(
            (Severity.MEDIUM, "packets of {network} on {node} are not marked: QoS {row} is missing"),
            (Severity.MEDIUM, "packets of {network} on {node} have a mark that is not planned: QoS {row}"),
            (Severity.MEDIUM, "packets of {network} on {node} have another mark: QoS {row}"),
        ),
        "Static_MAC_Binding": _Texts(
            (Severity.HIGH, "a router of {network} on {node} does not know the MAC address of {row}"),
            (Severity.LOW, "a router of {network} on {node} knows a MAC address that is not planned: {row}"),
            (Severity.HIGH, "a router of {network} on {node} sends packets for {row} to another MAC address"),
        ),
    }
)

_POSITIONS: Final[Mapping[Side, int]] = MappingProxyType({Side.PLANNED: 0, Side.OBSERVED: 1, Side.BOTH: 2})
# By a part of OVN-Kubernetes' id of the ACL, what its absence lets pass (ovn-kubernetes, pkg/ovn/udn_isolation.go).
_ISOLATION: Final[Mapping[str, str]] = MappingProxyType(
    {
        ":AdvertisedNetwork:": "pods of advertised networks on {node} can reach each other: "
        "isolation ACL {row} is missing",
        ":UDNIsolation:DenyPrimaryUDN": "pods with a primary network on {node} can be reached on the default network: "
        "isolation ACL {row} is missing",
    }
)


def meaning_of(drift: Difference, node: str) -> Meaning:
    """Return how bad a drift of the zone of ``node`` is, and what it means. The sentence is printable, on one line."""
    severity, text = _acl(drift) or _TABLES.get(drift.table, _OTHER)[_POSITIONS[drift.side]]
    values = {"network": f"network {drift.network}", "node": node, "row": drift.identity, "table": drift.table}
    return Meaning(severity, printable(text.format_map(values)), node, drift.network)


def worst(drifts: Iterable[tuple[str, Difference]], count: int) -> tuple[Meaning, ...]:
    """Return the ``count`` most severe drifts, which are pairs of a node and a difference; equal ones in order."""
    meanings = [meaning_of(drift, node) for node, drift in drifts]
    return tuple(sorted(meanings, key=lambda each: -each.severity)[:count])


def _acl(drift: Difference) -> tuple[Severity, str] | None:
    """What a missing or an unplanned ACL means by its action; None for other drifts."""
    if drift.table != "ACL" or drift.row is None:
        return None
    drops = drift.row.columns.get("action") in (("drop",), ("reject",))
    if drift.side is Side.OBSERVED:
        verb = "drops packets" if drops else "lets packets pass"
        severity = Severity.HIGH if drops else Severity.CRITICAL
        return severity, f"an ACL of {{network}} on {{node}} {verb} and is not planned: {{row}}"
    if not drops:
        return Severity.HIGH, "{node} may drop packets of {network}: the ACL that lets them pass is missing: {row}"
    made_for = drift.row.entry("external_ids", ID)
    isolation = next((text for part, text in _ISOLATION.items() if part in made_for), "")
    return Severity.CRITICAL, isolation or "packets of {network} that {node} must drop pass: ACL {row} is missing"
