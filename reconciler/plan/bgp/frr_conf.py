"""One node's frr.conf, in the order and with the names that frr-k8s writes.

Source: frr-k8s, ``internal/frr/templates``: globals, then every neighbour's filters, then the BGP router. FRR >= 10
reads it as its integrated configuration.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from reconciler.plan.bgp.fabric import Neighbor, Router

_VERSIONS: Final = (4, 6)


def render(router: Router, log_level: str) -> str:
    """Return the text of frr.conf, ending with a line break."""
    blocks = [
        _globals(router.node, log_level),
        *(_filters(neighbor) for neighbor in router.neighbors),
        _bgp(router),
    ]
    return "\n".join("".join(f"{line}\n" for line in block) for block in blocks)


def _globals(hostname: str, log_level: str) -> list[str]:
    return [
        f"log stdout {log_level}",
        "log timestamp precision 3",
        f"hostname {hostname}",
        "ip nht resolve-via-default",
        "ipv6 nht resolve-via-default",
    ]


def _filters(neighbor: Neighbor) -> list[str]:
    """Prefix lists and route maps of one neighbour.

    Entries of both route maps are numbered by one counter, outgoing first. The list of incoming prefixes has one
    name in both families, and one counter.
    """
    name = str(neighbor.address)
    family = f"ipv{neighbor.address.version}"
    lines = []
    for version in _VERSIONS:
        permitted = [str(prefix) for prefix in neighbor.advertise if prefix.version == version]
        lines += _prefix_list(version, f"{name}-allowed-ipv{version}", permitted, 1)
    lines += _route_map(f"{name}-out", 1, [f"{name}-allowed-ipv{version}" for version in _VERSIONS])
    used = 0
    for version in _VERSIONS:
        permitted = [
            f"{each.prefix} le {each.length} ge {each.length}"
            for each in neighbor.accept
            if each.prefix.version == version
        ]
        lines += _prefix_list(version, f"{name}-inpl-{family}", permitted, used + 1)
        used += max(len(permitted), 1)
    lines += _route_map(f"{name}-in", 3, [f"{name}-inpl-{family}"] * 2)
    return lines


def _prefix_list(version: int, name: str, permitted: Sequence[str], first: int) -> list[str]:
    entries = [f"permit {each}" for each in permitted] or ["deny any"]
    return [f"{_ip(version)} prefix-list {name} seq {first + i} {entry}" for i, entry in enumerate(entries)]


def _route_map(name: str, first: int, lists: Iterable[str]) -> list[str]:
    lines = []
    for number, (version, prefix_list) in enumerate(zip(_VERSIONS, lists, strict=True), first):
        lines += [
            f"route-map {name} permit {number}",
            f"  match {_ip(version)} address prefix-list {prefix_list}",
        ]
    return lines


def _bgp(router: Router) -> list[str]:
    lines = [
        f"router bgp {router.asn}",
        "  no bgp ebgp-requires-policy",
        "  no bgp network import-check",
        "  no bgp default ipv4-unicast",
        "  bgp graceful-restart preserve-fw-state",
    ]
    if router.router_id:
        lines.append(f"  bgp router-id {router.router_id}")
    lines += [f"  neighbor {each.address} remote-as {each.asn}" for each in router.neighbors]
    for neighbor in router.neighbors:
        lines += _in_family(neighbor.address.version, _activation(neighbor))
    for version in _VERSIONS:
        networks = [f"network {prefix}" for prefix in router.prefixes if prefix.version == version]
        if networks:
            lines += _in_family(version, networks)
    return lines


def _activation(neighbor: Neighbor) -> Iterator[str]:
    name = neighbor.address
    yield f"neighbor {name} activate"
    yield f"neighbor {name} route-map {name}-in in"
    yield f"neighbor {name} route-map {name}-out out"


def _in_family(version: int, lines: Iterable[str]) -> list[str]:
    return [f"  address-family ipv{version} unicast", *(f"    {line}" for line in lines), "  exit-address-family"]


def _ip(version: int) -> str:
    return "ip" if version == 4 else "ipv6"
