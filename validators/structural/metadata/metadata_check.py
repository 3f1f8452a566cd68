"""Checks of ``metadata`` on create and on update, and the warnings about finalizers.

Source: apimachinery, package ``api/validation`` (ValidateObjectMetaAccessor and its Update), and
apiextensions-apiserver, package ``pkg/registry/customresource``. `objectmeta.decode` decodes the metadata before.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from ovnguard.validators.base import object_names
from ovnguard.validators.base.field import (
    DEFAULT_KUBERNETES,
    JSON_VALUES_SINCE,
    ErrorType,
    FieldError,
    NamedText,
    Older,
    minor,
    too_long,
)
from ovnguard.validators.go.text import GoText, Struct, Texts, go_strings, json_text, quote
from ovnguard.validators.structural.schema.definition_types import OWNER, OWNERS

_ANNOTATIONS_LIMIT: Final = 256 * 1024
_MANAGER_LIMIT: Final = 128
_SUBRESOURCE_LIMIT: Final = 256
_DEFAULT: Final = minor(DEFAULT_KUBERNETES)
_ONCE_SINCE: Final = 37
_REQUIRED_SINCE: Final = 37
"""What is empty is missing, the paths of owners have an index, and updates check that a generation is not negative."""
_OPERATIONS: Final = ("Apply", "Update")
_ORPHAN: Final = "orphan"
_FOREGROUND: Final = "foregroundDeletion"
_STANDARD_FINALIZERS: Final = frozenset({_ORPHAN, _FOREGROUND, "kubernetes"})
_REPEATED_OWNERS: Final = (
    ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject"
    " such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: "
)
_IMMUTABLE: Final = (
    ("name", ""),
    ("namespace", ""),
    ("uid", ""),
    ("creationTimestamp", None),
    ("deletionTimestamp", None),
    ("deletionGracePeriodSeconds", None),
)

_TIMES: Final = frozenset({"creationTimestamp", "deletionTimestamp"})
_ZERO_TIME: Final = "0001-01-01T00:00:00Z"

NameRule = Callable[[str, bool], list[str]]


_LABEL_KEY: Final = "a valid label key "
_QUALIFIED_NAME: Final = "a qualified name "
_TOO_MANY_BYTES: Final = re.compile(r"(must be no more than [0-9]+) bytes$")
_CONTENT_RULES_SINCE: Final = 35
_FINALIZER_PATHS_SINCE: Final = 32


def _invalid(path: str, value: Any, detail: str) -> FieldError:
    before = _before_content_rules(detail)
    older = () if before == detail else (Older(_CONTENT_RULES_SINCE, detail=before),)
    return FieldError(ErrorType.INVALID, path, value, detail, "metadata", older)


def _before_content_rules(detail: str) -> str:
    """A complaint about a key or value of a label, as servers before 1.35 said it."""
    if detail.startswith(_LABEL_KEY):
        return _QUALIFIED_NAME + detail.removeprefix(_LABEL_KEY)
    return _TOO_MANY_BYTES.sub(r"\1 characters", detail)


def _typed(path: str, value: Any, go_syntax: GoText, detail: str) -> FieldError:
    """The error of a value of a Go type, which older servers print in Go syntax."""
    older = (Older(JSON_VALUES_SINCE, bad_value=go_syntax),)
    return FieldError(ErrorType.INVALID, path, value, detail, "metadata", older)


def _with_go_time(error: FieldError) -> FieldError:
    """The error of a time, which older servers print as Go's ``Time.String``; a pointer may be nil."""
    if error.bad_value is None and error.field.endswith("deletionTimestamp"):
        return error
    text = str(error.bad_value or _ZERO_TIME).replace("T", " ").replace("Z", " +0000 UTC")
    return _typed(error.field, error.bad_value, GoText(text), error.detail)


def check_create(
    meta: Mapping[str, Any],
    *,
    namespaced: bool,
    name_rule: NameRule,
    path: str = "metadata",
    release: int = _DEFAULT,
) -> list[FieldError]:
    """Return the errors of the metadata of a new object, in the order of an API server of 1.``release``."""
    errors: list[FieldError] = []
    if base := meta.get("generateName"):
        errors.extend(_invalid(f"{path}.generateName", base, message) for message in name_rule(base, True))
    if name := meta.get("name"):
        errors.extend(_invalid(f"{path}.name", name, message) for message in name_rule(name, False))
    else:
        detail = "name or generateName is required"
        errors.append(FieldError(ErrorType.REQUIRED, f"{path}.name", "", detail, "metadata"))
    errors.extend(_check_namespace(meta, namespaced, path))
    errors.extend(_check_generation(meta, path))
    errors.extend(_check_labels(meta, path))
    errors.extend(_check_annotations(meta, path))
    errors.extend(_check_owners(meta, path, release))
    errors.extend(_check_finalizers(meta, path))
    errors.extend(_check_managers(meta, path, release))
    return errors


def check_update(new: Mapping[str, Any], old: Mapping[str, Any], release: int = _DEFAULT) -> list[FieldError]:
    """Return the errors of an update: what it must not change, and what it must keep well-formed."""
    path = "metadata"
    errors: list[FieldError] = []
    if old.get("deletionTimestamp") is not None:
        added = sorted(set(new.get("finalizers", ())) - set(old.get("finalizers", ())))
        if added:
            detail = "no new finalizers can be added if the object is being deleted, found new finalizers "
            errors.append(
                FieldError(ErrorType.FORBIDDEN, f"{path}.finalizers", "", detail + go_strings(added), "metadata")
            )
    if not new.get("resourceVersion"):
        errors.append(_invalid(f"{path}.resourceVersion", "", "must be specified for an update"))
    if release >= _REQUIRED_SINCE:
        errors.extend(_check_generation(new, path))
    if new.get("generation", 0) < old.get("generation", 0):
        errors.append(_invalid(f"{path}.generation", new.get("generation", 0), "must not be decremented"))
    for key, absent in _IMMUTABLE:
        if (value := new.get(key, absent)) != old.get(key, absent):
            shown = NamedText(value) if key == "uid" else value
            error = _invalid(f"{path}.{key}", shown, "field is immutable")
            errors.append(_with_go_time(error) if key in _TIMES else error)
    errors.extend(_check_labels(new, path))
    errors.extend(_check_annotations(new, path))
    errors.extend(_check_owners(new, path, release))
    errors.extend(_check_managers(new, path, release))
    return errors


def reported(errors: list[FieldError], release: int) -> list[FieldError]:
    """Return the errors of metadata as the strategies of resources report them: from 1.37 on, each text once.

    Source: apimachinery, ``ValidateObjectMetaDeclaratively``, whose filter aggregates the errors.
    """
    return list({error.text: error for error in errors}.values()) if release >= _ONCE_SINCE else errors


def finalizer_warnings(new: Mapping[str, Any], old: Mapping[str, Any], release: int) -> list[str]:
    """Return the warnings of a release about finalizers that this request adds, sorted by finalizer."""
    wording = _before_content_rules if release < _CONTENT_RULES_SINCE else str
    warnings: list[str] = []
    for finalizer in sorted(set(new.get("finalizers", ())) - set(old.get("finalizers", ()))):
        head = f"metadata.finalizers: {quote(finalizer)}: "
        warnings.extend(head + wording(message) for message in object_names.label_key(finalizer))
        if "/" not in finalizer and finalizer not in _STANDARD_FINALIZERS:
            path = "including a path (/) " if "." in finalizer and release >= _FINALIZER_PATHS_SINCE else ""
            warnings.append(
                f"{head}prefer a domain-qualified finalizer name {path}"
                "to avoid accidental conflicts with other finalizer writers"
            )
    return warnings


def unique_owners(obj: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the object without duplicate owner references, and the warning about them, if any.

    Source: apiserver, ``pkg/endpoints/handlers/rest.go`` (dedupOwnerReferences).
    """
    kept: dict[frozenset[tuple[str, Any]], Any] = {}
    repeated: list[str] = []
    for owner in obj["metadata"].get("ownerReferences", ()):
        if kept.setdefault(frozenset(owner.items()), owner) is not owner:
            repeated.append(owner.get("uid", ""))
    if not repeated:
        return obj, []
    owners = list(kept.values())
    return {**obj, "metadata": {**obj["metadata"], "ownerReferences": owners}}, [_REPEATED_OWNERS + ", ".join(repeated)]


def _check_generation(meta: Mapping[str, Any], path: str) -> list[FieldError]:
    generation = meta.get("generation", 0)
    detail = "must be greater than or equal to 0"
    return [_invalid(f"{path}.generation", generation, detail)] if generation < 0 else []


def _check_namespace(meta: Mapping[str, Any], namespaced: bool, path: str) -> list[FieldError]:
    namespace = meta.get("namespace")
    field = f"{path}.namespace"
    if not namespaced:
        detail = "not allowed on this type"
        return [FieldError(ErrorType.FORBIDDEN, field, "", detail, "metadata")] if namespace else []
    if not namespace:
        return [FieldError(ErrorType.REQUIRED, field, "", "", "metadata")]
    return [_invalid(field, namespace, message) for message in object_names.dns1123_label(namespace)]


def _check_labels(meta: Mapping[str, Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    field = f"{path}.labels"
    for key, value in meta.get("labels", {}).items():
        errors.extend(_invalid(field, key, message) for message in object_names.label_key(key))
        errors.extend(_invalid(field, value, message) for message in object_names.label_value(value))
    return errors


def _check_annotations(meta: Mapping[str, Any], path: str) -> list[FieldError]:
    annotations = meta.get("annotations", {})
    field = f"{path}.annotations"
    errors = [_invalid(field, key, message) for key in annotations for message in object_names.label_key(key.lower())]
    size = sum(
        len(key.encode(errors="replace")) + len(value.encode(errors="replace")) for key, value in annotations.items()
    )
    if size > _ANNOTATIONS_LIMIT:
        errors.append(_over(field, _ANNOTATIONS_LIMIT))
    return errors


def _over(field: str, limit: int) -> FieldError:
    error = too_long(field, limit, "metadata")
    older = (Older(32, detail=f"must have at most {limit} bytes"),)
    return FieldError(error.type, field, error.bad_value, error.detail, "metadata", older)


def _check_owners(meta: Mapping[str, Any], path: str, release: int) -> list[FieldError]:
    errors: list[FieldError] = []
    field = f"{path}.ownerReferences"
    owners = meta.get("ownerReferences", [])
    first = ""
    printed: tuple[GoText, GoText] | None = None
    for index, owner in enumerate(owners):
        required = release >= _REQUIRED_SINCE
        errors.extend(_check_owner(owner, f"{field}[{index}]" if required else field, required=required))
        if not owner.get("controller"):
            continue
        name = f"{owner['kind']}/{owner['name']}"
        if first:
            detail = 'Only one reference can have Controller set to true. Found "true" in references for '
            detail += f"{first} and {name}"
            # every error has all owners: printed once, they take no more time than the owners
            if printed is None:
                printed = GoText(json_text(list(map(Struct, owners)))), GoText(OWNERS.go_syntax(owners, "v1"))
            errors.append(_typed(field, *printed, detail))
        else:
            first = name
    return errors


def _check_owner(owner: Mapping[str, Any], field: str, *, required: bool) -> list[FieldError]:
    """Return the errors of one owner. ``required``: an empty part is missing, and not of a wrong value."""
    api_version, kind = owner["apiVersion"], owner["kind"]
    group, slash, version = api_version.rpartition("/")
    if api_version == "/" or "/" in group:
        version = ""
    errors: list[FieldError] = []
    if required and not api_version:
        errors.append(_missing(f"{field}.apiVersion"))
    elif not version:
        detail = "must be <group>/<version> or <version>" if required else "version must not be empty"
        errors.append(_invalid(f"{field}.apiVersion", api_version, detail))
    for key in ("kind", "name", "uid"):
        if required and not owner[key]:
            errors.append(_missing(f"{field}.{key}"))
        elif not owner[key]:
            older = (Older(34, detail=f"{key} must not be empty"),)
            where = f"{field}.{key}"
            errors.append(FieldError(ErrorType.INVALID, where, "", "must not be empty", "metadata", older))
    if (group, version, kind) == ("", "v1", "Event") and not slash:
        detail = "/v1, Kind=Event is disallowed from being an owner"
        errors.append(_typed(field, Struct(owner), GoText(OWNER.literal(owner, "v1")), detail))
    return errors


def _missing(field: str) -> FieldError:
    return FieldError(ErrorType.REQUIRED, field, "", "must not be empty", "metadata")


def _check_finalizers(meta: Mapping[str, Any], path: str) -> list[FieldError]:
    finalizers = meta.get("finalizers", [])
    field = f"{path}.finalizers"
    errors = [_invalid(field, one, message) for one in finalizers for message in object_names.label_key(one)]
    if _ORPHAN in finalizers and _FOREGROUND in finalizers:
        errors.append(_invalid(field, Texts(finalizers), f"finalizer {_ORPHAN} and {_FOREGROUND} cannot be both set"))
    return errors


def _check_managers(meta: Mapping[str, Any], path: str, release: int) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, entry in enumerate(meta.get("managedFields", [])):
        field = f"{path}.managedFields[{index}]"
        if (operation := entry.get("operation", "")) not in _OPERATIONS:
            errors.append(_check_operation(operation, f"{field}.operation", release))
        if (kind := entry.get("fieldsType", "")) not in {"", "FieldsV1"}:
            errors.append(_invalid(f"{field}.fieldsType", kind, "must be `FieldsV1`"))
        if len(entry.get("manager", "").encode(errors="replace")) > _MANAGER_LIMIT:
            errors.append(too_long(f"{field}.manager", _MANAGER_LIMIT, "metadata"))
        if len(entry.get("subresource", "").encode(errors="replace")) > _SUBRESOURCE_LIMIT:
            errors.append(too_long(f"{field}.subresource", _SUBRESOURCE_LIMIT, "metadata"))
    return errors


def _check_operation(operation: str, field: str, release: int) -> FieldError:
    if release < _REQUIRED_SINCE:
        return _invalid(field, operation, "must be `Apply` or `Update`")
    if not operation:
        return _missing(field)
    detail = f"supported values: {', '.join(map(quote, _OPERATIONS))}"
    return FieldError(ErrorType.NOT_SUPPORTED, field, NamedText(operation), detail, "metadata")
