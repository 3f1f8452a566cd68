"""Seeded definitions, most of them broken: every keyword and every field with values of every type.

A plausible definition is made first; then up to four places get another value from the pool of their keyword.
"""

import copy
import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import crd_schemas
from tests.support.differential.compare import definition
from tests.support.differential.patterns import pattern
from tests.support.differential.rules import with_rules
from tests.support.differential.schemas import SchemaGenerator
from tests.support.differential.wide import WideGenerator

_TYPES: Final[tuple[Any, ...]] = (
    "string",
    "integer",
    "number",
    "boolean",
    "object",
    "array",
    "null",
    "int",
    "",
    None,
    1,
)
_NODES: Final[tuple[Any, ...]] = (
    *({}, None, {"type": "string"}, {"type": "integer"}, {"type": "object"}, {"type": "string", "foo": 1}, 1, "x"),
    *({"type": "array", "items": {"type": "string"}}, {"type": "string", "default": "a"}, {"nullable": True}),
    *({"x-kubernetes-preserve-unknown-fields": True}, {"x-kubernetes-int-or-string": True}, {"properties": {}}),
    *({"required": ["a"]}, {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
    {"type": "object", "additionalProperties": {"type": "string"}},
    {"type": "string", "maxLength": 5, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]},
    {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
    {"type": "string", "x-kubernetes-validations": [{"rule": "self.matches('(')"}]},
    {"properties": {"p0": {"minimum": 1}, "zz": {"pattern": "("}}},
    {"items": {"properties": {"a": {"enum": []}}}},
)
_INTEGERS: Final[tuple[Any, ...]] = (0, 1, -1, 3, 2**63, 2**63 - 1, -(2**63), 1.0, 1.5, 1e3, "1", None, True, [])
_NUMBERS: Final[tuple[Any, ...]] = (*_INTEGERS, 0.1, -0.0, 1e21, 1e300)
_FLAGS: Final[tuple[Any, ...]] = (True, False, None, "true", 0, [])
_TEXTS: Final[tuple[Any, ...]] = ("", "a", "x y", "é", "\x00", "\u2028", "<&>", 'a"b\\', None, 1, [], {}, True)
_LISTS: Final[tuple[Any, ...]] = ([], None, ["a"], ["p0"], ["p0", "p0"], ["k"], [1], [None], "a", {}, ["a", None])
_VALUES: Final[tuple[Any, ...]] = (
    *("a", "dflt", 7, 1.5, True, None, {}, [], {"p0": 1}, {"p0": "a", "zz": {}}, ["a"], [None], [1, 1], "é<"),
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "labels": {"a": 1}, "zz": 1}},
)
_RULES: Final[tuple[Any, ...]] = (
    *({"rule": "true"}, {"rule": ""}, {"rule": " "}, {}, None, 1, {"rule": 1}, {"rule": "self == self"}),
    *({"rule": "self == oldSelf"}, {"rule": "self.zz"}, {"rule": "size(self) > 0"}, {"rule": "has(self.p0)"}),
    *({"rule": "true", "optionalOldSelf": True}, {"rule": "zz", "optionalOldSelf": False}, {"rule": "1"}),
    {"rule": "self == oldSelf.orValue(self)", "optionalOldSelf": True},
    {"rule": "true", "messageExpression": "zz"},
    {"rule": "true", "messageExpression": "'a' + string(1)"},
    {"rule": "true", "messageExpression": " ", "message": " "},
    {"rule": "self.all(x, self.all(y, x == y))", "messageExpression": "1"},
    {"rule": "true", "message": "a\nb", "reason": "FieldValueInvalid", "fieldPath": ".p0"},
    {"rule": "true\n", "reason": "x<y", "fieldPath": ".zz"},
    {"rule": "true ||\nfalse", "fieldPath": "p0"},
    {"rule": "true", "reason": "", "fieldPath": "['p0']"},
    {"rule": "true", "fieldPath": " ", "message": ""},
    {"rule": "self.matches('a{2,1}')"},
    {"rule": "'a' in self"},
)
_KEYWORDS: Final[dict[str, tuple[Any, ...]]] = {
    "type": _TYPES,
    **dict.fromkeys(("id", "$schema", "$ref", "description", "format", "title"), _TEXTS),
    **dict.fromkeys(("default", "example"), _VALUES),
    **dict.fromkeys(("maximum", "minimum", "multipleOf"), _NUMBERS),
    **dict.fromkeys(
        ("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"),
        _INTEGERS,
    ),
    **dict.fromkeys(
        (
            *("nullable", "exclusiveMinimum", "exclusiveMaximum", "uniqueItems", "x-kubernetes-int-or-string"),
            *("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"),
        ),
        _FLAGS,
    ),
    **dict.fromkeys(("required", "x-kubernetes-list-map-keys"), _LISTS),
    "enum": (*_LISTS, ["a", 1, None, {"b": 1.0}]),
    "externalDocs": ({}, None, {"url": "x"}, {"description": "é"}, {"url": 1}, "x", []),
    "items": (*_NODES, [], [{}], [None], [{"type": "string"}, {"pattern": "("}], True, False, 1),
    "additionalProperties": (*_NODES, True, False, 0, []),
    "additionalItems": ({}, True, False, None, 1, {"title": 1}),
    **dict.fromkeys(("properties", "patternProperties", "definitions"), ()),
    "dependencies": ({}, None, {"a": ["b"]}, {"a": {"type": "null"}}, {"a": None}, {"a": 1}, {"a": [1]}, []),
    "not": _NODES,
    **dict.fromkeys(("allOf", "anyOf", "oneOf"), ()),
    "x-kubernetes-list-type": ("atomic", "set", "map", "", "x", None, 1),
    "x-kubernetes-map-type": ("atomic", "granular", "", "x", None, 1),
    "x-kubernetes-validations": (),
    "pattern": (),
    "unknown": (1, None, {}),
}
_NAMES: Final[tuple[Any, ...]] = (
    "p0",
    "a",
    "metadata",
    "kind",
    "apiVersion",
    "spec",
    "",
    "é",
    "a.b",
    "in",
    "__x",
    "name",
)
_META: Final[dict[str, tuple[Any, ...]]] = {
    "name": ("", "foos", "Foos.example.com", None, 1),
    "namespace": ("x", "", "A B", 1),
    "generation": (-3, 1, 1.0, "1", None),
    "labels": ({"a": "b"}, {"a b": "c"}, {"a": 1}, {"a": None}, [], None),
    "annotations": ({"A b": "c"}, {"a": True}, {"api-approved.kubernetes.io": "https://x/y"}),
    "finalizers": (["x"], ["a b"], [1], "x", ["orphan", "foregroundDeletion"]),
    "ownerReferences": ([{}], [{"uid": 1}], [None], {}, [{"apiVersion": "v1", "kind": "P"}]),
    "managedFields": ([{}], [{"time": "x"}], [{"operation": "Apply", "fieldsV1": 1}], [1]),
    "creationTimestamp": ("x", "", 1, None, "2020-01-01T00:00:00Z"),
    "deletionGracePeriodSeconds": (1, 1.5, "x"),
    "resourceVersion": ("1", 1),
}
_NAME_TEXTS: Final[tuple[Any, ...]] = ("", "foos", "Foo", "A B", "a" * 64, "9", "é", None, 1, [])
_COLUMNS: Final[tuple[Any, ...]] = (
    *({}, None, 1, {"name": "a", "type": "string", "jsonPath": ".a"}, {"name": 1}, {"priority": "a"}),
    *({"name": "a", "type": "x", "format": "y", "jsonPath": "a"}, {"type": "date", "priority": 2**31}),
    {"name": "a", "type": "integer", "format": "int32", "jsonPath": ".", "priority": 1, "description": 1},
)
_CLIENTS: Final[tuple[Any, ...]] = (
    *({}, None, 1, {"url": "https://x"}, {"url": "http://x"}, {"url": ""}, {"url": "https://x?y#z"}),
    *(
        {"url": "https://u:p w@x/"},
        {"url": "https://u@x"},
        {"url": "://"},
        {"url": "https://[::1"},
        {"url": "https://x/%zz"},
    ),
    *({"url": "https:///a"}, {"url": "a b"}, {"url": 1}, {"url": "https://é.x/ü#%41é"}, {"url": None}),
    *(
        {"url": "https://x", "service": {}},
        {"service": {}},
        {"service": {"name": "a", "namespace": "b"}},
        {"service": 1},
    ),
    {"service": {"name": "", "namespace": "", "path": "x//y", "port": 99999}},
    {"service": {"name": "a", "namespace": "b", "path": "/", "port": 0}},
    {"service": {"name": "a", "namespace": "b", "path": "//", "port": 1.5}},
    {"service": {"name": "a", "namespace": "b", "path": "é/A b/", "port": -1}},
    {"service": {"name": "a", "namespace": "b", "path": "/a/b/", "port": 443}, "caBundle": "YQ=="},
)
_BUNDLES: Final[tuple[Any, ...]] = ("??", "", "YQ", "YQ==\n", "Y\nQ=", [1, 2], [300], 1, "YQ==x", "=", None)
_REVIEWED: Final[tuple[Any, ...]] = (
    *([], None, ["v1"], ["v1beta1", "v1"], ["v2"], ["v1", "v1"], [""], ["A B", "v1"], [1], [None], "v1"),
)
_SCALES: Final[tuple[Any, ...]] = (
    *({}, None, 1, {"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a"}, {"specReplicasPath": 1}),
    {"specReplicasPath": "spec.a", "statusReplicasPath": ".spec.a", "labelSelectorPath": ".x<"},
    {"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a", "labelSelectorPath": ""},
)
_SELECTABLE: Final[tuple[Any, ...]] = (
    *([], None, [{}], [None], [1], [{"jsonPath": 1}], [{"jsonPath": ".spec"}], [{"jsonPath": ".metadata.name"}]),
    *([{"jsonPath": ".spec.p0"}], [{"jsonPath": "spec"}], [{"jsonPath": ".spec['p0']"}], [{"jsonPath": "."}]),
    *([{"jsonPath": ".spec.p0"}, {"jsonPath": ".spec.p0"}], [{"jsonPath": ".spec.p1"}, {"jsonPath": ".kind"}]),
)


class DefinitionGenerator:
    """Makes one definition of a seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)

    def make(self) -> dict[str, Any]:
        """The definition."""
        rng = self.random
        made = copy.deepcopy(rng.choice(_real())) if rng.random() < 0.15 else self._generated()
        for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3))):
            chance = rng.random()
            if chance < 0.7:
                self._spoil_schema(made)
            elif chance < 0.9:
                self._spoil_rest(made)
            else:
                return self._anywhere(made)
        return made

    def _generated(self) -> dict[str, Any]:
        rng = self.random
        schema = SchemaGenerator(self.seed).root()
        if rng.random() < 0.3:
            with_rules(schema, self.seed)
        made = definition(schema, status=rng.random() < 0.4)
        if rng.random() < 0.35:
            self._add_version(made)
        return made

    def _anywhere(self, made: dict[str, Any]) -> dict[str, Any]:
        """Change any places, but keep what says that it is a definition."""
        generator = WideGenerator(self.seed)
        changed: dict[str, Any] = generator.mutated(made, self.random.choice((1, 2, 4)))
        changed |= {key: made[key] for key in ("apiVersion", "kind")}
        if not isinstance(changed.get("metadata"), dict) or "generateName" in changed["metadata"]:
            # The API server puts random letters after it.
            changed["metadata"] = made["metadata"]
        return changed

    def _pick(self, pool: Any) -> Any:
        return copy.deepcopy(self.random.choice(pool))

    def _add_version(self, made: dict[str, Any]) -> None:
        rng = self.random
        versions = made["spec"]["versions"]
        version = copy.deepcopy(versions[0]) | {
            "name": rng.choice(("v2", "v1beta1", "v1")),
            "storage": rng.random() < 0.1,
        }
        if rng.random() < 0.6:
            version["schema"]["openAPIV3Schema"] = SchemaGenerator(self.seed + 1).root()
        versions.insert(rng.randrange(2), version)

    def _schemas(self, made: dict[str, Any]) -> list[dict[str, Any]]:
        found = []
        for version in _versions(made):
            schema = version.get("schema")
            inner = schema.get("openAPIV3Schema") if isinstance(schema, dict) else None
            if isinstance(inner, dict):
                found.append(inner)
        return found

    def _spoil_schema(self, made: dict[str, Any]) -> None:
        schemas = self._schemas(made)
        if not schemas:
            return
        nodes = list(_nodes(self.random.choice(schemas)))
        node = self.random.choice(nodes if self.random.random() < 0.85 else nodes[:1])
        keyword = self.random.choice(list(_KEYWORDS))
        node[keyword] = self._keyword(keyword, node)

    def _keyword(self, keyword: str, node: dict[str, Any]) -> Any:
        rng = self.random
        if keyword == "pattern":
            return pattern(rng) if rng.random() < 0.9 else self._pick(_TEXTS)
        if keyword == "x-kubernetes-validations":
            return self._pick(([], None, {}, 1)) if rng.random() < 0.15 else self._some(_RULES)
        if keyword in {"allOf", "anyOf", "oneOf"}:
            return self._pick(([], None, {}, [None], _INT_OR_STRING)) if rng.random() < 0.3 else self._some(_NODES)
        if keyword in {"properties", "patternProperties", "definitions"}:
            if rng.random() < 0.2:
                return self._pick(({}, None, [], 1))
            old = node.get(keyword) if keyword == "properties" else {}
            return {**(old if isinstance(old, dict) else {}), rng.choice(_NAMES): self._node()}
        return self._pick(_KEYWORDS[keyword])

    def _node(self) -> Any:
        made = self._pick(_NODES)
        if isinstance(made, dict) and self.random.random() < 0.4:
            keyword = self.random.choice(list(_KEYWORDS))
            made[keyword] = self._keyword(keyword, made)
        return made

    def _some(self, pool: Any) -> list[Any]:
        return [self._pick(pool) for _ in range(self.random.choice((1, 1, 2, 3)))]

    def _spoil_rest(self, made: dict[str, Any]) -> None:
        rng = self.random
        spec = made["spec"]
        versions = _versions(made)
        version = rng.choice(versions) if versions else {}
        match rng.randrange(13):
            case 0 | 1:
                key = rng.choice(list(_META))
                made["metadata"][key] = self._pick(_META[key])
            case 2:
                spec["names"][rng.choice(("plural", "singular", "kind", "listKind"))] = self._pick(_NAME_TEXTS)
            case 3:
                spec["names"][rng.choice(("shortNames", "categories"))] = self._pick(
                    (["a"], ["A"], [""], [1], None, {})
                )
            case 4 | 5:
                strategy = rng.choice(("Webhook", "Webhook", "Webhook", "None", "", "X", 1))
                client = self._pick(_CLIENTS)
                if isinstance(client, dict) and rng.random() < 0.2:
                    client["caBundle"] = self._pick(_BUNDLES)
                webhook = {"clientConfig": client, "conversionReviewVersions": self._pick(_REVIEWED)}
                spec["conversion"] = {"strategy": strategy, "webhook": webhook}
            case 6:
                version["subresources"] = self._pick(({}, None, 1, {"status": None}, {"scale": self._pick(_SCALES)}))
            case 7:
                version["additionalPrinterColumns"] = self._pick((self._some(_COLUMNS), [], None, 1))
            case 8 | 9:
                version["selectableFields"] = self._pick(_SELECTABLE)
            case 10:
                key = rng.choice(("served", "storage", "deprecated", "deprecationWarning", "name", "schema"))
                pool: tuple[Any, ...] = _TEXTS if key in {"deprecationWarning", "name"} else _FLAGS
                version[key] = self._pick(({}, None, 1, {"openAPIV3Schema": None}) if key == "schema" else pool)
            case 11:
                spec["versions"] = self._pick(([], None, 1, [None], [{}], [1]))
            case _:
                key = rng.choice(("group", "scope", "preserveUnknownFields", "conversion", "names"))
                spec[key] = self._pick(("x.k8s.io", "", "Cluster", None, 1, True, {}, "A b", "a"))
                if not isinstance(spec.get("names"), dict):
                    spec["names"] = {}


@cache
def _real() -> list[dict[str, Any]]:
    """The bundled definitions of a moderate size."""
    found = [crd for schema_set in crd_schemas.SETS for crd in crd_schemas.crds(schema_set).values()]
    return [json.loads(text) for text in dict.fromkeys(map(json.dumps, found)) if len(text) < _LONGEST]


_LONGEST: Final = 14_000
_INT_OR_STRING: Final = [{"type": "integer"}, {"type": "string"}]


def _versions(made: dict[str, Any]) -> list[dict[str, Any]]:
    listed = made["spec"].get("versions")
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every node with branches, from the root down."""
    yield schema
    inner: list[Any] = [schema.get(key) for key in ("items", "additionalProperties", "not")]
    for key in ("properties", "allOf", "anyOf", "oneOf"):
        held = schema.get(key)
        inner += held.values() if isinstance(held, dict) else held if isinstance(held, list) else ()
    for child in inner:
        if isinstance(child, dict):
            yield from _nodes(child)
