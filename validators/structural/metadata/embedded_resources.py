"""Embedded resources: decodes their metadata and checks them.

Source: apiextensions-apiserver, package ``pkg/apiserver/schema/objectmeta``. The object itself is not changed.
"""

from typing import Any, Final

from ovnguard.validators.base import object_names
from ovnguard.validators.base.field import ErrorType, FieldError, Older
from ovnguard.validators.structural.metadata import metadata_check as metadata
from ovnguard.validators.structural.metadata.objectmeta import BadMetadata, decode
from ovnguard.validators.structural.schema.deep_equal import deep_equal
from ovnguard.validators.structural.schema.schema import Schema


class BadEmbedded(ValueError):
    """An embedded resource does not decode. ``error`` is the field error in the server's message."""

    def __init__(self, error: FieldError) -> None:
        super().__init__(error.text)
        self.error = error


def has_embedded(schema: Schema) -> bool:
    """Return whether a schema has embedded resources anywhere below its root."""
    children = [*schema.properties.values(), *filter(None, (schema.additional, schema.items))]
    return any(child.embedded or has_embedded(child) for child in children)


def coerce(value: Any, schema: Schema, *, lenient: bool = False, root: bool = True) -> tuple[Any, list[str]]:
    """Return the object with the metadata of its embedded resources normalised, and the sorted paths of unknown
    metadata.

    Raises `BadEmbedded`. ``lenient`` drops fields that do not decode instead, as reading from storage does, and then
    raises only for metadata that is not an object. A ``root`` is not an embedded resource: its metadata is decoded
    elsewhere.
    """
    unknown: list[str] = []
    coerced = _coerce(value, schema, "", unknown, lenient=lenient, root=root)
    return coerced, sorted(unknown)


def _coerce(
    value: Any, schema: Schema | None, path: str, unknown: list[str], *, lenient: bool, root: bool = False
) -> Any:
    if schema is None:
        return value
    if type(value) is list:
        new = [
            _coerce(one, schema.items, f"{path}[{index}]", unknown, lenient=lenient) for index, one in enumerate(value)
        ]
        return new if any(one is not old for one, old in zip(new, value, strict=True)) else value
    if type(value) is not dict:
        return value
    out = _coerce_meta(value, path, unknown, lenient=lenient) if schema.embedded and not root else dict(value)
    for key, one in list(out.items()):
        child = schema.properties.get(key)
        if child is not None:
            out[key] = _coerce(one, child, f"{path}.{key}" if path else key, unknown, lenient=lenient)
        elif schema.additional is not None:
            out[key] = _coerce(one, schema.additional, f"{path}[{key}]", unknown, lenient=lenient)
    same = len(out) == len(value) and all(out[key] is one for key, one in value.items() if key in out)
    return value if same else out


def _coerce_meta(value: dict[str, Any], path: str, unknown: list[str], *, lenient: bool) -> dict[str, Any]:
    out = dict(value)
    for key in ("apiVersion", "kind"):
        if key in out and type(out[key]) is not str:
            if not lenient:
                raise BadEmbedded(FieldError(ErrorType.INVALID, _at(path, key), out[key], "must be a string"))
            del out[key]
    if "metadata" not in out:
        return out
    try:
        meta, more = decode(out["metadata"], lenient=lenient)
    except BadMetadata as fault:
        where = _at(path, "metadata")
        raise BadEmbedded(FieldError(ErrorType.INVALID, where, out["metadata"], str(fault))) from None
    unknown.extend(f"{_at(path, 'metadata')}.{one}" for one in more)
    if not deep_equal(meta, out["metadata"]):
        out["metadata"] = meta
    return out


def _at(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


_KIND_RULE: Final = "may have mixed case, but should otherwise match: "


def check_embedded(
    value: Any, schema: Schema | None, release: int, path: str = "", *, root: bool = True
) -> list[FieldError]:
    """Return the errors of every embedded resource in the object. The root does not count as one."""
    if schema is None:
        return []
    errors: list[FieldError] = []
    if type(value) is dict:
        if schema.embedded and not root:
            errors.extend(_check_one(value, path, release))
        for key, one in value.items():
            child = schema.properties.get(key)
            if child is not None:
                errors.extend(check_embedded(one, child, release, _at(path, key), root=False))
            elif schema.additional is not None:
                errors.extend(check_embedded(one, schema.additional, release, f"{path}[{key}]", root=False))
    elif type(value) is list:
        for index, one in enumerate(value):
            errors.extend(check_embedded(one, schema.items, release, f"{path}[{index}]", root=False))
    return errors


def _invalid(path: str, value: Any, detail: str) -> FieldError:
    return FieldError(ErrorType.INVALID, path, value, detail, "x-kubernetes-embedded-resource")


def _check_one(value: dict[str, Any], path: str, release: int) -> list[FieldError]:
    rule = "x-kubernetes-embedded-resource"
    errors = [
        FieldError(ErrorType.REQUIRED, _at(path, key), "", "", rule, (Older(34, detail="must not be empty"),))
        for key in ("apiVersion", "kind")
        if key not in value
    ]
    if "apiVersion" in value:
        errors.extend(_check_api_version(value["apiVersion"], _at(path, "apiVersion")))
    if "kind" in value:
        errors.extend(_check_kind(value["kind"], _at(path, "kind")))
    if "metadata" in value:
        errors.extend(_check_metadata(value["metadata"], _at(path, "metadata"), release))
    return errors


def _check_api_version(value: Any, path: str) -> list[FieldError]:
    if type(value) is not str:
        return [_invalid(path, value, "must be a string")]
    if not value:
        return [_invalid(path, value, "must not be empty")]
    if value.count("/") > 1:
        return [_invalid(path, value, f"unexpected GroupVersion string: {value}")]
    return []


def _check_kind(value: Any, path: str) -> list[FieldError]:
    if type(value) is not str:
        return [_invalid(path, value, "must be a string")]
    if not value:
        return [_invalid(path, value, "must not be empty")]
    complaints = object_names.dns1035_label(value.lower())
    return [_invalid(path, value, _KIND_RULE + ",".join(complaints))] if complaints else []


def _check_metadata(value: Any, path: str, release: int) -> list[FieldError]:
    try:
        meta, _ = decode(value)
    except BadMetadata as fault:
        return [_invalid(path, value, str(fault))]
    named = meta if meta.get("name") else {**meta, "name": "fakename"}
    errors = metadata.check_create(
        named,
        namespaced=bool(meta.get("namespace")),
        name_rule=object_names.path_segment,
        path=path,
        release=release,
    )
    return metadata.reported(errors, release)
