"""Judges one small object of every kind at startup, so that no request waits for schemas to load.

Otherwise the first verdict of a kind takes about a second (libraries, schemas, rules), and the API server waits five.
The master does this once for all workers, so a replacement worker serves at once.
"""

from typing import Any, Final

from ovnguard.validators.admission import Operation, Request
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.bundled.bundled_policies import all_policies
from ovnguard.validators.network.cluster_view import EmptyView
from ovnguard.webhook.admission.handlers import Judge

_NAD_CONFIG: Final = (
    '{"cniVersion":"1.1.0","type":"ovn-k8s-cni-overlay","name":"w","netAttachDefName":"w/w","topology":"layer2",'
    '"role":"primary","subnets":"10.1.0.0/16"}'
)


def _object(api_version: str, kind: str, spec: dict[str, Any]) -> JsonObject:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": _name(kind), "namespace": "w"}, "spec": spec}


def _name(kind: str) -> str:
    """The cluster network operator reads only one name."""
    return "cluster" if kind == "Network" else "w"


def _udn(**topology: Any) -> dict[str, Any]:
    return {"topology": next(iter(topology)).capitalize(), **topology}


_LAYER2: Final = _udn(layer2={"role": "Primary", "subnets": ["10.1.0.0/16"]})
_LAYER3: Final = _udn(layer3={"role": "Primary", "subnets": [{"cidr": "10.1.0.0/16", "hostSubnet": 24}]})
_DEFAULT: Final = {
    "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
    "serviceNetwork": ["172.30.0.0/16"],
    "defaultNetwork": {"type": "OVNKubernetes", "ovnKubernetesConfig": {"mtu": 1400}},
}
_ADVERTISEMENTS: Final = {
    "networkSelectors": [{"networkSelectionType": "DefaultNetwork"}],
    "nodeSelector": {},
    "frrConfigurationSelector": {},
    "advertisements": ["PodNetwork"],
}
_CONNECT: Final = {
    "networkSelectors": [
        {
            "networkSelectionType": "ClusterUserDefinedNetworks",
            "clusterUserDefinedNetworkSelector": {"networkSelector": {}},
        }
    ],
    "connectSubnets": [{"cidr": "192.0.2.0/24", "networkPrefix": 28}],
    "connectivity": ["PodNetwork"],
}
OBJECTS: Final = (
    *(_object("k8s.ovn.org/v1", "UserDefinedNetwork", spec) for spec in (_LAYER2, _LAYER3)),
    *(
        _object("k8s.ovn.org/v1", "ClusterUserDefinedNetwork", {"namespaceSelector": {}, "network": spec})
        for spec in (_LAYER2, _LAYER3)
    ),
    _object("operator.openshift.io/v1", "Network", _DEFAULT),
    _object("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition", {"config": _NAD_CONFIG}),
    _object("k8s.ovn.org/v1", "RouteAdvertisements", _ADVERTISEMENTS),
    _object("k8s.ovn.org/v1", "ClusterNetworkConnect", _CONNECT),
    _object("k8s.ovn.org/v1", "EgressIP", {"egressIPs": ["192.0.2.10"], "namespaceSelector": {}}),
    _object("k8s.ovn.org/v1", "EgressService", {"sourceIPBy": "LoadBalancerIP"}),
    _object("frrk8s.metallb.io/v1beta1", "FRRConfiguration", {"bgp": {"routers": [{"asn": 64512}]}}),
    _object("config.openshift.io/v1", "Infrastructure", {"platformSpec": {"type": "None"}}),
    _object("config.openshift.io/v1", "DNS", {"baseDomain": "w.example.com"}),
    _object("config.openshift.io/v1", "Ingress", {"domain": "apps.w.example.com"}),
    _object("operator.openshift.io/v1", "IngressController", {"replicas": 2}),
)


def warm(judge: Judge) -> None:
    """Judge `OBJECTS`, as creations and as updates that change nothing. Raises what ``judge`` raises.

    The bundled policies are compiled as well.
    """
    list(all_policies())
    view = EmptyView()
    for network in OBJECTS:
        judge(Request(Operation.CREATE, network), view)
        judge(Request(Operation.UPDATE, network, network), view)
