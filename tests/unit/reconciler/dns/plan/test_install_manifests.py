"""What the installer writes."""

from ipaddress import ip_address

import pytest

from ovnguard.reconciler.dns.plan.install_manifests import Installation, install_manifests
from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.bundled.whole_catalog import whole_catalog
from ovnguard.validators.network.cluster_view import EmptyView, ObjectsView
from tests.support.dns.cluster_objects import PROPOSED, install_config, observed
from tests.support.dns.objects import DOMAIN

CATALOG = whole_catalog()


def manifests(config, known=None):
    return install_manifests(observed(config), known or Installation())


def test_the_proposed_choice():
    infrastructure, dns = manifests(install_config())
    assert infrastructure == {
        "apiVersion": "config.openshift.io/v1",
        "kind": "Infrastructure",
        "metadata": {"name": "cluster"},
        "spec": {"platformSpec": {"type": "AWS", "aws": {}}},
        "status": {
            "apiServerInternalURI": f"https://api-int.{DOMAIN}:6443",
            "apiServerURL": f"https://api.{DOMAIN}:6443",
            "controlPlaneTopology": "HighlyAvailable",
            "infrastructureTopology": "HighlyAvailable",
            "platform": "AWS",
            "platformStatus": {
                "type": "AWS",
                "aws": {"region": "us-east-1", "dnsConfig": {"provider": "UserAndClusterProvided"}},
            },
        },
    }
    assert dns == {
        "apiVersion": "config.openshift.io/v1",
        "kind": "DNS",
        "metadata": {"name": "cluster"},
        "spec": {"baseDomain": DOMAIN},
    }


@pytest.mark.parametrize("choice", [None, {"userDNS": "Disabled"}, {"userDNS": ""}, {}])
def test_the_dns_of_the_platform(choice):
    known = Installation("c1-x7k2p", public_zone="Z1")
    infrastructure, dns = manifests(install_config(choice), known)
    assert infrastructure["status"]["platformStatus"]["aws"]["dnsConfig"] == {"provider": ""}
    assert infrastructure["status"]["infrastructureName"] == "c1-x7k2p"
    assert dns["spec"] == {
        "baseDomain": DOMAIN,
        "privateZone": {"tags": {"Name": "c1-x7k2p-int", "kubernetes.io/cluster/c1-x7k2p": "owned"}},
        "publicZone": {"id": "Z1"},
    }


def test_zones_are_never_written_for_user_managed_dns():
    known = Installation("c1-x7k2p", public_zone="Z1", private_zone="Z2")
    for config in (install_config(), install_config("Enabled"), install_config("Enabled", "gcp")):
        assert manifests(config, known)[1]["spec"] == {"baseDomain": DOMAIN}


def test_a_hosted_zone_and_a_cluster_that_is_not_published():
    config = install_config(None, publish="Internal")
    config["platform"]["aws"]["hostedZone"] = "Z3"
    assert manifests(config, Installation(public_zone="Z1"))[1]["spec"] == {
        "baseDomain": DOMAIN,
        "privateZone": {"id": "Z3"},
    }


@pytest.mark.parametrize(
    ("platform", "key", "rest"),
    [
        ("aws", "aws", {"region": "us-east-1"}),
        ("azure", "azure", {}),
        ("gcp", "gcp", {"projectID": "p-1", "region": "us-east1"}),
    ],
)
def test_the_released_choice(platform, key, rest):
    known = Installation(api=(ip_address("203.0.113.5"),), api_int=(ip_address("10.0.0.7"), ip_address("fd00::7")))
    status = manifests(install_config("Enabled", platform), known)[0]["status"]["platformStatus"]
    hosted = {"apiIntLoadBalancerIPs": ["10.0.0.7", "fd00::7"], "apiLoadBalancerIPs": ["203.0.113.5"]}
    assert status[key] == rest | {"cloudLoadBalancerConfig": {"dnsType": "ClusterHosted", "clusterHosted": hosted}}


def test_addresses_that_are_not_known_yet():
    status = manifests(install_config("Enabled"))[0]["status"]["platformStatus"]
    assert status["aws"]["cloudLoadBalancerConfig"] == {"dnsType": "ClusterHosted"}


@pytest.mark.parametrize(
    ("control_plane", "workers", "topologies"),
    [
        (None, None, ("HighlyAvailable", "HighlyAvailable")),
        (1, 0, ("SingleReplica", "SingleReplica")),
        (3, 0, ("HighlyAvailable", "HighlyAvailable")),
        (3, 1, ("HighlyAvailable", "SingleReplica")),
        (True, "x", ("HighlyAvailable", "HighlyAvailable")),
    ],
)
def test_topologies(control_plane, workers, topologies):
    config = install_config(controlPlane={"replicas": control_plane}, compute=[{"replicas": workers}])
    status = manifests(config)[0]["status"]
    assert (status["controlPlaneTopology"], status["infrastructureTopology"]) == topologies


@pytest.mark.parametrize("name", [None, "", "A", "a b", 7])
def test_no_manifests_without_a_domain(name):
    assert manifests(install_config() | {"metadata": {"name": name}}) == ()


@pytest.mark.parametrize(
    "config",
    [
        install_config(PROPOSED),
        install_config("Enabled"),
        install_config("Enabled", "azure"),
        install_config("Enabled", "gcp"),
    ],
)
def test_the_judge_accepts_the_manifests(config):
    infrastructure, dns = manifests(config, Installation("c1-x7k2p", api_int=(ip_address("10.0.0.7"),)))
    bare = {key: value for key, value in infrastructure.items() if key != "status"}
    status = Request(Operation.UPDATE, infrastructure, bare, "status")
    alone = judge(status, EmptyView(), CATALOG, field_validation="Strict")
    beside = judge(Request(Operation.CREATE, dns), ObjectsView([infrastructure]), CATALOG, field_validation="Strict")
    assert [*alone.errors, *alone.warnings, *beside.errors, *beside.warnings] == []
