"""Unusual objects: extreme numbers and texts, odd metadata, lists in another order."""

import copy
from typing import Any

from tests.support.differential.generate import ODD, TEXTS, Generator

_TEXTS = (
    *("1h", "1 day", "500m", "1Ki", "-1", "1e3", "v1.2.3", "1.2.3", "AA==", "2020-01-01T00:00:00Z", "true", "null"),
    *(
        "\ud800x",
        "\U0001f600",
        "e\u0301",
        "\x00",
        "\u2028",
        "a\n",
        " x ",
        "\xa0",
        "https://[::1]:80/?q=1#f",
        "%s",
        "é" * 9,
    ),
)
_NUMBERS = (
    *(2**63, 2**63 - 1, -(2**63), -(2**63) - 1, 10**30, 2**53 + 1, 2**31),
    *(1e3, 1e300, 5e-324, -0.0, 0.1, 3.0, 1e21, 1e-7, 123456789.0),
)
_EDGES = (
    *(2**31, 2**31 - 1, -(2**31), -(2**31) - 1, 2.0**31, 1.5, 5.0000000001, -0.0, 2**63 - 1, -(2**63), 1e19, 1e300),
    *(3.4028234663852886e38, 3.4028235677973366e38, 3.402823567797337e38, -3.402823567797337e38, 5e-324, 1e-46),
)
_NAMES: tuple[Any, ...] = (
    *("x", "X_", "a.b", "a..b", "-a", "a" * 64, "a" * 254, "é", "", "a/b", "%", ".", "..", 1, None, ["x"]),
)
_METADATA: tuple[dict[str, Any], ...] = (
    {"labels": {"a": "b", "example.com/c": ""}},
    {"labels": {"a b": "c", "": "", "x": "a b", "é": "é", "A/B/C": "x"}},
    {"labels": {"a": 1}},
    {"labels": None, "annotations": None},
    {"labels": []},
    {"annotations": {"A": "b", "a b": "\ud800", "-": "", "x/y/z": "1"}},
    {"annotations": {"a": None}},
    {"creationTimestamp": None},
    {"creationTimestamp": "2020-01-01T00:00:00Z"},
    {"creationTimestamp": "2020-01-01"},
    {"deletionTimestamp": "2020-01-01T00:00:00Z"},
    {"deletionGracePeriodSeconds": 0},
    {"deletionGracePeriodSeconds": 1.5},
    {"finalizers": ["example.com/x", "x"]},
    {"finalizers": ["a b", "", "x/y/z"]},
    {"finalizers": "x"},
    {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}]},
    {
        "ownerReferences": [
            {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": uid, "controller": True} for uid in "uv"
        ]
    },
    {"ownerReferences": [{"apiVersion": "", "kind": "", "name": "", "uid": ""}]},
    {"ownerReferences": [{"apiVersion": "v1", "kind": "Event", "name": "p", "uid": "u", "more": 1}]},
    {"generation": 7},
    {"generation": -1},
    {"generation": "7"},
    {"selfLink": "/x"},
    {"unknown": {"a": 1}},
    {"managedFields": []},
    {"resourceVersion": "12"},
    {"uid": "u"},
)
_STORED: tuple[dict[str, Any], ...] = (
    {},
    {"labels": {"a": "b"}, "generation": 3},
    {"finalizers": ["example.com/x"]},
    {"finalizers": ["x", "a b"], "annotations": {"a b": "c"}},
    {"uid": "u", "resourceVersion": "12", "creationTimestamp": "2020-01-01T00:00:00Z"},
    {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}]},
)


class WideGenerator(Generator):
    """Makes such objects."""

    texts = (*TEXTS, *_TEXTS)
    odd = (*ODD, *_NUMBERS, *_TEXTS, {"": 1}, {"é": {}}, {"\ud800": None}, [[], {}], [None, None], [1, 1.0, "1", True])
    keys = ("a", "b.c", "k/x", "Z", "", "é", "\ud800", "a b", "0", "__x", "namespace", "$ref", "a\n")
    int_or_string = (1, 80, "80%", "http", 1.0, 1.5, 10**20, -(2**63), True, None, "", "\ud800")

    def _integer(self, schema: Any, depth: int) -> Any:
        if self.random.random() < 0.05:
            return self.random.choice(_NUMBERS)
        if schema.get("format") and self.random.random() < 0.5:
            return self.random.choice(_EDGES)
        return super()._integer(schema, depth)

    def _number(self, schema: Any, depth: int) -> Any:
        if self.random.random() < 0.2:
            return self.random.choice(_NUMBERS)
        if schema.get("format") and self.random.random() < 0.5:
            return self.random.choice(_EDGES)
        return super()._number(schema, depth)

    def embedded_metadata(self) -> Any:
        rng = self.random
        if rng.random() < 0.3:
            return super().embedded_metadata()
        return rng.choice(([], "x", None, {})) if rng.random() < 0.1 else self._meta()

    def _meta(self) -> dict[str, Any]:
        rng = self.random
        made: dict[str, Any] = {rng.choice(("name", "name", "generateName", "namespace")): rng.choice(_NAMES)}
        for part in rng.sample(_METADATA, rng.randint(0, 2)):
            made |= copy.deepcopy(part)
        return made

    def metadata(self, *, is_old: bool) -> Any:
        rng = self.random
        chance = rng.random()
        if is_old:
            return {"name": "x"} | (copy.deepcopy(rng.choice(_STORED)) if chance < 0.3 else {})
        if chance < 0.75:
            return {"name": "x"}
        if chance < 0.9:
            return {"name": "x"} | copy.deepcopy(rng.choice(_METADATA))
        return rng.choice((None, [], "x", {})) if chance < 0.91 else self._meta()

    def field_validation(self) -> str | None:
        chance = self.random.random()
        return "Strict" if chance < 0.1 else "Ignore" if chance < 0.2 else "Warn" if chance < 0.25 else None

    def change(self, parent: Any, key: Any) -> None:
        rng = self.random
        value = parent[key]
        match rng.randrange(12):
            case 0 if isinstance(value, list):
                rng.shuffle(value)
            case 1 if isinstance(parent, list):
                rng.shuffle(parent)
            case 2:
                parent[key] = None
            case 3 if isinstance(value, dict):
                value[rng.choice(self.keys)] = copy.deepcopy(rng.choice(self.odd))
            case 4 if isinstance(value, dict) and isinstance(parent, list):
                twin = copy.deepcopy(value)
                if twin:
                    twin[rng.choice(list(twin))] = copy.deepcopy(rng.choice(self.odd))
                parent.insert(rng.randrange(len(parent) + 1), twin)
            case 5:
                parent[key] = rng.choice(_NUMBERS)
            case 6 if isinstance(value, list) and value:
                value.append(copy.deepcopy(rng.choice(value)))
            case 7 if isinstance(parent, dict):
                twin = rng.choice((key.capitalize(), key.upper(), key.swapcase(), key.replace("k", "\u212a")))
                parent[twin] = copy.deepcopy(rng.choice((value, *self.odd)))
            case _:
                super().change(parent, key)
