"""Versions are found in what programs print and compared by number."""

import pytest

from tests.testbed import version


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ovn-nbctl 25.03.0\nOpen vSwitch Library 3.5.0\n", "25.03.0"),
        ("ovsdb-server (Open vSwitch) 3.5.0\n", "3.5.0"),
        ("bgpd version 10.3\nCopyright 1996-2005 Kunihiro Ishiguro, et al.\n", "10.3"),
        ("etcd Version: 3.5.16\nGit SHA: bdbbde998\nGo Version: go1.24.0\n", "3.5.16"),
        ("Kubernetes v1.35.4\n", "1.35.4"),
        ("go version go1.26.8 linux/amd64\n", "1.26.8"),
        ("ping from iputils 20240905\n", "20240905"),
        ("10.3-3+deb13u1", "10.3"),
        ("1:25.03.0-1", "25.03.0"),
        ("no number at all", None),
        ("", None),
    ],
)
def test_find(text: str, found: str | None) -> None:
    assert version.find(text) == found


@pytest.mark.parametrize(
    ("left", "right", "order"),
    [
        ("25.03", "25.3.0", 0),
        ("25.03.1", "25.03", 1),
        ("9.9", "10", -1),
        ("3.5.9", "3.5.16", -1),
        ("1.36.0-alpha.1", "1.35.99", 1),
    ],
)
def test_compare(left: str, right: str, order: int) -> None:
    assert version.compare(left, right) == order
    assert version.compare(right, left) == -order


@pytest.mark.parametrize(
    ("have", "minimum", "below", "within"),
    [
        ("1.35.4", "1.35", "1.36", True),
        ("1.36.0", "1.35", "1.36", False),
        ("1.34.9", "1.35", "1.36", False),
        ("10", "10", None, True),
        ("8.4.4", "10", None, False),
    ],
)
def test_within(have: str, minimum: str, below: str | None, within: bool) -> None:
    assert version.within(have, minimum, below) is within


def test_parse_refuses_text_without_a_number() -> None:
    with pytest.raises(ValueError, match=r"^'latest' holds no version$"):
        version.parse("latest")
