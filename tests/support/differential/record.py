"""Record the verdicts of the API server's own code on the sample: ``python -m tests.support.differential.record``.

Run it after the generator changed, with $OVNGUARD_PEER set; `tests/unit/validators/test_recorded.py` reads the file.
"""

import hashlib
import itertools
import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.differential.compare import definition, left_to_others
from tests.support.differential.peer import VARIABLE, Peer, find
from tests.support.differential.samples import sample
from tests.support.paths import GOLDEN

FILE = GOLDEN / "verdicts.jsonl"
SEEDS = range(120)
TRIES = 20
_EXACT = 2**63
_NO_KIND = "Object 'Kind' is missing in "
_QUOTES_THE_BODY = "the object provided is unrecognized"
_HAS_AN_ORDER = " cannot be handled as a "


def digest(value: Any) -> str:
    """A short name for a JSON value; 1.0 and 1 are one value in JSON."""
    text = json.dumps(_plain(value), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if type(value) is int and abs(value) >= _EXACT:
        value = float(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def summary(allowed: bool, texts: list[str], warnings: list[str], obj: Any, status: Mapping[str, Any] | None) -> Any:
    """What is kept of a verdict. Of a refusal that is not about fields, the code and what has no order in Go.

    How the lack of a kind is put depends on the decoder, see `compare.differences`.
    """
    response: list[Any] = []
    if status is not None and status["code"] != 422:
        message = str(status["message"])
        cut = message.startswith(_QUOTES_THE_BODY) or (_HAS_AN_ORDER in message and "strict decoding" not in message)
        response = [status["code"], _NO_KIND if _NO_KIND in message else message.partition(": ")[0] if cut else message]
    return [int(allowed), sorted(texts), sorted(warnings), digest(obj), response]


def _summary(peer: Peer, request: Mapping[str, Any]) -> Any:
    answer = peer.ask(crdRef="foos.example.com", **request)
    texts = [error["text"] for error in answer["errors"]]
    return summary(answer["allowed"], texts, answer["warnings"], answer["object"], answer["status"])


def _answers(peer: Peer, seed: int, *, rules: bool) -> Iterator[Any]:
    """The answers for the requests of a sample; None where there is none, or none that is the same each time."""
    schema, has_status, requests = sample(seed, rules=rules)
    refused = peer.ask(crd=definition(schema, status=has_status))["crdErrors"]
    for request in requests:
        try:
            known = None if refused or left_to_others(request) else _summary(peer, request)
        except RuntimeError:
            # An old object that storage could never have held.
            known = None
        again = range(TRIES if known is not None and rules else 0)
        yield known if all(_summary(peer, request) == known for _ in again) else None


def main() -> int:
    """Record the sample; 2 without the peer."""
    program = find()
    if program is None:
        sys.stderr.write(f"set {VARIABLE} to the program apiserver-verdict\n")
        return 2
    with Peer(program) as peer, FILE.open("w", encoding="utf-8") as file:
        for seed, rules in itertools.product(SEEDS, (False, True)):
            line = {"seed": seed, "rules": rules, "answers": list(_answers(peer, seed, rules=rules))}
            file.write(json.dumps(line) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
