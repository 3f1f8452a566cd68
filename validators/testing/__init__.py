"""Hypothesis strategies of objects for a structural schema, for the tests of people who write CRDs.

Needs hypothesis, which ovnguard itself does not install. Nothing else in ovnguard imports this package.
"""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from ovnguard.validators.base.json_types import JsonMapping
from ovnguard.validators.base.object_names import is_dns1123_subdomain
from ovnguard.validators.structural.objects.scale_subresource import MAX_REPLICAS
from ovnguard.validators.structural.schema.schema import Schema, parse_schema
from ovnguard.validators.testing.almost_valid import nearly
from ovnguard.validators.testing.valid import allowed, is_allowed, members

__all__ = ["custom_resources", "objects"]

_OBJECT_KEYS = frozenset({"apiVersion", "kind", "metadata"})
_NAME = "generated"


def objects(schema: JsonMapping, *, valid: bool | None = None) -> st.SearchStrategy[Any]:
    """Return a strategy of values for an ``openAPIV3Schema`` mapping, or for a part of one.

    ``valid=True``: values that satisfy types, bounds, patterns, formats, enumerations, required members and list types;
    CEL rules are ignored, because they are the subject of the tests. ``valid=False``: such values with one to three
    fields changed to values just outside, or just inside, the limits. None: both. apiVersion, kind and metadata of a
    whole object are omitted; `custom_resources` adds them. Patterns must also be valid in Python's ``re``. Raises
    ovnguard.validators.structural.schema.schema.MalformedSchema.
    """
    return _strategy(_without_object_keys(parse_schema(schema)), valid)


def custom_resources(
    crd: JsonMapping, version: str | None = None, *, valid: bool | None = None
) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy of whole objects of a CRD's version (default: the storage version).

    ``valid`` as for `objects`; apiVersion, kind and metadata are always valid. Raises ValueError when the CRD has no
    such version.
    """
    spec = crd["spec"]
    entries = [entry for entry in spec["versions"] if (entry["name"] == version if version else entry.get("storage"))]
    if not entries:
        raise ValueError(f"the CRD has no version {version!r}" if version else "the CRD has no storage version")
    head = {"apiVersion": f"{spec['group']}/{entries[0]['name']}", "kind": spec["names"]["kind"]}
    place = {"namespace": "default"} if spec["scope"] == "Namespaced" else {}
    whole = parse_schema(entries[0]["schema"]["openAPIV3Schema"])
    schema = _without_object_keys(whole, always=True)
    scale = entries[0].get("subresources", {}).get("scale", {})
    for path in (scale.get("specReplicasPath"), scale.get("statusReplicasPath")):
        schema = _with_replicas(schema, path.removeprefix(".").split(".")) if path else schema
    return st.builds(
        lambda value, name: {**members(value), **head, "metadata": {"name": name, **place}},
        _strategy(schema, valid),
        _names(whole),
    )


def _names(schema: Schema) -> st.SearchStrategy[str]:
    """Names for objects of a definition, which may limit them."""
    metadata = schema.properties.get("metadata")
    name = metadata.properties.get("name") if metadata is not None else None
    if name is None or is_allowed(_NAME, name):
        return st.just(_NAME)
    return allowed(name).filter(is_dns1123_subdomain)


def _with_replicas(schema: Schema, path: list[str]) -> Schema:
    """The schema with the limits that the scale subresource sets for the number at a path."""
    name, *rest = path
    child = schema.properties.get(name)
    if child is None:
        return schema
    limited = _with_replicas(child, rest) if rest else replace(child, minimum=0, maximum=MAX_REPLICAS)
    return replace(schema, properties={**schema.properties, name: limited})


def _strategy(schema: Schema, valid: bool | None) -> st.SearchStrategy[Any]:
    good = allowed(schema)
    if valid is None:
        return st.one_of(good, nearly(schema, good))
    return good if valid else nearly(schema, good)


def _without_object_keys(schema: Schema, *, always: bool = False) -> Schema:
    """The schema of a whole object without apiVersion, kind and metadata."""
    if not always and not schema.properties.keys() >= _OBJECT_KEYS:
        return schema
    properties = {name: child for name, child in schema.properties.items() if name not in _OBJECT_KEYS}
    required = tuple(name for name in schema.required if name not in _OBJECT_KEYS)
    return replace(schema, properties=properties, required=required)
