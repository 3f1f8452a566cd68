"""Objects of a cluster whose user manages DNS, as its components write them."""

from ovnguard.reconciler.dns.plan.observed import observed_of
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.dns import objects

LB = "a1-2.elb.us-east-1.amazonaws.com"
PROPOSED = {"userDNS": "Enabled", "apiIntLBName": "int-lb", "apiLBName": "ext-lb"}


def install_config(choice=PROPOSED, platform="aws", *, subnets=("subnet-1",), **fields):
    """``choice`` is the block of the proposed API, or the word of the released one."""
    key = "userProvisionedDNS" if isinstance(choice, str) else "userConfiguredDNSLB"
    clouds: dict[str, dict[str, object]] = {
        "aws": {"region": "us-east-1", **({"subnets": list(subnets)} if subnets else {})},
        "azure": {"region": "eastus", "baseDomainResourceGroupName": "dns"},
        "gcp": {"projectID": "p-1", "region": "us-east1"},
    }
    block = {**clouds[platform], **({} if choice is None else {key: choice})}
    return {
        "apiVersion": "install.openshift.io/v1",
        "kind": "InstallConfig",
        "metadata": {"name": "c1"},
        "baseDomain": "example.com",
        "platform": {platform: block},
        **fields,
    }


def infrastructure(choice="UserAndClusterProvided", platform="AWS", **hosted):
    """``choice`` is the value of either API; ``hosted`` the lists of the released one."""
    if choice in {"UserAndClusterProvided", ""}:
        return objects.infrastructure(platform, {"dnsConfig": {"provider": choice}})
    config = {"dnsType": choice, **({"clusterHosted": hosted} if hosted else {})}
    return objects.infrastructure(platform, {"cloudLoadBalancerConfig": config})


def cluster_dns(**zones):
    found = objects.dns()
    found["spec"] |= zones
    return found


def router(*entries, name="router-default", kind="LoadBalancer", annotations=None, **spec):
    """The Service of an IngressController with the load balancers in its status."""
    found = objects.service(*entries, name=name)
    found["spec"] |= {"type": kind, **spec}
    found["metadata"]["annotations"] = annotations or {}
    return found


def controller(spec=None, status=None, name="default"):
    return {**objects.controller(name), "spec": spec or {}, "status": status or {}}


def node(name="n1"):
    return objects.node(name)


def coredns(node_name="n1", phase="Running", **metadata):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "namespace": "openshift-cloud-platform-infra",
            "name": f"coredns-{node_name}",
            "labels": {"app": "cloud-platform-infra-coredns"},
            **metadata,
        },
        "spec": {"nodeName": node_name},
        "status": {"phase": phase},
    }


def cluster_version(*states):
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ClusterVersion",
        "metadata": {"name": "version"},
        "status": {"history": [{"state": state} for state in states]},
    }


def observed(*objects):
    return observed_of(ObjectsView(objects))
