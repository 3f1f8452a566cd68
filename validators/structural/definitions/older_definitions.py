"""What older API servers make of a definition: fields that they do not know, or drop because their feature is off.

Source: apiextensions-apiserver, ``pkg/registry/customresourcedefinition/strategy.go`` (dropDisabledFields) and
``pkg/features``: selectableFields is unknown before 1.30 and off before 1.31; optionalOldSelf is off before 1.30.
"""

from collections.abc import Mapping
from typing import Any, Final

SELECTABLE: Final = "selectableFields"
OPTIONAL_OLD_SELF: Final = "optionalOldSelf"
_SELECTABLE_KNOWN_SINCE: Final = 30
_SELECTABLE_SINCE: Final = 31
_OPTIONAL_OLD_SELF_SINCE: Final = 30


def without_unknown(source: Any, release: int) -> Any:
    """Return a definition as it is written, without what the release does not decode."""
    if release >= _SELECTABLE_KNOWN_SINCE or type(source) is not dict or type(source.get("spec")) is not dict:
        return source
    spec = source["spec"]
    if type(spec.get("versions")) is not list:
        return source
    versions = [_without(one, SELECTABLE) if type(one) is dict else one for one in spec["versions"]]
    return {**source, "spec": {**spec, "versions": versions}}


def without_disabled(versions: list[Any], release: int, used: frozenset[str] = frozenset()) -> list[Any]:
    """Return decoded versions without the fields of features that are off, except those that are ``used`` before."""
    if release < _SELECTABLE_SINCE and SELECTABLE not in used:
        versions = [_without(one, SELECTABLE) for one in versions]
    if release < _OPTIONAL_OLD_SELF_SINCE and OPTIONAL_OLD_SELF not in used:
        versions = [_without_optional_old_self(one) for one in versions]
    return versions


def _without(source: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in source.items() if name != key}


def _without_optional_old_self(version: Mapping[str, Any]) -> Mapping[str, Any]:
    holder = version.get("schema") or {}
    if "openAPIV3Schema" not in holder:
        return version
    return {**version, "schema": {**holder, "openAPIV3Schema": _schema(holder["openAPIV3Schema"])}}


def _schema(schema: Any) -> Any:
    """A schema whose rules have no optionalOldSelf; as in the API server, branches keep theirs."""
    if type(schema) is not dict:
        return schema
    made = dict(schema)
    if rules := schema.get("x-kubernetes-validations"):
        made["x-kubernetes-validations"] = [_without(rule, OPTIONAL_OLD_SELF) for rule in rules]
    if properties := schema.get("properties"):
        made["properties"] = {name: _schema(one) for name, one in properties.items()}
    for key in ("items", "additionalProperties"):
        held = schema.get(key)
        if held is not None:
            made[key] = list(map(_schema, held)) if type(held) is list else _schema(held)
    return made
