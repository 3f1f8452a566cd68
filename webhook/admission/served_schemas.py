"""The schema that judges each kind: the one that the cluster serves, compiled in the background, else a bundled one.

The previous definition judges until the changed one is compiled and replaces it in one step. A definition that does not
compile replaces nothing; the log reports it.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ovnguard import crd_schemas
from ovnguard.crd_schemas import gating
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.bundled.catalog import Catalog, GroupVersionKind, gvk_of
from ovnguard.validators.cluster.trim import definition as trimmed
from ovnguard.validators.crd.compiled_crd import InvalidCRD

log = logging.getLogger("ovnguard.schemas")
_MOST: Final = 99
# The lists under these keywords are sets.
_UNORDERED: Final = frozenset({"required", "enum", "x-kubernetes-list-map-keys"})


@dataclass(frozen=True, slots=True)
class Served:
    """One definition of the cluster, compiled. ``remarks``: the differences of each version from all bundled ones."""

    definition: JsonObject
    catalog: Catalog
    remarks: Mapping[str, str]


class ServedSchemas:
    """Catalogs by group and kind. Many threads read them, one changes them."""

    def __init__(self, bundled: Catalog) -> None:
        self._bundled = bundled
        self._served: Mapping[tuple[str, str], Served] = {}

    @property
    def bundled(self) -> Catalog:
        """The catalog for kinds without a schema in the cluster."""
        return self._bundled

    def served(self, obj: JsonObject) -> Served | None:
        """Return the cluster's own definition of the kind and version of ``obj``, or None."""
        gvk = gvk_of(obj)
        served = self._served.get((gvk.group, gvk.kind))
        return served if served is not None and gvk.version in served.remarks else None

    def take(self, definitions: Iterable[JsonObject]) -> None:
        """Judge by ``definitions`` from now on, other kinds by bundled schemas. Compiles new definitions."""
        fresh: dict[tuple[str, str], Served] = {}
        for definition in definitions:
            key = _key(definition)
            before = self._served.get(key)
            if before is not None and before.definition == definition:
                fresh[key] = before
                continue
            made = self._made(definition)
            if made is not None:
                fresh[key] = made
                log.info("schema in force", extra={"fields": {"kind": key[1], "remarks": dict(made.remarks)}})
            elif before is not None:
                fresh[key] = before
        self._served = fresh

    @staticmethod
    def _made(definition: JsonObject) -> Served | None:
        group, kind = _key(definition)
        versions = [each["name"] for each in definition["spec"]["versions"] if each.get("served")]
        remarks = {version: _remark(definition, version) for version in versions}
        # Rules of a definition equal to a bundled one have its stable ids.
        catalog = Catalog(definitions=[definition], name_given_rules=not any(remarks.values()))
        try:
            for version in versions:
                _warm(catalog, GroupVersionKind(group, version, kind))
        except InvalidCRD as error:
            log.error("the cluster's definition of %s.%s cannot be used: %s", kind, group, error)
            return None
        return Served(definition, catalog, remarks)


def _warm(catalog: Catalog, gvk: GroupVersionKind) -> None:
    """Compile now, so that the first request need not wait, including schemas of texts inside objects."""
    empty = {"apiVersion": f"{gvk.group}/{gvk.version}", "kind": gvk.kind, "metadata": {"name": "w"}}
    chosen = catalog.choose(empty)
    if chosen is not None:
        chosen.crd.verdict(empty)
    for inside in crd_schemas.embedded():
        if inside[0] == gvk.group:
            catalog.embedded(GroupVersionKind(*inside))


def _key(definition: JsonObject) -> tuple[str, str]:
    spec = definition["spec"]
    return str(spec["group"]), str(spec["names"]["kind"])


def _remark(definition: JsonObject, version: str) -> str:
    group, kind = _key(definition)
    served = schema_of(trimmed(definition), version)
    found: list[list[str]] = []
    for known in _known(group, version, kind):
        found.append(list(differences(served, schema_of(trimmed(known), version))))
        if not found[-1]:
            return ""
    if not found:
        return ""
    nearest = min(found, key=len)
    more = "" if len(nearest) == 1 else f" and {len(nearest) - 1} more"
    return f"ovnguard does not know this cluster's schema of {kind}: it differs at {nearest[0]}{more}"


def _known(group: str, version: str, kind: str) -> Iterator[JsonObject]:
    """Iterate over the bundled definitions of a kind, complete and under every feature set."""
    for schema_set in crd_schemas.SETS:
        whole = crd_schemas.crds(schema_set).get((group, version, kind))
        if whole is None:
            continue
        yield whole
        name = crd_schemas.crd_name(group, version, kind)
        for features in gating.offered():
            yield gating.gated(whole, name, schema_set, features).crd


def schema_of(definition: JsonObject, version: str) -> Any:
    """Return the OpenAPI schema of one version of a definition, or an empty one."""
    for each in definition["spec"]["versions"]:
        if each.get("name") == version:
            return (each.get("schema") or {}).get("openAPIV3Schema") or {}
    return {}


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """Iterate over the paths where two schemas differ, at most `_MOST`; order counts only where it has a meaning."""
    for count, place in enumerate(_differences(one, other, path)):
        if count == _MOST:
            return
        yield place


def _differences(one: Any, other: Any, path: str) -> Iterator[str]:
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        if one != other:
            yield path or "its root"
        return
    for key in sorted(one.keys() | other.keys()):
        here, there = one.get(key), other.get(key)
        if key == "properties" and isinstance(here, Mapping) and isinstance(there, Mapping):
            for name in sorted(here.keys() | there.keys()):
                place = f"{path}.{name}" if path else name
                if name in here and name in there:
                    yield from _differences(here[name], there[name], place)
                else:
                    yield place
        elif key in {"items", "additionalProperties"} and isinstance(here, Mapping) and isinstance(there, Mapping):
            yield from _differences(here, there, f"{path}[]")
        elif not _equal(key, here, there):
            yield path or "its root"
            return


def _equal(key: str, one: Any, other: Any) -> bool:
    if key in _UNORDERED and isinstance(one, list) and isinstance(other, list):
        return sorted(map(repr, one)) == sorted(map(repr, other))
    if key == "x-kubernetes-validations" and isinstance(one, list) and isinstance(other, list):
        return sorted(map(_rule, one)) == sorted(map(_rule, other))
    return bool(one == other)


def _rule(rule: Any) -> str:
    """A rule, without white space in its expression."""
    if not isinstance(rule, Mapping):
        return repr(rule)
    plain = {key: " ".join(value.split()) if isinstance(value, str) else value for key, value in rule.items()}
    return repr(sorted(plain.items()))
