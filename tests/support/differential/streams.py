"""Endless streams of cases, each a JSON value that the API server's code and ours answer.

A case depends on its seed alone, so a stream can be entered anywhere.
"""

import json
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.field import DEFAULT_KUBERNETES
from ovnguard.validators.crd.compiled_crd import CompiledCRD, InvalidCRD, compile_crd
from tests.support.cel.function_rules import FunctionRules
from tests.support.differential.compare import definition
from tests.support.differential.definition_verdicts import definition_differences
from tests.support.differential.definitions import DefinitionGenerator
from tests.support.differential.line_peer import LinePeer, line_peer
from tests.support.differential.object_verdicts import request_differences
from tests.support.differential.patterns import pattern
from tests.support.differential.peer import Peer, find
from tests.support.differential.policies import PolicyQuestions
from tests.support.differential.policy_compare import differences as policy_differences
from tests.support.differential.policy_compare import ours as our_policy_answer
from tests.support.differential.samples import REQUESTS, sample
from tests.testbed import parts

_NAME: Final = "foos.example.com"
TEXTS: Final = (
    *(
        "",
        "a",
        "aa",
        "ab",
        "b",
        "k",
        "K",
        "\u212a",
        "ſ",
        "S",
        "ß",
        "é",
        "Ω",
        "1",
        "9",
        "_",
        " ",
        "\n",
        "a\nb",
        "-",
        "]",
    ),
    *(
        "^",
        "😀",
        "\u4e00",
        "\u0378",
        "\U0002ebf0",
        "\u2ffc",
        "\u0345",
        "ǅ",
        "abcabc",
        "x" * 30,
        "\x00",
        "\ue000",
        "a.b",
    ),
)
NAMES: Final = ("definitions", "objects", "rules", "functions", "patterns", "policies")


class Stream(NamedTuple):
    """One kind of case. ``differences`` returns None for a case that cannot be compared."""

    name: str
    cases: Callable[[int], Iterator[Any]]
    differences: Callable[[Any], list[str] | None]


def streams(
    stack: ExitStack, release: str = DEFAULT_KUBERNETES, count: int = REQUESTS
) -> tuple[list[Stream], list[str]]:
    """Return the streams whose oracle is there, and why others are missing. The oracles run as long as the stack.

    ``release``: the Kubernetes release that both judge like. ``count``: of requests for each generated schema, about.
    """
    made, missing = [], []
    judged = partial(_object_differences, kubernetes=release)
    program = find("" if release == DEFAULT_KUBERNETES else release)
    if program is None:
        missing.append("definitions, objects, rules, functions, patterns: apiserver-verdict is missing")
    else:
        peer = stack.enter_context(Peer(program))
        made += [
            Stream("definitions", _definitions, lambda case: _definition_case(peer, case, release)),
            Stream("objects", lambda seed: _requests(seed, count, rules=False), lambda case: judged(peer, case)),
            Stream("rules", lambda seed: _requests(seed, count, rules=True), lambda case: judged(peer, case)),
            Stream("functions", _functions, lambda case: judged(peer, case)),
            Stream("patterns", _patterns, lambda case: judged(peer, case)),
        ]
    if release != DEFAULT_KUBERNETES:
        return made, [*missing, f"policies: policy-verdict is that of {DEFAULT_KUBERNETES}"]
    try:
        policies = stack.enter_context(line_peer(parts.find()["policy-verdict"]))
        made.append(Stream("policies", _policies, lambda case: _policy_differences(policies, case)))
    except LookupError as reason:
        missing.append(f"policies: {reason}")
    return made, missing


def _definitions(seed: int) -> Iterator[Any]:
    yield {"crd": DefinitionGenerator(seed).make()}


def _definition_case(peer: Peer, case: Any, kubernetes: str) -> list[str]:
    # The peer keeps this definition instead of that of the stream before.
    _compiled.cache_clear()
    return definition_differences(peer, case["crd"], kubernetes)


def _requests(seed: int, count: int, *, rules: bool) -> Iterator[Any]:
    schema, has_status, requests = sample(seed, count, rules=rules)
    crd = definition(schema, status=has_status)
    for request in requests:
        yield {"crd": crd, "requests": [{**request, "cost": rules}]}


@lru_cache(maxsize=1)
def _compiled(peer: Peer, text: str, kubernetes: str) -> CompiledCRD | list[str]:
    """The compiled definition, which is then the last one of its name that the peer has; else what differs."""
    source = json.loads(text)
    found = definition_differences(peer, source, kubernetes)
    try:
        return found or compile_crd(source, kubernetes=kubernetes)
    except InvalidCRD:
        return []


def _object_differences(peer: Peer, case: Any, kubernetes: str) -> list[str] | None:
    crd = _compiled(peer, json.dumps(case["crd"]), kubernetes)
    if isinstance(crd, list):
        return crd
    compared = [request_differences(peer, crd, _NAME, request) for request in case["requests"]]
    if None in compared:
        return None
    return [line for one in compared for line in one or ()]


def _patterns(seed: int) -> Iterator[Any]:
    text = pattern(random.Random(seed))
    schema = {"type": "object", "properties": {"v": {"type": "string", "pattern": text}}}
    head = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}}
    requests = [{"object": {**head, "v": value}, "operation": "CREATE"} for value in TEXTS]
    yield {"crd": definition(schema, status=False), "requests": requests}


def _functions(seed: int) -> Iterator[Any]:
    """Rules about functions of the libraries, each in a definition of its own: one that is refused hides the others."""
    rules = FunctionRules(seed)
    head = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}}
    for _ in range(10):
        node = {"type": "integer", "x-kubernetes-validations": [{"rule": rules.rule(), "message": "wrong"}]}
        crd = definition({"type": "object", "properties": {"v": node}}, status=False)
        yield {"crd": crd, "requests": [{"object": {**head, "v": 1}, "operation": "CREATE", "cost": True}]}


def _policies(seed: int) -> Iterator[Any]:
    made = PolicyQuestions(seed)
    yield from (made.question() for _ in range(10))


def _policy_differences(peer: LinePeer, case: Any) -> list[str] | None:
    try:
        theirs = peer.ask(case)
    except RuntimeError:
        return None
    found = policy_differences(theirs, our_policy_answer(case))
    return [f"{key}: peer {theirs}, ours {ours}" for key, (theirs, ours) in found.items()]
