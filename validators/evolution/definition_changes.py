"""The changes between two definitions of one name: of their versions, and of the schema of each."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ovnguard.validators.evolution.changes import Change, Judged, narrows, neutral, undecided, widens
from ovnguard.validators.evolution.schema_changes import schema_changes
from ovnguard.validators.structural.definitions.stored_definition import StoredDefinition
from ovnguard.validators.structural.schema.deep_equal import deep_equal

_IDENTITY: Final = ("spec.group", "spec.scope", "spec.names.kind", "spec.names.plural")
_NEVER: Final = neutral("no object is judged by it")


def definition_changes(old: StoredDefinition, new: StoredDefinition, release: int) -> list[Change]:
    """Return every change of what judges, prunes or fills in objects, and of what else versions have."""
    watched = any(_schemas_differ(each) for each in (old, new))
    before = {each.get("name", ""): index for index, each in enumerate(old.written)}
    after = {each.get("name", ""): index for index, each in enumerate(new.written)}
    found = [*_top(old, new), *_versions(old, new, before, after)]
    for name in (name for name in before if name in after):
        was, now = old.written[before[name]], new.written[after[name]]
        found += _version(name, was, now)
        schema, schema_now = old.schemas[before[name]], new.schemas[after[name]]
        if schema is not None and schema_now is not None:
            found += schema_changes(name, schema, schema_now, release, watched=watched)
        elif schema is not schema_now:
            judged = undecided("one of the two has no schema")
            found.append(_change(name, "schema", judged, was.get("schema"), now.get("schema")))
    return found


def _schemas_differ(definition: StoredDefinition) -> bool:
    """Whether an object goes through the schema of more than one version."""
    schemas = [each.get("schema") for each in definition.written]
    return any(not deep_equal(each, schemas[0]) for each in schemas)


def _change(version: str, keyword: str, judged: Judged, old: Any, new: Any) -> Change:
    return Change(version, "", keyword, judged.effect, old, new, judged.proof)


def _top(old: StoredDefinition, new: StoredDefinition) -> Iterator[Change]:
    both = (old, new)
    identities = ((each.group, each.scope, each.names["kind"], each.names["plural"]) for each in both)
    for keyword, before, after in zip(_IDENTITY, *identities, strict=True):
        if before != after:
            yield _change("", keyword, narrows("stored objects belong to another API"), before, after)
    if not deep_equal(old.conversion, new.conversion):
        judged = undecided("nobody knows what a webhook converts")
        yield _change("", "spec.conversion", judged, dict(old.conversion), dict(new.conversion))
    if old.preserves or new.preserves:
        judged = undecided("unknown fields are kept everywhere, whatever the schema says")
        yield _change("", "spec.preserveUnknownFields", judged, old.preserves, new.preserves)


def _versions(
    old: StoredDefinition, new: StoredDefinition, before: Mapping[str, int], after: Mapping[str, int]
) -> Iterator[Change]:
    for name in before.keys() - after.keys():
        yield _change(name, "version", narrows("requests for the version are not found"), name, None)
    for name in after.keys() - before.keys():
        yield _change(name, "version", widens("one version more"), None, name)
    storage, storage_now = (next((v for v in each.written if v.get("storage")), {}) for each in (old, new))
    was, now = storage.get("name"), storage_now.get("name")
    if was != now:
        same = deep_equal(storage.get("schema"), storage_now.get("schema"))
        judged = neutral("both have the same schema") if same else undecided("objects go through another schema")
        yield _change("", "storage version", judged, was, now)


def _version(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for keyword in sorted((old.keys() | new.keys()) - {"name", "schema", "storage"}):
        before, after = old.get(keyword), new.get(keyword)
        if not deep_equal(before or None, after or None):
            yield _change(name, keyword, _version_effect(keyword, before, after), before, after)


def _version_effect(keyword: str, before: Any, after: Any) -> Judged:
    if keyword == "served":
        return widens("one served version more") if after else narrows("requests for the version are not found")
    if keyword == "subresources":
        return undecided("it decides what a write may change, and which numbers the scale may have")
    return _NEVER
