"""The fields of each kind that a bundle keeps: those that an audit reads, and nothing else.

A bundle leaves the cluster, so this is a list of what is kept and not of what is removed: a field or an annotation that
nobody listed here is not in it.
"""

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.frr.frr_secrets import without_secrets


class Fields(dict[str, "Fields | None"]):
    """The kept fields of a mapping, or of each mapping in a list, and what is kept of each: None for all of it.

    A key may be a pattern such as ``*/idled-at``.
    """

    def of(self, value: Any) -> Any:
        """Return the kept part of ``value``, None for a value that is neither a mapping nor a list."""
        if isinstance(value, list):
            return [self.of(each) for each in value]
        if not isinstance(value, Mapping):
            return None
        kept: JsonObject = {}
        for key, each in value.items():
            found = next((name for name in self if name == key or fnmatchcase(key, name)), None)
            if found is not None:
                below = self[found]
                kept[key] = each if below is None else below.of(each)
        return kept


def _names(text: str) -> Fields:
    """The whole values of the fields with these names."""
    return Fields(dict.fromkeys(text.split()))


_CONDITIONS: Final = _names("type status reason lastTransitionTime observedGeneration")
_OWNERS: Final = _names("apiVersion kind name uid controller blockOwnerDeletion")
_IDENTITY: Final = "name namespace uid creationTimestamp deletionTimestamp generation"
_NETWORK_NOTES: Final = _names(
    "k8s.ovn.org/network-id k8s.ovn.org/network-name k8s.ovn.org/tunnel-keys k8s.ovn.org/route-advertisements"
    " k8s.ovn.org/network-connect-subnet k8s.ovn.org/connect-router-tunnel-key k8s.ovn.org/egressip-mark"
    " ovnguard.io/network-id ovnguard.io/tunnel-keys ovnguard.io/transit-subnets"
)
_NODE_NOTES: Final = _names(
    "k8s.ovn.org/node-id k8s.ovn.org/node-subnets k8s.ovn.org/node-chassis-id k8s.ovn.org/node-primary-ifaddr"
    " k8s.ovn.org/node-masquerade-subnet k8s.ovn.org/node-encap-ips k8s.ovn.org/node-mgmt-port-mac-addresses"
    " k8s.ovn.org/node-transit-switch-port-ifaddr k8s.ovn.org/l3-gateway-config k8s.ovn.org/host-cidrs"
    " k8s.ovn.org/zone-name k8s.ovn.org/network-ids k8s.ovn.org/layer2-topology-version"
    " k8s.ovn.org/udn-layer2-node-gateway-router-lrp-tunnel-ids k8s.ovn.org/gateway-mtu-support"
    " k8s.ovn.org/hybrid-overlay-*"
)
_POD_NOTES: Final = _names(
    "k8s.ovn.org/pod-networks k8s.ovn.org/open-default-ports k8s.ovn.org/primary-udn-ipamclaim"
    " k8s.v1.cni.cncf.io/networks v1.multus-cni.io/default-network kubevirt.io/domain"
    " kubevirt.io/migration-target-ready-timestamp kubevirt.io/allow-pod-bridge-network-live-migration"
)


def _metadata(more: str = "", notes: Fields | None = None) -> Fields:
    annotations = {} if notes is None else {"annotations": notes}
    return Fields({**_names(f"{_IDENTITY} {more}"), "ownerReferences": _OWNERS, **annotations})


def _object(metadata: Fields, **more: Fields | None) -> Fields:
    return Fields({**_names("apiVersion kind"), "metadata": metadata, **more})


_WITH_CONDITIONS: Final = Fields({"conditions": _CONDITIONS})
_DECLARED: Final = _object(_metadata("labels finalizers", _NETWORK_NOTES), spec=None, status=_WITH_CONDITIONS)
_POLICY: Final = _object(_metadata(), spec=_names("subject"))
_CONTAINERS: Final = Fields(
    {
        **_names("name command args"),
        "env": Fields(
            {**_names("name value"), "valueFrom": Fields({"configMapKeyRef": None, "fieldRef": _names("fieldPath")})}
        ),
        "envFrom": Fields({"prefix": None, "configMapRef": None}),
    }
)
_OVNKUBE: Final = Fields(
    {
        **_object(_metadata(notes=_names("release.openshift.io/version")), data=None),
        "spec": Fields(
            {"template": Fields({"spec": Fields({"initContainers": _CONTAINERS, "containers": _CONTAINERS})})}
        ),
    }
)
_MIRRORED: Final = _names("kubernetes.io/service-name k8s.ovn.org/service-name k8s.ovn.org/endpointslice-network")
_SLICE: Final = _object(
    Fields({**_metadata(notes=_MIRRORED), "labels": _MIRRORED}),
    addressType=None,
    ports=None,
    endpoints=Fields({"addresses": None, "nodeName": None, "conditions": _names("ready serving terminating")}),
)
_SERVICE: Final = _object(
    _metadata(notes=_names("*/idled-at")),
    spec=_names(
        "clusterIP clusterIPs externalIPs externalTrafficPolicy internalTrafficPolicy ports publishNotReadyAddresses"
        " sessionAffinity sessionAffinityConfig type ipFamilies ipFamilyPolicy allocateLoadBalancerNodePorts"
    ),
    status=Fields({"loadBalancer": Fields({"ingress": _names("ip ipMode")})}),
)
_CLUSTER_VERSION: Final = _object(
    _metadata(),
    spec=Fields({"desiredUpdate": _names("version")}),
    status=Fields({"desired": _names("version"), "history": _names("version state"), "conditions": _CONDITIONS}),
)
_OPERATOR: Final = _object(
    _metadata(),
    spec=Fields(
        {
            "clusterNetwork": _names("cidr hostPrefix"),
            "additionalRoutingCapabilities": _names("providers"),
            **_names("serviceNetwork defaultNetwork"),
        }
    ),
)
_EVENT: Final = _object(
    _metadata(),
    **dict.fromkeys(("type", "reason", "action", "message", "reportingComponent", "reportingController")),
    **dict.fromkeys(("eventTime", "firstTimestamp", "lastTimestamp", "count")),
    involvedObject=_names("apiVersion kind namespace name"),
    source=_names("component"),
)
KEPT: Final[Mapping[str, Fields]] = {
    "core/configmaps": _OVNKUBE,
    "core/events": _EVENT,
    "core/namespaces": _object(
        _metadata("labels", _names("k8s.ovn.org/multicast-enabled k8s.ovn.org/routing-external-gws"))
    ),
    "core/nodes": _object(
        _metadata("labels", _NODE_NOTES), spec=_names("podCIDR podCIDRs"), status=_names("addresses")
    ),
    "core/pods": _object(_metadata("labels", _POD_NOTES), spec=_names("nodeName hostNetwork"), status=_names("phase")),
    "core/services": _SERVICE,
    "apps/daemonsets": _OVNKUBE,
    "apps/deployments": _OVNKUBE,
    "apps/statefulsets": _OVNKUBE,
    "config.openshift.io/clusterversions": _CLUSTER_VERSION,
    "config.openshift.io/infrastructures": _object(
        _metadata(),
        status=Fields(
            {**_names("platform controlPlaneTopology infrastructureTopology"), "platformStatus": _names("type")}
        ),
    ),
    "config.openshift.io/networks": _object(
        _metadata(), status=_names("clusterNetwork serviceNetwork networkType clusterNetworkMTU")
    ),
    "discovery.k8s.io/endpointslices": _SLICE,
    "frrk8s.metallb.io/frrconfigurations": _DECLARED,
    "k8s.cni.cncf.io/network-attachment-definitions": _DECLARED,
    "k8s.cni.cncf.io/multi-networkpolicies": _POLICY,
    "k8s.ovn.org/adminpolicybasedexternalroutes": _POLICY,
    "k8s.ovn.org/clusternetworkconnects": _DECLARED,
    "k8s.ovn.org/clusteruserdefinednetworks": _DECLARED,
    "k8s.ovn.org/egressfirewalls": _POLICY,
    "k8s.ovn.org/egressips": _object(
        _metadata("labels", _NETWORK_NOTES), spec=None, status=Fields({"items": _names("node egressIP")})
    ),
    "k8s.ovn.org/egressqoses": _POLICY,
    "k8s.ovn.org/egressservices": _object(_metadata(), spec=None, status=_names("host")),
    "k8s.ovn.org/networkqoses": _POLICY,
    "k8s.ovn.org/routeadvertisements": _DECLARED,
    "k8s.ovn.org/uplinks": _object(_metadata(), spec=None, status=_WITH_CONDITIONS),
    "k8s.ovn.org/uplinkstates": _object(
        _metadata(),
        spec=None,
        status=Fields({**_names("macAddress ovsBridge ipAddresses defaultGateways"), **_WITH_CONDITIONS}),
    ),
    "k8s.ovn.org/userdefinednetworks": _DECLARED,
    "networking.k8s.io/networkpolicies": _POLICY,
    "operator.openshift.io/networks": _OPERATOR,
    "policy.networking.k8s.io/adminnetworkpolicies": _POLICY,
    "policy.networking.k8s.io/baselineadminnetworkpolicies": _POLICY,
}
"""The kept fields by group and plural, as `oc adm inspect` names folders."""
_BEFORE: Final[Mapping[str, Callable[[JsonObject], JsonObject]]] = {
    "frrk8s.metallb.io/frrconfigurations": without_secrets
}


def kept_fields(kind: str, obj: JsonObject) -> JsonObject:
    """Return the kept fields of an object; ``kind`` is a key of `KEPT`. Passwords of BGP sessions are not kept."""
    before = _BEFORE.get(kind)
    kept: JsonObject = KEPT[kind].of(obj if before is None else before(obj))
    return kept
