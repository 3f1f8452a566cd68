"""Alerts and panels of user-managed DNS, evaluated by Prometheus' own engine over scrapes of real processes."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from dns.rcode import Rcode

from tests.support.dns.authority import Name
from tests.support.dns.bed import LEADER, Bed, open_bed
from tests.support.monitoring import engine as monitoring
from tests.support.monitoring.engine import Engine, alerts_of, bystanders, faulty, panels_of, reconciler
from tests.support.monitoring.page import exposed, promised
from tests.support.monitoring.scrapes import Scrape, scrape, settled
from tests.testbed.apiserver import free_port
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts

pytestmark = pytest.mark.timing
engine = monitoring.engine
LB = "lb.example.net"


@pytest.fixture
def bed(parts: Parts, tmp_path: Path) -> Iterator[Bed]:
    need(parts, "etcd", "kube-apiserver", "coredns")
    with open_bed(parts, tmp_path / "dns", Bed) as made:
        made.authority.names[LB] = Name(a=["10.0.0.5"], ttl=1)
        made.balance({"hostname": LB})
        yield made


def number(name: str, found: Scrape, **labels: str) -> float:
    return found.value(f"ovnk_reconcile_dns_{name}", **labels)


def test_addresses_that_are_stale_not_written_or_not_served(bed: Bed, engine: Engine) -> None:
    read = partial(scrape, bed.metrics_port)
    failing = partial(number, "renders_total", result="failed")
    mismatch, age = partial(number, "served_mismatch"), partial(number, "stale_age_seconds")
    node = reconciler("node", "dns")
    with bed.following("--resync", "1", "--check-server", f"127.0.0.1:{bed.ports[0]}"):
        bed.until_written("10.0.0.5")
        unserved = settled(read, lambda found: mismatch(found) == 1)
        assert exposed(read()) == {*promised()} | {each for each in exposed(read()) if "_dns_" in each}
        with bed.coredns():
            before = settled(read, lambda found: mismatch(found) == 0 and age(found) == 0)
            bed.authority.names[LB] = Name(rcode=Rcode.SERVFAIL)
            stale = settled(read, lambda found: age(found) > 0)
            bed.authority.names[LB] = Name(a=["10.0.0.6"], ttl=1)
            settled(read, lambda found: mismatch(found) == 0 and age(found) == 0)
            bed.corefile.unlink()
            bed.corefile.mkdir()
            unwritten = settled(read, lambda found: failing(found) > 0, failing)
            bed.corefile.rmdir()
            later = settled(read, lambda found: mismatch(found) == 0 and age(found) == 0 and bed.answers() != ())
    for fault, alerts in (
        (unserved, ["OvnguardDnsServesOtherAddresses"]),
        (stale, ["OvnguardDnsStale"]),
        (unwritten, ["OvnguardDnsNotWritten", "OvnguardWritesFail"]),
    ):
        engine.fires([*bystanders(), faulty(node, before, fault, later)], *alerts)
    engine.shows([faulty(node, before, stale, later)], [*panels_of("dns")])


def test_a_leader_has_no_metrics_of_a_node(bed: Bed) -> None:
    port = free_port()
    options = ("--record", "--mode", "own", "--metrics-bind-address", f"127.0.0.1:{port}")
    with bed.running(*options, account=LEADER):
        state = settled(partial(scrape, port), lambda found: found.value("ovnk_reconcile_leader") == 1)
    assert state.last is not None
    assert exposed(state.last) == promised("`cluster`, `rollout run` and `dns run --record` with `--mode own`")


def test_every_alert_of_dns_has_a_test() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in sorted(alerts_of("dns")) if f'"{name}"' not in source] == []
