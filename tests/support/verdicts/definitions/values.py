"""Definitions of what values may be: scalars, lists, embedded resources, defaults, and schemas combined."""

from typing import Any

from tests.support.verdicts.definitions.build import ANY, INTEGER, SHORT, STRING, Sample, items, leaf, named, obj, rule

_SCALARS_OBJECTS = (
    {
        "spec": {
            "formats": {
                "datetime": "2026-01-02T03:04:05Z",
                "date": "2026-01-02",
                "duration": "1h",
                "ipv4": "10.0.0.1",
                "ipv6": "fd00::1",
                "cidr": "10.0.0.0/8",
                "mac": "00:00:5e:00:53:01",
                "uri": "http://a.example/b",
                "hostname": "a.example",
                "email": "a@b.example",
                "uuid": "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
                "byte": "YQ==",
                "bsonobjectid": "507f1f77bcf86cd799439011",
                "hexcolor": "#fff",
                "isbn": "0321751043",
            },
            "small": 3,
            "third": 9,
            "half": 1.5,
            "open": "x",
            "percent": "80%",
            "mode": "a",
            "words": "ab é",
        }
    },
    {"spec": {"small": None, "maybe": None, "open": 5, "percent": 80, "real": 12.5, "yes": True, "steps": [1]}},
)


def scalars() -> Sample:
    formats = "date-time date duration ipv4 ipv6 cidr mac uri hostname email uuid byte bsonobjectid hexcolor isbn"
    int_or_string = {"x-kubernetes-int-or-string": True}
    spec = obj(
        {
            "formats": obj({name.replace("-", ""): leaf("string", format=name) for name in formats.split()}),
            "small": leaf("integer", format="int32", minimum=-5, maximum=5, exclusiveMaximum=True, nullable=True),
            "third": leaf("integer", multipleOf=3),
            "half": leaf("number", multipleOf=0.5, minimum=0.5, exclusiveMinimum=True),
            "real": leaf("number", maximum=1e20, format="double"),
            "open": int_or_string,
            "percent": int_or_string | {"pattern": "^[0-9]+%?$", "anyOf": [{"type": "integer"}, {"type": "string"}]},
            "mode": leaf("string", enum=["a", "b", "", 'quote"d']),
            "maybe": leaf("string", enum=["a", "b"], nullable=True),
            "words": leaf("string", minLength=2, maxLength=5, pattern=r"^\pL+( \pL+)?$"),
            "yes": leaf("boolean", enum=[True]),
            "steps": items(leaf("number", enum=[1, 2.5]), minItems=1, maxItems=2, uniqueItems=False),
        },
        minProperties=1,
        maxProperties=9,
    )
    return Sample(named("Scalar", obj({"spec": spec}, required=["spec"])), "v1", _SCALARS_OBJECTS)


_LISTS_OBJECTS = (
    {
        "spec": {
            "ports": [{"number": 80}, {"number": 80, "protocol": "UDP"}, {"number": 2000, "note": "abc"}],
            "tags": ["a", "b"],
            "order": [[1, 2], [3]],
            "pairs": [{"k": "a", "v": {"b": [1]}}, {"k": "b"}],
            "nulls": [None, 1],
            "labels": {"a": "b", "c.d/e": "f"},
            "sizes": {"a": 3, "b": 4},
        }
    },
    {"spec": {"ports": [{"number": 1, "protocol": "TCP", "note": "n"}], "tags": [], "sizes": {}}},
)


def lists() -> Sample:
    port = obj(
        {
            "number": leaf("integer", minimum=1, maximum=65535),
            "protocol": leaf("string", enum=["TCP", "UDP"], default="TCP"),
            "note": leaf("string", rule("self == oldSelf", "note is fixed"), maxLength=10),
        },
        rule("self.number > 1024 || self.protocol == 'TCP'", "low ports are TCP", fieldPath=".protocol"),
        required=["number"],
    )
    keys = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["number", "protocol"]}
    tags = items(
        SHORT,
        rule("oldSelf.all(x, x in self)", "tags stay", reason="FieldValueForbidden"),
        maxItems=6,
        **{"x-kubernetes-list-type": "set"},
    )
    spec = obj(
        {
            "ports": items(
                port, rule("size(self) >= size(oldSelf)", "ports only grow"), maxItems=5, minItems=1, **keys
            ),
            "tags": tags,
            "order": items(items(INTEGER, maxItems=3), rule("self.all(x, size(x) < 3)"), maxItems=4),
            "pairs": items(
                obj({"k": STRING, "v": ANY}, required=["k"]),
                **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]},
            ),
            "nulls": items(leaf("integer", nullable=True), maxItems=4),
            "labels": {"type": "object", "additionalProperties": SHORT, "maxProperties": 3},
            "sizes": {
                "type": "object",
                "additionalProperties": leaf("integer", rule("self >= oldSelf", "sizes only grow")),
                "maxProperties": 4,
            },
        }
    )
    return Sample(named("Listed", obj({"spec": spec})), "v1", _LISTS_OBJECTS)


_POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "labels": {"a": "b"}}, "spec": {"z": 1}}
_EMBEDDED_OBJECTS = (
    {
        "spec": {
            "any": _POD,
            "typed": {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "job-a", "annotations": {}}},
            "many": [_POD, {"apiVersion": "v1", "kind": "Node"}],
            "loose": {"a": 1, "unknown": {"x": [None]}, "inner": {"b": "c", "gone": 1}},
            "free": [{"a": None}],
        }
    },
)


def embedded() -> Sample:
    whole = {"type": "object", "x-kubernetes-embedded-resource": True}
    spec = obj(
        {
            "any": whole | ANY,
            "typed": whole
            | obj(
                {
                    "apiVersion": STRING,
                    "kind": leaf("string", enum=["Pod", "Job"]),
                    "metadata": {"type": "object"},
                    "spec": obj({"size": leaf("integer", default=2)}, default={}),
                },
                rule("self.kind != 'Job' || self.metadata.name.startsWith('job-')", "jobs are called so"),
            ),
            "many": items(whole | ANY, maxItems=3),
            "loose": obj({"a": INTEGER, "inner": obj({"b": STRING})}, **ANY),
            "free": ANY,
        }
    )
    return Sample(named("Embedding", obj({"spec": spec})), "v1", _EMBEDDED_OBJECTS)


_DEFAULTS_OBJECTS: tuple[dict[str, Any], ...] = (
    {},
    {"spec": {"inner": {}, "list": [{}, {"b": None}], "map": {"a": {}}, "kept": None, "late": {"needed": "x"}}},
    {"spec": {"plain": "p", "any": 1, "map": {"b": {"a": 2}}}},
)


def defaults() -> Sample:
    inner = obj({"a": leaf("integer", default=1), "b": leaf("string", default="x", nullable=True)}, default={})
    spec = obj(
        {
            "inner": inner,
            "list": items(inner, default=[{"a": 5}], maxItems=3),
            "map": {"type": "object", "additionalProperties": inner, "maxProperties": 3},
            "kept": leaf("string", default="d", nullable=True),
            "plain": leaf("string", default="d", minLength=1),
            "any": ANY | {"default": {"free": [1, {"x": None}]}},
            "late": obj({"needed": STRING, "given": leaf("boolean", default=False)}, required=["needed"]),
        },
        rule("self.plain != 'no'"),
        default={"plain": "given"},
    )
    return Sample(named("Defaulted", obj({"spec": spec})), "v1", _DEFAULTS_OBJECTS)


_LOGIC_OBJECTS = (
    {
        "spec": {
            "one": {"a": 1},
            "any": {"a": 7},
            "all": {"c": ["x"]},
            "text": "1.2.3.4",
            "deep": {"b": "x"},
            "number": 5,
        }
    },
    {"spec": {"one": {"c": ["a", "b"]}, "any": {"b": "x", "c": []}, "deep": {"a": 1, "b": "y"}, "number": -1}},
)


def logic() -> Sample:
    has_a, has_b = {"required": ["a"]}, {"required": ["b"]}
    values = {"a": INTEGER, "b": STRING, "c": items(STRING, maxItems=4)}
    spec = obj(
        {
            "one": obj(values, oneOf=[has_a, has_b, {"properties": {"c": {"minItems": 2}}, "required": ["c"]}]),
            "any": obj(values, anyOf=[{**has_a, "properties": {"a": {"minimum": 5}}}, {"minProperties": 2}]),
            "all": obj(values, allOf=[{"properties": {"a": {"maximum": 9}}}, {"not": has_b}], **{"not": has_a | has_b}),
            "text": leaf(
                "string", anyOf=[{"format": "ipv4"}, {"format": "ipv6"}, {"maxLength": 3}], allOf=[{"pattern": "^[^A]"}]
            ),
            "deep": obj(values, anyOf=[{"oneOf": [has_a, has_b]}, {"allOf": [has_a, {"not": {"minProperties": 3}}]}]),
            "number": leaf("integer", oneOf=[{"minimum": 10}, {"maximum": 0}, {"enum": [5]}]),
        }
    )
    return Sample(named("Logical", obj({"spec": spec})), "v1", _LOGIC_OBJECTS)
