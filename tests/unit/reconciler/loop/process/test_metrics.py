"""What Prometheus reads."""

from reconciler.loop.process.metrics import BgpNumbers, DnsNumbers, Metrics

CALLED = "ovnk_reconcile_udn_active_nodes"


def samples(metrics: Metrics, name: str) -> list[str]:
    return [line for line in metrics.exposition()[1].decode().splitlines() if line.startswith(name)]


def test_a_network_has_a_number_until_it_is_gone():
    metrics = Metrics()
    metrics.active_nodes({"cluster_udn_blue": 2, "red_net": 0})
    assert samples(metrics, CALLED) == [
        f'{CALLED}{{network_name="cluster_udn_blue"}} 2.0',
        f'{CALLED}{{network_name="red_net"}} 0.0',
    ]
    metrics.active_nodes({"red_net": 1})
    assert samples(metrics, CALLED) == [f'{CALLED}{{network_name="red_net"}} 1.0']


def test_times_until_the_first_pod_are_counted_in_buckets():
    metrics = Metrics()
    for seconds in (0.2, 0.2, 3.0, 500.0):
        metrics.first_pod(seconds)
    found = dict(line.rsplit(" ", 1) for line in samples(metrics, "ovnk_reconcile_first_pod_seconds"))
    assert [
        found[f'ovnk_reconcile_first_pod_seconds_bucket{{le="{le}"}}'] for le in ("0.1", "0.25", "5.0", "+Inf")
    ] == [
        "0.0",
        "2.0",
        "3.0",
        "4.0",
    ]
    assert found["ovnk_reconcile_first_pod_seconds_sum"] == "503.4"


def test_bgp_of_a_node_has_its_numbers():
    metrics = Metrics()
    metrics.bgp(BgpNumbers(119, 118, 119, 1, 1000.0, 120.0))
    metrics.bgp_reload(succeeded=True, at=900.0)
    metrics.bgp_reload(succeeded=False, at=950.0)
    metrics.bgp_converged(4.0)
    found = dict(line.rsplit(" ", 1) for line in samples(metrics, "ovnk_reconcile_bgp_"))
    given = {name.removeprefix("ovnk_reconcile_bgp_"): float(value) for name, value in found.items()}
    assert {name: value for name, value in given.items() if "bucket" not in name and "created" not in name} == {
        "sessions_wanted": 119,
        "sessions_established": 118,
        "routes_wanted": 119,
        "routes_missing": 1,
        "incomplete_since_timestamp_seconds": 1000,
        "convergence_budget_seconds": 120,
        'reloads_total{result="ok"}': 1,
        'reloads_total{result="failed"}': 1,
        "last_reload_succeeded": 0,
        "last_reload_timestamp_seconds": 950,
        "convergence_seconds_count": 1,
        "convergence_seconds_sum": 4,
    }


def test_age_of_addresses_grows_until_they_are_confirmed(monkeypatch):
    metrics = Metrics()
    monkeypatch.setattr("time.time", lambda: 1000.0)
    metrics.dns(DnsNumbers(ipv4=2, ipv6=1, stale_since=940.0, changed=900.0, is_mismatched=True))
    metrics.dns_lookups(2, 1)
    metrics.dns_rendered("written")
    found = dict(line.rsplit(" ", 1) for line in samples(metrics, "ovnk_reconcile_dns_"))
    given = {name.removeprefix("ovnk_reconcile_dns_"): float(value) for name, value in found.items()}
    assert {name: value for name, value in given.items() if "created" not in name} == {
        'lookups_total{result="ok"}': 2,
        'lookups_total{result="failed"}': 1,
        'renders_total{result="written"}': 1,
        'renders_total{result="failed"}': 0,
        'addresses{family="IPv4"}': 2,
        'addresses{family="IPv6"}': 1,
        "stale_age_seconds": 60,
        "last_change_timestamp_seconds": 900,
        "served_mismatch": 1,
    }
    metrics.dns(DnsNumbers())
    assert samples(metrics, "ovnk_reconcile_dns_stale_age_seconds") == ["ovnk_reconcile_dns_stale_age_seconds 0.0"]
