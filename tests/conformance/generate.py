"""Objects for a schema: plausible ones, and the same with one to three things wrong. Seeded, so a failure repeats."""

import copy
import random
from collections.abc import Callable, Iterator, Mapping
from itertools import repeat
from typing import Any

_TEXTS = (
    "",
    "a",
    "abc",
    "x-1",
    "A",
    "a.b",
    "10.0.0.0/16",
    "10.1.2.3",
    "fd00::/64",
    "fd00::1",
    "1.5Gi",
    "é",
    "a b",
    "z" * 70,
)
_FORMATS: Mapping[str, tuple[str, ...]] = {
    "date-time": ("2020-01-01T00:00:00Z", "2020-01-01t00:00:00.5+01:00", "2020-01-01", "2020-13-01T00:00:00Z"),
    "date": ("2020-02-29", "2021-02-29"),
    "duration": ("1h", "1 day", "3", "1d2h"),
    "ipv4": ("1.2.3.4", "01.2.3.4", "1.2.3", "::ffff:1.2.3.4"),
    "ipv6": ("::1", "1.2.3.4", "fe80::1%eth0"),
    "cidr": ("10.0.0.0/8", "10.0.0.0/33", "::/0"),
    "mac": ("00:00:5e:00:53:01", "0000.5e00.5301", "00-00"),
    "uri": ("http://a/b?c", "/a", "a", "http://a b/"),
    "hostname": ("a.example", "-a", "A", "a_b"),
    "email": ("a@b", "A <a@b.c>", "a"),
    "uuid": ("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "x"),
    "byte": ("YQ==", "YQ", ""),
}
_SCALARS: tuple[Any, ...] = (None, True, False, 0, 1, -1, 3, 80, 65536, 2**40, 1.0, 1.5, -0.25, 1e21, *_TEXTS)
_ODD: tuple[Any, ...] = (*_SCALARS, [], [1], ["a", "a"], {}, {"a": 1}, [None], [{}], {"a": {"b": []}})

Place = tuple[Any, Any]


class Generator:
    """Makes objects; ``hardness`` is the share of values taken without looking at their schema."""

    def __init__(self, seed: int, hardness: float = 0.0) -> None:
        self.random = random.Random(seed)
        self.hardness = hardness

    def value(self, schema: Mapping[str, Any], depth: int = 0) -> Any:
        """A value that mostly fits."""
        rng = self.random
        if rng.random() < self.hardness:
            return copy.deepcopy(rng.choice(_ODD))
        if schema.get("nullable") and rng.random() < 0.1:
            return None
        if schema.get("enum"):
            return copy.deepcopy(rng.choice(schema["enum"]))
        if schema.get("x-kubernetes-int-or-string"):
            return rng.choice((1, 80, "80%", "http", 1.0))
        kind = schema.get("type")
        make: Callable[[Mapping[str, Any], int], Any] | None = {
            "object": self._object,
            "array": self._array,
            "string": self._string,
            "integer": self._integer,
            "number": self._number,
        }.get(kind or "")
        if make is not None:
            return make(schema, depth)
        return rng.random() < 0.5 if kind == "boolean" else copy.deepcopy(rng.choice(_ODD))

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        rng = self.random
        out: dict[str, Any] = {}
        required = set(schema.get("required") or ())
        chance = max(0.08, 0.6 - depth * 0.06)
        for name, child in (schema.get("properties") or {}).items():
            if name in required or rng.random() < chance:
                out[name] = self.value(child, depth + 1)
        additional = schema.get("additionalProperties")
        if additional is not None and additional is not False:
            inner = additional if isinstance(additional, Mapping) else {}
            for key in rng.sample(("a", "b.c", "k/x", "Z"), rng.randint(0, 3)):
                out[key] = self.value(inner, depth + 1)
        elif schema.get("x-kubernetes-preserve-unknown-fields") and rng.random() < 0.4:
            out["anything"] = copy.deepcopy(rng.choice(_ODD))
        if schema.get("x-kubernetes-embedded-resource"):
            out |= {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "labels": {"a": "b"}}}
        return out

    def _array(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        low = schema.get("minItems") or 0
        high = min(schema.get("maxItems", low + 3), low + 3)
        size = self.random.randint(min(low, 8), max(low, high)) if depth < 12 else min(low, 8)
        return [self.value(schema.get("items") or {}, depth + 1) for _ in range(min(size, 12))]

    def _string(self, schema: Mapping[str, Any], depth: int) -> str:
        rng = self.random
        if schema.get("format") in _FORMATS:
            return rng.choice(_FORMATS[schema["format"]])
        text = rng.choice(_TEXTS)
        low, high = schema.get("minLength") or 0, schema.get("maxLength")
        text = text.ljust(min(low, 300), "a")
        return text if high is None else text[: max(high, 0)]

    def _integer(self, schema: Mapping[str, Any], depth: int) -> int:
        low = int(schema.get("minimum", 0))
        high = int(schema.get("maximum", low + 100))
        return self.random.randint(low, max(low, high))

    def _number(self, schema: Mapping[str, Any], depth: int) -> float:
        return self.random.choice((0.5, 1.0, 2.25, 3.0, 10.0)) if self.random.random() < 0.8 else 2

    def mutated(self, value: Any, times: int) -> Any:
        """A copy with ``times`` places changed: replaced, removed, renamed, repeated or added."""
        value = copy.deepcopy(value)
        for _ in range(times):
            places = list(_places(value))
            if not places:
                break
            # The deeper the place, the more it counts: most of an object is in its leaves.
            self._change(*self.random.choice(places))
        return value

    def _change(self, parent: Any, key: Any) -> None:
        rng = self.random
        how = rng.randrange(7)
        if how == 0:
            del parent[key]
        elif how == 1 and isinstance(parent, list):
            parent.insert(rng.randrange(len(parent) + 1), copy.deepcopy(parent[key]))
        elif how == 1:
            parent[rng.choice(("unknown", "Name", key + "x"))] = copy.deepcopy(parent[key])
        elif how == 2 and isinstance(parent[key], str):
            parent[key] = rng.choice((parent[key] + "!", parent[key] * 3, parent[key][:1], parent[key].upper()))
        elif how == 3 and type(parent[key]) in {int, float}:
            parent[key] = rng.choice(
                (-parent[key], parent[key] + 1, parent[key] * 1000, parent[key] + 0.5, float(parent[key]))
            )
        else:
            parent[key] = copy.deepcopy(rng.choice(_ODD))


def _places(value: Any) -> Iterator[Place]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield value, key
            yield from _places(one)
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield value, index
            yield from _places(one)


_LEAVES: tuple[Mapping[str, Any], ...] = (
    {"type": "string"},
    {"type": "string", "minLength": 2, "maxLength": 4},
    {"type": "string", "pattern": "^[a-z]+$"},
    {"type": "string", "enum": ["a", "abc", ""]},
    {"type": "string", "enum": ["a"], "nullable": True},
    {"type": "integer"},
    {"type": "integer", "minimum": 1, "maximum": 3, "exclusiveMaximum": True},
    {"type": "integer", "minimum": 1.5, "maximum": 80.7},
    {"type": "integer", "multipleOf": 3},
    {"type": "integer", "enum": [1, 3]},
    {"type": "number", "multipleOf": 0.5, "maximum": 5},
    {"type": "number", "minimum": 0.5, "exclusiveMinimum": True},
    {"type": "boolean"},
    {"type": "integer", "nullable": True},
    {"x-kubernetes-int-or-string": True},
    {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}], "pattern": "^[0-9]+%?$"},
    {"x-kubernetes-int-or-string": True, "enum": [80, "a", 1.5]},
    {"x-kubernetes-preserve-unknown-fields": True},
)
_CONSTRAINTS: tuple[Mapping[str, Any], ...] = (
    {"minLength": 1},
    {"maxLength": 2},
    {"pattern": "^a"},
    {"minimum": 2},
    {"enum": ["a", 1, True, None, 1.0, {"a": 1}]},
    {"required": ["p0"]},
    {"required": ["p1"], "properties": {"p1": {"enum": ["a", 1]}}},
    {"properties": {"p0": {"minimum": 3}, "p1": {"not": {"maxLength": 1}}}},
    {"maxProperties": 1},
    {"minProperties": 2},
    {"maxItems": 1},
    {"items": {"minLength": 2}},
    {"format": "ipv4"},
    {"not": {"required": ["p0"]}},
    {"anyOf": [{"required": ["p0"]}, {"minProperties": 3}]},
    {"allOf": [{"minLength": 2}, {"pattern": "b"}]},
)


class SchemaGenerator:
    """Makes structural schemas with everything that values are checked for."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def root(self) -> dict[str, Any]:
        """The schema of a whole object: spec and status."""
        return {
            "type": "object",
            "properties": {"spec": self.node(0, "object"), "status": self.node(1, "object")},
        }

    def node(self, depth: int, kind: str = "") -> dict[str, Any]:
        """Any node."""
        rng = self.random
        kind = kind or rng.choice(("object", "map", "array", "leaf", "leaf", "leaf", "format"))
        if kind == "format":
            node: dict[str, Any] = {"type": "string", "format": rng.choice((*_FORMATS, "int32", "password"))}
        elif kind == "leaf" or depth > 3:
            node = copy.deepcopy(dict(rng.choice(_LEAVES)))
        else:
            node = {"object": self._object, "map": self._map, "array": self._array}[kind](depth)
        return self._constrained(node) if rng.random() < 0.3 else node

    def _object(self, depth: int) -> dict[str, Any]:
        rng = self.random
        names = [f"p{index}" for index in range(rng.randint(1, 4))]
        node: dict[str, Any] = {"type": "object", "properties": {name: self.node(depth + 1) for name in names}}
        if rng.random() < 0.4:
            node["required"] = rng.sample(names, rng.randint(1, len(names)))
        if rng.random() < 0.15:
            node["x-kubernetes-preserve-unknown-fields"] = True
        if depth and rng.random() < 0.1:
            node["x-kubernetes-embedded-resource"] = True
        if rng.random() < 0.15:
            node["nullable"] = depth > 0
        if depth and rng.random() < 0.15:
            node["x-kubernetes-map-type"] = rng.choice(("atomic", "granular"))
        for child in node["properties"].values():
            if rng.random() < 0.2 and child.get("type") in {"string", "integer"} and not child.get("format"):
                self._give_default(child)
        return node

    @staticmethod
    def _give_default(child: dict[str, Any]) -> None:
        if set(child) <= {"type", "nullable"}:
            child["default"] = "dflt" if child["type"] == "string" else 7

    def _map(self, depth: int) -> dict[str, Any]:
        rng = self.random
        inner: Any = self.node(depth + 1) if rng.random() < 0.8 else True
        return {"type": "object", "additionalProperties": inner, **({"maxProperties": 2} if rng.random() < 0.3 else {})}

    def _array(self, depth: int) -> dict[str, Any]:
        rng = self.random
        how = rng.choice(("", "", "set", "map", "map"))
        if how == "map":
            return self._list_map(depth)
        items = copy.deepcopy(dict(rng.choice(_LEAVES[:4]))) if how == "set" else self.node(depth + 1)
        node: dict[str, Any] = {"type": "array", "items": items}
        if how:
            node["x-kubernetes-list-type"] = how
        if rng.random() < 0.3:
            node |= {"minItems": 1, "maxItems": 2}
        return node

    def _list_map(self, depth: int) -> dict[str, Any]:
        rng = self.random
        keys = ["k"] if rng.random() < 0.6 else ["k", "n"]
        item = {
            "type": "object",
            "required": keys,
            "properties": {"k": {"type": "string"}, "n": {"type": "integer"}, "p0": self.node(depth + 2)},
        }
        return {
            "type": "array",
            "items": item,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": keys,
        }

    def _constrained(self, node: dict[str, Any]) -> dict[str, Any]:
        rng = self.random
        for combinator in rng.sample(("anyOf", "oneOf", "allOf", "not"), rng.randint(0, 2)):
            if combinator in node:
                continue
            branches = [copy.deepcopy(dict(one)) for one in rng.sample(_CONSTRAINTS, rng.randint(1, 3))]
            node[combinator] = branches[0] if combinator == "not" else branches
        return node


def sample(seed: int, count: int = 12) -> tuple[dict[str, Any], bool, list[dict[str, Any]]]:
    """A schema, whether it has a status subresource, and requests for its objects in the peer's form."""
    schema = SchemaGenerator(seed).root()
    has_status = bool(seed % 2)
    generator = Generator(seed, hardness=0.03)
    return schema, has_status, [*requests(generator, schema, "example.com/v1", "Foo", has_status, count)]


def requests(
    generator: Generator,
    schema: Mapping[str, Any],
    api_version: str,
    kind: str,
    has_status: bool,
    count: int | None = None,
) -> Iterator[dict[str, Any]]:
    """Creations, updates and status updates of objects of a schema, valid and spoiled up to three times.

    Endless without a ``count``.
    """
    rng = generator.random
    parts = {key: one for key, one in schema["properties"].items() if key not in {"apiVersion", "kind", "metadata"}}
    head = {"apiVersion": api_version, "kind": kind}

    def whole() -> dict[str, Any]:
        return {**head, "metadata": {"name": "x"}} | {
            key: generator.value(one) for key, one in parts.items() if rng.random() < 0.9
        }

    for _ in repeat(None) if count is None else range(count):
        obj = whole()
        operation = rng.choice(("CREATE", "UPDATE", "UPDATE", "STATUS" if has_status else "UPDATE"))
        request: dict[str, Any] = {
            "object": generator.mutated(obj, rng.choice((0, 1, 1, 2, 3))),
            "operation": operation,
        }
        if operation != "CREATE":
            old = generator.mutated(obj, rng.choice((0, 0, 1, 2))) if rng.random() < 0.85 else whole()
            request["oldObject"] = {**old, **head, "metadata": {"name": "x"}}
        if rng.random() < 0.05:
            request["fieldValidation"] = "Strict"
        yield request
