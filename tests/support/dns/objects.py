"""The objects of a cluster whose user manages DNS, for tests of the loops and of real API servers."""

DOMAIN = "c1.example.com"
PROPOSED = {"dnsConfig": {"provider": "UserAndClusterProvided"}}


def infrastructure(platform: str = "AWS", choice: dict | None = None) -> dict:
    block = {
        platform.lower(): {**({"region": "r"} if platform == "AWS" else {}), **(PROPOSED if choice is None else choice)}
    }
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "Infrastructure",
        "metadata": {"name": "cluster"},
        "spec": {"platformSpec": {"type": platform}},
        "status": {"platformStatus": {"type": platform, **block}},
    }


def hosted(ingress=(), api=("10.0.0.7",), api_int=("10.0.0.8",), **more) -> dict:
    """The released API's choice."""
    lists = {
        "ingressLoadBalancerIPs": list(ingress),
        "apiLoadBalancerIPs": list(api),
        "apiIntLoadBalancerIPs": list(api_int),
    }
    return {"cloudLoadBalancerConfig": {"dnsType": "ClusterHosted", "clusterHosted": lists, **more}}


def dns(domain: str = DOMAIN) -> dict:
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "DNS",
        "metadata": {"name": "cluster"},
        "spec": {"baseDomain": domain},
    }


def controller(name: str = "default") -> dict:
    settings = {"scope": "External", "dnsManagementPolicy": "Unmanaged"}
    return {
        "apiVersion": "operator.openshift.io/v1",
        "kind": "IngressController",
        "metadata": {"name": name, "namespace": "openshift-ingress-operator"},
        "spec": {"endpointPublishingStrategy": {"type": "LoadBalancerService", "loadBalancer": settings}},
    }


def service(*ingress: dict, name: str = "router-default") -> dict:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": "openshift-ingress"},
        "spec": {"type": "LoadBalancer", "ports": [{"port": 443}]},
        "status": {"loadBalancer": {"ingress": list(ingress)}},
    }


def node(name: str = "worker-a", address: str = "10.0.1.1") -> dict:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"addresses": [{"type": "InternalIP", "address": address}]},
    }
