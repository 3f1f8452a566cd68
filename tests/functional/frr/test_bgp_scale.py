"""The generated fabrics on many nodes of real FRR: all sessions, all routes, and what incidents cost.

`make test` runs a few nodes; `make soak` runs 120, the size that the design calls sustainable.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.lab.bgp_incidents import Shape, Subject, subject
from tests.support.soak import limit, sized
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts

MESH = Shape(sized(8, 120))
REFLECTED = Shape(sized(8, 120), sized(2, 3))
shapes = pytest.mark.parametrize("shape", [MESH, REFLECTED], ids=["mesh", "reflectors"])
pytestmark = limit(400)


@pytest.fixture
def fabric(shape: Shape, parts: Parts, netns_allowed: None, tmp_path: Path) -> Iterator[Subject]:
    """A fabric that has converged within its budget."""
    need(parts, "frr", "tools")
    if reason := shape.why_not():
        pytest.skip(f"needs room: {reason}")
    with subject(shape, parts, tmp_path) as made:
        made.converge()
        yield made


@shapes
def test_all_nodes_know_all_pods_whatever_happens_to_one(fabric: Subject) -> None:
    fabric.fabric.check()
    # nobody's packets depend on the node that comes
    assert fabric.add().loss.lost == 0
    fabric.fabric.check()
    # packets to a node whose bgpd is away are lost, and only those
    assert fabric.restart().loss.lost > 0
    fabric.fabric.check()


@pytest.mark.parametrize("shape", [REFLECTED], ids=["reflectors"])
def test_one_reflector_is_not_missed(fabric: Subject, shape: Shape) -> None:
    first, *_ = shape.members
    lost = fabric.lose(first.name)
    assert (lost.seconds, lost.loss.lost) == (0.0, 0)
    assert fabric.revive(first.name).loss.lost == 0
    fabric.fabric.check()
