"""Trims objects for the cache to the fields that rules read, so that a large cluster needs little memory.

A change of other fields does not change the cached object, so node heartbeats and container states cause no work.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.policies import MULTICAST
from ovnguard.validators.network.frr.frr_secrets import without_secrets

_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_METADATA: Final = frozenset({"managedFields", "resourceVersion", "selfLink"})
_OVN: Final = "k8s.ovn.org/"
_NODE_STATUS: Final = ("addresses",)
_POD_METADATA: Final = ("name", "namespace", "labels", "deletionTimestamp")
# The networks and addresses that a pod requests, and what KubeVirt says about the virtual machine in it.
_REQUESTS: Final = ("k8s.v1.cni.cncf.io/networks",)
_PLANNED: Final = (
    *_REQUESTS,
    "v1.multus-cni.io/default-network",
    "kubevirt.io/domain",
    "kubevirt.io/migration-target-ready-timestamp",
    "kubevirt.io/allow-pod-bridge-network-live-migration",
)
_BALANCED: Final = (
    "clusterIP",
    "clusterIPs",
    "externalIPs",
    "externalTrafficPolicy",
    "internalTrafficPolicy",
    "ports",
    "publishNotReadyAddresses",
    "sessionAffinity",
    "sessionAffinityConfig",
    "type",
)
# The end of the annotation of an idle Service, which some platform owns.
_IDLED: Final = "/idled-at"
_SLICE_KEYS: Final = (
    "kubernetes.io/service-name",
    "k8s.ovn.org/service-name",
    "k8s.ovn.org/endpointslice-network",
)
_ENDPOINT: Final = ("addresses", "conditions", "nodeName")
_CONTAINER: Final = ("name", "command", "args", "env", "envFrom")
_SELECTABLE: Final = ("name", "namespace", "labels", "deletionTimestamp")
# What another controller has rows for.
_ENABLED: Final = (MULTICAST, "k8s.ovn.org/routing-external-gws")


def plain(obj: JsonObject) -> JsonObject:
    """The object without bookkeeping: managed fields, resourceVersion and the last applied configuration."""
    return {**obj, "metadata": _metadata(obj.get("metadata"))}


def frr_configuration(obj: JsonObject) -> JsonObject:
    """An FRRConfiguration that shows only whether a neighbour has a password."""
    return without_secrets(plain(obj))


def ovnkube(obj: JsonObject) -> JsonObject:
    """What configures ovnkube: the data of a ConfigMap, and the commands and variables of a workload's containers."""
    spec = obj.get("spec")
    template = spec.get("template") if isinstance(spec, Mapping) else None
    pod = template.get("spec") if isinstance(template, Mapping) else None
    kept = {
        key: [_some(each, _CONTAINER) for each in listed]
        for key in ("initContainers", "containers")
        if isinstance(pod, Mapping) and isinstance(listed := pod.get(key), list)
    }
    return {
        **_some(obj, ("apiVersion", "kind", "data")),
        "metadata": _some(obj.get("metadata"), ("name", "namespace")),
        **({"spec": {"template": {"spec": kept}}} if kept else {}),
    }


def password(obj: JsonObject) -> JsonObject:
    """The password of a Secret, and nothing else that it contains."""
    return {
        **_some(obj, ("apiVersion", "kind", "type")),
        "metadata": _some(obj.get("metadata"), ("name", "namespace")),
        "data": _some(obj.get("data"), ("password",)),
    }


def node(obj: JsonObject) -> JsonObject:
    """A Node without images, conditions and heartbeats."""
    return {**plain(obj), "status": _some(obj.get("status"), _NODE_STATUS)}


def pod(obj: JsonObject) -> JsonObject:
    """A Pod's name, labels, OVN annotations, phase, node and hostNetwork."""
    metadata = obj.get("metadata")
    kept = _some(metadata, _POD_METADATA)
    annotations = metadata.get("annotations") if isinstance(metadata, Mapping) else None
    if isinstance(annotations, Mapping):
        ours = {key: value for key, value in annotations.items() if key.startswith(_OVN)}
        kept |= {"annotations": ours} if ours else {}
    return {
        **_some(obj, ("apiVersion", "kind")),
        "metadata": kept,
        "spec": _some(obj.get("spec"), ("nodeName", "hostNetwork")),
        "status": _some(obj.get("status"), ("phase",)),
    }


def pod_with_machine(obj: JsonObject) -> JsonObject:
    """The fields that `pod` keeps, and the Pod's UID, creation time, requested networks and virtual machine."""
    kept, metadata = pod(obj), obj.get("metadata")
    added = _some(metadata, ("uid", "creationTimestamp"))
    planned = _some(metadata.get("annotations"), _PLANNED) if isinstance(metadata, Mapping) else {}
    if planned:
        added["annotations"] = {**kept["metadata"].get("annotations", {}), **planned}
    return {
        **kept,
        "metadata": kept["metadata"] | added,
    }


def placed_pod(obj: JsonObject) -> JsonObject:
    """The fields of a Pod that show which networks it uses on which node."""
    metadata = obj.get("metadata")
    kept = _some(metadata, ("name", "namespace"))
    requested = _some(metadata.get("annotations"), _REQUESTS) if isinstance(metadata, Mapping) else {}
    return {
        **_some(obj, ("apiVersion", "kind")),
        "metadata": {**kept, **({"annotations": requested} if requested else {})},
        "spec": _some(obj.get("spec"), ("nodeName", "hostNetwork")),
        "status": _some(obj.get("status"), ("phase",)),
    }


def selectable(obj: JsonObject) -> JsonObject:
    """The fields that selectors use: name, labels and deletionTimestamp; and what a Namespace turns on."""
    metadata = obj.get("metadata")
    kept = _some(metadata, _SELECTABLE)
    enabled = _some(metadata.get("annotations"), _ENABLED) if isinstance(metadata, Mapping) else {}
    return {
        **_some(obj, ("apiVersion", "kind")),
        "metadata": {**kept, **({"annotations": enabled} if enabled else {})},
    }


def policy(obj: JsonObject) -> JsonObject:
    """The name of a policy, its age, and the namespaces that it is about."""
    return {
        **_some(obj, ("apiVersion", "kind")),
        "metadata": _some(obj.get("metadata"), (*_SELECTABLE, "creationTimestamp")),
        "spec": _some(obj.get("spec"), ("subject",)),
    }


def service(obj: JsonObject) -> JsonObject:
    """A Service without its status."""
    return {key: value for key, value in plain(obj).items() if key != "status"}


def balanced_service(obj: JsonObject) -> JsonObject:
    """The fields of a Service from which its load balancers follow."""
    status = _some(obj.get("status"), ("loadBalancer",))
    metadata = obj.get("metadata")
    kept = _some(metadata, ("name", "namespace"))
    annotations = metadata.get("annotations") if isinstance(metadata, Mapping) else None
    idled = [key for key in annotations if key.endswith(_IDLED)] if isinstance(annotations, Mapping) else []
    return {
        **_some(obj, ("apiVersion", "kind")),
        "metadata": kept | ({"annotations": _some(annotations, idled)} if idled else {}),
        "spec": _some(obj.get("spec"), _BALANCED),
        **({"status": status} if status.get("loadBalancer") else {}),
    }


def endpoint_slice(obj: JsonObject) -> JsonObject:
    """The fields of an EndpointSlice that show its Service and its servers."""
    metadata = obj.get("metadata")
    kept = _some(metadata, ("name", "namespace"))
    for key in ("labels", "annotations"):
        found = metadata.get(key) if isinstance(metadata, Mapping) else None
        read = _some(found, _SLICE_KEYS)
        kept |= {key: read} if read else {}
    endpoints = obj.get("endpoints")
    listed = [_some(each, _ENDPOINT) for each in endpoints] if isinstance(endpoints, list) else []
    return {**_some(obj, ("apiVersion", "kind", "addressType", "ports")), "metadata": kept, "endpoints": listed}


def definition(obj: JsonObject) -> JsonObject:
    """A CustomResourceDefinition without status and descriptions: only its schemas and rules."""
    kept = {key: value for key, value in plain(obj).items() if key != "status"}
    spec = kept.get("spec")
    versions = spec.get("versions") if isinstance(spec, Mapping) else None
    if not isinstance(spec, Mapping) or not isinstance(versions, list):
        return kept
    return {**kept, "spec": {**spec, "versions": [_version(version) for version in versions]}}


def without_descriptions(schema: Any) -> Any:
    """A structural schema without its descriptions; a property named ``description`` stays."""
    if isinstance(schema, list):
        return [without_descriptions(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    kept = {}
    for key, value in schema.items():
        if key == "description":
            continue
        if key in {"properties", "patternProperties"} and isinstance(value, Mapping):
            kept[key] = {name: without_descriptions(each) for name, each in value.items()}
        elif key in {"items", "additionalProperties", "not", "allOf", "anyOf", "oneOf"}:
            kept[key] = without_descriptions(value)
        else:
            kept[key] = value
    return kept


def _version(version: Any) -> Any:
    schema = version.get("schema") if isinstance(version, Mapping) else None
    whole = schema.get("openAPIV3Schema") if isinstance(schema, Mapping) else None
    if whole is None:
        return version
    return {**version, "schema": {"openAPIV3Schema": without_descriptions(whole)}}


def _metadata(metadata: Any) -> Any:
    if not isinstance(metadata, Mapping):
        return metadata
    kept = {key: value for key, value in metadata.items() if key not in _METADATA}
    annotations = kept.get("annotations")
    if isinstance(annotations, Mapping) and _APPLIED in annotations:
        kept["annotations"] = {key: value for key, value in annotations.items() if key != _APPLIED}
    return kept


def _some(mapping: Any, keys: Iterable[str]) -> JsonObject:
    return {key: mapping[key] for key in keys if key in mapping} if isinstance(mapping, Mapping) else {}
