"""Recognises the usual form of metadata. Other metadata may also be valid, which the exact path decides.

Every rule here is at least as strict as the modules ``objectmeta`` and ``metadata_check`` of
`validators.structural.metadata`: the server would store ordinary metadata unchanged, without an error or a warning.
"""

from functools import lru_cache
from typing import Any, Final

from ovnguard.validators.base.object_names import is_dns1123_label, is_dns1123_subdomain, is_label_key, is_label_value
from ovnguard.validators.fast.accept_runtime import is_plain, is_text
from ovnguard.validators.go.text import INT64_MAX
from ovnguard.validators.go.time import BadTime, canonical_time

_MOST: Final = 1_000
_LONGEST_ANNOTATIONS: Final = 60_000
_PLAIN_KEYS: Final = frozenset({"name", "namespace", "labels", "annotations", "generation", "finalizers"})
_STORED_KEYS: Final = _PLAIN_KEYS | {"uid", "resourceVersion", "creationTimestamp", "ownerReferences", "managedFields"}
_OWNER: Final = frozenset({"apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"})
_OWNER_ALWAYS: Final = frozenset({"apiVersion", "kind", "name", "uid"})
_ENTRY: Final = frozenset({"manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"})
_SHORT: Final = 60
_KEPT: Final = ("uid", "creationTimestamp")
"""What the server gives an object for its lifetime: creation drops it, updates keep it."""


@lru_cache(maxsize=8192)
def _is_short_key(text: str) -> bool:
    return is_label_key(text)


def _is_key(text: Any) -> bool:
    """Whether this is a qualified name, as of a label or an annotation. The same few occur again and again."""
    return type(text) is str and len(text) < 320 and _is_short_key(text)


def _is_value(text: Any) -> bool:
    return type(text) is str and is_label_value(text)


def _is_name(text: Any) -> bool:
    return type(text) is str and is_dns1123_subdomain(text)


def _is_namespace(text: Any) -> bool:
    return type(text) is str and is_dns1123_label(text)


def _labels(labels: Any) -> bool:
    if type(labels) is not dict or not 0 < len(labels) <= _MOST:
        return False
    return all(_is_key(key) and _is_value(value) for key, value in labels.items())


def _annotations(annotations: Any) -> bool:
    if type(annotations) is not dict or not 0 < len(annotations) <= _MOST:
        return False
    size = 0
    for key, value in annotations.items():
        # The prefix of an annotation's key may have capitals, but that is not ordinary.
        if not _is_key(key) or type(value) is not str or not is_text(value):
            return False
        size += len(key) + len(value)
    # Four bytes a character at most, so the limit of 256 KiB holds.
    return size <= _LONGEST_ANNOTATIONS


def _finalizers(finalizers: Any) -> bool:
    """Only qualified finalizers, because the server warns about others."""
    if type(finalizers) is not list or not 0 < len(finalizers) <= _MOST:
        return False
    return all(_is_key(one) and "/" in one for one in finalizers)


def _common(meta: dict[str, Any], namespaced: bool) -> bool:
    """The fields of new objects."""
    if not _is_name(meta["name"]):
        return False
    if "namespace" in meta and not (namespaced and _is_namespace(meta["namespace"])):
        return False
    if "labels" in meta and not _labels(meta["labels"]):
        return False
    if "annotations" in meta and not _annotations(meta["annotations"]):
        return False
    if "finalizers" in meta and not _finalizers(meta["finalizers"]):
        return False
    generation = meta.get("generation", 1)
    return type(generation) is int and 0 < generation < INT64_MAX


def created(meta: Any, namespaced: bool) -> dict[str, Any] | None:
    """The metadata as creation stores it; None if not ordinary.

    The metadata of a stored object is ordinary, too: its creation drops what only the server gives.
    """
    if not is_stored(meta, namespaced):
        return None
    kept = {key: one for key, one in meta.items() if key not in _KEPT}
    if namespaced:
        kept.setdefault("namespace", "default")
    kept["generation"] = 1
    return kept


def is_ordinary_resource(value: Any) -> bool:
    """Whether an embedded resource has valid apiVersion, kind and metadata, in their normal form."""
    api_version, kind = value["apiVersion"], value["kind"]
    if type(api_version) is not str or type(kind) is not str or not api_version or api_version.count("/") > 1:
        return False
    if not is_dns1123_label(kind.lower()) or not kind[0].isalpha():
        return False
    return "metadata" not in value or _is_ordinary_embedded(value["metadata"])


def _is_ordinary_embedded(meta: Any) -> bool:
    """Whether the metadata of an embedded resource is ordinary; it needs no name."""
    if type(meta) is not dict or not meta.keys() <= _PLAIN_KEYS:
        return False
    return _common(meta if "name" in meta else {**meta, "name": "x"}, namespaced=True)


def is_stored(meta: Any, namespaced: bool) -> bool:
    """Whether the metadata of a stored object, or its replacement, is ordinary, and the object is not being deleted."""
    if type(meta) is not dict or not meta.keys() <= _STORED_KEYS or not _common(meta, namespaced):
        return False
    for key in ("uid", "resourceVersion"):
        if key in meta and not _is_filled(meta[key]):
            return False
    if "creationTimestamp" in meta and not _is_time(meta["creationTimestamp"]):
        return False
    if "ownerReferences" in meta and not _owners(meta["ownerReferences"]):
        return False
    return "managedFields" not in meta or _managers(meta["managedFields"])


def _is_filled(text: Any) -> bool:
    return type(text) is str and bool(text) and is_text(text)


def _is_time(text: Any) -> bool:
    try:
        return type(text) is str and len(text) < _SHORT and canonical_time(text) == text
    except BadTime:
        return False


def _owners(owners: Any) -> bool:
    """References to different objects of groups, of which at most one is the controller."""
    if type(owners) is not list or not 0 < len(owners) <= _MOST:
        return False
    controllers = 0
    seen = set()
    for owner in owners:
        if type(owner) is not dict or not _OWNER_ALWAYS <= owner.keys() <= _OWNER:
            return False
        if not all(_is_filled(owner[key]) for key in _OWNER_ALWAYS):
            return False
        group, slash, version = owner["apiVersion"].partition("/")
        if not slash or not group or not version or "/" in version:
            return False
        if not all(type(owner.get(key, False)) is bool for key in ("controller", "blockOwnerDeletion")):
            return False
        controllers += owner.get("controller", False)
        seen.add(owner["uid"])
    return controllers <= 1 and len(seen) == len(owners)


def _managers(entries: Any) -> bool:
    if type(entries) is not list or not 0 < len(entries) <= _MOST:
        return False
    return all(map(_manager, entries)) and is_plain([entry.get("fieldsV1", {}) for entry in entries])


def _manager(entry: Any) -> bool:
    if type(entry) is not dict or not entry.keys() <= _ENTRY or entry.get("operation") not in {"Apply", "Update"}:
        return False
    texts = [entry[key] for key in ("manager", "apiVersion", "subresource") if key in entry]
    if not all(_is_filled(text) and len(text) <= _SHORT for text in texts):
        return False
    if "fieldsV1" in entry and type(entry["fieldsV1"]) is not dict:
        return False
    if "time" in entry and not _is_time(entry["time"]):
        return False
    return "fieldsType" not in entry or (type(entry["fieldsType"]) is str and entry["fieldsType"] == "FieldsV1")


def updated(meta: Any, old: Any, namespaced: bool) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """The new and the old metadata of an update, without the generation; None if they are not ordinary."""
    if not is_stored(meta, namespaced) or not is_stored(old, namespaced):
        return None
    if meta["name"] != old["name"]:
        return None
    # A client that read the old object sends unmentioned fields unchanged.
    version = old.get("resourceVersion") or meta.get("resourceVersion") or "1"
    if meta.get("resourceVersion", version) != version:
        return None
    for key in _KEPT:
        if key in meta and meta[key] != old.get(key):
            return None
    if meta.get("finalizers") != old.get("finalizers"):
        return None
    new = {**meta, "resourceVersion": version}
    before = {**old, "resourceVersion": version}
    if namespaced:
        namespace = old.get("namespace") or meta.get("namespace") or "default"
        if meta.get("namespace", namespace) != namespace:
            return None
        new["namespace"] = before["namespace"] = namespace
    for key in _KEPT:
        if key in old:
            new[key] = old[key]
    before.setdefault("generation", 1)
    return new, before
