"""What Prometheus reads about user-managed DNS."""

from prometheus_client import CollectorRegistry, generate_latest

from ovnguard.reconciler.dns.loop.dns_metrics import DnsMetrics, DnsNumbers


def samples(registry: CollectorRegistry, name: str) -> list[str]:
    return [line for line in generate_latest(registry).decode().splitlines() if line.startswith(name)]


def test_age_of_addresses_grows_until_they_are_confirmed(monkeypatch):
    registry = CollectorRegistry()
    metrics = DnsMetrics(registry)
    monkeypatch.setattr("time.time", lambda: 1000.0)
    metrics.set(DnsNumbers(ipv4=2, ipv6=1, stale_since=940.0, changed=900.0, is_mismatched=True))
    metrics.looked_up(2, 1)
    metrics.rendered("written")
    found = dict(line.rsplit(" ", 1) for line in samples(registry, "ovnk_reconcile_dns_"))
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
    metrics.set(DnsNumbers())
    assert samples(registry, "ovnk_reconcile_dns_stale_age_seconds") == ["ovnk_reconcile_dns_stale_age_seconds 0.0"]
