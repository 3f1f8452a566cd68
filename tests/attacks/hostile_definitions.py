"""Definitions with one to three faults near each other, judged with objects of the definition without them.

``python -m tests.attacks.hostile_definitions SEED [COUNT]`` judges those of other seeds, and prints each crash.
"""

import copy
import json
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import yaml

from ovnguard.validators.base.field import NEWEST_MINOR, OLDEST_MINOR, FieldError
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.crd.compiled_crd import InvalidCRD, compile_crd
from tests.attacks.hostile_values import DEPTHS, TEXTS, crashes, hostile, nested, spoil
from tests.support.differential.definition_values import KEYWORDS, RULES
from tests.support.differential.definitions import DefinitionGenerator
from tests.support.differential.generate import requests
from tests.support.differential.patterns import pattern
from tests.support.differential.rules import with_rules
from tests.support.differential.schemas import SchemaGenerator
from tests.support.differential.wide import WideGenerator
from tests.support.preflight_run import run
from tests.support.random_definitions import check_verdict
from tests.support.small_definitions import STATUS, definition

Fault = Callable[[random.Random, dict[str, Any]], None]
"""Changes a node of a schema."""
REQUESTS: Final = 2
FORMATS: Final = ("text", "json", "junit", "tap", "github", "gitlab")
_SHAPES: Final = (
    "list-type",
    "map-type",
    "int-or-string",
    "embedded-resource",
    "preserve-unknown-fields",
    "list-map-keys",
)
_REFUSING: Final = (
    *(
        "false",
        "self != self",
        "1 / 0 == 1",
        "size(self) > 99",
        "oldSelf != self",
        "[][0] == 0",
        "self.zz",
        "'a'.matches('(')",
    ),
    *("has(self.zz)", "int(string(self)) < -1", "self == oldSelf && false", "duration('x') == duration('x')"),
)


@cache
def whole() -> dict[str, Any]:
    """A definition with every field that one may have."""
    made: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "whole_definition.yaml").read_text(encoding="utf-8"))
    return made


def case_of(seed: int) -> dict[str, Any]:
    """A definition, the Kubernetes release that judges it, and requests for its objects; the same for the same seed."""
    rng = random.Random(seed)
    source, schema = _base(seed, rng)
    generator = WideGenerator(seed, hardness=0.03)
    made = [*requests(generator, schema, "example.com/v1", "Foo", has_status=True, count=REQUESTS)]
    faults = rng.choice(_STAGES)
    for _ in range(rng.choice((0, 1, 1, 2, 2, 3))):
        _spoil(rng, source, faults)
    return {"definition": source, "kubernetes": f"1.{rng.randint(OLDEST_MINOR, NEWEST_MINOR)}", "requests": made}


def _base(seed: int, rng: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """A definition, which contains nothing of another case, and the schema for its objects."""
    chance = rng.random()
    if chance < 0.4:
        source = copy.deepcopy(whole())
        return source, source["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema = SchemaGenerator(seed).root()
    if chance < 0.6:
        return copy.deepcopy(DefinitionGenerator(seed).make()), schema
    with_rules(schema, seed)
    return copy.deepcopy(definition(schema, **STATUS)), schema


def _spoil(rng: random.Random, source: dict[str, Any], faults: Sequence[Fault]) -> None:
    nodes = list(_nodes(source))
    if not nodes or not faults:
        spoil(rng, source, rng.choice((1, 2)))
        # what is no definition any more is not judged as one
        source |= {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
        return
    node = rng.choice(nodes)
    for _ in range(rng.choice((1, 1, 2))):
        rng.choice(faults)(rng, node)


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Every mapping that looks like a node of a schema."""
    if isinstance(value, dict):
        if {"type", "properties", "items", "x-kubernetes-validations", "x-kubernetes-int-or-string"} & value.keys():
            yield value
        for one in value.values():
            yield from _nodes(one)
    elif isinstance(value, list):
        for one in value:
            yield from _nodes(one)


def _keyword(rng: random.Random, node: dict[str, Any]) -> None:
    keyword = rng.choice(list(KEYWORDS))
    pool = KEYWORDS[keyword]
    node[keyword] = copy.deepcopy(rng.choice(pool)) if pool and rng.random() < 0.5 else hostile(rng)


def _rules(node: dict[str, Any]) -> list[Any]:
    rules = node.get("x-kubernetes-validations")
    if not isinstance(rules, list):
        rules = node["x-kubernetes-validations"] = []
    return rules


def _rule(rng: random.Random, node: dict[str, Any]) -> None:
    """Change a field of a rule, or add a rule with fields of its own."""
    rules = _rules(node)
    if not rules or rng.random() < 0.5:
        rules.append(copy.deepcopy(rng.choice(RULES)))
    rule = rng.choice(rules)
    if isinstance(rule, dict):
        key = rng.choice(("reason", "reason", "message", "messageExpression", "fieldPath", "optionalOldSelf", "rule"))
        rule[key] = rng.choice(TEXTS) if rng.random() < 0.8 else hostile(rng)


def _refused_default(rng: random.Random, node: dict[str, Any]) -> None:
    """Give a default, which a rule refuses that may be wrong itself."""
    fitting = {"string": "x", "integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}
    node["default"] = fitting.get(str(node.get("type")), "x") if rng.random() < 0.7 else hostile(rng)
    rule = {"rule": rng.choice(_REFUSING)}
    for key in ("reason", "message", "messageExpression", "fieldPath"):
        if rng.random() < 0.4:
            rule[key] = rng.choice((*TEXTS, "FieldValueForbidden", "FieldValueDuplicate", "'' + string(self)"))
    _rules(node).append(rule)


def _shapes(rng: random.Random, node: dict[str, Any]) -> None:
    """Declare shapes that contradict each other."""
    for name in rng.sample(_SHAPES, rng.choice((1, 2, 3))):
        keyword = f"x-kubernetes-{name}"
        node[keyword] = copy.deepcopy(rng.choice((*KEYWORDS[keyword], True, "map", "set", ["k"], "atomic")))


def _pattern(rng: random.Random, node: dict[str, Any]) -> None:
    node["pattern"] = pattern(rng) if rng.random() < 0.5 else rng.choice(TEXTS)


def _deep(rng: random.Random, node: dict[str, Any]) -> None:
    """Put the node below many others."""
    inner, keyword = copy.deepcopy(node), rng.choice(("properties", "items", "additionalProperties", "allOf", "not"))
    node.clear()
    for _ in range(rng.choice(DEPTHS)):
        below: Any = {"a": inner} if keyword == "properties" else [inner] if keyword == "allOf" else inner
        inner = {"type": "array" if keyword == "items" else "object", keyword: below}
    node |= inner
    if rng.random() < 0.3:
        node["default"] = nested("x", rng.choice(DEPTHS), "a")


def _branches(rng: random.Random, node: dict[str, Any]) -> None:
    """Put parts of the node, with whatever they declare, under a combinator."""
    kept = dict(rng.sample(sorted(node.items(), key=repr), min(len(node), rng.randint(0, 3))))
    branch = copy.deepcopy(kept | ({rng.choice(list(KEYWORDS)): hostile(rng)} if rng.random() < 0.5 else {}))
    keyword = rng.choice(("allOf", "anyOf", "oneOf", "not"))
    node[keyword] = branch if keyword == "not" else [branch, *([copy.deepcopy(branch)] if rng.random() < 0.3 else [])]


_STRUCTURE: Final = (_keyword, _shapes, _pattern, _deep, _branches)
_RULES: Final = (_rule, _refused_default)
_STAGES: Final[tuple[Sequence[Fault], ...]] = ((), _STRUCTURE, _RULES, (*_STRUCTURE, *_RULES))
"""The faults of a case are of one stage of judging, or of two: an error in a stage ends judging before the next one.

Without any, the faults are at any place of the definition.
"""


def judge(case: Mapping[str, Any], folder: Path) -> str:
    """Judge a case as an API server does, then as files of the preflight; whether the definition was accepted."""
    outcome = _compiled(case)
    file = folder / "crd.json"
    file.write_text(json.dumps(case["definition"]), encoding="utf-8")
    objects = [request["object"] for request in case["requests"]]
    documents = "\n---\n".join(json.dumps(one) for one in objects if isinstance(one, dict))
    form = FORMATS[len(documents) % len(FORMATS)]
    result = run(str(file), "-", "--crds", str(file), "--no-cache", "-o", form, stdin=documents)
    assert result.return_value in {Exit.OK, Exit.INVALID, Exit.USAGE}, result
    return outcome


def _compiled(case: Mapping[str, Any]) -> str:
    kubernetes = case["kubernetes"]
    errors: tuple[FieldError, ...] = ()
    try:
        crd = compile_crd(case["definition"], kubernetes=kubernetes)
    except InvalidCRD as refused:
        errors = refused.errors
    else:
        for request in case["requests"]:
            check_verdict(crd, request)
        return "accepted"
    assert errors, "refused without a word"
    assert all(error.text_of(kubernetes) for error in errors)
    return "refused"


def main(seed: int, count: int) -> int:
    """Judge so many cases; print the crashes. The exit code is 1 if there is one."""
    with TemporaryDirectory() as folder:
        found, _ = crashes(range(seed, seed + count), case_of, partial(judge, folder=Path(folder)), 30.0)
    for crash in found:
        print(crash)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
