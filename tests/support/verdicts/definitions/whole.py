"""Definitions whose matter is the whole object: subresources, versions, names, metadata."""

from typing import Any

from tests.support.verdicts.definitions.build import STRING, Sample, leaf, named, obj, rule

HOSTILE = (
    "__import__('os').abort()",
    '"""',
    "'''",
    "a{b}",
    "__class__",
    "x\ny",
    "\\",
    "$ref",
    "a.b/c",
    "self",
    "{{.}}",
    "%s",
    "]};",
)


_SCALED_OBJECTS = (
    {"spec": {"replicas": 3}, "status": {"replicas": 2, "selector": "a=b", "phase": "Good", "seen": 4}},
    {"spec": {"replicas": -1}, "status": {"replicas": 200, "phase": "Bad"}},
    {"spec": {"replicas": 2147483648, "paused": True}, "status": {"seen": 1}},
)


def scaled() -> Sample:
    spec = obj({"replicas": leaf("integer", default=1), "paused": leaf("boolean")})
    status = obj(
        {
            "replicas": leaf("integer", minimum=0),
            "selector": STRING,
            "phase": leaf("string", rule("self != 'Bad'", "not bad"), enum=["Good", "Bad", "Ugly"]),
            "seen": leaf("integer", rule("self >= oldSelf", "goes up")),
        },
        rule("!has(self.replicas) || self.replicas < 100"),
    )
    scale = {
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector",
    }
    schema = obj({"spec": spec, "status": status}, required=["spec"])
    return Sample(named("Scaled", schema, status={}, scale=scale), "v1", _SCALED_OBJECTS)


def versions() -> tuple[Sample, Sample]:
    old = obj(
        {"spec": obj({"size": leaf("integer", minimum=1), "gone": STRING}), "status": obj({"ok": leaf("boolean")})}
    )
    new = obj({"spec": obj({"size": leaf("integer", default=4), "added": leaf("string", rule("self != 'x'"))})})
    definition = named(
        "Versioned",
        new,
        namespaced=False,
        versions=(
            {"name": "v1"},
            {"name": "v1beta1", "storage": False, "schema": {"openAPIV3Schema": old}, "deprecated": True},
        ),
    )
    objects = ({"spec": {"size": 3, "gone": "g"}}, {"spec": {"added": "a"}, "status": {"ok": True}})
    return Sample(definition, "v1", objects), Sample(definition, "v1beta1", objects)


def hostile() -> Sample:
    properties = {name: leaf("string", enum=[name, "ok"], maxLength=40) for name in HOSTILE}
    spec = obj(
        properties
        | {"free": {"type": "object", "additionalProperties": leaf("integer", minimum=1), "maxProperties": 9}},
        *(rule("self.free.all(k, k != " + _literal(name) + ")", f"no {name}".replace("\n", " ")) for name in HOSTILE),
        rule("self.__underscores__class__underscores__ != 'no' && self.a__dot__b__slash__c != 'no'", fieldPath=".free"),
        required=["free", "__class__", "a.b/c"],
    )
    values: dict[str, Any] = {name: name for name in HOSTILE}
    objects = (
        {"spec": {**values, "free": {"k": 1}}},
        {"spec": {**dict.fromkeys(HOSTILE, "ok"), "free": dict.fromkeys(HOSTILE[:9], 0)}},
    )
    return Sample(named("Hostile", obj({"spec": spec})), "v1", objects)


def _literal(text: str) -> str:
    return "'" + "".join(f"\\u{ord(rune):04x}" for rune in text) + "'"


_METADATA_OBJECTS = (
    {"metadata": {"name": "a", "labels": {"a.example/b": "c", "d": ""}, "annotations": {"x": "y z"}}, "spec": {"a": 1}},
    {"metadata": {"name": "bad-name", "finalizers": ["a.example/f", "plain"]}},
    {"metadata": {"name": "c", "labels": {"UPPER_ok": "-no"}}, "spec": {"a": None}},
    {"metadata": {"name": "z9", "annotations": {"bad key": "x"}}},
    {"metadata": {"name": "Not-A-Name"}, "spec": {}},
    {
        "metadata": {
            "name": "d",
            "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": True}] * 2,
        }
    },
)


def metadata() -> Sample:
    schema = obj(
        {
            "metadata": obj({"name": leaf("string", pattern="^[a-m]", maxLength=12)}),
            "spec": obj({"a": leaf("integer", nullable=True)}),
        },
        rule("self.metadata.name != 'bad-name'", "not that name"),
        rule("!self.metadata.name.startsWith('c') || (has(self.spec) && has(self.spec.a))", "c has a"),
    )
    return Sample(named("Titled", schema, namespaced=False), "v1", _METADATA_OBJECTS)
