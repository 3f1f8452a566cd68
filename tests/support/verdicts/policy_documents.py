"""Random policies and bindings, most of them broken, and what the API server and ours say of each as documents."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from ovnguard.validators.go.json_decode import fold
from tests.support.cel.policy_expressions import CASES, REFUSED, binding, policy
from tests.support.differential.wide import WideGenerator

Said: TypeAlias = list[tuple[str, str, str]]
"""Reason, field and message of each error; without a reason and a field for what does not decode."""
_BODIES: Final = (
    *(body for _, body in REFUSED),
    *(policy(case) for case in CASES),
    *(binding(case) for case in CASES),
)
_HEAD: Final = frozenset(map(fold, ("apiVersion", "kind")))
_STRICT: Final = "strict decoding error: "
_SYNTAX: Final = "Syntax error"


def documents(seed: int, count: int) -> Iterator[dict[str, Any]]:
    """Iterate over policies and bindings of which up to four places have other values."""
    rng = random.Random(seed)
    for number in range(count):
        made = mutated(rng, rng.choice(_BODIES))
        meta = made.get("metadata")
        # the API server puts random letters after a generateName
        if not isinstance(meta, dict) or "generateName" in meta:
            made["metadata"] = {"name": f"p{number}"}
        yield made


def mutated(rng: random.Random, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a policy or binding of which up to four places have other values."""
    made = WideGenerator(rng.getrandbits(32)).mutated(body, rng.choice((0, 1, 1, 2, 4)))
    # only to learn the kind, the API server reads keys in any case: then it knows none
    made = {key: value for key, value in made.items() if fold(key) not in _HEAD}
    return made | {key: body[key] for key in ("apiVersion", "kind")}


def servers(status: int, answer: Mapping[str, Any]) -> Said:
    """What an answer to a creation says."""
    if status < 300:
        return []
    if status == 422:
        return [_words(each["reason"], each["field"], each["message"]) for each in answer["details"]["causes"]]
    text = answer["message"].partition(" cannot be handled as a ")[2].partition(": ")[2] or answer["message"]
    listed = text.removeprefix(_STRICT).split(", ") if text.startswith(_STRICT) else [text]
    return [("", "", each) for each in listed]


def ours(findings: Sequence[Mapping[str, Any]]) -> Said:
    """What the findings about one document say that the API server says, too."""
    errors = [each for each in findings if each["severity"] == "error"]
    if any("json: " in each["message"] or each["rule"] == "strict" for each in errors):
        return [("", "", each["message"].removeprefix("Invalid value: ")) for each in errors]
    return [_words(each["reason"], each["path"], each["message"]) for each in errors]


def _words(reason: str, field: str, message: str) -> tuple[str, str, str]:
    """An error; the words of one about syntax are known to differ."""
    return reason, field, _SYNTAX if _SYNTAX in message else message


def sorted_text(body: Mapping[str, Any]) -> str:
    """A document as kubectl sends it."""
    return json.dumps(body, sort_keys=True)
