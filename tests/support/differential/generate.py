"""Objects for a schema: plausible ones, and copies with one to three faults. The seed makes failures repeatable."""

import copy
import random
from collections.abc import Callable, Iterator, Mapping
from itertools import repeat
from typing import Any

TEXTS = (
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
FORMATS: Mapping[str, tuple[str, ...]] = {
    "date-time": (
        *("2020-01-01T00:00:00Z", "2020-01-01t00:00:00.5+01:00", "2020-01-01", "2020-13-01T00:00:00Z"),
        *(
            "2024-01-01T00:00:00é5Z",
            '2024-01-01T00:00:00\x7f"\\',
            "2024-01-01T00:00:00",
            "",
            "0001-01-01T00:00:00+23:59",
        ),
        "9999-12-31T23:59:59.999999999-23:59",
    ),
    "date": ("2020-02-29", "2021-02-29", "0000-01-01", "20é0"),
    "duration": (
        *(
            "1h",
            "1 day",
            "3",
            "1d2h",
            "9223372036854775807ns",
            "9223372036854775808ns",
            "15251 weeks",
            "-1h",
            "1µs 2 ms",
        ),
        *("0." + "9" * 5000 + "s", "0" * 5000 + "1h", "9" * 5000 + " days", "1 x 2 nanoseconds", "2562047h99999m"),
    ),
    "ipv4": ("1.2.3.4", "01.2.3.4", "1.2.3", "::ffff:1.2.3.4"),
    "ipv6": ("::1", "1.2.3.4", "fe80::1%eth0"),
    "cidr": ("10.0.0.0/8", "10.0.0.0/33", "::/0"),
    "mac": ("00:00:5e:00:53:01", "0000.5e00.5301", "00-00"),
    "uri": (
        "http://a/b?c",
        "/a",
        "a",
        "http://a b/",
        "http://a:b:1/",
        "ftp://a:b:1/",
        "https://::1/",
        "http://[::1]:1",
    ),
    "hostname": ("a.example", "-a", "A", "a_b"),
    "email": ("a@b", "A <a@b.c>", "a"),
    "uuid": ("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "x"),
    "byte": ("YQ==", "YQ", "", "YW+/", "a--b", "a-_=", "QQ=", "QQ==x", "QQ=\n=\r", "Y\nQ==\n", "YWé=", "====", "Y"),
}
_SCALARS: tuple[Any, ...] = (None, True, False, 0, 1, -1, 3, 80, 65536, 2**40, 1.0, 1.5, -0.25, 1e21, *TEXTS)
ODD: tuple[Any, ...] = (*_SCALARS, [], [1], ["a", "a"], {}, {"a": 1}, [None], [{}], {"a": {"b": []}})

Place = tuple[Any, Any]


class Generator:
    """Makes objects; ``hardness`` is the share of values taken without looking at their schema."""

    texts: tuple[str, ...] = TEXTS
    odd: tuple[Any, ...] = ODD
    keys: tuple[str, ...] = ("a", "b.c", "k/x", "Z")
    int_or_string: tuple[Any, ...] = (1, 80, "80%", "http", 1.0)

    def __init__(self, seed: int, hardness: float = 0.0) -> None:
        self.random = random.Random(seed)
        self.hardness = hardness

    def value(self, schema: Mapping[str, Any], depth: int = 0) -> Any:
        """A value that mostly fits."""
        rng = self.random
        if rng.random() < self.hardness:
            return copy.deepcopy(rng.choice(self.odd))
        if schema.get("nullable") and rng.random() < 0.1:
            return None
        if schema.get("enum"):
            return copy.deepcopy(rng.choice(schema["enum"]))
        if schema.get("x-kubernetes-int-or-string"):
            return rng.choice(self.int_or_string)
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
        return rng.random() < 0.5 if kind == "boolean" else copy.deepcopy(rng.choice(self.odd))

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
            for key in rng.sample(self.keys, rng.randint(0, 3)):
                out[key] = self.value(inner, depth + 1)
        elif schema.get("x-kubernetes-preserve-unknown-fields") and rng.random() < 0.4:
            out["anything"] = copy.deepcopy(rng.choice(self.odd))
        if schema.get("x-kubernetes-embedded-resource"):
            out |= {"apiVersion": "v1", "kind": "Pod", "metadata": self.embedded_metadata()}
        return out

    def _array(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        low = schema.get("minItems") or 0
        high = min(schema.get("maxItems", low + 3), low + 3)
        size = self.random.randint(min(low, 8), max(low, high)) if depth < 12 else min(low, 8)
        return [self.value(schema.get("items") or {}, depth + 1) for _ in range(min(size, 12))]

    def _string(self, schema: Mapping[str, Any], depth: int) -> str:
        rng = self.random
        if schema.get("format") in FORMATS:
            return rng.choice(FORMATS[schema["format"]])
        text = rng.choice(self.texts)
        low, high = schema.get("minLength") or 0, schema.get("maxLength")
        text = text.ljust(min(low, 300), "a")
        return text if high is None else text[: max(high, 0)]

    def _integer(self, schema: Mapping[str, Any], depth: int) -> int:
        low = int(schema.get("minimum", 0))
        high = int(schema.get("maximum", low + 100))
        return self.random.randint(low, max(low, high))

    def _number(self, schema: Mapping[str, Any], depth: int) -> float:
        return self.random.choice((0.5, 1.0, 2.25, 3.0, 10.0)) if self.random.random() < 0.8 else 2

    def embedded_metadata(self) -> Any:
        """The metadata of an object inside the object."""
        return {"name": "x", "labels": {"a": "b"}}

    def metadata(self, *, is_old: bool) -> Any:
        """The metadata of the object, or of what is stored."""
        return {"name": "x"}

    def field_validation(self) -> str | None:
        """What the client asks for, if it does."""
        return "Strict" if self.random.random() < 0.05 else None

    def mutated(self, value: Any, times: int) -> Any:
        """A copy with ``times`` places changed: replaced, removed, renamed, repeated or added."""
        value = copy.deepcopy(value)
        for _ in range(times):
            places = list(_places(value))
            if not places:
                break
            # The deeper the place, the more it counts: most of an object is in its leaves.
            self.change(*self.random.choice(places))
        return value

    def change(self, parent: Any, key: Any) -> None:
        """Change one place."""
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
            parent[key] = copy.deepcopy(rng.choice(self.odd))


def _places(value: Any) -> Iterator[Place]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield value, key
            yield from _places(one)
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield value, index
            yield from _places(one)


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
        made = {key: generator.value(one) for key, one in parts.items() if rng.random() < 0.9}
        if schema.get("x-kubernetes-preserve-unknown-fields") and rng.random() < 0.5:
            made["anything"] = copy.deepcopy(rng.choice(generator.odd))
        return {**head, "metadata": generator.metadata(is_old=False), **made}

    for _ in repeat(None) if count is None else range(count):
        obj = whole()
        operation = rng.choice(("CREATE", "UPDATE", "UPDATE", "STATUS" if has_status else "UPDATE"))
        request: dict[str, Any] = {
            "object": generator.mutated(obj, rng.choice((0, 1, 1, 2, 3))),
            "operation": operation,
        }
        if operation != "CREATE":
            old = generator.mutated(obj, rng.choice((0, 0, 1, 2))) if rng.random() < 0.85 else whole()
            request["oldObject"] = {**old, **head, "metadata": generator.metadata(is_old=True)}
        validation = generator.field_validation()
        if validation is not None:
            request["fieldValidation"] = validation
        yield request
