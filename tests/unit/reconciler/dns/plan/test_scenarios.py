"""The scenarios of user-managed DNS, from the install configuration to the end of the cluster, one test each.

Those of a running monitor, of CoreDNS itself and of an API server are in tests/functional and tests/e2e as well.
"""

import re
from dataclasses import replace
from ipaddress import ip_address

import pytest

from ovnguard.reconciler.dns.plan.corefile import CorefileInput, corefile
from ovnguard.reconciler.dns.plan.deletion import INSTALLER, deletions
from ovnguard.reconciler.dns.plan.install_manifests import Installation, install_manifests
from ovnguard.reconciler.dns.plan.load_balancer import IngressTarget, ingress_target
from ovnguard.reconciler.dns.plan.observed import Resolved
from ovnguard.reconciler.dns.plan.served_names import Dialect
from ovnguard.reconciler.dns.plan.static_pod import StaticPodInput, static_pod
from ovnguard.reconciler.dns.plan.upstreams import Upstream
from ovnguard.reconciler.dns.plan.workflow import State, ingress_addresses, workflow
from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.bundled.whole_catalog import whole_catalog
from ovnguard.validators.network.cluster_view import EmptyView, ObjectsView
from tests.support.dns.cluster_objects import (
    LB,
    PROPOSED,
    cluster_dns,
    controller,
    coredns,
    infrastructure,
    install_config,
    node,
    observed,
    router,
)
from tests.support.dns.objects import DOMAIN

PROVIDER = "status.platformStatus.aws.dnsConfig.provider"
CHOICE = "provider UserAndClusterProvided"
UPSTREAMS = (Upstream(ip_address("10.0.0.2")),)
RUNNING = (infrastructure(), cluster_dns(), router({"hostname": LB}), node(), coredns())
CATALOG = whole_catalog()
# an Infrastructure before its first status
NEW = {key: value for key, value in infrastructure().items() if key != "status"}


def ips(*texts):
    return tuple(map(ip_address, texts))


def verdict(obj, old=None, *, around=(), status=False):
    """The judgement of a creation, or of a change from ``old``."""
    operation = Operation.CREATE if old is None else Operation.UPDATE
    view = ObjectsView(around) if around else EmptyView()
    request = Request(operation, obj, old, "status" if status else "")
    return judge(request, view, CATALOG, field_validation="Strict")


def errors(*args, **options):
    return [(each.field, each.detail) for each in verdict(*args, **options).errors if each.field != "<nil>"]


def warnings(*args, **options):
    found = verdict(*args, **options)
    assert found.errors == ()
    return [each.rule for each in found.warnings]


def recorded(config, **known):
    """The Infrastructure and the DNS of an install configuration."""
    return install_manifests(observed(config), Installation(**known))


def file_for(*addresses, dialect=Dialect.PROPOSED):
    return corefile(CorefileInput(DOMAIN, dialect, UPSTREAMS, ips(*addresses))).text


def answer(text, name, kind):
    """What CoreDNS's plugin template answers: addresses, or None when the question goes on to the next plugin."""
    blocks = re.findall(rf"template IN (\S+) {re.escape(DOMAIN)} {{\n\s+match (\S+)\n((?:\s+answer .*\n)*)", text)
    for record, pattern, answers in blocks:
        if record == kind and re.search(pattern, f"{name}."):
            return [line.split()[-1].rstrip('"') for line in answers.splitlines()]
    return None


@pytest.mark.parametrize("choice", [None, {"userDNS": ""}, {"userDNS": "Disabled"}])
def test_01_the_dns_of_the_platform(choice):
    cluster, dns = recorded(install_config(choice), infra_id="c1-x", public_zone="Z1")
    assert cluster["status"]["platformStatus"]["aws"]["dnsConfig"] == {"provider": ""}
    assert sorted(dns["spec"]) == ["baseDomain", "privateZone", "publicZone"]
    assert workflow(observed(install_config(choice))).state is State.PLATFORM_DNS


def test_02_user_managed_dns_with_both_load_balancers():
    assert warnings(install_config()) == []
    cluster, dns = recorded(install_config(), infra_id="c1-x", public_zone="Z1")
    assert cluster["status"]["platformStatus"]["aws"]["dnsConfig"] == {"provider": "UserAndClusterProvided"}
    assert dns["spec"] == {"baseDomain": DOMAIN}


def test_03_a_cluster_that_is_not_published_needs_the_internal_load_balancer_alone():
    choice = {"userDNS": "Enabled", "apiIntLBName": "int-lb"}
    assert warnings(install_config(choice, publish="Internal")) == []


def test_04_a_published_cluster_needs_a_load_balancer_for_api():
    assert errors(install_config({"userDNS": "Enabled", "apiIntLBName": "int-lb"})) == [
        (
            "platform.aws.userConfiguredDNSLB.apiLBName",
            "userDNS Enabled requires a load balancer for api, unless publish is Internal",
        )
    ]


@pytest.mark.parametrize("publish", ["External", "Internal"])
def test_05_every_cluster_needs_a_load_balancer_for_api_int(publish):
    assert errors(install_config({"userDNS": "Enabled", "apiLBName": "ext-lb"}, publish=publish)) == [
        ("platform.aws.userConfiguredDNSLB.apiIntLBName", "userDNS Enabled requires a load balancer for api-int")
    ]


def test_06_api_that_does_not_resolve_is_a_warning():
    names = {f"api.{DOMAIN}": Resolved((), "NXDOMAIN"), f"api-int.{DOMAIN}": Resolved(ips("10.0.0.7"))}
    seen = replace(observed(install_config()), resolved=names)
    assert list(map(str, workflow(seen).problems)) == [f"api.{DOMAIN}: does not resolve: NXDOMAIN"]
    assert len(install_manifests(seen, Installation())) == 2


def test_07_user_dns_is_enabled_or_disabled():
    assert errors(install_config(PROPOSED | {"userDNS": "Yes"})) == [
        (
            "platform.aws.userConfiguredDNSLB.userDNS",
            'supported values: "", "Enabled", "Disabled"',
        )
    ]


@pytest.mark.parametrize(
    ("aws", "message"),
    [
        ({"dnsConfig": {"provider": ""}}, "provider is immutable once set"),
        ({"dnsConfig": {}}, "provider is immutable once set"),
        ({}, "provider is immutable once set"),
        (None, "provider is immutable once set, also by removing status.platformStatus.aws"),
    ],
)
def test_08_the_provider_stays(aws, message):
    changed = infrastructure()
    changed["status"]["platformStatus"] = {"type": "AWS"} | ({} if aws is None else {"aws": aws})
    assert errors(changed, infrastructure(), status=True) == [(PROVIDER, message)]


def test_09_a_later_choice_is_a_warning():
    assert warnings(infrastructure(), infrastructure(""), status=True) == ["OVNG-DNS-014"]


def test_10_another_change_of_the_status_is_accepted():
    changed = infrastructure()
    changed["status"]["infrastructureName"] = "c1-x"
    assert warnings(changed, infrastructure(), status=True) == []


@pytest.mark.parametrize("zone", ["publicZone", "privateZone"])
def test_11_user_managed_dns_has_no_zones(zone):
    found = errors(cluster_dns(**{zone: {"id": "Z1"}}), cluster_dns(), around=[infrastructure()])
    assert found == [(f"spec.{zone}", f"a cluster with userDNS Enabled has no DNS zones ({CHOICE})")]


def test_12_apps_has_the_address_that_the_load_balancer_resolves_to():
    seen = replace(observed(*RUNNING), resolved={LB: Resolved(ips("10.0.0.5"))})
    assert ingress_addresses(seen) == ips("10.0.0.5")
    text = file_for("10.0.0.5")
    assert answer(text, f"foo.apps.{DOMAIN}", "A") == ["10.0.0.5"]
    assert '"{{ .Name }} 60 in {{ .Type }} 10.0.0.5"' in text


@pytest.mark.parametrize("name", [f"apps.{DOMAIN}", f"xapps.{DOMAIN}", f"api.{DOMAIN}", "foo.apps.c1-example.com"])
def test_13_other_names_are_forwarded(name):
    assert answer(file_for("10.0.0.5"), name, "A") is None
    assert answer(file_for("10.0.0.5"), name, "AAAA") is None


def test_14_another_address_is_another_configuration():
    assert file_for("10.0.0.5") != file_for("10.0.0.6")
    assert file_for("10.0.0.6") == file_for("10.0.0.6")


def test_15_the_same_addresses_in_another_order_are_the_same_configuration():
    assert file_for("10.0.0.5", "10.0.0.6", "fd00::5") == file_for("fd00::5", "10.0.0.6", "10.0.0.5")


def test_16_without_an_answer_the_load_balancer_stays_unknown():
    seen = replace(observed(*RUNNING), resolved={LB: Resolved((), "no answer within 5 s")})
    assert ingress_addresses(seen) == ()
    assert workflow(seen).state is State.LOAD_BALANCER_KNOWN


def test_17_ipv6_alone():
    text = file_for("fd00::5")
    assert answer(text, f"foo.apps.{DOMAIN}", "AAAA") == ["fd00::5"]
    assert answer(text, f"foo.apps.{DOMAIN}", "A") == []


@pytest.mark.parametrize("dialect", Dialect)
def test_18_both_families(dialect):
    text = file_for("10.0.0.5", "fd00::5", dialect=dialect)
    assert answer(text, f"foo.apps.{DOMAIN}", "A") == ["10.0.0.5"]
    assert answer(text, f"foo.apps.{DOMAIN}", "AAAA") == ["fd00::5"]


@pytest.mark.parametrize("platform", ["Azure", "GCP"])
def test_19_addresses_in_the_status_need_no_lookup(platform):
    found = ingress_target([router({"ip": "10.0.0.5"})], [], platform, DOMAIN, Dialect.RELEASED)
    assert found == IngressTarget(True, (), ips("10.0.0.5"))


def test_20_another_ingress_controller_is_ignored():
    services = [router({"hostname": "other.example.net"}, name="router-internal"), router({"hostname": LB})]
    controllers = [controller(name="internal", status={"domain": "internal.example.com"}), controller()]
    assert ingress_target(services, controllers, "AWS", DOMAIN, Dialect.PROPOSED) == IngressTarget(True, (LB,))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (infrastructure(), infrastructure("PlatformDefault")),
        (infrastructure("ClusterHosted", apiIntLoadBalancerIPs=["10.0.0.7"]), infrastructure("PlatformDefault")),
        (
            infrastructure("ClusterHosted", "GCP", apiIntLoadBalancerIPs=["10.0.0.7"]),
            infrastructure("PlatformDefault", "GCP"),
        ),
    ],
)
def test_21_an_upgrade_keeps_the_provider_and_the_pod(old, new):
    upgraded = {**old, "metadata": {**old["metadata"], "annotations": {"release": "4.19"}}}
    assert warnings(upgraded, old) == []
    assert errors(new, old, status=True) != []
    kept = StaticPodInput(Dialect.PROPOSED, "AWS", "coredns:2", "ovnguard:2", ips("10.0.0.5"))
    assert static_pod(kept).path == static_pod(replace(kept, coredns_image="coredns:1")).path


def test_22_the_cluster_deletes_the_load_balancer_of_its_ingress_alone():
    found = [each.resource for each in deletions(observed(install_config(), *RUNNING)) if each.by == INSTALLER]
    assert found == [f"load balancer of *.apps ({LB})"]


def test_23_addresses_only_with_cluster_hosted():
    wrong = infrastructure("PlatformDefault", apiIntLoadBalancerIPs=["10.0.0.7"])
    assert errors(wrong, NEW, status=True) == [
        (
            "status.platformStatus.aws.cloudLoadBalancerConfig",
            "clusterHosted is permitted only when dnsType is ClusterHosted",
        )
    ]


@pytest.mark.parametrize(
    ("addresses", "place", "message"),
    [
        ([f"10.0.0.{number}" for number in range(1, 18)], "", "must have at most 16 items"),
        (["10.10.10.20", "10.10.10.20"], "[1]", ""),
        (["not-an-ip"], "[0]", "value must be a valid IP address"),
    ],
)
def test_24_lists_of_addresses(addresses, place, message):
    field = "status.platformStatus.aws.cloudLoadBalancerConfig.clusterHosted.ingressLoadBalancerIPs"
    found = errors(infrastructure("ClusterHosted", ingressLoadBalancerIPs=addresses), NEW, status=True)
    assert found == [(f"{field}{place}", message)]


@pytest.mark.parametrize(
    ("scope", "subnets", "message"),
    [
        ("Internal", None, "eipAllocations are forbidden when the scope is Internal."),
        (
            "External",
            {"ids": ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]},
            "number of subnets must be equal to number of eipAllocations",
        ),
    ],
)
def test_25_elastic_addresses(scope, subnets, message):
    network = {"eipAllocations": ["eipalloc-0123456789abcdef0"]} | ({} if subnets is None else {"subnets": subnets})
    parameters = {"type": "AWS", "aws": {"type": "NLB", "networkLoadBalancer": network}}
    balancer = {"scope": scope, "dnsManagementPolicy": "Unmanaged", "providerParameters": parameters}
    obj = controller({"endpointPublishingStrategy": {"type": "LoadBalancerService", "loadBalancer": balancer}})
    assert message in [detail for _, detail in errors(obj)]
