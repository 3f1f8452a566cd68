"""Seeded structural schemas that use every check of values."""

import copy
import random
from collections.abc import Mapping
from typing import Any

from tests.support.differential.generate import FORMATS

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
_MEMBERS: tuple[Mapping[str, Any], ...] = (
    *_LEAVES[:4],
    *_LEAVES[:4],
    *(_LEAVES[5], _LEAVES[10], _LEAVES[13], _LEAVES[14], _LEAVES[17]),
    *({"type": "string", "format": form} for form in ("date-time", "date", "duration", "byte")),
    {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "atomic"},
    {"type": "object", "properties": {"p0": {"type": "integer"}}, "x-kubernetes-map-type": "atomic"},
)
"""The elements of sets."""
_NUMBER_FORMATS = ("int32", "int64", "float", "double", "", "uint32", "float32", "date")
_BOUNDS = (
    *(0, 1.5, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**53, 2**63 - 1024, 2**63 - 1, -(2**63), 1e19),
    *(3.4028234663852886e38, 3.4028235677973366e38, 3.402823567797337e38, -3.4028235677973366e38, 1e39, 1e300, 1e-46),
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
    {"format": "int32"},
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
        rng = self.random
        status = self.node(1, "object")
        if rng.random() < 0.3 and set(status) <= {"type", "properties", "nullable", "x-kubernetes-map-type"}:
            status["default"] = {}
        made: dict[str, Any] = {"type": "object", "properties": {"spec": self.node(0, "object"), "status": status}}
        if rng.random() < 0.15:
            made["x-kubernetes-preserve-unknown-fields"] = True
        return made

    def node(self, depth: int, kind: str = "") -> dict[str, Any]:
        """Any node."""
        rng = self.random
        kind = kind or rng.choice(("object", "map", "array", "leaf", "leaf", "leaf", "format", "number"))
        if kind == "format":
            node: dict[str, Any] = {"type": "string", "format": rng.choice((*FORMATS, "int32", "password"))}
        elif kind == "number":
            node = self._number()
        elif kind == "leaf" or depth > 3:
            node = copy.deepcopy(dict(rng.choice(_LEAVES)))
        else:
            node = {"object": self._object, "map": self._map, "array": self._array}[kind](depth)
        return self._constrained(node) if rng.random() < 0.3 else node

    def _number(self) -> dict[str, Any]:
        """A number with a format, and bounds near and beyond what the format can hold."""
        rng = self.random
        node: dict[str, Any] = {"type": rng.choice(("integer", "integer", "number"))}
        node["format"] = rng.choice(_NUMBER_FORMATS)
        for keyword in rng.sample(("minimum", "maximum", "multipleOf"), rng.choice((0, 0, 1, 1, 2))):
            node[keyword] = rng.choice(_BOUNDS)
        if rng.random() < 0.2:
            node[rng.choice(("exclusiveMinimum", "exclusiveMaximum", "nullable"))] = True
        return node

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
        items = self.node(depth + 1) if how != "set" else copy.deepcopy(dict(rng.choice(_MEMBERS)))
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
