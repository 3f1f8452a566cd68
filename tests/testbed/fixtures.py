"""pytest fixtures of the test beds, for the conftest.py of the folders whose tests use them.

A part that is missing skips the test with `needs PART: REASON`; the summary at the end of a run reads that form.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.testbed import netns
from tests.testbed import parts as parts_module
from tests.testbed.apiserver import ApiServer
from tests.testbed.frr import FrrLab, FrrNode
from tests.testbed.ovn import OvnZone
from tests.testbed.ovnlab import OvnLab
from tests.testbed.ovs import NodeSpec
from tests.testbed.parts import Parts

__all__ = ["apiserver", "frr_lab", "need", "netns_allowed", "ovn_lab", "ovn_zone", "parts"]


def need(parts: Parts, *names: str) -> None:
    """Skip the test when one of these parts is missing, naming all that are."""
    if reasons := [f"needs {name}: {parts[name].reason}" for name in names if parts[name].reason is not None]:
        pytest.skip("; ".join(reasons))


@pytest.fixture(scope="session")
def parts() -> Parts:
    """What of the test bed is there."""
    return parts_module.find()


@pytest.fixture(scope="session")
def netns_allowed() -> None:
    """Skip where no network namespaces can be made."""
    reason = netns.why_not()
    if reason is not None:
        pytest.skip(f"needs netns: {reason}")


@pytest.fixture
def ovn_zone(parts: Parts, tmp_path: Path) -> Iterator[Callable[[str], OvnZone]]:
    """Start an OVN zone by name, several if called several times; they stop with the test."""
    need(parts, "ovn")
    with contextlib.ExitStack() as stack:
        yield lambda name: stack.enter_context(OvnZone(name, tmp_path, parts.ovn))


@pytest.fixture
def frr_lab(parts: Parts, netns_allowed: None, tmp_path: Path) -> Iterator[Callable[[Sequence[FrrNode]], FrrLab]]:
    """Start FRR nodes on one segment; they stop with the test."""
    need(parts, "frr")
    with contextlib.ExitStack() as stack:
        yield lambda nodes: stack.enter_context(FrrLab(nodes, tmp_path, parts.frr))


@pytest.fixture
def ovn_lab(
    parts: Parts, netns_allowed: None, tmp_path: Path
) -> Iterator[Callable[[Sequence[NodeSpec], Sequence[str]], OvnLab]]:
    """Start OVN nodes with real packets, and a host outside with these addresses; they stop with the test."""
    need(parts, "ovn", "tools")
    with contextlib.ExitStack() as stack:
        yield lambda specs, external: stack.enter_context(OvnLab(specs, external, tmp_path, parts))


@pytest.fixture(scope="session")
def apiserver(parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """One API server for the whole run: tests use names of their own and remove what they made."""
    need(parts, "etcd", "kube-apiserver")
    with ApiServer(tmp_path_factory.mktemp("apiserver"), parts) as server:
        yield server
