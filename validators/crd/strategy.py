"""The pipeline of a request for a custom resource, in the order of the API server, and its answer.

Source: apiextensions-apiserver, ``pkg/registry/customresource`` and ``pkg/apiserver/customresource_handler.go``;
apiserver, ``pkg/registry/rest`` (BeforeCreate, BeforeUpdate). The inputs are not modified.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from ovnguard.validators.base.field import DEFAULT_KUBERNETES, RULES_NOT_CHECKED, ErrorType, FieldError, minor
from ovnguard.validators.base.object_names import path_segment, resource_name
from ovnguard.validators.base.verdict import Refusal, Verdict
from ovnguard.validators.fast.accept_path import AcceptPath, Resource
from ovnguard.validators.go.text import quote
from ovnguard.validators.structural.formats.release_formats import formats_of
from ovnguard.validators.structural.metadata import metadata_check as metadata
from ovnguard.validators.structural.metadata.embedded_resources import check_embedded
from ovnguard.validators.structural.objects import rule_evaluation
from ovnguard.validators.structural.objects.address import address_new, address_update
from ovnguard.validators.structural.objects.defaulting import fill_defaults
from ovnguard.validators.structural.objects.listtype import check_lists
from ovnguard.validators.structural.objects.prepare import (
    Kind,
    Refused,
    check_version,
    prepare_create,
    prepare_status,
    prepare_update,
    read_new,
    read_stored,
    strict_refusal,
    unknown_errors,
)
from ovnguard.validators.structural.objects.ratchet import Correlation, RatchetingChecker
from ovnguard.validators.structural.objects.scale_subresource import Scale, check_scale
from ovnguard.validators.structural.objects.value_check import Checker
from ovnguard.validators.structural.schema.schema import Schema

_RATCHETS_SINCE: Final = 30
_STATUS_RATCHETS_SINCE: Final = 33
_STATUS_PATHS_SINCE: Final = 31
_BLOCKING: Final = frozenset(
    {
        ErrorType.NOT_SUPPORTED,
        ErrorType.REQUIRED,
        ErrorType.TOO_LONG,
        ErrorType.TOO_MANY,
        ErrorType.TYPE_INVALID,
    }
)


class Endpoint(NamedTuple):
    """The data for judging objects of one served version, created once by `validators.crd.compiled_crd`.

    ``storage`` is the version in which objects are stored.
    """

    serves: Kind
    storage: Kind
    has_status: bool
    scale: Scale | None
    rules: rule_evaluation.RuleNode | None
    deprecation: tuple[str, ...] = ()
    kubernetes: str = DEFAULT_KUBERNETES
    fast: AcceptPath | None = None

    @property
    def schema(self) -> Schema:
        """The schema of the served version."""
        return self.serves.schema


def accelerated(at: Endpoint) -> Endpoint:
    """The endpoint with a fast path, if its definition permits one."""
    from ovnguard.validators.fast.build import plan  # stored plans need no CEL compiler

    if at.storage is not at.serves:
        return at
    made = plan(at.schema, at.rules, at.kubernetes)
    serves = at.serves
    resource = Resource(serves.kind, serves.api_version, serves.namespaced, at.has_status, at.scale)
    if made is None:
        return at
    return at._replace(fast=AcceptPath(made, resource))


class Judged(NamedTuple):
    """The result of the strategy: errors, warnings and the cost of the rules."""

    errors: list[FieldError]
    warnings: list[str]
    cost: int


def judge_create(at: Endpoint, obj: dict[str, Any]) -> Judged:
    """Judge a decoded, pruned and defaulted new object."""
    meta, release = obj.get("metadata") or {}, minor(at.kubernetes)
    check_meta = partial(metadata.check_create, meta, namespaced=at.serves.namespaced, release=release)
    errors = _check_type_meta(at, obj)
    if not errors:
        errors = metadata.reported(check_meta(name_rule=resource_name), release)
        errors += _check_values(at, obj, None)
        if at.scale is not None:
            errors += check_scale(obj, at.scale, spec=True)
    if at.serves.embeds:
        errors += check_embedded(obj, at.schema, release)
    errors += check_lists(obj, at.schema)
    judged = _finish(at, obj, None, None, errors)
    if not judged.errors:
        # The generic registry checks the metadata again, with the rule for names in URLs.
        judged.errors.extend(check_meta(name_rule=path_segment))
    if not judged.errors:
        judged.warnings.extend(metadata.finalizer_warnings(meta, {}, minor(at.kubernetes)))
    return judged


def judge_update(at: Endpoint, obj: dict[str, Any], old: dict[str, Any], *, status: bool = False) -> Judged:
    """Judge a prepared update; with ``status``, of the status subresource."""
    meta, old_meta, release = obj.get("metadata") or {}, old.get("metadata") or {}, minor(at.kubernetes)
    changed = metadata.check_update(meta, old_meta, release)
    common = metadata.check_create(meta, namespaced=at.serves.namespaced, name_rule=path_segment, release=release)
    common += changed
    since = _STATUS_RATCHETS_SINCE if status else _RATCHETS_SINCE
    correlation = Correlation(obj, old, at.schema) if release >= since else None
    errors = _check_type_meta(at, obj)
    if not errors:
        errors = list(metadata.reported(changed, release))
        errors += _check_status(at, obj, old, correlation) if status else _check_values(at, obj, correlation)
        if at.scale is not None:
            errors += check_scale(obj, at.scale, spec=not status)
    if at.serves.embeds and not status:
        errors += check_embedded(obj, at.schema, release)
    repeated = check_lists(obj, at.schema)
    if repeated and not check_lists(old, at.schema):
        errors += repeated
    judged = _finish(at, obj, old, correlation, errors)
    warnings = judged.warnings
    if not judged.errors and not common and not status:
        warnings = warnings + metadata.finalizer_warnings(meta, old_meta, minor(at.kubernetes))
    return Judged(common + judged.errors, warnings, judged.cost)


def _check_type_meta(at: Endpoint, obj: Mapping[str, Any]) -> list[FieldError]:
    wanted = (("kind", at.serves.kind), ("apiVersion", at.serves.api_version))
    return [
        FieldError(ErrorType.INVALID, key, obj.get(key, ""), f"must be {value}", key)
        for key, value in wanted
        if obj.get(key, "") != value
    ]


def _check_values(at: Endpoint, obj: dict[str, Any], correlation: Correlation | None) -> list[FieldError]:
    formats = formats_of(minor(at.kubernetes))
    if correlation is None:
        return list(Checker(formats).check(obj, at.schema).errors.values())
    return list(RatchetingChecker(formats, correlation).check_root().errors.values())


def _check_status(
    at: Endpoint, obj: dict[str, Any], old: dict[str, Any], correlation: Correlation | None
) -> list[FieldError]:
    schema = at.schema.properties.get("status")
    if "status" not in obj or schema is None:
        return []
    release = minor(at.kubernetes)
    formats = formats_of(release)
    if correlation is None:
        prefix = "status" if release >= _STATUS_PATHS_SINCE else ""
        return list(Checker(formats, prefix).check(obj["status"], schema).errors.values())
    here = correlation.key("status") or Correlation(obj["status"], old.get("status"), schema)
    return list(RatchetingChecker(formats, here, "status").check_root().errors.values())


def _finish(
    at: Endpoint,
    obj: dict[str, Any],
    old: dict[str, Any] | None,
    correlation: Correlation | None,
    errors: list[FieldError],
) -> Judged:
    """Run the rules, unless an earlier error makes the server skip them."""
    if at.rules is None:
        return Judged(errors, [], 0)
    if any(error.type in _BLOCKING for error in errors):
        blocked = FieldError(ErrorType.INVALID, "<nil>", None, RULES_NOT_CHECKED, "x-kubernetes-validations")
        return Judged([*errors, blocked], [], 0)
    outcome = rule_evaluation.run(at.rules, obj, old, correlation)
    return Judged(errors + outcome.errors, [one.text for one in _in_words_of(at, outcome.forgiven)], outcome.cost)


def _in_words_of(at: Endpoint, errors: list[FieldError]) -> tuple[FieldError, ...]:
    if at.kubernetes == DEFAULT_KUBERNETES:
        return tuple(errors)
    return tuple(error.as_of(at.kubernetes) for error in errors)


Decoded: TypeAlias = tuple[dict[str, Any], list[str]]
"""An object as `validators.structural.objects.prepare.read_new` returns it, and its unknown paths."""


def judge_exactly(  # one parameter for each part of a request
    at: Endpoint,
    obj: Any,
    old: Any = None,
    subresource: str | None = None,
    field_validation: str = "Warn",
    decoded: Decoded | None = None,
    *,
    replace: bool = False,
) -> Verdict:
    """Answer a request: creation without ``old``, an update with it, a status update with ``subresource="status"``.

    ``field_validation`` is Warn (the server's default), Strict (kubectl's) or Ignore. ``decoded`` is the result of
    `read_new` for the object, if the caller has it. ``replace``: an update needs a resourceVersion.
    """
    warnings = list(at.deprecation)
    try:
        if subresource and not at.has_status:
            raise Refused(_not_found(at, old))
        ignoring = field_validation == "Ignore"
        new, unknown = decoded or read_new(at.serves, obj, ignoring=ignoring)
        if unknown and field_validation == "Strict":
            return _strict(at, new, unknown, warnings)
        if field_validation == "Warn":
            warnings += dict.fromkeys(f'unknown field "{path}"' for path in unknown)
        check_version(at.serves, new)
        sent_kind = new["kind"]
        if old is None and not subresource:
            new, repeated = metadata.unique_owners(address_new(at.serves, new))
            new = prepare_create(new, has_status=at.has_status)
            judged = judge_create(at, new)
        else:
            stored = read_stored(at.serves, at.storage, old)
            new, before = address_update(at.serves, new, stored, replace=replace)
            new, repeated = metadata.unique_owners(new)
            new = prepare_status(new, before) if subresource else prepare_update(new, before, has_status=at.has_status)
            judged = judge_update(at, new, before, status=bool(subresource))
        if not judged.errors:
            new = _with_generation(_as_read_back(at, new, sent_kind, is_new=old is None))
    except Refused as refused:
        return _refused(at, refused, warnings)
    errors = _in_words_of(at, judged.errors)
    all_warnings = tuple(dict.fromkeys(warnings + repeated + judged.warnings))
    # The Status names the kind in the request, even if that kind is wrong.
    return Verdict(not errors, new, errors, all_warnings, judged.cost, tuple(unknown), None, at.serves.group, sent_kind)


def _as_read_back(at: Endpoint, new: dict[str, Any], sent_kind: str, *, is_new: bool) -> dict[str, Any]:
    """The object as a read of it returns it.

    The storage version may have fewer fields than this one, and the status of an object of the wrong kind was never
    pruned. Creation drops the status, and reads of the object return its default.
    """
    if at.storage is not at.serves or sent_kind != at.serves.kind:
        return read_stored(at.serves, at.storage, new)
    if is_new and at.has_status:
        new = fill_defaults(new, at.schema)
    return new


def _with_generation(obj: dict[str, Any]) -> dict[str, Any]:
    return obj if obj["metadata"].get("generation") else {**obj, "metadata": {**obj["metadata"], "generation": 1}}


def _refused(at: Endpoint, refused: Refused, warnings: list[str]) -> Verdict:
    return Verdict(False, refused.reached, refused.errors, tuple(warnings), refusal=refused.refusal, **_named(at))


def _named(at: Endpoint) -> dict[str, Any]:
    return {"group": at.serves.group, "kind": at.serves.kind}


def _not_found(at: Endpoint, old: Any) -> Refusal:
    name = ((old or {}).get("metadata") or {}).get("name", "")
    return Refusal(404, "NotFound", f"{at.serves.plural}.{at.serves.group} {quote(name)} not found")


def _strict(at: Endpoint, obj: dict[str, Any], unknown: list[str], warnings: list[str]) -> Verdict:
    refusal = strict_refusal(at.serves, obj, unknown)
    errors = tuple(unknown_errors(unknown))
    return Verdict(False, None, errors, tuple(warnings), 0, tuple(unknown), refusal, **_named(at))
