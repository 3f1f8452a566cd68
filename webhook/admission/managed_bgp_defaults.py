"""Fills in the defaults of the managed BGP configuration that the served schema lacks.

The API server applies the defaults of the schema that it serves, before and after webhooks. This module adds the
defaults of the generation of the API that this schema belongs to (`enhancement`: bgpTopology fullMesh; `released`:
asNumber 64512), for fields that the schema has without a default. A field that the stored object lacks stays absent,
because the configuration is immutable.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from ovnguard import crd_schemas
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import OPERATOR_NETWORK
from ovnguard.validators.network.parse_values import dig
from ovnguard.webhook.admission.served_schemas import schema_of

_OVN: Final = ("spec", "defaultNetwork", "ovnKubernetesConfig")
_FIELD: Final = "bgpManagedConfig"
# The field in which the generations of the API differ.
_GENERATIONS: Final = {"defaultNetworkTransport": "enhancement", "transport": "released"}


def with_managed_bgp(obj: JsonObject, old: JsonObject | None, definition: JsonObject | None) -> JsonObject:
    """Return ``obj`` with the missing defaults, or ``obj`` itself when none is missing.

    ``definition`` is the CustomResourceDefinition that the cluster serves; without one nothing is missing.
    """
    group, _, version = str(obj.get("apiVersion", "")).rpartition("/")
    managed = dig(obj, *_OVN, _FIELD)
    if definition is None or (group, obj.get("kind")) != OPERATOR_NETWORK or not isinstance(managed, Mapping):
        return obj
    if isinstance(dig(old, *_OVN, _FIELD), Mapping):
        return obj
    served = _at(schema_of(definition, version), _OVN)
    missing = {
        name: value
        for name, value in _defaults(_generation(served), version).items()
        if name not in managed and _takes(dig(served, "properties", _FIELD, "properties", name), value)
    }
    return _replaced(obj, (*_OVN, _FIELD), {**managed, **missing}) if missing else obj


def _generation(schema: Any) -> str:
    properties = dig(schema, "properties")
    names = properties if isinstance(properties, Mapping) else {}
    found = {generation for field, generation in _GENERATIONS.items() if field in names}
    return found.pop() if len(found) == 1 else ""


@cache
def _defaults(generation: str, version: str) -> Mapping[str, Any]:
    if not generation:
        return {}
    definition = crd_schemas.crds(generation).get((OPERATOR_NETWORK.group, version, OPERATOR_NETWORK.kind))
    fields = dig(_at(schema_of(definition, version), _OVN), "properties", _FIELD, "properties") if definition else None
    known = fields.items() if isinstance(fields, Mapping) else ()
    return {name: schema["default"] for name, schema in known if "default" in schema}


def _takes(schema: Any, value: Any) -> bool:
    """Whether the schema has a field without a default that accepts this value."""
    if not isinstance(schema, Mapping) or "default" in schema:
        return False
    return value in schema.get("enum", (value,))


def _at(schema: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        schema = dig(schema, "properties", name)
    return schema


def _replaced(obj: JsonObject, path: tuple[str, ...], value: Any) -> JsonObject:
    if not path:
        return dict(value)
    return {**obj, path[0]: _replaced(obj[path[0]], path[1:], value)}
