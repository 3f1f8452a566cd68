"""Generated pairs of definitions with stored objects: no stored object may contradict what `evolve` says of a change.

``python -m tests.support.differential.definition_evolutions PAIRS`` judges them. An object is stored if the old
definition accepts it. If every change widens or is neutral, the new definition must accept it, too, in a creation and
in an update, and drop nothing. Otherwise each error must be one of a change that narrows or is undecided. An error that
the old definition has, too, is of no change: a rule with oldSelf may fail in the update, and a version that takes null
may store an object that the version of the storage leaves without a required field.
"""

import argparse
import copy
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.field import DEFAULT_KUBERNETES, RULES_NOT_CHECKED, FieldError
from ovnguard.validators.crd.compiled_crd import CompiledCRD, InvalidCRD
from ovnguard.validators.evolution.changes import Change
from ovnguard.validators.evolution.evolution import evolve, served
from tests.support.differential.compare import definition
from tests.support.differential.generate import Generator
from tests.support.differential.schemas import SchemaGenerator

Json = dict[str, Any]
_DIRECT: Final = frozenset(
    {
        *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minimum", "maximum"),
        *("exclusiveMinimum", "exclusiveMaximum", "pattern", "multipleOf", "enum", "required"),
        *("allOf", "anyOf", "oneOf", "not"),
    }
)
"""Keywords that only refuse values: their changes cause their own errors, and no others."""
_RULES: Final = {
    "object": ("size(self) < 4", "has(self.p0) || true", "!has(self.p1)", "self == self"),
    "array": ("size(self) < 2", "size(self) < 4", "size(self) < 3 || true"),
    "string": ("size(self) < 5", "self != 'abc'", "self.matches('^[a-z]*$')", "self == oldSelf"),
    "integer": ("self < 50", "self < 90", "self >= 0", "self >= oldSelf"),
    "boolean": ("self", "self || true"),
}
_BOUNDS: Final = {
    "string": ("minLength", "maxLength", "pattern", "format", "enum", "nullable"),
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format", "enum", "type"),
    "number": ("minimum", "maximum", "exclusiveMaximum", "multipleOf", "format", "type"),
    "array": ("minItems", "maxItems", "x-kubernetes-list-type"),
    "object": ("minProperties", "maxProperties", "nullable", "x-kubernetes-map-type"),
}
_VALUES: Final[dict[str, Sequence[Any]]] = {
    **dict.fromkeys(("minLength", "minItems", "minProperties"), (0, 1, 2)),
    **dict.fromkeys(("maxLength", "maxItems", "maxProperties"), (1, 2, 3, 5, 70)),
    **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum", "nullable"), (True, False)),
    "minimum": (-5, 0, 0.5, 1, 1.5, 40, 1e19),
    "maximum": (2, 60, 60.5, 99.5, 100, 200, 2**63),
    "multipleOf": (1, 2, 3, 0.5),
    "pattern": ("^[a-z]*$", "", "a"),
    "format": ("date", "date-time", "int32", "int64", "float", "ipv4", "duration", "byte", "unheard-of"),
    "enum": (["a", "abc", ""], ["a"], ["abc", "a"], [1, 3], [1, 3, 5], [1, "a", "abc", "", 3]),
    "type": ("integer", "number", "string"),
    "x-kubernetes-list-type": ("atomic", "set"),
    "x-kubernetes-map-type": ("atomic", "granular"),
}
_FIELDS: Final[tuple[Json, ...]] = (
    {"type": "string"},
    {"type": "integer", "default": 7},
    {"type": "object", "properties": {"a": {"type": "string", "default": "x"}}},
    {"type": "object", "default": {}, "properties": {"a": {"type": "string", "default": "x"}}},
    {"type": "boolean", "nullable": True},
)
_BRANCHES: Final[tuple[Json, ...]] = ({"minLength": 1}, {"maxProperties": 1}, {"required": ["p0"]}, {"enum": ["a", 1]})


class Evolutions:
    """Makes one pair of a seed, and the objects that the old definition of it stores."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)

    def pair(self) -> tuple[Json, Json]:
        """The old and the new definition."""
        rng = self.random
        schema = SchemaGenerator(self.seed).root()
        for node in _nodes(schema["properties"]["spec"]):
            if rng.random() < 0.1:
                self._rule(node)
        old = definition(schema, status=rng.random() < 0.3)
        if rng.random() < 0.15:
            versions = old["spec"]["versions"]
            other = copy.deepcopy(versions[0]) | {"name": "v2", "storage": False}
            self._change(other["schema"]["openAPIV3Schema"])
            versions.append(other)
        new = copy.deepcopy(old)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            version = rng.choice(new["spec"]["versions"])
            self._change(version["schema"]["openAPIV3Schema"])
        return old, new

    def _change(self, schema: Json) -> None:
        """Change a node; one that a change does not fit stays as it is."""
        rng = self.random
        changes: tuple[Callable[[Json], None], ...] = (
            *(self._keyword,) * 6,
            *(self._field, self._field, self._default, self._default, self._required, self._required),
            *(self._rule, self._branch, self._preserve),
        )
        rng.choice(changes)(rng.choice(list(_nodes(schema["properties"]["spec"]))))

    def _keyword(self, node: Json) -> None:
        keywords = _BOUNDS.get(node.get("type", ""), ("format",))
        keyword = self.random.choice([*(each for each in keywords if each in node), *keywords])
        if keyword in node and keyword != "type" and self.random.random() < 0.4:
            del node[keyword]
        else:
            node[keyword] = self.random.choice(_VALUES[keyword])

    def _field(self, node: Json) -> None:
        rng = self.random
        fields = node.get("properties")
        if fields is None:
            return
        if fields and rng.random() < 0.4:
            del fields[rng.choice(list(fields))]
        else:
            fields[rng.choice(("p3", "q", "q", "p1"))] = copy.deepcopy(rng.choice(_FIELDS))

    def _default(self, node: Json) -> None:
        fields = [each for each in (node.get("properties") or {}).values() if each.get("type") in {"string", "integer"}]
        for field in fields[:1]:
            if "default" in field and self.random.random() < 0.4:
                del field["default"]
            else:
                field["default"] = self.random.choice(("a", "abc") if field["type"] == "string" else (3, 7))

    def _required(self, node: Json) -> None:
        if "properties" in node:
            names = list(node["properties"])
            node["required"] = self.random.sample(names, self.random.randint(0, len(names)))

    def _rule(self, node: Json) -> None:
        rng = self.random
        rules = _RULES.get(node.get("type", ""), ())
        if rules:
            chosen = [{"rule": rule} for rule in rng.sample(rules, rng.randint(0, 2))]
            node["x-kubernetes-validations"] = chosen

    def _branch(self, node: Json) -> None:
        rng = self.random
        keyword = rng.choice(("allOf", "anyOf", "oneOf"))
        if keyword in node and rng.random() < 0.5:
            node[keyword] = [*node[keyword], copy.deepcopy(rng.choice(_BRANCHES))][rng.randint(0, 1) :]
        elif "not" in node:
            del node["not"]
        else:
            node.pop(keyword, None)

    def _preserve(self, node: Json) -> None:
        if node.pop("x-kubernetes-preserve-unknown-fields", None) is None and node.get("type") == "object":
            node["x-kubernetes-preserve-unknown-fields"] = True

    def stored(self, crd: CompiledCRD, schema: Json, count: int) -> Iterator[Json]:
        """Objects as the server returns them after their creation, of up to three times as many tries."""
        generator = Generator(self.seed, hardness=0.02)
        for _ in range(3 * count):
            parts = {key: generator.value(each) for key, each in schema["properties"].items()}
            head = {"apiVersion": f"{crd.group}/{crd.version}", "kind": crd.kind, "metadata": {"name": "x"}}
            verdict = crd.verdict({**parts, **head})
            if verdict.allowed and verdict.object is not None:
                yield verdict.object
                count -= 1
            if not count:
                return


def _nodes(schema: Json) -> Iterator[Json]:
    """A node and all below, without branches."""
    yield schema
    for child in (*(schema.get("properties") or {}).values(), schema.get("items"), schema.get("additionalProperties")):
        if isinstance(child, dict):
            yield from _nodes(child)


class Judged(NamedTuple):
    """A pair: the contradictions found, the stored objects, whether every change was safe; None for a refused one."""

    contradictions: tuple[str, ...]
    objects: int
    is_safe: bool
    effects: Counter[str]


def judged(seed: int, count: int, kubernetes: str = DEFAULT_KUBERNETES) -> Judged | None:
    """Judge ``count`` stored objects of the pair of a seed. None if the server refuses one of the definitions."""
    made = Evolutions(seed)
    old, new = made.pair()
    try:
        evolution = evolve(old, new, kubernetes=kubernetes)
        if evolution.errors:
            return None
        before, after = served(old, kubernetes), served(new, kubernetes)
    except InvalidCRD:
        return None
    found: list[str] = []
    objects = 0
    for version in old["spec"]["versions"]:
        name = version["name"]
        for obj in made.stored(before.versions[name], version["schema"]["openAPIV3Schema"], count):
            objects += 1
            found += _contradictions(obj, before.versions[name], after.versions[name], evolution.changes)
    safe = all(change.is_safe for change in evolution.changes)
    return Judged(tuple(found), objects, safe, Counter(change.effect.value for change in evolution.changes))


def _contradictions(obj: Json, old: CompiledCRD, new: CompiledCRD, changes: Sequence[Change]) -> Iterator[str]:
    labelled = {**obj, "metadata": {**obj["metadata"], "labels": {"a": "b"}}}
    verdicts = (new.verdict(obj), new.verdict(labelled, obj))
    earlier = (old.verdict(obj), old.verdict(labelled, obj))
    unsafe = [change for change in changes if not change.is_safe]
    for verdict, before in zip(verdicts, earlier, strict=True):
        for error in verdict.findings:
            if error.detail != RULES_NOT_CHECKED and error not in before.findings and not _explained(error, unsafe):
                yield f"{error.text} ({error.rule}), of {obj}"
    if not unsafe and earlier[1].allowed:
        yield from (f"drops {path} of {obj}" for path in verdicts[1].unknown)


def _explained(error: FieldError, unsafe: Sequence[Change]) -> bool:
    direct = all(change.keyword in _DIRECT for change in unsafe)
    return any(change.causes(error) for change in unsafe) if direct else True


def main(arguments: list[str] | None = None) -> int:
    """Judge pairs; the exit code is 1 if an object contradicts a class."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=int)
    parser.add_argument("--objects", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--release", default=DEFAULT_KUBERNETES)
    options = parser.parse_args(arguments)
    counts, seed = Counter[str](), options.seed * 10_000_000
    while counts["pairs"] < options.pairs:
        seed += 1
        result = judged(seed, options.objects, options.release)
        if result is None:
            counts["refused pairs"] += 1
            continue
        counts.update({"pairs": 1, "safe pairs": result.is_safe, "objects": result.objects})
        counts.update({"objects of safe pairs": result.objects * result.is_safe})
        counts.update(result.effects)
        counts["contradictions"] += bool(result.contradictions)
        if result.contradictions:
            print(f"seed {seed}", *result.contradictions[:3], sep="\n    ", flush=True)
    print({**counts, "CPU seconds": round(time.process_time())})
    return 1 if counts["contradictions"] else 0


if __name__ == "__main__":
    sys.exit(main())
