"""Which object a request is for: names, namespaces, and the conflicts of an update with the stored object.

Source: apiserver, ``pkg/registry/rest`` and ``pkg/registry/generic/registry/store.go``.
"""

from collections.abc import Mapping
from typing import Any, Final

from ovnguard.validators.base.field import JSON_VALUES_SINCE, ErrorType, FieldError, Older
from ovnguard.validators.base.verdict import Refusal
from ovnguard.validators.go.text import GoText, quote
from ovnguard.validators.structural.objects.prepare import Kind, Refused, assign, bad_request

GENERATED_SUFFIX: Final = "00000"
"""Placeholder for the five random characters of a generated name."""
_LONGEST_BASE: Final = 58
_STORAGE_PREFIX: Final = "/registry"
"""The default of kube-apiserver's ``--etcd-prefix``."""
_WITHOUT_GROUP: Final = frozenset({"admissionregistration.k8s.io"})
"""Groups that the keys of storage do not name, as those of other built-in kinds."""
_SYSTEM_FIELDS: Final = (
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
)
_NO_VERSION: Final = FieldError(
    ErrorType.INVALID,
    "metadata.resourceVersion",
    0,
    "must be specified for an update",
    "metadata",
    (Older(JSON_VALUES_SINCE, bad_value=GoText("0x0")),),
)


def address_new(kind: Kind, obj: dict[str, Any]) -> dict[str, Any]:
    """Return the object with completed metadata for creation: namespace, generated name, no fields of the system."""
    meta = {key: one for key, one in (obj.get("metadata") or {}).items() if key not in _SYSTEM_FIELDS}
    if kind.namespaced:
        meta.setdefault("namespace", "default")
    else:
        meta.pop("namespace", None)
    if not meta.get("name") and (base := meta.get("generateName")):
        meta["name"] = _cut(base, _LONGEST_BASE) + GENERATED_SUFFIX
    return {**obj, "metadata": meta}


def _cut(text: str, size: int) -> str:
    return (
        text if text.isascii() and len(text) <= size else text.encode(errors="replace")[:size].decode(errors="replace")
    )


def address_update(
    kind: Kind, obj: dict[str, Any], old: dict[str, Any], *, replace: bool = False
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return new and old object of an update by a client that has read the old one.

    Metadata that the new object omits come from the old one. Raises `Refused` for another name or namespace (400), for
    another uid or a stale resourceVersion (409), and with ``replace`` for none (422).
    """
    meta, old_meta = dict(obj.get("metadata") or {}), dict(old["metadata"])
    has_version = bool(meta.get("resourceVersion"))
    namespace = ""
    if kind.namespaced:
        namespace = old_meta.get("namespace") or meta.get("namespace") or "default"
    assign(old_meta, "namespace", namespace)
    assign(old_meta, "uid", old_meta.get("uid") or meta.get("uid"))
    old_meta["name"] = old_meta.get("name") or meta.get("name") or "unnamed"
    old_meta["resourceVersion"] = old_meta.get("resourceVersion") or meta.get("resourceVersion") or "1"
    meta["name"] = meta.get("name") or old_meta["name"]
    meta["resourceVersion"] = meta.get("resourceVersion") or old_meta["resourceVersion"]
    new, old = {**obj, "metadata": meta}, {**old, "metadata": old_meta}
    if namespace and meta.get("namespace", namespace) != namespace:
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request", new)
    assign(meta, "namespace", namespace)
    if meta["name"] != old_meta["name"]:
        named = f"({meta['name']}) does not match the name on the URL ({old_meta['name']})"
        raise bad_request(f"the name of the object {named}", new)
    _check_conflicts(kind, new, old_meta)
    if replace and not has_version:
        raise _lacks_version(kind, new)
    return new, old


def _check_conflicts(kind: Kind, obj: dict[str, Any], old_meta: Mapping[str, Any]) -> None:
    meta, stored = obj["metadata"], old_meta.get("uid")
    if (uid := meta.get("uid")) and uid != stored:
        group = "" if kind.group in _WITHOUT_GROUP else kind.group
        parts = (_STORAGE_PREFIX, group, kind.plural, meta.get("namespace"), meta["name"])
        failed = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {stored}"
        fault = f"Code: 4, Key: {'/'.join(filter(None, parts))}, ResourceVersion: 0, AdditionalErrorMsg: {failed}"
        raise _conflict(kind, obj, f"StorageError: invalid object, {fault}")
    if meta["resourceVersion"] != old_meta["resourceVersion"]:
        again = "the object has been modified; please apply your changes to the latest version and try again"
        raise _conflict(kind, obj, again)


def _conflict(kind: Kind, obj: dict[str, Any], reason: str) -> Refused:
    name, details = _resource(kind, obj)
    return Refused(Refusal(409, "Conflict", f"Operation cannot be fulfilled on {name}: {reason}", details), obj)


def _lacks_version(kind: Kind, obj: dict[str, Any]) -> Refused:
    error = _NO_VERSION.as_of(kind.kubernetes)
    name, details = _resource(kind, obj)
    return Refused(Refusal(422, "Invalid", f"{name} is invalid: {error.text}", details), obj, (error,))


def _resource(kind: Kind, obj: dict[str, Any]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The name and the details of an answer of the storage, which knows the resource and not the kind."""
    name = obj["metadata"]["name"]
    details = (("name", name), ("group", kind.group), ("kind", kind.plural))
    return f"{kind.plural}.{kind.group} {quote(name)}", details
