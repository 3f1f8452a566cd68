"""Operator Networks with managed BGP, and the definitions that serve them."""

import copy
from typing import Any

from ovnguard import crd_schemas
from ovnguard.validators.base.json_types import JsonObject

KEY = ("operator.openshift.io", "v1", "Network")

OVN = ("spec", "defaultNetwork", "ovnKubernetesConfig")

DEFAULTS: dict[str, dict[str, Any]] = {"released": {"asNumber": 64512}, "enhancement": {"bgpTopology": "fullMesh"}}


def managed_schema(definition):
    node = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    for name in (*OVN, "bgpManagedConfig"):
        node = node["properties"][name]
    return node["properties"]


def served(schema_set: str, *, with_defaults: bool = False) -> JsonObject:
    definition = copy.deepcopy(crd_schemas.crds(schema_set)[KEY])
    if not with_defaults:
        for field in managed_schema(definition).values():
            field.pop("default", None)
    return definition


def network(managed=None, **ovn) -> JsonObject:
    config = {**ovn, **({} if managed is None else {"bgpManagedConfig": managed})}
    spec = {"defaultNetwork": {"type": "OVNKubernetes", "ovnKubernetesConfig": config}}
    return {"apiVersion": "operator.openshift.io/v1", "kind": "Network", "metadata": {"name": "cluster"}, "spec": spec}
