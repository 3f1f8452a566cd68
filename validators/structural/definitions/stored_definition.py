"""A definition as the API server has stored it, with what its status records.

Source: apiextensions-apiserver, ``pkg/registry/customresourcedefinition/strategy.go`` (PrepareForCreate) and
``pkg/controller/establish``.
"""

from typing import Any, Final

from ovnguard.validators.structural.definitions.definition import Definition, Json
from ovnguard.validators.structural.definitions.older_definitions import OPTIONAL_OLD_SELF, SELECTABLE
from ovnguard.validators.structural.definitions.structural_check import every_node
from ovnguard.validators.structural.schema.schema import Schema, build_schema

_NEWER_FEATURES: Final = frozenset({SELECTABLE, OPTIONAL_OLD_SELF})


class StoredDefinition(Definition):
    """A definition without a status, as files have it, counts as established, and its storage version as stored.

    Raises `Undecodable`, and `MalformedSchema` for a schema that is too deep or too large.
    """

    def __init__(self, source: Any, release: int) -> None:
        status = source.get("status") if type(source) is dict else None
        is_complete = type(status) is dict and bool(status.get("storedVersions"))
        super().__init__(source, release, _NEWER_FEATURES if is_complete else frozenset())
        held: Json = self.source.get("status", {})
        if is_complete:
            self.meta = {**self.meta, "generation": self.source.get("metadata", {}).get("generation", 0)}
        storage = [version.get("name", "") for version in self.written if version.get("storage")]
        self.stored_versions: list[str] = held["storedVersions"] if is_complete else storage[:1]
        self.accepted_names: Json = held.get("acceptedNames", {}) if is_complete else {}
        conditions: list[Json] = held.get("conditions", [])
        established = [one.get("status") for one in conditions if one.get("type") == "Established"]
        self.is_established = established[:1] == ["True"] or not is_complete
        sources = [(version.get("schema") or {}).get("openAPIV3Schema") for version in self.written]
        self.schemas: list[Schema | None] = [None if one is None else build_schema(one) for one in sources]

    def used_features(self) -> frozenset[str]:
        """Return the fields of newer features that the definition uses: an update of it may go on doing so."""
        roots = [schema for schema in self.schemas if schema is not None]
        rules = [rule for root in roots for node in every_node(root) for rule in node.rules]
        used = {OPTIONAL_OLD_SELF} if any(rule.optional_old_self is not None for rule in rules) else set()
        return frozenset(used | ({SELECTABLE} if any(SELECTABLE in version for version in self.written) else set()))
