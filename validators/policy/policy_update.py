"""What an update of a policy or binding may keep, and what it must not change.

Source: apiserver, ``pkg/registry/rest`` (BeforeUpdate); Kubernetes, ``pkg/apis/admissionregistration/validation``.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.field import ROOT, ErrorType, FieldError
from ovnguard.validators.base.object_names import path_segment
from ovnguard.validators.policy.decode import InvalidPolicy
from ovnguard.validators.policy.policy import Policy
from ovnguard.validators.structural.metadata import objectmeta
from ovnguard.validators.structural.metadata.metadata_check import check_create, check_update
from ovnguard.validators.structural.objects.address import address_update
from ovnguard.validators.structural.objects.prepare import Kind, Refused, prepare_update
from ovnguard.validators.structural.schema.schema import Schema

POLICIES: Final = "validatingadmissionpolicies"
BINDINGS: Final = "validatingadmissionpolicybindings"
_GROUP: Final = "admissionregistration.k8s.io"


def written_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata as they are stored: the server drops the namespace, and sets the generation."""
    written = objectmeta.decode(dict(metadata))[0] | {"generation": 1}
    written.pop("namespace", None)
    return written


def check_changes(resource: str, new: Mapping[str, Any], old: Mapping[str, Any], release: int) -> list[FieldError]:
    """Return what every update is checked for before its kind counts. Raises `InvalidPolicy` for another object."""
    kind = Kind(_GROUP, "v1", "", resource, namespaced=False, schema=Schema(""), embeds=False)
    try:
        changed, stored = address_update(kind, {"metadata": written_metadata(new)}, {"metadata": written_metadata(old)})
    except Refused as refused:
        message = refused.refusal.message
        raise InvalidPolicy([FieldError(ErrorType.INVALID, ROOT, detail=message, rule="request")]) from None
    meta, before = prepare_update(changed, stored, has_status=False)["metadata"], stored["metadata"]
    errors = check_create(meta, namespaced=False, name_rule=path_segment, release=release)
    return [*errors, *check_update(meta, before, release)]


class StoredExpressions(NamedTuple):
    """The expressions of a stored policy: an update may use what the release itself introduced in them."""

    conditions: frozenset[str] = frozenset()
    validations: frozenset[str] = frozenset()
    messages: frozenset[str] = frozenset()
    annotations: frozenset[str] = frozenset()


def stored_expressions(old: Policy | None) -> StoredExpressions:
    """Return the expressions of a stored policy; none of a new one."""
    if old is None:
        return StoredExpressions()
    return StoredExpressions(
        frozenset(each.expression for each in old.conditions),
        frozenset(each.expression for each in old.validations),
        frozenset(each.message_expression for each in old.validations),
        frozenset(each.expression for each in old.annotations),
    )
