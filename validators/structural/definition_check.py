"""Checks of a CustomResourceDefinition outside its schemas: names, versions, columns, subresources, conversion.

Source: apiextensions-apiserver, ``pkg/apis/apiextensions/validation`` (ValidateCustomResourceDefinition), and the
conversion of v1 that moves what all versions share to the top: errors then name ``spec.validation``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from validators.base import object_names
from validators.base.field import ErrorType, FieldError, not_supported
from validators.go.text import go_kind, quote
from validators.structural import metadata
from validators.structural.deep_equal import deep_equal
from validators.structural.objectmeta import BadMetadata, decode
from validators.structural.structural_check import forbidden, invalid, required

_VERSION: Final = re.compile("v([0-9]+)(?:(alpha|beta)([0-9]+))?")
_STAGES: Final = {"alpha": 0, "beta": 1, None: 2}
_COLUMN_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_APPROVED: Final = "api-approved.kubernetes.io"
_MIXED_CASE: Final = "may have mixed case, but should otherwise match: "
_PRESERVE: Final = (
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
)

Errors = Iterator[FieldError]
Json = Mapping[str, Any]


class Malformed(ValueError):
    """The definition does not decode. ``field`` names the place."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(f"{field}: {detail}")
        self.field = field
        self.detail = detail


def typed(source: Json, key: str, path: str, wanted: type, default: Any) -> Any:
    """Return the value of a key, or ``default`` if it is absent or null. Raises `Malformed` for another type."""
    value = source.get(key)
    if value is None:
        return default
    if type(value) is not wanted:
        raise Malformed(f"{path}.{key}" if path else key, f"has the wrong type: {go_kind(value)}")
    return value


def shared(versions: Sequence[Json], key: str) -> bool:
    """Return whether all versions have the same value under a key. The API server then moves it to the top."""
    return all(deep_equal(one.get(key) or None, versions[0].get(key) or None) for one in versions)


class Definition:
    """Return a definition with the defaults that a POST fills in. Raises `Malformed` if it does not decode."""

    def __init__(self, source: Json) -> None:
        self.source = source
        self.meta_source = typed(source, "metadata", "", dict, {})
        self.spec: Json = typed(source, "spec", "", dict, {})
        self.group: str = typed(self.spec, "group", "spec", str, "")
        self.scope: str = typed(self.spec, "scope", "spec", str, "")
        self.preserves: bool = typed(self.spec, "preserveUnknownFields", "spec", bool, False)
        self.versions: list[Json] = typed(self.spec, "versions", "spec", list, [])
        for index, version in enumerate(self.versions):
            self._check_version(version, f"spec.versions[{index}]")
        found: Json = typed(self.spec, "names", "spec", dict, {})
        self.names = {
            key: typed(found, key, "spec.names", str, "") for key in ("plural", "singular", "kind", "listKind")
        }
        self.names["singular"] = self.names["singular"] or self.names["kind"].lower()
        if self.names["kind"] and not self.names["listKind"]:
            self.names["listKind"] = self.names["kind"] + "List"
        self.short_names = [str(one) for one in typed(found, "shortNames", "spec.names", list, [])]
        self.categories = [str(one) for one in typed(found, "categories", "spec.names", list, [])]
        self.conversion: Json = typed(self.spec, "conversion", "spec", dict, {"strategy": "None"})

    @staticmethod
    def _check_version(version: Any, path: str) -> None:
        if type(version) is not dict:
            raise Malformed(path, f"has the wrong type: {go_kind(version)}")
        for key, wanted in (("name", str), ("served", bool), ("storage", bool), ("deprecated", bool)):
            typed(version, key, path, wanted, None)
        typed(version, "deprecationWarning", path, str, None)
        typed(typed(version, "schema", path, dict, {}), "openAPIV3Schema", f"{path}.schema", dict, None)
        subresources = typed(version, "subresources", path, dict, {})
        typed(subresources, "status", f"{path}.subresources", dict, None)
        scale = typed(subresources, "scale", f"{path}.subresources", dict, {})
        for key in ("specReplicasPath", "statusReplicasPath", "labelSelectorPath"):
            typed(scale, key, f"{path}.subresources.scale", str, None)
        for key in ("additionalPrinterColumns", "selectableFields"):
            for index, one in enumerate(typed(version, key, path, list, [])):
                if type(one) is not dict:
                    raise Malformed(f"{path}.{key}[{index}]", f"has the wrong type: {go_kind(one)}")

    def places(self, key: str, top: str) -> Iterator[tuple[str, Json]]:
        """Yield path and version of each place where a key counts: once at the top if all versions share its value."""
        if not self.versions:
            return
        if shared(self.versions, key):
            yield f"spec.{top}", self.versions[0]
            return
        for index, version in enumerate(self.versions):
            yield f"spec.versions[{index}].{key}", version


def check_meta(definition: Definition) -> list[FieldError]:
    """Return the errors of ``metadata``: the name must consist of plural and group."""

    def name_rule(name: str, prefix: bool) -> list[str]:
        errors = object_names.resource_name(name, prefix)
        if name != f"{definition.names['plural']}.{definition.group}":
            errors.append('must be spec.names.plural+"."+spec.group')
        return errors

    try:
        meta, _ = decode(definition.meta_source)
    except BadMetadata as fault:
        raise Malformed("metadata", str(fault)) from None
    return metadata.check_create(meta, namespaced=False, name_rule=name_rule)


def check_head(definition: Definition) -> Errors:
    """Yield the errors of group and scope, and of versions without a schema."""
    group = definition.group
    if not group:
        yield required("spec.group", "")
    elif complaints := object_names.dns1123_subdomain(group):
        yield invalid("spec.group", group, ",".join(complaints))
    elif "." not in group:
        yield invalid("spec.group", group, "should be a domain with at least one dot")
    yield from _one_of("spec.scope", definition.scope, ("Cluster", "Namespaced"))
    for index, version in enumerate(definition.versions):
        if (version.get("schema") or {}).get("openAPIV3Schema") is None:
            yield required(f"spec.versions[{index}].schema.openAPIV3Schema", "")


def _one_of(path: str, value: str, accepted: Sequence[str]) -> Errors:
    if not value:
        yield required(path, "")
    elif value not in accepted:
        yield not_supported(path, value, accepted)


def check_preserving(definition: Definition, *, has_defaults: bool) -> Errors:
    """Yield the errors of what cannot be combined with preserveUnknownFields."""
    if definition.preserves and has_defaults:
        yield invalid("spec.preserveUnknownFields", True, "must be false in order to use defaults in the schema")


def check_version_names(definition: Definition) -> Errors:
    """Yield the errors of each version's name and deprecation."""
    for index, version in enumerate(definition.versions):
        name = version.get("name") or ""
        if complaints := object_names.dns1035_label(name):
            yield invalid(f"spec.versions[{index}].name", name, ",".join(complaints))
        yield from _deprecation(version, f"spec.versions[{index}].deprecationWarning")


def _deprecation(version: Json, path: str) -> Errors:
    text = version.get("deprecationWarning")
    if text is None:
        return
    if not version.get("deprecated"):
        yield invalid(path, text, "can only be set for deprecated versions")
        return
    if len(text.encode(errors="replace")) > 256:
        yield invalid(path, text, "must be <= 256 characters long")
    if not text:
        yield invalid(path, text, "must not be an empty string")
    for index, char in enumerate(text):
        if char not in '"\\' and quote(char) != f'"{char}"':
            where = len(text[:index].encode(errors="replace"))
            detail = f"must only contain printable UTF-8 characters; non-printable character found at index {where}"
            yield invalid(path, text, detail)
            break


def check_versions(definition: Definition) -> Errors:
    """Yield the errors of duplicate version names, and of storage versions: there must be exactly one."""
    versions = definition.versions
    seen = [version.get("name") for version in versions]
    if len(set(seen)) != len(seen):
        yield invalid("spec.versions", versions, "must contain unique version names")
    if sum(bool(version.get("storage")) for version in versions) != 1:
        yield invalid("spec.versions", versions, "must have exactly one version marked as storage version")
    if versions and (complaints := object_names.dns1035_label(versions[0].get("name") or "")):
        yield invalid("spec.version", versions[0].get("name") or "", ",".join(complaints))


def check_names(definition: Definition) -> Errors:
    """Yield the errors of ``spec.names``."""
    found = definition.names
    for key in ("plural", "singular", "kind", "listKind"):
        if not found[key]:
            yield required(f"spec.names.{key}", "")
    for key in ("plural", "singular"):
        if found[key] and (complaints := object_names.dns1035_label(found[key])):
            yield invalid(f"spec.names.{key}", found[key], ",".join(complaints))
    for key in ("kind", "listKind"):
        if found[key] and (complaints := object_names.dns1035_label(found[key].lower())):
            yield invalid(f"spec.names.{key}", found[key], _MIXED_CASE + ",".join(complaints))
    for key, listed in (("shortNames", definition.short_names), ("categories", definition.categories)):
        for index, name in enumerate(listed):
            if complaints := object_names.dns1035_label(name):
                yield invalid(f"spec.names.{key}[{index}]", name, ",".join(complaints))
        if key == "shortNames" and found["kind"] and found["kind"] == found["listKind"]:
            yield invalid("spec.names.listKind", found["listKind"], "kind and listKind may not be the same")


def check_subresources(definition: Definition) -> Errors:
    """Yield the errors of the JSON paths of scale subresources."""
    for path, version in definition.places("subresources", "subresources"):
        scale = (version.get("subresources") or {}).get("scale")
        if scale is None:
            continue
        yield from _scale_path(scale, "specReplicasPath", f"{path}.scale", (".spec.",), "under .spec")
        yield from _scale_path(scale, "statusReplicasPath", f"{path}.scale", (".status.",), "under .status")
        if scale.get("labelSelectorPath"):
            either = "under either .spec or .status"
            yield from _scale_path(scale, "labelSelectorPath", f"{path}.scale", (".spec.", ".status."), either)


def _scale_path(scale: Json, key: str, path: str, starts: tuple[str, ...], where: str) -> Errors:
    text = scale.get(key) or ""
    if not text:
        yield required(f"{path}.{key}", "")
    elif not text.startswith("."):
        yield invalid(f"{path}.{key}", text, "must be a simple json path starting with .")
    elif not text.startswith(starts):
        yield invalid(f"{path}.{key}", text, f"should be a json path {where}")


def check_columns(definition: Definition) -> Errors:
    """Yield the errors of printer columns."""
    for path, version in definition.places("additionalPrinterColumns", "additionalPrinterColumns"):
        for index, column in enumerate(version.get("additionalPrinterColumns") or ()):
            yield from _column(column, f"{path}[{index}]")


def _column(column: Json, path: str) -> Errors:
    kind, form, json_path = (column.get(key) or "" for key in ("type", "format", "jsonPath"))
    types = f"must be one of {','.join(_COLUMN_TYPES)}"
    if not column.get("name"):
        yield required(f"{path}.name", "")
    if not kind:
        yield required(f"{path}.type", types)
    elif kind not in _COLUMN_TYPES:
        yield invalid(f"{path}.type", kind, types)
    if form and form not in _COLUMN_FORMATS:
        yield invalid(f"{path}.format", form, f"must be one of {','.join(_COLUMN_FORMATS)}")
    if not json_path:
        yield required(f"{path}.JSONPath", "")
    elif not json_path.startswith("."):
        yield invalid(f"{path}.JSONPath", json_path, "must be a simple json path starting with .")


def check_conversion(definition: Definition) -> Errors:
    """Yield the errors of ``spec.conversion``."""
    conversion = definition.conversion
    strategy = conversion.get("strategy") or ""
    if strategy != "None" and definition.preserves:
        detail = "must be None if spec.preserveUnknownFields is true"
        yield invalid("spec.conversion.strategy", strategy, detail)
    yield from _one_of("spec.conversion.strategy", strategy, ("None", "Webhook"))
    webhook = conversion.get("webhook") or {}
    client, reviewed = webhook.get("clientConfig"), webhook.get("conversionReviewVersions") or []
    if strategy != "Webhook":
        detail = "should not be set when strategy is not set to Webhook"
        if client is not None:
            yield forbidden("spec.conversion.webhookClientConfig", detail)
        if reviewed:
            yield forbidden("spec.conversion.conversionReviewVersions", detail)
        return
    if client is None:
        yield required("spec.conversion.webhookClientConfig", "required when strategy is set to Webhook")
    elif (client.get("url") is None) == (client.get("service") is None):
        yield required("spec.conversion.webhookClientConfig", "exactly one of url or service is required")
    yield from _review_versions(reviewed, "spec.conversion.conversionReviewVersions")


def _review_versions(versions: Sequence[str], path: str) -> Errors:
    if not versions:
        yield required(path, "")
        return
    seen = set()
    for index, version in enumerate(versions):
        if version in seen:
            yield invalid(f"{path}[{index}]", version, "duplicate version")
            continue
        seen.add(version)
        for complaint in object_names.dns1035_label(version):
            yield invalid(f"{path}[{index}]", version, complaint)
    if not {"v1", "v1beta1"} & set(versions):
        yield invalid(path, list(versions), "must include at least one of v1, v1beta1")


def check_rest(definition: Definition) -> Errors:
    """Yield the errors of stored versions, of the approval of Kubernetes' own groups, and of preserveUnknownFields."""
    yield from _stored(definition.versions)
    group = definition.group
    if group in {"k8s.io", "kubernetes.io"} or group.endswith((".k8s.io", ".kubernetes.io")):
        yield from _approval((definition.meta_source.get("annotations") or {}).get(_APPROVED) or "")
    if definition.preserves:
        yield invalid("spec.preserveUnknownFields", True, _PRESERVE)


def _stored(versions: Sequence[Json]) -> Errors:
    """Yield the errors of the stored versions: only the first storage version is among them."""
    names_stored = [version.get("name") or "" for version in versions if version.get("storage")]
    if not names_stored:
        yield invalid("status.storedVersions", None, "must have at least one stored version")
    for name in names_stored[1:]:
        yield invalid("status.storedVersions", names_stored[:1], f"must have the storage version {name}")


def _approval(text: str) -> Errors:
    path = f"metadata.annotations[{_APPROVED}]"
    see = "see https://github.com/kubernetes/enhancements/pull/1111"
    if not text:
        yield required(path, f"protected groups must have approval annotation {quote(_APPROVED)}, {see}")
    elif not text.startswith("unapproved"):
        scheme, colon, rest = text.partition("://")
        if not (colon and scheme and rest.partition("/")[0]):
            either = 'with either a URL or a reason starting with "unapproved"'
            detail = f"protected groups must have approval annotation {quote(_APPROVED)} {either}, {see}"
            yield FieldError(ErrorType.INVALID, path, text, detail)


def priority(version: str) -> tuple[int, int, int, int, tuple[int, ...]]:
    """Return a sort key for API versions: v10 is above v2, v1, v1beta2 and v1alpha1; other names are below, by name.

    Source: apimachinery, package ``pkg/version`` (CompareKubeAwareVersionStrings).
    """
    match = _VERSION.fullmatch(version)
    if match is None:
        # Names that are not versions are sorted by name, the first one as the newest.
        return (0, 0, 0, 0, (*(-ord(char) for char in version), 1))
    return (1, _STAGES[match[2]], int(match[1]), int(match[3] or 0), ())
