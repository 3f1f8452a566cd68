"""Compare the verdict of ovnguard with that of the API server's code."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ovnguard.validators.base.verdict import Verdict
from ovnguard.validators.crd.compiled_crd import CompiledCRD
from tests.support import small_definitions
from tests.support.small_definitions import STATUS

_EXACT = 2**63
_ADDRESS = re.compile(r"\(0x[0-9a-f]+\)")


def without_rules(schema: Any) -> Any:
    """A schema, or a whole definition, without x-kubernetes-validations."""
    if isinstance(schema, dict):
        return {key: without_rules(one) for key, one in schema.items() if key != "x-kubernetes-validations"}
    return [without_rules(one) for one in schema] if isinstance(schema, list) else schema


def definition(schema: Mapping[str, Any], *, status: bool) -> dict[str, Any]:
    """A namespaced definition of foos.example.com around a bare schema."""
    return small_definitions.definition(schema, **STATUS if status else {})


def ours(crd: CompiledCRD, request: Mapping[str, Any]) -> Verdict:
    """Our verdict for a request in the peer's form, with the keys in the order in which the peer reads them.

    The first bad one is reported, and Go goes through a small map from a random entry on, in the order of the text.
    """
    operation = request.get("operation")
    obj, old = (json.loads(json.dumps(request.get(key), sort_keys=True)) for key in ("object", "oldObject"))
    return crd.verdict(
        obj,
        old=old,
        subresource="status" if operation == "STATUS" else None,
        field_validation=request.get("fieldValidation", "Warn"),
    )


def _as_read(value: Any) -> Any:
    """JSON does not tell 1.0 from 1, and neither does the comparison; but Go writes 1e19 as an integer."""
    if isinstance(value, dict):
        return {key: _as_read(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_as_read(one) for one in value]
    if type(value) is float and value.is_integer():
        # Go writes the fewest digits that name the float.
        value = int(Decimal(repr(value)))
    return float(value) if type(value) is int and abs(value) >= _EXACT else value


def _stored(obj: Any) -> Any:
    """An object without a null as time of creation.

    Before 1.34, the server writes one for an old object that has no such time, but those in storage have one.
    """
    read = _as_read(obj)
    meta = read.get("metadata") if isinstance(read, dict) else None
    if isinstance(meta, dict) and meta.get("creationTimestamp", "") is None:
        del meta["creationTimestamp"]
    return read


def left_to_others(request: Mapping[str, Any]) -> bool:
    """Whether the peer leaves to other parts of the API server what happens first.

    The handler drops owners that are named twice, and the storage refuses an update with another uid.
    """
    new, old = (_metadata(request.get(key)) for key in ("object", "oldObject"))
    owners = new.get("ownerReferences")
    listed = owners if isinstance(owners, list) else []
    uids = [str((one or {}).get("uid") or "") for one in listed if isinstance(one, dict | None)]
    is_another = request.get("oldObject") is not None and new.get("uid") not in {"", None, old.get("uid")}
    return is_another or len(uids) > len(set(uids))


def _metadata(obj: Any) -> dict[str, Any]:
    meta = obj.get("metadata") if isinstance(obj, dict) else None
    return meta if isinstance(meta, dict) else {}


def differences(verdict: Verdict, answer: Mapping[str, Any], *, ignoring: bool = False) -> list[str]:
    """What differs, one line each; [] when the verdicts are the same.

    ``ignoring``: the client asked for fieldValidation=Ignore. The API server has a lenient decoder for that, which
    words the lack of a kind in its own way; the peer always decodes strictly.
    """
    found = []
    if verdict.allowed != answer["allowed"]:
        found.append(f"allowed: {verdict.allowed}, peer {answer['allowed']}")
    strict = verdict.refusal is not None
    mine = (
        Counter()
        if strict
        else Counter((e.type.value, e.field, e.detail, without_addresses(e.text)) for e in verdict.errors)
    )
    theirs = Counter((e["type"], e["field"], e["detail"], without_addresses(e["text"])) for e in answer["errors"])
    found += [f"only ours: {one}" for one in (mine - theirs).elements()]
    found += [f"only the peer's: {one}" for one in (theirs - mine).elements()]
    if _stored(json.loads(json.dumps(verdict.object))) != _stored(answer["object"]):
        found.append(f"object: {json.dumps(verdict.object)}\n    peer: {json.dumps(answer['object'])}")
    if sorted(verdict.warnings) != sorted(answer["warnings"]):
        found.append(f"warnings: {verdict.warnings}, peer {answer['warnings']}")
    if "cost" in answer and verdict.cost != answer["cost"]:
        found.append(f"cost: {verdict.cost}, peer {answer['cost']}")
    return found + _status_differences(verdict.status(), answer["status"], ignoring=ignoring)


def without_addresses(text: str) -> str:
    """A text with the same address for every pointer: Go prints those of the program's memory."""
    return _ADDRESS.sub("(0x)", text)


def _status_value(status: Mapping[str, Any], key: str, *, ignoring: bool) -> Any:
    """A value of a status, but for what nobody can know: the body as it came, which of two complaints came first."""
    value = without_addresses(status[key]) if key == "message" else status[key]
    if key == "message" and ignoring and "Object 'Kind' is missing in " in value:
        return "Object 'Kind' is missing"
    if key == "message" and value.startswith("the object provided is unrecognized"):
        return value.partition(" in '{")[0].partition(" ({")[0]
    if key == "message" and " cannot be handled as a " in value and "strict decoding" not in value:
        return value.partition(": ")[0]
    return value


def _status_differences(mine: dict[str, Any] | None, theirs: dict[str, Any] | None, *, ignoring: bool) -> list[str]:
    """Order and, of several errors, the message depend on Go's maps."""
    if mine is None or theirs is None:
        return [] if mine is theirs else [f"status: {mine}, peer {theirs}"]
    causes = [
        sorted(without_addresses(str(one)) for one in (s.get("details") or {}).get("causes") or [])
        for s in (mine, theirs)
    ]
    keys = ("code", "reason") if len(causes[0]) > 1 else ("code", "reason", "message")
    values = [{key: _status_value(status, key, ignoring=ignoring) for key in keys} for status in (mine, theirs)]
    found = [f"status {key}: {mine[key]!r}, peer {theirs[key]!r}" for key in keys if values[0][key] != values[1][key]]
    return found + ([] if causes[0] == causes[1] else [f"causes: {causes[0]}, peer {causes[1]}"])
