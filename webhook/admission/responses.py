"""The answers of the webhook: allowed, denied or patched, each one AdmissionReview, uid first; or a failure.

Source of the shapes: k8s.io/api ``admission/v1`` (AdmissionResponse) and apimachinery ``api/errors`` (NewInvalid) and
``util/errors`` (Aggregate). A denial repeats their texts, so ovnguard's denials read like the API server's own.
"""

import base64
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jsonpatch import JsonPatch

from ovnguard.validators.base.field import FieldError
from ovnguard.validators.base.json_types import Json, JsonObject
from ovnguard.validators.go.text import quote
from ovnguard.webhook.admission.review import API_VERSION, KIND, GroupVersionKind

WARNING_LENGTH: Final = 120
"""The maximum length of one warning in characters; the API server asks for at most 120 and truncates at 256."""
MAX_WARNINGS: Final = 32
"""32 warnings of 120 characters stay below the 4096 after which the API server drops the rest."""
REASONS: Final = {
    400: "BadRequest",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    411: "LengthRequired",
    413: "RequestEntityTooLarge",
    415: "UnsupportedMediaType",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}
"""The reasons of HTTP statuses in apimachinery."""
MAX_CAUSES: Final = 64
MAX_TEXT: Final = 1024
ELLIPSIS: Final = "\N{HORIZONTAL ELLIPSIS}"


@dataclass(frozen=True, slots=True)
class Remarks:
    """Warnings for the user and annotations for the audit log, which any review may carry."""

    warnings: tuple[str, ...] = ()
    audit: tuple[tuple[str, str], ...] = ()


NO_REMARKS: Final = Remarks()


def allowed(uid: str, remarks: Remarks = NO_REMARKS) -> JsonObject:
    """The API server may store the object as it is."""
    return _review(uid, True, {}, remarks)


def difference(before: Json, after: Json) -> list[dict[str, Any]]:
    """Return the RFC 6902 operations that turn ``before`` into ``after``; none where they are equal.

    They are ``add``, ``replace`` and ``remove`` only: the audit log then contains every value that a mutation writes.
    Values of different types differ: 1, 1.0 and true are three values.
    """
    if before is after:
        return []
    operations: list[dict[str, Any]] = JsonPatch.from_diff(before, after, optimization=False).patch
    return operations


def patched(uid: str, patch: Sequence[dict[str, Any]], remarks: Remarks = NO_REMARKS) -> JsonObject:
    """The API server may store the object after ``patch``; an empty patch equals `allowed`."""
    if not patch:
        return allowed(uid, remarks)
    encoded = base64.b64encode(json.dumps(patch).encode()).decode()
    return _review(uid, True, {"patchType": "JSONPatch", "patch": encoded}, remarks)


def denied(
    uid: str, kind: GroupVersionKind, name: str, errors: Sequence[FieldError], remarks: Remarks = NO_REMARKS
) -> JsonObject:
    """ovnguard refuses the object: status 422 ``Invalid`` with one cause per error, at most `MAX_CAUSES`."""
    shown = errors[:MAX_CAUSES]
    status = {
        "metadata": {},
        "status": "Failure",
        "message": _invalid_message(kind, name, shown, len(errors) - len(shown)),
        "reason": "Invalid",
        "details": {
            "name": name,
            "group": kind.group,
            "kind": kind.kind,
            "causes": [
                {"reason": str(error.type), "message": _cut(error.body, MAX_TEXT), "field": _cut(error.field, MAX_TEXT)}
                for error in shown
            ],
        },
        "code": 422,
    }
    return _review(uid, False, {"status": status}, remarks)


def failure(code: int, message: str, uid: str = "") -> JsonObject:
    """The body of an HTTP error: a metav1.Status. ``uid`` is that of a review without a verdict."""
    status: JsonObject = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": REASONS.get(code, "Unknown"),
        "code": code,
    }
    return status | {"details": {"uid": uid}} if uid else status


def warning_lines(texts: Iterable[str]) -> tuple[str, ...]:
    """Return each text on one line of at most `WARNING_LENGTH` characters, each once, at most `MAX_WARNINGS`."""
    lines = dict.fromkeys(_cut(" ".join(text.split()), WARNING_LENGTH) for text in texts)
    return tuple(line for line in lines if line)[:MAX_WARNINGS]


def audit_annotations(
    decision: str,
    rules: Sequence[str],
    schema_set: str,
    notes: Sequence[str] = (),
    cost: int | None = None,
    findings: Sequence[str] = (),
) -> tuple[tuple[str, str], ...]:
    """Return the annotations with a value, by short keys, which the API server prefixes with the webhook's name.

    ``findings`` are the full texts of findings that the requester gets without the names of other objects.
    """
    pairs = (
        ("decision", decision),
        ("rules", _cut(",".join(rules), MAX_TEXT)),
        ("schema-set", schema_set),
        ("cost", "" if cost is None else str(cost)),
        ("notes", _cut("; ".join(notes), MAX_TEXT)),
        ("findings", _cut("; ".join(findings), MAX_TEXT)),
    )
    return tuple((key, value) for key, value in pairs if value)


def _review(uid: str, is_allowed: bool, more: JsonObject, remarks: Remarks) -> JsonObject:
    response: JsonObject = {"uid": uid, "allowed": is_allowed, **more}
    if remarks.warnings:
        response["warnings"] = list(remarks.warnings)
    if remarks.audit:
        response["auditAnnotations"] = dict(remarks.audit)
    return {"apiVersion": API_VERSION, "kind": KIND, "response": response}


def _invalid_message(kind: GroupVersionKind, name: str, errors: Sequence[FieldError], more: int) -> str:
    """``Kind.group "name" is invalid: error`` or ``[error, error]``, repeated texts once."""
    subject = f"{kind.kind}.{kind.group}" if kind.group else kind.kind
    texts = list(dict.fromkeys(_cut(error.text, MAX_TEXT) for error in errors))
    if more:
        texts.append(f"and {more} more")
    listed = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    return f"{subject} {quote(name)} is invalid" + (f": {listed}" if texts else "")


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + ELLIPSIS
