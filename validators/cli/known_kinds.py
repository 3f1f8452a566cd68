"""The kinds whose schemas type-check the expressions of policies: those of given CRDs, and bundled ones."""

from collections.abc import Collection, Iterator, Mapping, Sequence

import crd_schemas
from validators.base.json_types import JsonObject
from validators.bundled.catalog import AUTO
from validators.network.parse_values import dig, text_of
from validators.policy.type_check import KnownKind


def known_kinds(definitions: Sequence[JsonObject], resources: Collection[str], schema_set: str) -> list[KnownKind]:
    """Return the kinds of CRDs, and the bundled ones with one of these resources.

    A kind that both schema sets define in their own way is left out unless ``schema_set`` names one.
    """
    own = [kind for crd in definitions for kind in _served(crd)]
    taken = {(kind.group, kind.kind) for kind in own}
    bundled = (kind for kind in _bundled(resources, schema_set) if (kind.group, kind.kind) not in taken)
    return [*own, *bundled]


def _served(crd: JsonObject) -> Iterator[KnownKind]:
    group = text_of(dig(crd, "spec", "group"))
    kind, plural = (text_of(dig(crd, "spec", "names", key)) for key in ("kind", "plural"))
    versions = dig(crd, "spec", "versions")
    for version in versions if isinstance(versions, list) else ():
        schema = dig(version, "schema", "openAPIV3Schema")
        if isinstance(schema, Mapping) and dig(version, "served") is True:
            yield KnownKind(group, text_of(dig(version, "name")), kind, plural, schema)


def _bundled(resources: Collection[str], schema_set: str) -> Iterator[KnownKind]:
    for key in crd_schemas.kinds():
        if crd_schemas.crd_name(*key).partition(".")[0] in resources:
            paths = crd_schemas.paths(*key)
            files = {path for name, path in paths.items() if schema_set in (AUTO, name)}
            if len(files) == 1:
                yield from (kind for kind in _served(crd_schemas.parsed(files.pop())) if kind.version == key[1])
