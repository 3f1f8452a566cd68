"""Seeded random definitions, rules and objects, valid and broken, with text that tries to become code."""

import copy
import os
import random
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ovnguard import crd_schemas
from ovnguard.validators.cel.types.errors import InvalidRule
from ovnguard.validators.crd.compiled_crd import CompiledCRD, InvalidCRD, compile_crd
from ovnguard.validators.crd.strategy import judge_exactly
from tests.support.cel.cel_compile import CelError, compile_expression, compile_rule
from tests.support.differential.compare import definition
from tests.support.differential.generate import Generator, requests
from tests.support.differential.schemas import SchemaGenerator
from tests.support.generated_rule import confirms

SENTINEL = "OVNGUARD_TEXT_BECAME_CODE"
"""An environment variable that every payload sets, if it runs."""
OBJECT_BUDGET = 10_000_000
CALL_BUDGET = 1_000_000
_PAYLOAD = f"__import__('os').environ.__setitem__('{SENTINEL}','1')"
HOSTILE = (
    _PAYLOAD,
    f"'+{_PAYLOAD}+'",
    f'"+{_PAYLOAD}+"',
    f"'''\n{_PAYLOAD}\n'''",
    f'"""\n{_PAYLOAD}\n"""',
    f"\n{_PAYLOAD}\n",
    f"\\'\n {_PAYLOAD} #",
    f"{{{_PAYLOAD}}}",
    f"%({_PAYLOAD})s",
    f"): return True\n{_PAYLOAD}\ndef f(",
    f"]) or {_PAYLOAD} or ([",
    "__class__",
    "__builtins__",
    "__globals__",
    "self",
    "oldSelf",
    "K1",
    "H0",
    "P0",
    "return",
    "lambda: 0",
    "\x00",
    "\u2028",
    "\ud800",
    "a\rb",
    "{0.__class__}",
    "$ref",
    "x" * 400,
    "",
)
_IN_OBJECTS = tuple(text for text in HOSTILE if text.encode(errors="replace") == text.encode(errors="ignore"))
_TOKEN = re.compile(r"\s+|\w+|'[^']*'|\"[^\"]*\"|.", re.DOTALL)
_PIECES = (
    *("(", ")", "[", "]", "{", "}", ".", ",", "?", ":", "&&", "||", "!", "-", "==", "in", "+", "%", "'", '"', "'''"),
    *(
        "self",
        "oldSelf",
        "null",
        "true",
        "1",
        "-9223372036854775808",
        "1u",
        "1e400",
        "''",
        "b'\\xff'",
        "\\",
        "//",
        "\n",
    ),
    *(".all(x, x)", ".exists(x, y, x == y)", ".map(x, x)", ".?a", "[?0]", "has(self.a)", "cel.bind(x, self, x)"),
    *(
        ".matches('(')",
        ".format([self])",
        "lists.range(9)",
        "quantity('1')",
        "duration('1h')",
        "timestamp('x')",
        "é",
        "😀",
    ),
    *("type(self)", "dyn(self)", "int(self)", "string(self)", "optional.of(self)", "cidr('::/0')", "a.b.C{}", "`a`"),
)


@contextmanager
def harmless(case: object, seconds: float) -> Iterator[None]:
    """What happens in the block takes no more seconds of the processor and runs no payload; ``case`` names it."""
    started = time.process_time()
    try:
        yield
    except AssertionError:
        raise
    except BaseException as fault:
        fault.add_note(f"fuzzing case {case}")
        raise
    took = time.process_time() - started
    assert took < seconds, f"case {case} took {took:.1f} s"
    assert SENTINEL not in os.environ, f"case {case} ran a text"


def _say_why(text: str) -> None:
    assert text, "refused without a word"


def real_rules() -> list[str]:
    """Every rule of the bundled definitions."""
    found: dict[str, None] = {}
    for schema_set in crd_schemas.SETS:
        for source in crd_schemas.crds(schema_set).values():
            found.update(dict.fromkeys(_rules(source)))
    return list(found)


def _rules(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (one["rule"] for one in value.get("x-kubernetes-validations") or ())
        for one in value.values():
            yield from _rules(one)
    elif isinstance(value, list):
        for one in value:
            yield from _rules(one)


class RuleText:
    """Makes rule texts: mutated real ones, and pieces put together."""

    def __init__(self, rng: random.Random, real: list[str]) -> None:
        self._random = rng
        self._real = real

    def text(self) -> str:
        """Any text, likely to be nearly a rule."""
        rng = self._random
        if rng.random() < 0.25:
            return "".join(rng.choice(_PIECES) for _ in range(rng.randint(1, 12)))
        tokens = _TOKEN.findall(rng.choice(self._real))
        for _ in range(rng.choice((0, 1, 1, 2, 4))):
            self._change(tokens)
        return "".join(tokens)

    def _change(self, tokens: list[str]) -> None:
        rng = self._random
        place = rng.randrange(len(tokens) + 1)
        how = rng.randrange(5)
        if how == 0:
            del tokens[place : place + rng.choice((1, 1, 3))]
        elif how == 1:
            tokens.insert(place, rng.choice(_PIECES))
        elif how == 2:
            tokens[place : place + 1] = [repr(rng.choice(HOSTILE)) if rng.random() < 0.3 else rng.choice(_PIECES)]
        elif how == 3:
            tokens[place:place] = _TOKEN.findall(rng.choice(self._real))[: rng.randint(1, 8)]
        else:
            tokens[place : place + 1] = tokens[place : place + 1] * rng.choice((2, 2, 60))


def definition_of(seed: int, real: list[str]) -> dict[str, Any]:
    """A definition: one in three as it must be, the others with rules, hostile names or anything else wrong."""
    rng = random.Random(seed)
    source = definition(SchemaGenerator(seed).root(), status=bool(seed % 2))
    schema = source["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    nodes = [node for node in _nodes(schema) if node is not schema]
    for node in rng.sample(nodes, min(len(nodes), rng.choice((0, 1, 3)))):
        _spoil(rng, node, RuleText(rng, real))
    if rng.random() < 0.3:
        generator = Generator(seed)
        generator.random = rng
        source = generator.mutated(source, rng.choice((1, 2, 3)))
    return source


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(schema, dict):
        return
    yield schema
    for child in (*(schema.get("properties") or {}).values(), schema.get("items"), schema.get("additionalProperties")):
        yield from _nodes(child)


def _spoil(rng: random.Random, node: dict[str, Any], text: RuleText) -> None:
    """Give a node a rule, a hostile property, enum, pattern or default."""
    how = rng.randrange(5)
    hostile = rng.choice(HOSTILE)
    if how <= 1:
        rule = {"rule": text.text() if how else f"self == self || '{_PAYLOAD!r}' == ''"}
        keys = ("message", "messageExpression", "fieldPath", "reason")
        rule |= {key: rng.choice((hostile, text.text())) for key in keys if rng.random() < 0.2}
        node["x-kubernetes-validations"] = [rule]
    elif how == 2:
        node.setdefault("properties", {})[hostile] = {"type": "string", "enum": [hostile, rng.choice(HOSTILE)]}
    elif how == 3:
        node["enum" if rng.random() < 0.5 else "required"] = [hostile, rng.choice(HOSTILE)]
    else:
        node[rng.choice(("pattern", "format", "default", "title"))] = hostile


def check_definition(seed: int, real: list[str], count: int, seconds: float) -> bool:
    """Compile a definition and judge objects of it; whether it was valid. Nothing but `InvalidCRD` may come of it."""
    with harmless(f"definition {seed}", seconds):
        source = definition_of(seed, real)
        try:
            crd = compile_crd(source, kubernetes=f"1.{29 + seed % 7}")
        except InvalidCRD as fault:
            _say_why(str(fault))
            return False
    schema = source["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    if not isinstance(schema.get("properties"), dict):
        return True
    generator = Generator(seed, hardness=0.05)
    made = requests(generator, schema, f"{crd.group}/{crd.version}", crd.kind, crd.has_status, count)
    for index in range(count):
        with harmless(f"definition {seed}, object {index}", seconds):
            # A spoiled schema may be none to make objects from.
            try:
                request = next(made)
            except (TypeError, ValueError, AttributeError):
                break
            request["object"] = _with_hostile(generator.random, request["object"])
            check_verdict(crd, request)
    return True


def _with_hostile(rng: random.Random, value: Any) -> Any:
    """The object with hostile keys and texts put into it here and there."""
    if isinstance(value, dict):
        out = {key: _with_hostile(rng, one) for key, one in value.items()}
        if rng.random() < 0.03:
            out[rng.choice(_IN_OBJECTS)] = rng.choice((*_IN_OBJECTS, None, float("inf"), 10**400, -0.0))
        return out
    if isinstance(value, list):
        return [_with_hostile(rng, one) for one in value]
    return rng.choice(_IN_OBJECTS) if isinstance(value, str) and rng.random() < 0.03 else value


def check_verdict(crd: CompiledCRD, request: Mapping[str, Any]) -> None:
    """A request is judged the same with and without the fast ways, within the budget, and nothing is changed by it."""
    obj, old = request["object"], request.get("oldObject")
    before = copy.deepcopy((obj, old))
    subresource = "status" if request["operation"] == "STATUS" else None
    validation = request.get("fieldValidation", "Warn")
    verdict = crd.verdict(obj, old=old, subresource=subresource, field_validation=validation)
    exact = judge_exactly(crd.load(), obj, old, subresource, validation)
    assert repr((obj, old)) == repr(before)
    assert (verdict.allowed, verdict.status()) == (exact.allowed, exact.status())
    assert repr(_sorted(verdict.object)) == repr(_sorted(exact.object))
    assert sorted(verdict.warnings) == sorted(exact.warnings)
    assert verdict.cost == exact.cost
    assert exact.cost <= OBJECT_BUDGET
    assert verdict.allowed or verdict.findings


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return sorted(((key, _sorted(one)) for key, one in value.items()), key=lambda pair: pair[0])
    return [_sorted(one) for one in value] if isinstance(value, list) else value


def check_budget(seed: int, seconds: float) -> bool:
    """Judge an object by rules that loop over its lists, every other time by more than they may cost in all.

    Whether it was allowed: exactly where what the rules cost, counted one by one, is within both budgets.
    """
    rng = random.Random(seed)
    much = bool(seed % 2)
    size = rng.randint(280, 300) if much else rng.randint(1, 120)
    body = f"self.all(x, self.all(y, x + y != '{rng.choice('abc')}'))"
    texts = [f"{body} || size(self) == {index}" for index in range(rng.choice((4, 5)))]
    inner = {"type": "array", "maxItems": 300, "items": {"type": "string", "maxLength": 3}}
    rules = [{"rule": text, "message": "m"} for text in texts]
    lists = {"type": "array", "maxItems": 9, "items": inner | {"x-kubernetes-validations": rules}}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"lists": lists}}}}
    spec = {"lists": [["no"] * size] * (rng.randint(7, 9) if much else rng.randint(1, 5))}
    obj = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}, "spec": spec}
    with harmless(f"budget {seed}", seconds):
        crd = compile_crd(definition(schema, status=False))
        verdict = crd.verdict(obj)
        costs = [compile_rule(text, inner).evaluate(spec["lists"][0]).cost for text in texts]
        affordable = max(costs) <= CALL_BUDGET and sum(costs) * len(spec["lists"]) <= OBJECT_BUDGET
        assert verdict.allowed == affordable, (costs, len(spec["lists"]))
        return verdict.allowed


def check_rule(seed: int, real: list[str], seconds: float) -> bool:
    """Compile a random rule and run it on random values; whether it compiled."""
    rng = random.Random(seed)
    schema = SchemaGenerator(seed).node(0, "object")
    generator = Generator(seed, hardness=0.05)
    with harmless(f"rule {seed}", seconds):
        text = RuleText(rng, real).text()
        try:
            rule = compile_rule(text, schema, message=rng.choice(HOSTILE) or None, kubernetes=f"1.{29 + seed % 7}")
        except InvalidRule as fault:
            _say_why(fault.text)
            return False
        for _ in range(3):
            value, old = generator.value(schema), generator.value(schema)
            result = rule.evaluate(value, old)
            assert not result.ok or result.cost <= CALL_BUDGET
            assert result.ok or result.message
            assert result.ok or not confirms(rule, value, old)
    return True


def check_expression(seed: int, real: list[str], seconds: float) -> bool:
    """Compile a random expression over a value of no known type, and evaluate it; whether it had a value."""
    rng = random.Random(seed)
    with harmless(f"expression {seed}", seconds):
        text = RuleText(rng, real).text()
        try:
            compile_expression(text, {"self": "dyn", "oldSelf": "dyn"}).evaluate(
                {"self": {"a": [1, "x"]}, "oldSelf": None}
            )
        except CelError:
            return False
    return True
