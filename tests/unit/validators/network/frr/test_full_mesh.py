"""How large a mesh of BGP sessions is, and when something is said of it."""

from ipaddress import ip_address

import pytest

from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.frr.full_mesh import LARGE, mesh_text, sessions
from ovnguard.validators.network.model import FULL_MESH, ROUTE_REFLECTOR, ManagedBGP


def _nodes(count: int, *addresses: str) -> list[Node]:
    return [Node(name=f"n{number}", internal_ips=tuple(map(ip_address, addresses))) for number in range(count)]


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([], 0),
        (_nodes(1), 0),
        (_nodes(24, "192.0.2.1"), 276),
        (_nodes(120, "192.0.2.1", "2001:db8::1"), 14_280),
        (_nodes(500), 124_750),
        ([*_nodes(3, "192.0.2.1"), *_nodes(4, "2001:db8::1")], 9),
    ],
)
def test_sessions(nodes: list[Node], expected: int) -> None:
    assert sessions(nodes) == expected


@pytest.mark.parametrize("bgp", [None, ManagedBGP(64512, FULL_MESH)])
def test_text(bgp: ManagedBGP | None) -> None:
    assert mesh_text(_nodes(LARGE), bgp) == ""
    assert mesh_text(_nodes(LARGE + 1), bgp) == "251 nodes make 31375 BGP sessions in a full mesh"


def test_reflectors_are_no_mesh() -> None:
    assert mesh_text(_nodes(LARGE + 1), ManagedBGP(64512, ROUTE_REFLECTOR)) == ""
