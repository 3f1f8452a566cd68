"""Values for every keyword of a schema and every field of a definition, good and bad."""

from typing import Any, Final

TYPES: Final[tuple[Any, ...]] = (
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
NODES: Final[tuple[Any, ...]] = (
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
INTEGERS: Final[tuple[Any, ...]] = (0, 1, -1, 3, 2**63, 2**63 - 1, -(2**63), 1.0, 1.5, 1e3, "1", None, True, [])
NUMBERS: Final[tuple[Any, ...]] = (*INTEGERS, 0.1, -0.0, 1e21, 1e300)
FLAGS: Final[tuple[Any, ...]] = (True, False, None, "true", 0, [])
TEXTS: Final[tuple[Any, ...]] = ("", "a", "x y", "é", "\x00", "\u2028", "<&>", 'a"b\\', None, 1, [], {}, True)
LISTS: Final[tuple[Any, ...]] = ([], None, ["a"], ["p0"], ["p0", "p0"], ["k"], [1], [None], "a", {}, ["a", None])
VALUES: Final[tuple[Any, ...]] = (
    *("a", "dflt", 7, 1.5, True, None, {}, [], {"p0": 1}, {"p0": "a", "zz": {}}, ["a"], [None], [1, 1], "é<"),
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "labels": {"a": 1}, "zz": 1}},
)
RULES: Final[tuple[Any, ...]] = (
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
    {"rule": "self != self", "reason": "x<y"},
    {"rule": "1 / 0 == 1", "message": " "},
    {"rule": "self != self", "reason": "InternalError", "message": "no"},
    {"rule": "true", "fieldPath": " ", "message": ""},
    {"rule": "self.matches('a{2,1}')"},
    {"rule": "'a' in self"},
)
KEYWORDS: Final[dict[str, tuple[Any, ...]]] = {
    "type": TYPES,
    **dict.fromkeys(("id", "$schema", "$ref", "description", "format", "title"), TEXTS),
    **dict.fromkeys(("default", "example"), VALUES),
    **dict.fromkeys(("maximum", "minimum", "multipleOf"), NUMBERS),
    **dict.fromkeys(
        ("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"),
        INTEGERS,
    ),
    **dict.fromkeys(
        (
            *("nullable", "exclusiveMinimum", "exclusiveMaximum", "uniqueItems", "x-kubernetes-int-or-string"),
            *("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"),
        ),
        FLAGS,
    ),
    **dict.fromkeys(("required", "x-kubernetes-list-map-keys"), LISTS),
    "enum": (*LISTS, ["a", 1, None, {"b": 1.0}]),
    "externalDocs": ({}, None, {"url": "x"}, {"description": "é"}, {"url": 1}, "x", []),
    "items": (*NODES, [], [{}], [None], [{"type": "string"}, {"pattern": "("}], True, False, 1),
    "additionalProperties": (*NODES, True, False, 0, []),
    "additionalItems": ({}, True, False, None, 1, {"title": 1}),
    **dict.fromkeys(("properties", "patternProperties", "definitions"), ()),
    "dependencies": ({}, None, {"a": ["b"]}, {"a": {"type": "null"}}, {"a": None}, {"a": 1}, {"a": [1]}, []),
    "not": NODES,
    **dict.fromkeys(("allOf", "anyOf", "oneOf"), ()),
    "x-kubernetes-list-type": ("atomic", "set", "map", "", "x", None, 1),
    "x-kubernetes-map-type": ("atomic", "granular", "", "x", None, 1),
    "x-kubernetes-validations": (),
    "pattern": (),
    "unknown": (1, None, {}),
}
NAMES: Final[tuple[Any, ...]] = (
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
_LINKS: Final = ("https://x/y", "https://x:1:2/y", "ftp://x:1:2/y", "unapproved")
META: Final[dict[str, tuple[Any, ...]]] = {
    "name": ("", "foos", "Foos.example.com", None, 1),
    "namespace": ("x", "", "A B", 1),
    "generation": (-3, 1, 1.0, "1", None),
    "labels": ({"a": "b"}, {"a b": "c"}, {"a": 1}, {"a": None}, [], None),
    "annotations": ({"A b": "c"}, {"a": True}, *({"api-approved.kubernetes.io": text} for text in _LINKS)),
    "finalizers": (["x"], ["a b"], [1], "x", ["orphan", "foregroundDeletion"]),
    "ownerReferences": ([{}], [{"uid": 1}], [None], {}, [{"apiVersion": "v1", "kind": "P"}]),
    "managedFields": ([{}], [{"time": "x"}], [{"operation": "Apply", "fieldsV1": 1}], [1]),
    "creationTimestamp": ("x", "", 1, None, "2020-01-01T00:00:00Z"),
    "deletionGracePeriodSeconds": (1, 1.5, "x"),
    "resourceVersion": ("1", 1),
}
NAME_TEXTS: Final[tuple[Any, ...]] = ("", "foos", "Foo", "A B", "a" * 64, "9", "é", None, 1, [])
COLUMNS: Final[tuple[Any, ...]] = (
    *({}, None, 1, {"name": "a", "type": "string", "jsonPath": ".a"}, {"name": 1}, {"priority": "a"}),
    *({"name": "a", "type": "x", "format": "y", "jsonPath": "a"}, {"type": "date", "priority": 2**31}),
    {"name": "a", "type": "integer", "format": "int32", "jsonPath": ".", "priority": 1, "description": 1},
)
CLIENTS: Final[tuple[Any, ...]] = (
    *({}, None, 1, {"url": "https://x"}, {"url": "http://x"}, {"url": ""}, {"url": "https://x?y#z"}),
    *(
        {"url": "https://u:p w@x/"},
        {"url": "https://u@x"},
        {"url": "://"},
        {"url": "https://[::1"},
        {"url": "https://x/%zz"},
    ),
    *({"url": "https://x:1:2/"}, {"url": "ftp://x:1:2/"}),
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
BUNDLES: Final[tuple[Any, ...]] = ("??", "", "YQ", "YQ==\n", "Y\nQ=", [1, 2], [300], 1, "YQ==x", "=", None)
REVIEWED: Final[tuple[Any, ...]] = (
    *([], None, ["v1"], ["v1beta1", "v1"], ["v2"], ["v1", "v1"], [""], ["A B", "v1"], [1], [None], "v1"),
)
SCALES: Final[tuple[Any, ...]] = (
    *({}, None, 1, {"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a"}, {"specReplicasPath": 1}),
    {"specReplicasPath": "spec.a", "statusReplicasPath": ".spec.a", "labelSelectorPath": ".x<"},
    {"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a", "labelSelectorPath": ""},
)
SELECTABLE: Final[tuple[Any, ...]] = (
    *([], None, [{}], [None], [1], [{"jsonPath": 1}], [{"jsonPath": ".spec"}], [{"jsonPath": ".metadata.name"}]),
    *([{"jsonPath": ".spec.p0"}], [{"jsonPath": "spec"}], [{"jsonPath": ".spec['p0']"}], [{"jsonPath": "."}]),
    *([{"jsonPath": ".spec.p0"}, {"jsonPath": ".spec.p0"}], [{"jsonPath": ".spec.p1"}, {"jsonPath": ".kind"}]),
)
