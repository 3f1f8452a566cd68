"""Printed paths lead to the place of their field, whatever characters its keys have."""

import pytest

from ovnguard.validators.manifest.locate import find
from ovnguard.validators.manifest.position_trees import positions
from ovnguard.validators.manifest.positions import Position

TEXT = b"""\
a: 1
a.b: 2
.c: 3
spec:
  x: 1
  x.y: {z: 1}
  x.y.z: 1
  "x[0]": 1
  k:
  - {"7": 1, "a]b": 2}
  "3": 1
"""


@pytest.mark.parametrize(
    ("path", "position"),
    [
        ("a", (1, 1)),
        ("a.b", (2, 1)),
        ("a.b.c", (2, 1)),
        ("ab", (1, 1)),
        (".c", (3, 1)),
        ("spec.x", (5, 3)),
        ("spec.x.y", (6, 3)),
        ("spec.x.y.z", (7, 3)),
        ("spec[x.y].z", (6, 9)),
        ("spec[x.y.z]", (7, 3)),
        ("spec.x[0]", (8, 3)),
        ("spec.x[1]", (5, 3)),
        ("spec.k[0].7", (10, 6)),
        ("spec.k[0][a]b]", (10, 14)),
        ("spec.k[1]", (9, 3)),
        ("spec.3", (11, 3)),
        ("spec.", (4, 1)),
        ("spec[", (4, 1)),
    ],
)
def test_paths(path: str, position: tuple[int, int]) -> None:
    assert find(positions(TEXT, 0), path) == Position(*position)


def test_a_path_is_compared_with_lengths_of_keys_not_with_keys() -> None:
    node = positions(b"{" + b", ".join(b"k%d: 1" % number for number in range(2000)) + b"}", 0)
    assert node.key_lengths() == [2, 3, 4, 5]
    assert node.key_lengths() is node.key_lengths()
    assert find(node, "k1999.x") == node.keys["k1999"]
