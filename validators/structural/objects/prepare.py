"""The steps from the object of a request to the object that is judged: decode, prune, default, prepare.

Source: apiextensions-apiserver, ``pkg/apiserver/customresource_handler.go`` (the schema coercing decoder) and
``pkg/registry/customresource``; apiserver, ``pkg/registry/rest``. The input is never changed.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.field import DEFAULT_KUBERNETES, ErrorType, FieldError
from ovnguard.validators.base.verdict import Refusal
from ovnguard.validators.go.json_decode import fold
from ovnguard.validators.go.text import go_kind, json_text, quote
from ovnguard.validators.structural.metadata.embedded_resources import BadEmbedded, coerce
from ovnguard.validators.structural.metadata.objectmeta import BadMetadata, decode
from ovnguard.validators.structural.objects.defaulting import drop_nulls, fill_defaults
from ovnguard.validators.structural.objects.pruning import prune
from ovnguard.validators.structural.schema.deep_equal import UnfitValue, as_json, deep_equal
from ovnguard.validators.structural.schema.schema import Schema

_TYPE_META: Final = {fold(name): name for name in ("apiVersion", "kind")}


class Refused(ValueError):
    """The server rejects the request before it judges the object. ``reached`` is the object at that step."""

    def __init__(
        self, refusal: Refusal, reached: dict[str, Any] | None = None, errors: tuple[FieldError, ...] = ()
    ) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal
        self.reached = reached
        self.errors = errors


class Kind(NamedTuple):
    """The target of a request: one version of a kind, its schema, and whether anything in it embeds a resource."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    schema: Schema
    embeds: bool
    kubernetes: str = DEFAULT_KUBERNETES

    @property
    def api_version(self) -> str:
        """The ``group/version`` as objects write it."""
        return f"{self.group}/{self.version}"


def bad_request(message: str, reached: dict[str, Any] | None = None) -> Refused:
    """Return a 400 with this message."""
    return Refused(Refusal(400, "BadRequest", message), reached)


def read_new(kind: Kind, obj: Any, *, ignoring: bool = False) -> tuple[dict[str, Any], list[str]]:
    """Return the object of a request decoded, pruned and defaulted, and its unknown paths in the server's order.

    ``ignoring`` is field validation Ignore. Raises `Refused` if the server answers 400.
    """
    try:
        obj = as_json(obj)
    except UnfitValue as fault:
        raise _unrecognised(kind, obj, str(fault)) from None
    _check_type_meta(kind, obj, ignoring=ignoring)
    try:
        meta, dropped = decode(obj.get("metadata"))
    except BadMetadata as fault:
        raise cannot_be_handled(kind, obj, str(fault)) from None
    unknown = [f"metadata.{path}" for path in dropped]
    out, more = _coerce_new(kind, obj)
    unknown += more
    out = {**out, "apiVersion": obj.get("apiVersion", ""), "kind": obj["kind"]}
    if "metadata" in obj:
        out["metadata"] = meta
    if out["kind"] == kind.kind:
        out = fill_defaults(out, kind.schema)
    return out, unknown


def check_version(kind: Kind, obj: Mapping[str, Any]) -> None:
    """Raise `Refused` for an object of another version than the requested one."""
    if obj["apiVersion"] != kind.api_version:
        wrong = f"({obj['apiVersion']}) does not match the expected API version ({kind.api_version})"
        raise bad_request(f"the API version in the data {wrong}")


def _coerce_new(kind: Kind, obj: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the pruned object, and the removed paths."""
    group, _, version = (obj.get("apiVersion") or "").rpartition("/")
    if obj["kind"] != kind.kind or group != kind.group:
        # Objects of another kind pass here. A later step refuses them for their kind only.
        return obj, []
    # Another version has another schema. The object will be refused, so only the paths matter.
    schema = kind.schema if version == kind.version else Schema("")
    out, unknown = prune(obj, schema)
    out = drop_nulls(out, schema)
    if not kind.embeds:
        return out, unknown
    try:
        out, embedded = coerce(out, schema)
    except BadEmbedded as fault:
        raise cannot_be_handled(kind, obj, fault.error.text_of(kind.kubernetes)) from None
    return out, unknown + embedded


def read_stored(kind: Kind, storage: Kind, obj: Any) -> dict[str, Any]:
    """Return a stored object as the server reads it: defaulted in the storage version, converted to the requested one.

    Raises `Refused` for a value that is not a JSON object, and for one that the server cannot read either (500).
    """
    try:
        obj = as_json(obj)
    except UnfitValue as fault:
        raise bad_request(f"oldObject: {fault}") from None
    if type(obj) is not dict:
        raise bad_request(f"oldObject: must be an object, got {go_kind(obj)}")
    try:
        out = _coerce_stored(storage, obj)
        out = fill_defaults(out, storage.schema)
        if storage is not kind:
            out = _coerce_stored(kind, out)
    except BadEmbedded as fault:
        raise Refused(Refusal(500, "", fault.error.text_of(kind.kubernetes))) from None
    return {**out, "apiVersion": kind.api_version, "kind": kind.kind}


def _coerce_stored(kind: Kind, obj: dict[str, Any]) -> dict[str, Any]:
    meta, _ = decode(obj.get("metadata") if isinstance(obj.get("metadata"), dict) else None, lenient=True)
    if not meta.get("generation"):
        meta["generation"] = 1
    out, _ = prune(obj, kind.schema)
    out = drop_nulls(out, kind.schema)
    if kind.embeds:
        out, _ = coerce(out, kind.schema, lenient=True)
    return {**out, "metadata": meta}


def assign(meta: dict[str, Any], key: str, value: Any) -> None:
    """Set a key to a value, or remove it if that is empty."""
    if value:
        meta[key] = value
    else:
        meta.pop(key, None)


def prepare_create(obj: dict[str, Any], *, has_status: bool) -> dict[str, Any]:
    """Return the object as creation stores it: generation 1, and no status if that is a subresource."""
    out = {**obj, "metadata": {**obj["metadata"], "generation": 1}}
    if has_status:
        out.pop("status", None)
    return out


def prepare_update(obj: dict[str, Any], old: dict[str, Any], *, has_status: bool) -> dict[str, Any]:
    """Return the object as an update stores it: the old status if that is a subresource, generation + 1 if changed."""
    out = dict(obj)
    if has_status:
        _set_or_drop(out, "status", old)
    generation = old["metadata"].get("generation", 0)
    keys = out.keys() - {"metadata"}
    same = keys == old.keys() - {"metadata"} and all(deep_equal(out[key], old[key]) for key in keys)
    meta = {**out["metadata"]}
    assign(meta, "generation", generation if same else generation + 1)
    out["metadata"] = _keep_system_fields(meta, old["metadata"])
    return out


def prepare_status(obj: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """Return the old object with the new status and the new managed fields."""
    out = {**old, "metadata": dict(old["metadata"])}
    assign(out["metadata"], "managedFields", obj["metadata"].get("managedFields"))
    _set_or_drop(out, "status", obj)
    return out


def _set_or_drop(out: dict[str, Any], key: str, source: Mapping[str, Any]) -> None:
    if key in source:
        out[key] = source[key]
    else:
        out.pop(key, None)


def _keep_system_fields(meta: dict[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    if not meta.get("uid"):
        assign(meta, "uid", old.get("uid"))
    for key in ("creationTimestamp", "deletionTimestamp"):
        if key in old:
            meta[key] = old[key]
    if "deletionGracePeriodSeconds" in old:
        meta.setdefault("deletionGracePeriodSeconds", old["deletionGracePeriodSeconds"])
    return meta


def strict_refusal(kind: Kind, obj: Mapping[str, Any], unknown: list[str]) -> Refusal:
    """Return the 400 of strict field validation."""
    listed = ", ".join(f'unknown field "{path}"' for path in unknown)
    return cannot_be_handled(kind, obj, f"strict decoding error: {listed}").refusal


def cannot_be_handled(kind: Kind, obj: Mapping[str, Any], complaint: str) -> Refused:
    """Return the 400 of an object whose kind is known but whose body does not decode."""
    version = str(obj.get("apiVersion", "")).rpartition("/")[2]
    head = f"{obj['kind']} in version {quote(version)} cannot be handled as a {kind.kind}"
    return bad_request(f"{head}: {complaint}")


def _check_type_meta(kind: Kind, obj: Any, *, ignoring: bool) -> None:
    if type(obj) is not dict:
        struct = (
            'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
        )
        complaint = f"json: cannot unmarshal {go_kind(obj)} into Go value of type {struct}"
        raise _unrecognised(kind, obj, f"couldn't get version/kind; json parse error: {complaint}")
    group_version = ""
    for key, value in obj.items():
        # Only here, the server ignores the case of letters.
        name = _TYPE_META.get(fold(key))
        if name is None or value is None:
            continue
        if type(value) is not str:
            complaint = f"json: cannot unmarshal {go_kind(value)} into Go struct field .{name} of type string"
            raise _unrecognised(kind, obj, f"couldn't get version/kind; json parse error: {complaint}")
        group_version = value if name == "apiVersion" else group_version
    if group_version.count("/") > 1:
        raise _unrecognised(kind, obj, f"unexpected GroupVersion string: {group_version}")
    api_version = obj.get("apiVersion") or ""
    if obj.get("kind") and obj.get("apiVersion", "") is None:
        complaint = ".apiVersion accessor error: <nil> is of the type <nil>, expected string"
        raise cannot_be_handled(kind, {**obj, "apiVersion": ""}, complaint)
    if not obj.get("kind"):
        complaint = f"Object 'Kind' is missing in '{_body(obj)}'"
        if ignoring:
            # The lenient decoder fills in missing values from the URL before it reports an error.
            raise cannot_be_handled(kind, {"apiVersion": api_version or kind.api_version, "kind": kind.kind}, complaint)
        raise _unrecognised(kind, obj, complaint)


def _unrecognised(kind: Kind, obj: Any, complaint: str) -> Refused:
    body = _body(obj)
    # The server quotes the first 30 bytes of the body as it came. Here the body is serialised again.
    head = body if len(body) <= 30 else body[:30] + " ..."
    return bad_request(f"the object provided is unrecognized (must be of type {kind.kind}): {complaint} ({head})")


def _body(obj: Any) -> str:
    try:
        return json_text(as_json(obj))
    except UnfitValue:
        return type(obj).__name__


def unknown_errors(unknown: list[str]) -> list[FieldError]:
    """Return unknown fields as field errors, for callers that report them by field."""
    return [FieldError(ErrorType.INVALID, path, detail=f'unknown field "{path}"', rule="strict") for path in unknown]


def strict_decoding_errors(unknown: Iterable[str]) -> list[FieldError]:
    """Return the unknown fields of an object with a Go type, in the words of its decoder: it quotes the path.

    Source: sigs.k8s.io/json, ``internal/golang/encoding/json/kubernetes_patch.go``.
    """
    return [
        FieldError(ErrorType.INVALID, path, detail=f"unknown field {quote(path)}", rule="strict") for path in unknown
    ]
