"""The DNS records of the user."""

from dataclasses import replace
from ipaddress import ip_address

import pytest

from ovnguard.reconciler.dns.plan.observed import Resolved
from ovnguard.reconciler.dns.plan.records import Record, RecordState, When, names_to_resolve, owed_records
from tests.support.dns.cluster_objects import (
    LB,
    PROPOSED,
    cluster_dns,
    infrastructure,
    install_config,
    observed,
    router,
)
from tests.support.dns.objects import DOMAIN

API, API_INT, APPS, PROBE = (f"{name}.{DOMAIN}" for name in ("api", "api-int", "*.apps", "ovnguard-check.apps"))
RUNNING = (infrastructure(), cluster_dns(), router({"hostname": LB}))


def ips(*texts):
    return tuple(map(ip_address, texts))


def lines(seen, **resolved):
    """(name, type, value, state, detail) of every record."""
    answers = {name.replace("_", "."): each for name, each in resolved.items()}
    return [
        (each.name, each.type, each.value, each.state, each.detail)
        for each in owed_records(replace(seen, resolved=answers))
    ]


def apps_record(expected, found):
    resolved = {LB: expected, PROBE: found}
    record = owed_records(replace(observed(*RUNNING), resolved=resolved))[-1]
    return record.state, record.detail


def test_what_the_proposed_api_needs_before_and_after_the_installation():
    assert owed_records(observed(install_config())) == (
        Record(API, "CNAME", "", When.BEFORE, "the DNS name of load balancer ext-lb"),
        Record(API_INT, "CNAME", "", When.BEFORE, "the DNS name of load balancer int-lb"),
        Record(APPS, "CNAME", "", When.AFTER, "the load balancer of *.apps", RecordState.LATER),
    )


def test_api_is_at_the_internal_load_balancer_of_a_cluster_that_is_not_published():
    choice = {"userDNS": "Enabled", "apiIntLBName": "int-lb"}
    found = owed_records(observed(install_config(choice, publish="Internal")))
    assert [each.source for each in found[:2]] == ["the DNS name of load balancer int-lb"] * 2


def test_load_balancers_that_the_user_names():
    targets = {"api": "LB.example.net.", "api-int": "10.0.0.7"}
    found = owed_records(replace(observed(install_config()), targets=targets))
    assert [(each.type, each.value) for each in found[:2]] == [("CNAME", "lb.example.net"), ("A", "10.0.0.7")]


def test_reserved_addresses_are_known_before_the_installation():
    config = install_config()
    config["platform"]["aws"]["staticIPs"] = {
        "api": ["203.0.113.5"],
        "apiInt": ["10.0.0.7", "fd00::7"],
        "ingress": ["203.0.113.6"],
    }
    found = owed_records(observed(config))
    assert [(each.name, each.type, each.value) for each in found] == [
        (API, "A", "203.0.113.5"),
        (API_INT, "A", "10.0.0.7"),
        (API_INT, "AAAA", "fd00::7"),
        (APPS, "A", "203.0.113.6"),
    ]


def test_apps_has_a_record_as_soon_as_the_service_asks_for_an_address():
    asking = router(loadBalancerIP="203.0.113.6")
    found = owed_records(observed(infrastructure("ClusterHosted", "GCP"), cluster_dns(), asking))[-1]
    assert (found.type, found.value, found.source) == ("A", "203.0.113.6", "the address that the Service asks for")


def test_the_released_api_lists_the_addresses_of_all_names():
    lists = {
        "apiIntLoadBalancerIPs": ["10.0.0.7"],
        "apiLoadBalancerIPs": ["203.0.113.5"],
        "ingressLoadBalancerIPs": ["203.0.113.6", "fd00::6"],
    }
    found = owed_records(observed(infrastructure("ClusterHosted", "GCP", **lists), cluster_dns()))
    assert [(each.name, each.type, each.value, each.when) for each in found] == [
        (API, "A", "203.0.113.5", When.AFTER),
        (API_INT, "A", "10.0.0.7", When.AFTER),
        (APPS, "A", "203.0.113.6", When.AFTER),
        (APPS, "AAAA", "fd00::6", When.AFTER),
    ]


def test_api_of_a_private_cluster_is_at_the_internal_load_balancer():
    found = owed_records(observed(infrastructure("ClusterHosted", apiIntLoadBalancerIPs=["10.0.0.7"]), cluster_dns()))
    assert [(each.name, each.value) for each in found[:2]] == [(API, "10.0.0.7"), (API_INT, "10.0.0.7")]


@pytest.mark.parametrize(
    "seen", [(), (install_config(None),), (infrastructure(""), cluster_dns()), (infrastructure(),)]
)
def test_nothing_is_owed_without_user_managed_dns_or_a_domain(seen):
    assert owed_records(observed(*seen)) == ()
    assert names_to_resolve(observed(*seen)) == ()


def test_the_names_that_show_the_state_of_the_records():
    seen = replace(observed(*RUNNING), targets={"api": "lb.example.net", "api-int": "10.0.0.7"})
    assert names_to_resolve(seen) == (API, API_INT, PROBE, LB, "lb.example.net")


@pytest.mark.parametrize(
    ("expected", "found", "state"),
    [
        (Resolved(ips("10.0.0.5", "10.0.0.6")), Resolved(ips("10.0.0.6")), (RecordState.CORRECT, "")),
        (Resolved(ips("10.0.0.5")), Resolved(ips("10.0.0.9")), (RecordState.WRONG, "leads to 10.0.0.9")),
        (Resolved(ips("10.0.0.5")), Resolved((), "NXDOMAIN"), (RecordState.MISSING, "NXDOMAIN")),
        (Resolved(ips("10.0.0.5")), Resolved(), (RecordState.MISSING, "the name has no address")),
        (
            Resolved((), "10.0.0.2: SERVFAIL"),
            Resolved(ips("10.0.0.9")),
            (RecordState.UNCHECKED, "the load balancer's name does not resolve: 10.0.0.2: SERVFAIL"),
        ),
    ],
)
def test_an_alias_leads_to_addresses_of_the_load_balancer(expected, found, state):
    assert apps_record(expected, found) == state


def test_every_address_has_its_own_record():
    seen = observed(
        infrastructure("ClusterHosted", "GCP"), cluster_dns(), router({"ip": "10.0.0.5"}, {"ip": "fd00::5"})
    )
    assert lines(replace(seen), **{PROBE: Resolved(ips("10.0.0.5"))})[-2:] == [
        (APPS, "A", "10.0.0.5", RecordState.CORRECT, ""),
        (APPS, "AAAA", "fd00::5", RecordState.MISSING, "the name has no address"),
    ]
    assert lines(replace(seen), **{PROBE: Resolved(ips("10.0.0.4", "fd00::5"))})[-2:] == [
        (APPS, "A", "10.0.0.5", RecordState.WRONG, "leads to 10.0.0.4"),
        (APPS, "AAAA", "fd00::5", RecordState.CORRECT, ""),
    ]


def test_a_name_whose_load_balancer_is_unknown_can_only_resolve_or_not():
    resolved = {API: Resolved(ips("10.0.0.5")), API_INT: Resolved((), "NXDOMAIN")}
    found = owed_records(replace(observed(install_config(PROPOSED)), resolved=resolved))
    assert [(each.state, each.detail) for each in found] == [
        (RecordState.RESOLVES, "leads to 10.0.0.5"),
        (RecordState.MISSING, "NXDOMAIN"),
        (RecordState.LATER, ""),
    ]
