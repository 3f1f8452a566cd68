"""Who deletes what."""

from ovnguard.reconciler.dns.plan.deletion import Deletion, deletions
from tests.support.dns.cluster_objects import (
    LB,
    cluster_dns,
    infrastructure,
    install_config,
    observed,
    router,
)
from tests.support.dns.objects import DOMAIN

DESTROY = "openshift-install destroy cluster"
CUSTOM = (infrastructure(), cluster_dns(), router({"hostname": LB}))
HOSTED = (
    infrastructure("ClusterHosted", "GCP", apiIntLoadBalancerIPs=["10.0.0.7"]),
    cluster_dns(),
    router({"ip": "10.0.0.5"}),
)


def test_the_cluster_deletes_the_load_balancer_of_its_ingress_alone():
    assert deletions(observed(install_config(), *CUSTOM)) == (
        Deletion(f"load balancer of *.apps ({LB})", DESTROY),
        Deletion("load balancer of api (ext-lb)", "user"),
        Deletion("load balancer of api-int (int-lb)", "user"),
        Deletion("CoreDNS on the nodes (static pod coredns)", "with the nodes"),
        Deletion(f"DNS record api.{DOMAIN} CNAME", "user"),
        Deletion(f"DNS record api-int.{DOMAIN} CNAME", "user"),
        Deletion(f"DNS record *.apps.{DOMAIN} CNAME {LB}", "user"),
        Deletion("VPC and subnets", "user"),
    )


def test_a_cluster_that_is_not_published_has_one_load_balancer_less():
    config = install_config({"userDNS": "Enabled", "apiIntLBName": "int-lb"}, publish="Internal")
    resources = [each.resource for each in deletions(observed(config, *CUSTOM))]
    assert [each for each in resources if "load balancer of api" in each] == ["load balancer of api-int (int-lb)"]


def test_the_released_installer_deletes_what_it_created():
    assert deletions(observed(*HOSTED)) == (
        Deletion("load balancer of *.apps (10.0.0.5)", DESTROY),
        Deletion("load balancer of api", DESTROY),
        Deletion("load balancer of api-int", DESTROY),
        Deletion("CoreDNS on the nodes (static pod coredns)", "with the nodes"),
        Deletion(f"DNS record api.{DOMAIN} A 10.0.0.7", "user"),
        Deletion(f"DNS record api-int.{DOMAIN} A 10.0.0.7", "user"),
        Deletion(f"DNS record *.apps.{DOMAIN} A 10.0.0.5", "user"),
        Deletion("VPC and subnets", f"{DESTROY}; user, if install-config.yaml names subnets"),
    )


def test_the_network_belongs_to_its_creator():
    own = install_config("Enabled", subnets=("subnet-1",))
    created = install_config("Enabled", subnets=())
    assert deletions(observed(own))[-1] == Deletion("VPC and subnets", "user")
    assert deletions(observed(created))[-1] == Deletion("VPC and subnets", DESTROY)


def test_nothing_is_listed_where_the_platform_manages_dns():
    assert deletions(observed(infrastructure(""), cluster_dns())) == ()
