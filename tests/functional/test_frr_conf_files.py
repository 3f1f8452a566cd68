"""FRR reads what is rendered for every sample: the syntax of all lines, and in a running FRR also their meaning."""

from collections.abc import Callable, Sequence

import pytest

from reconciler.apply.frr.frr_file import MARK
from reconciler.plan.bgp.frr_conf import render
from reconciler.plan.bgp.node_configuration import node_configuration
from tests.support.frr_samples import SAMPLES
from tests.support.paths import GOLDEN
from tests.testbed import frr_daemons
from tests.testbed.fixtures import need
from tests.testbed.frr import FrrLab, FrrNode
from tests.testbed.parts import Parts
from tests.testbed.process import wait_until

LabFactory = Callable[[Sequence[FrrNode]], FrrLab]

# bfdd is no part of the lab, and a router in a VRF of the kernel neither.
LOADED = sorted({*SAMPLES} - {"bfd", "evpn", "other-node"})


@pytest.mark.parametrize("name", SAMPLES)
def test_frr_reads_every_golden_file(name: str, parts: Parts) -> None:
    need(parts, "frr")
    text = (GOLDEN / "frr" / f"{name}.conf").read_text(encoding="utf-8")
    assert frr_daemons.check(f"{MARK}{text}", parts.frr) == []


def test_a_line_that_frr_does_not_know_is_found(parts: Parts) -> None:
    need(parts, "frr")
    assert frr_daemons.check("router bgp 64512\n  neighbour 192.0.2.1 remote-as 1\n", parts.frr) != []


@pytest.mark.parametrize("name", LOADED)
def test_bgpd_takes_every_line(name: str, frr_lab: LabFactory) -> None:
    """And it has the sessions of the configuration, none refused."""
    sample = SAMPLES[name]
    configuration = node_configuration(sample.documents, sample.node)
    conf = render(configuration, "informational", reveal=True)
    lab = frr_lab([FrrNode("node1", [str(each) for each in sample.node.primary_addresses], "log stdout warnings\n")])
    # bgpd refuses graceful-restart until zebra is there.
    wait_until(lambda: lab["node1"].load(conf) == [], f"FRR taking {name}", 20)
    wanted = {each.peer for router in configuration.routers for each in router.neighbors}
    running = lab["node1"].vtysh("show running-config")
    missing = [peer for peer in wanted if f" neighbor {peer} " not in running]
    assert missing == []
