"""Where an installation is."""

from dataclasses import replace
from ipaddress import ip_address

import pytest

from ovnguard.reconciler.dns.plan.observed import Resolved
from ovnguard.reconciler.dns.plan.served_names import Dialect
from ovnguard.reconciler.dns.plan.workflow import STEPS, Actor, State, ingress_addresses, workflow
from tests.support.dns.cluster_objects import (
    LB,
    cluster_dns,
    cluster_version,
    controller,
    coredns,
    infrastructure,
    install_config,
    node,
    observed,
    router,
)
from tests.support.dns.objects import DOMAIN

API, API_INT, PROBE = (f"{name}.{DOMAIN}" for name in ("api", "api-int", "ovnguard-check.apps"))
FIVE = Resolved((ip_address("10.0.0.5"),))
NONE = Resolved((), "NXDOMAIN")
CUSTOM = (infrastructure(), cluster_dns())
KNOWN = (*CUSTOM, router({"hostname": LB}))
SERVING = (*KNOWN, node(), coredns())
COMPLETE = (*SERVING, cluster_version("Completed"))
HOSTED = infrastructure(
    "ClusterHosted", "Azure", apiIntLoadBalancerIPs=["10.0.0.7"], ingressLoadBalancerIPs=["10.0.0.5"]
)


def state(*objects, **resolved):
    return workflow(replace(observed(*objects), resolved=resolved)).state


@pytest.mark.parametrize(
    ("objects", "resolved", "expected"),
    [
        ((), {}, State.PREREQUISITES),
        ((install_config(None),), {}, State.PLATFORM_DNS),
        ((install_config({"userDNS": "Disabled"}),), {}, State.PLATFORM_DNS),
        ((install_config(),), {}, State.VALIDATE),
        ((install_config(),), {API: FIVE, API_INT: NONE}, State.USER_DNS),
        ((install_config(),), {API: FIVE, API_INT: FIVE}, State.VALIDATE),
        ((install_config("Enabled"),), {API: NONE, API_INT: NONE}, State.VALIDATE),
        ((infrastructure(""), cluster_dns()), {}, State.PLATFORM_DNS),
        ((infrastructure(),), {}, State.MANIFESTS),
        (CUSTOM, {}, State.INGRESS_PENDING),
        ((*CUSTOM, router()), {}, State.INGRESS_PENDING),
        (KNOWN, {}, State.LOAD_BALANCER_KNOWN),
        (KNOWN, {LB: NONE}, State.LOAD_BALANCER_KNOWN),
        (KNOWN, {LB: FIVE}, State.COREDNS),
        ((*KNOWN, node(), coredns(phase="Pending")), {LB: FIVE}, State.COREDNS),
        ((*SERVING, node("n2")), {LB: FIVE}, State.COREDNS),
        ((*KNOWN, node(), coredns(labels={})), {LB: FIVE}, State.COREDNS),
        ((*KNOWN, node(), coredns(namespace="default")), {LB: FIVE}, State.COREDNS),
        ((*SERVING, cluster_version("Partial")), {LB: FIVE}, State.INSTALL_COMPLETE),
        (SERVING, {LB: FIVE}, State.USER_APPS),
        (COMPLETE, {LB: FIVE, PROBE: NONE}, State.USER_APPS),
        (COMPLETE, {LB: FIVE, PROBE: FIVE}, State.STEADY),
        ((*COMPLETE[:-1], cluster_version("Partial", "Completed")), {LB: FIVE, PROBE: FIVE}, State.STEADY),
    ],
)
def test_the_state_of_the_proposed_api(objects, resolved, expected):
    assert state(*objects, **resolved) is expected


@pytest.mark.parametrize(
    ("objects", "resolved", "expected"),
    [
        ((infrastructure("ClusterHosted", "Azure"),), {}, State.MANIFESTS),
        ((infrastructure("ClusterHosted", "Azure"), cluster_dns()), {}, State.INGRESS_PENDING),
        (
            (infrastructure("ClusterHosted", "Azure"), cluster_dns(), router({"ip": "10.0.0.5"})),
            {},
            State.LOAD_BALANCER_KNOWN,
        ),
        ((HOSTED, cluster_dns()), {}, State.COREDNS),
        ((HOSTED, cluster_dns(), node(), coredns()), {PROBE: FIVE}, State.USER_APPS),
        (
            (HOSTED, cluster_dns(), node(), coredns()),
            {PROBE: FIVE, API: Resolved((ip_address("10.0.0.7"),)), API_INT: Resolved((ip_address("10.0.0.7"),))},
            State.STEADY,
        ),
    ],
)
def test_the_state_of_the_released_api(objects, resolved, expected):
    assert state(*objects, **resolved) is expected


@pytest.mark.parametrize("dialect", Dialect)
def test_every_state_has_a_step_of_somebody(dialect):
    states = [step.state for step in STEPS[dialect]]
    assert len(set(states)) == len(states)
    assert states[-2:] == [State.USER_APPS, State.STEADY]


def test_the_owed_steps_and_their_actors_follow_from_the_state():
    found = workflow(replace(observed(*KNOWN), resolved={LB: FIVE}))
    assert [(step.state, step.actor) for step in found.owed] == [
        (State.COREDNS, Actor.MACHINE_CONFIG_OPERATOR),
        (State.INSTALL_COMPLETE, Actor.CLUSTER),
        (State.USER_APPS, Actor.USER),
        (State.STEADY, Actor.MONITOR),
    ]


def test_a_refused_configuration_fails_and_owes_nothing():
    found = workflow(replace(observed(install_config()), refusals=("apiIntLBName: Required value",)))
    assert (found.state, found.owed, found.records) == (State.FAILED, (), ())
    assert list(map(str, found.problems)) == ["install-config.yaml: apiIntLBName: Required value"]


def problems(*objects, **resolved):
    return list(map(str, workflow(replace(observed(*objects), resolved=resolved)).problems))


def test_names_of_the_api_server_that_do_not_resolve_are_a_problem_before_the_installation():
    assert problems(install_config(), **{API: NONE, API_INT: FIVE}) == [f"{API}: does not resolve: NXDOMAIN"]
    assert problems(install_config("Enabled"), **{API: NONE, API_INT: NONE}) == []


def test_apps_that_does_not_resolve_is_a_problem_after_the_installation():
    resolved = {LB: FIVE, PROBE: NONE}
    assert problems(*SERVING, cluster_version("Partial"), **resolved) == []
    assert problems(*COMPLETE, **resolved) == [f"*.apps.{DOMAIN}: does not resolve: NXDOMAIN"]


def test_a_record_that_leads_elsewhere_is_a_problem():
    resolved = {LB: FIVE, PROBE: Resolved((ip_address("10.0.0.4"),))}
    assert problems(*COMPLETE, **resolved) == [f"*.apps.{DOMAIN}: leads to 10.0.0.4, not to {LB}"]


def test_a_load_balancer_whose_name_does_not_resolve_is_a_problem():
    assert problems(*KNOWN, **{LB: NONE}) == [f"{LB}: NXDOMAIN"]


def test_recorded_addresses_that_the_load_balancer_no_longer_has():
    objects = (HOSTED, cluster_dns(), router({"ip": "10.0.0.9"}, {"ip": "10.0.0.5"}))
    assert problems(*objects) == [
        "Infrastructure cluster: ingressLoadBalancerIPs: lists 10.0.0.5, and the load balancer has 10.0.0.9, 10.0.0.5"
    ]
    assert problems(*objects[:2], router({"ip": "10.0.0.5"})) == []


@pytest.mark.parametrize(
    ("policy", "zones", "expected"),
    [
        ("Managed", [{"dnsZone": {"id": "Z1"}}], 1),
        (None, [{"dnsZone": {"id": "Z1"}}], 1),
        ("Unmanaged", [{"dnsZone": {"id": "Z1"}}], 0),
        ("Managed", [], 0),
    ],
)
def test_records_in_the_dns_of_the_platform(policy, zones, expected):
    record = {
        "apiVersion": "ingress.operator.openshift.io/v1",
        "kind": "DNSRecord",
        "metadata": {"namespace": "openshift-ingress-operator", "name": "default-wildcard"},
        "spec": {"dnsManagementPolicy": policy},
        "status": {"zones": zones},
    }
    text = 'DNSRecord "default-wildcard": is in zones of the DNS of the platform, which the user replaces'
    assert problems(*CUSTOM, record) == [text] * expected


def test_zones_contradict_the_choice():
    assert problems(infrastructure(), cluster_dns(publicZone={"id": "Z1"})) == [
        "DNS cluster: spec.publicZone: must be absent, or the cluster writes *.apps to the cloud's DNS"
    ]
    assert problems(infrastructure(""), cluster_dns(publicZone={"id": "Z1"})) == []


@pytest.mark.parametrize(
    ("config", "recorded"), [(install_config(), infrastructure("")), (install_config(None), infrastructure())]
)
def test_a_cluster_without_the_choice_of_its_configuration(config, recorded):
    assert problems(config, recorded, cluster_dns())[0] == (
        "Infrastructure cluster: does not have the choice of install-config.yaml"
    )


def test_an_invalid_domain_is_a_problem():
    wrong = cluster_dns()
    wrong["spec"]["baseDomain"] = "a b"
    assert problems(infrastructure(), wrong) == ["DNS cluster: spec.baseDomain: is not a DNS name in lower case"]


def test_problems_of_the_load_balancer_are_shown():
    strategy = controller({"endpointPublishingStrategy": {"type": "Private"}})
    assert problems(*CUSTOM, strategy)[0].endswith('publishes with "Private"; *.apps needs LoadBalancerService')


def test_a_load_balancer_in_deletion_does_not_count():
    going = router({"hostname": LB})
    going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert state(*CUSTOM, going) is State.INGRESS_PENDING


def test_addresses_to_answer_with():
    assert ingress_addresses(replace(observed(*KNOWN), resolved={LB: FIVE})) == FIVE.addresses
    assert ingress_addresses(observed(HOSTED, router({"ip": "10.0.0.9"}))) == FIVE.addresses


@pytest.mark.parametrize("odd", [None, 7, "x", [], {"a": 1}])
@pytest.mark.parametrize("place", ["spec", "status", "metadata"])
def test_objects_of_any_shape_have_a_state(odd, place):
    objects = [{**obj, place: odd} for obj in COMPLETE]
    assert isinstance(workflow(observed(*objects)).state, State)
