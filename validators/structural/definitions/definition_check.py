"""Checks of a CustomResourceDefinition outside its versions: metadata, group, names, and what versions must not share.

Source: apiextensions-apiserver, ``pkg/apis/apiextensions/validation`` (ValidateCustomResourceDefinition).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ovnguard.validators.base import object_names
from ovnguard.validators.base.field import JSON_VALUES_SINCE, ErrorType, FieldError, NamedText, Older, not_supported
from ovnguard.validators.go.text import quote
from ovnguard.validators.go.url import STRICT_SINCE, BadURL, as_bytes, parse
from ovnguard.validators.structural.definitions.allowances import Allowances
from ovnguard.validators.structural.definitions.definition import Definition
from ovnguard.validators.structural.definitions.stored_definition import StoredDefinition
from ovnguard.validators.structural.definitions.structural_check import invalid, required
from ovnguard.validators.structural.metadata import metadata_check as metadata
from ovnguard.validators.structural.schema.definition_types import TEXTS, VERSIONS, typed_error

_VERSION: Final = re.compile("v([0-9]+)(?:(alpha|beta)([0-9]+))?")
_STAGES: Final = {"alpha": 0, "beta": 1, None: 2}
_APPROVED: Final = "api-approved.kubernetes.io"
_MIXED_CASE: Final = "may have mixed case, but should otherwise match: "
_PRESERVE: Final = (
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
)

_STILL_STORED: Final = (
    "missing from spec.versions; {0} was previously a storage version, and must remain in spec.versions until a storage"
    " migration ensures no data remains persisted in {0} and removes {0} from status.storedVersions"
)

Errors = Iterator[FieldError]
Json = Mapping[str, Any]


def check_meta(definition: Definition, release: int) -> list[FieldError]:
    """Return the errors of ``metadata`` in Kubernetes 1.``release``: the name must consist of plural and group."""

    def name_rule(name: str, prefix: bool) -> list[str]:
        errors = object_names.resource_name(name, prefix)
        if name != f"{definition.names['plural']}.{definition.group}":
            errors.append('must be spec.names.plural+"."+spec.group')
        return errors

    errors = metadata.check_create(definition.meta, namespaced=False, name_rule=name_rule, release=release)
    return metadata.reported(errors, release)


def check_head(definition: Definition, allowed: Allowances) -> Errors:
    """Yield the errors of group and scope, and of versions without a schema."""
    group = definition.group
    if not group:
        yield required("spec.group", "")
    elif complaints := object_names.dns1123_subdomain(group):
        yield invalid("spec.group", group, ",".join(complaints))
    elif "." not in group:
        yield invalid("spec.group", group, "should be a domain with at least one dot")
    if not definition.scope:
        yield required("spec.scope", "")
    elif definition.scope not in {"Cluster", "Namespaced"}:
        yield not_supported("spec.scope", definition.scope, ("Cluster", "Namespaced"))
    for index, version in enumerate(definition.written):
        path = f"spec.versions[{index}].schema.openAPIV3Schema"
        if "openAPIV3Schema" in version.get("schema", {}):
            continue
        if not allowed.missing_schemas:
            yield required(path, "", Older(34, detail="schemas are required"))
        elif version.get("served") and not definition.preserves:
            yield required(path, "because otherwise all fields are pruned")


def check_preserving(definition: Definition, *, has_defaults: bool) -> Errors:
    """Yield the errors of what cannot be combined with preserveUnknownFields."""
    if definition.preserves and has_defaults:
        yield invalid("spec.preserveUnknownFields", True, "must be false in order to use defaults in the schema")


def check_version_name(version: Json, path: str) -> Errors:
    """Yield the errors of the name of a version."""
    name = version.get("name", "")
    if complaints := object_names.dns1035_label(name):
        yield invalid(f"{path}.name", name, ",".join(complaints))


def check_versions(definition: Definition) -> Errors:
    """Yield the errors of duplicate version names, and of storage versions: there must be exactly one."""
    versions = definition.versions
    listed = versions if definition.has_version_list else None
    names = [version.get("name", "") for version in versions]
    if len(set(names)) != len(names):
        yield typed_error("spec.versions", VERSIONS, listed, "must contain unique version names")
    if sum(version.get("storage", False) for version in versions) != 1:
        detail = "must have exactly one version marked as storage version"
        yield typed_error("spec.versions", VERSIONS, listed, detail)
    if names and names[0] and (complaints := object_names.dns1035_label(names[0])):
        yield invalid("spec.version", names[0], ",".join(complaints))


def check_names(definition: Definition) -> Errors:
    """Yield the errors of ``spec.names``."""
    found = definition.names
    for key in ("plural", "singular", "kind", "listKind"):
        if not found[key]:
            yield required(f"spec.names.{key}", "")
    yield from check_name_texts(found, definition.short_names, definition.categories, "spec.names")


def check_name_texts(
    found: Mapping[str, str], short_names: Sequence[str], categories: Sequence[str], path: str
) -> Errors:
    """Yield the errors of the names below a path."""
    for key in ("plural", "singular"):
        if found[key] and (complaints := object_names.dns1035_label(found[key])):
            yield invalid(f"{path}.{key}", found[key], ",".join(complaints))
    for key in ("kind", "listKind"):
        if found[key] and (complaints := object_names.dns1035_label(found[key].lower())):
            yield invalid(f"{path}.{key}", found[key], _MIXED_CASE + ",".join(complaints))
    for key, listed in (("shortNames", short_names), ("categories", categories)):
        for index, name in enumerate(listed):
            if complaints := object_names.dns1035_label(name):
                yield invalid(f"{path}.{key}[{index}]", name, ",".join(complaints))
        if key == "shortNames" and found["kind"] and found["kind"] == found["listKind"]:
            yield invalid(f"{path}.listKind", found["listKind"], "kind and listKind may not be the same")


def check_changes(definition: Definition, old: StoredDefinition) -> Errors:
    """Yield the errors of what an update must not change: objects are stored under it."""
    changes = [
        ("spec.scope", NamedText(definition.scope), NamedText(old.scope)),
        ("spec.names.kind", definition.names["kind"], old.names["kind"]),
        ("spec.group", definition.group, old.group),
        ("spec.names.plural", definition.names["plural"], old.names["plural"]),
    ]
    for path, value, before in changes[0 if old.is_established else 2 :]:
        if value != before:
            older = (Older(JSON_VALUES_SINCE, bad_value=str(value)),)
            yield invalid(path, value, "field is immutable", *older)


def check_accepted_names(old: StoredDefinition) -> Errors:
    """Yield the errors of the names in the status."""
    names = old.accepted_names
    found = {key: names.get(key, "") for key in ("plural", "singular", "kind", "listKind")}
    shorts, categories = names.get("shortNames", []), names.get("categories", [])
    yield from check_name_texts(found, shorts, categories, "status.acceptedNames")


def check_rest(definition: Definition, release: int, old: StoredDefinition | None = None) -> Errors:
    """Yield the errors of stored versions, of the approval of Kubernetes' own groups, and of preserveUnknownFields.

    ``release`` is the minor number of the API server; on an update, ``old`` may have the same faults.
    """
    yield from _stored(definition.versions, [] if old is None else old.stored_versions)
    group = definition.group
    if group in {"k8s.io", "kubernetes.io"} or group.endswith((".k8s.io", ".kubernetes.io")):
        strict, text = release >= STRICT_SINCE, _approval_of(definition)
        if old is None or _approval_state(text, strict=strict) != _approval_state(_approval_of(old), strict=strict):
            yield from _approval(text, strict=strict)
    if definition.preserves and (old is None or not old.preserves):
        yield invalid("spec.preserveUnknownFields", True, _PRESERVE)


def _stored(versions: Sequence[Json], before: Sequence[str]) -> Errors:
    """Yield the errors of the stored versions: those before, and the first storage version."""
    storage = [version.get("name", "") for version in versions if version.get("storage")][:1]
    stored = [*before, *(name for name in storage if name not in before)]
    if not stored:
        yield typed_error("status.storedVersions", TEXTS, None, "must have at least one stored version")
        return
    left = {name: index for index, name in enumerate(stored)}
    for version in versions:
        name = version.get("name", "")
        if version.get("storage") and name not in left:
            yield typed_error("status.storedVersions", TEXTS, stored, f"must have the storage version {name}")
        left.pop(name, None)
    for name, index in left.items():
        older = Older(33, detail="must appear in spec.versions")
        yield invalid(f"status.storedVersions[{index}]", name, _STILL_STORED.format(name), older)


def _approval_of(definition: Definition) -> str:
    return str(definition.meta.get("annotations", {}).get(_APPROVED, ""))


def _approval_state(text: str, *, strict: bool) -> str:
    if not text or text.startswith("unapproved"):
        return text[: len("unapproved")]
    return "approved" if _is_link(text, strict=strict) else "invalid"


def _approval(text: str, *, strict: bool) -> Errors:
    path = f"metadata.annotations[{_APPROVED}]"
    see = "see https://github.com/kubernetes/enhancements/pull/1111"
    if not text:
        yield required(path, f"protected groups must have approval annotation {quote(_APPROVED)}, {see}")
    elif not text.startswith("unapproved") and not _is_link(text, strict=strict):
        either = 'with either a URL or a reason starting with "unapproved"'
        detail = f"protected groups must have approval annotation {quote(_APPROVED)} {either}, {see}"
        yield FieldError(ErrorType.INVALID, path, text, detail)


def _is_link(text: str, *, strict: bool) -> bool:
    try:
        url = parse(as_bytes(text), request=True, strict=strict)
    except BadURL:
        return False
    return bool(url.host and url.scheme)


def priority(version: str) -> tuple[int, int, int, int, tuple[int, ...]]:
    """Return a sort key for API versions: v10 is above v2, v1, v1beta2 and v1alpha1; other names are below, by name.

    Source: apimachinery, package ``pkg/version`` (CompareKubeAwareVersionStrings).
    """
    match = _VERSION.fullmatch(version)
    if match is None:
        # Names that are not versions are sorted by name, the first one as the newest.
        return (0, 0, 0, 0, (*(-ord(char) for char in version), 1))
    return (1, _STAGES[match[2]], int(match[1]), int(match[3] or 0), ())
