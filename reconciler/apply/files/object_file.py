"""The objects of a file-backed store: those that make routes, in one file, as a Kubernetes List in JSON.

Passwords are hidden: the file shows what the plan wants, it is not for `kubectl apply`.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ovnguard.reconciler.apply.objects.object_owners import identity_of
from ovnguard.reconciler.apply.store_errors import StoreCorruptError
from ovnguard.validators.base.json_types import JsonObject

NAME: Final = "objects.json"


@dataclass(frozen=True, slots=True)
class StoredChanges:
    """What leads from the stored objects to ``objects``, all of them in the order of kinds, namespaces and names."""

    objects: tuple[JsonObject, ...] = ()
    added: tuple[JsonObject, ...] = ()
    changed: tuple[JsonObject, ...] = ()
    removed: tuple[JsonObject, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


def stored_changes(
    stored: Iterable[JsonObject], wanted: Iterable[JsonObject], stays: Callable[[JsonObject], bool]
) -> StoredChanges:
    """Return the changes of ``stored`` objects to ``wanted`` ones; a stored one that ``stays`` is not removed."""
    before = {identity_of(each): each for each in stored}
    after = {identity_of(each): each for each in wanted}
    gone = {key: each for key, each in before.items() if key not in after}
    kept = {key: each for key, each in gone.items() if stays(each)}
    whole = sorted({**after, **kept}.items(), key=lambda item: item[0])
    return StoredChanges(
        objects=tuple(each for _, each in whole),
        added=tuple(each for key, each in whole if key not in before),
        changed=tuple(each for key, each in whole if key in before and before[key] != each),
        removed=tuple(gone[key] for key in sorted(gone.keys() - kept.keys())),
    )


def text_of_objects(objects: Sequence[JsonObject]) -> str:
    """Return the file's text; '' without objects."""
    value = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
    return json.dumps(value, indent=1) + "\n" if objects else ""


def parse_objects(text: str, path: Path) -> tuple[JsonObject, ...]:
    """Return the objects in the text of ``path``. Raises StoreCorruptError, with the place of the mistake."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise StoreCorruptError(f"{path}: is not JSON: {error}; move it away") from None
    except RecursionError:
        raise StoreCorruptError(f"{path}: is not of this store: nested too deeply; move it away") from None
    items = value.get("items") if isinstance(value, dict) and value.get("kind") == "List" else None
    if not isinstance(items, list):
        raise StoreCorruptError(f"{path}: is not of this store: it is no List with items; move it away")
    for number, each in enumerate(items):
        if fault := _fault(each):
            raise StoreCorruptError(f"{path}: is not of this store: items[{number}]{fault}; move it away")
    return tuple(items)


def _fault(value: Any) -> str:
    """What an item lacks for an object; '' for nothing."""
    if not isinstance(value, dict):
        return " is not an object"
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        return ".metadata is not a mapping"
    if not _is_name(value.get("kind")):
        return ".kind is not a name"
    if not _is_name(metadata.get("name")):
        return ".metadata.name is not a name"
    if "namespace" in metadata and not _is_name(metadata["namespace"]):
        return ".metadata.namespace is not a name"
    return ""


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value) and value.isprintable()
