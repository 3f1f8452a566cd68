"""Feature gates: the bundled definition that a cluster with a feature set would serve.

`gates.yaml` is read by the first call that needs it.

Sources: openshift/api, ``payload-manifests/featuregates`` (the gates that each set turns on) and the definitions that
are generated for each set.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from difflib import get_close_matches
from functools import cache
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ovnguard import crd_schemas
from ovnguard.crd_schemas import JsonObject

_FILE: Final = "gates.yaml"
_CASES: Final = Path(__file__).parent / "cases"
_ALL: Final = "all"
_ANY_SET: Final = "*"
_SWITCH: Final = {"true": True, "false": False}


class Features(NamedTuple):
    """The requested features: a feature set or none, and gates by name, which override the set."""

    feature_set: str | None = None
    gates: Mapping[str, bool] = MappingProxyType({})

    def __bool__(self) -> bool:
        """Whether any feature set or gate was requested."""
        return self.feature_set is not None or bool(self.gates)

    @property
    def key(self) -> str:
        """A key that is equal only for equal requests."""
        return f"{self.feature_set} {sorted(self.gates.items())}"

    def state(self, gate: str) -> bool | None:
        """Whether a gate is on; None keeps the definition's file unchanged."""
        if gate in self.gates:
            return self.gates[gate]
        return None if self.feature_set is None else gate in gates_of(self.feature_set)

    def why_off(self, gate: str) -> str:
        """The reason why a gate is off, as text: ``in feature set Default``."""
        return "by --feature-gates" if gate in self.gates else f"in feature set {self.feature_set}"


class Gated(NamedTuple):
    """A definition under `Features`, and the schema paths that each disabled gate removed."""

    crd: JsonObject
    dropped: Mapping[str, tuple[str, ...]]


def features(feature_set: str | None = None, gates: Iterable[str] = ()) -> Features:
    """Return the features that command-line options request. ``gates`` are lists such as ``One=true,Two=false``.

    Raises ValueError, with the valid names, for an unknown set or gate, and for a malformed list.
    """
    if feature_set is not None and feature_set not in feature_sets():
        raise ValueError(f"there is no feature set {feature_set!r}; {_meant(feature_set, feature_sets())}")
    asked: dict[str, bool] = {}
    for word in chain.from_iterable(gate.split(",") for gate in gates):
        name, _, value = (part.strip() for part in word.partition("="))
        if not name or value not in _SWITCH:
            raise ValueError(f"{word!r} is no feature gate; write NAME=true or NAME=false")
        if name not in known_gates():
            raise ValueError(f"no bundled definition knows the feature gate {name!r}; {_meant(name, known_gates())}")
        if asked.setdefault(name, _SWITCH[value]) is not _SWITCH[value]:
            raise ValueError(f"the feature gate {name!r} is asked to be on and off")
    return Features(feature_set, MappingProxyType(asked))


def _meant(word: str, known: Sequence[str]) -> str:
    """The known name that is most similar, else all of them."""
    close = get_close_matches(word, known, 1)
    return f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"


def feature_sets() -> tuple[str, ...]:
    """Return the names of the feature sets."""
    return tuple(_table()["featureSets"])


def offered() -> tuple[Features, ...]:
    """Return the feature sets of clusters: every set, and its variant for hosted control planes."""
    off = dict.fromkeys(_table()["neverHosted"], False)
    sets = feature_sets()
    hosted = (name for name in sets if gates_of(name) & off.keys())
    return (*map(Features, sets), *(Features(name, MappingProxyType(off)) for name in hosted))


def known_gates() -> tuple[str, ...]:
    """Return every gate of the bundled definitions, in alphabetical order."""
    sections = (section for sets in _table()["crds"].values() for section in sets.values())
    return tuple(sorted(set(chain.from_iterable(sections))))


@cache
def gates_of(feature_set: str) -> frozenset[str]:
    """Return the gates that a feature set turns on. Raises KeyError for an unknown set."""
    sets = _table()["featureSets"]
    on = sets[feature_set]
    if on != _ALL:
        return frozenset(on)
    return frozenset(chain.from_iterable(gates for gates in sets.values() if gates != _ALL))


def texts() -> bytes:
    """Return all inputs of `gated` besides a definition, for the keys of a store."""
    return b"\0".join((crd_schemas.read(_FILE), *(file.read_bytes() for file in _case_files())))


def gated(crd: JsonObject, crd_name: str, schema_set: str, features: Features) -> Gated:
    """Return ``crd`` under ``features``; ``crd`` itself is not modified.

    Fields, rules and values of disabled gates are removed; values and fields that an enabled gate adds are added.
    Raises KeyError when the table names a missing rule or path.
    """
    made = deepcopy(crd)
    states = [(brings, features.state(gate)) for gate, brings in _sections(crd_name, schema_set)]
    gone = _rules(crd_name, chain.from_iterable(brings.get("rules", ()) for brings, on in states if on is False))
    for schema in _schemas(made):
        # Fields go last: a value of one gate may be below a field of another.
        for brings, on in states:
            _values(schema, brings, on=on)
        for brings, on in states:
            if on is False:
                _remove(schema, brings.get("fields", ()))
        if gone:
            _forget(schema, gone)
    return Gated(made, dropped(crd_name, schema_set, features))


def dropped(crd_name: str, schema_set: str, features: Features) -> dict[str, tuple[str, ...]]:
    """Return the schema paths that disabled gates exclude from a definition, by gate.

    This includes paths that a gate would add.
    """
    found: dict[str, tuple[str, ...]] = {}
    for gate, brings in _sections(crd_name, schema_set):
        paths = (*brings.get("fields", ()), *brings.get("adds", ()))
        if paths and features.state(gate) is False:
            found[gate] = tuple(dict.fromkeys((*found.get(gate, ()), *paths)))
    return found


def schema_set_of(crd_name: str, features: Features) -> str:
    """Return the only schema set in which a gate that is on by name changes a definition; "" for none or several."""
    sets = _table()["crds"].get(crd_name, {})
    found = {name for name, gates in sets.items() if any(features.gates.get(gate) for gate in gates)}
    return found.pop() if len(found) == 1 and _ANY_SET not in found else ""


def _sections(crd_name: str, schema_set: str) -> Iterator[tuple[str, JsonObject]]:
    sets = _table()["crds"].get(crd_name, {})
    for name in (_ANY_SET, schema_set):
        yield from sets.get(name, {}).items()


def _schemas(crd: JsonObject) -> Iterator[JsonObject]:
    return (version["schema"]["openAPIV3Schema"] for version in crd["spec"]["versions"])


def _values(schema: JsonObject, brings: JsonObject, *, on: bool | None) -> None:
    """Remove or add the enumerated values of a gate; add its fields, or the replacements without it."""
    if on is None:
        return
    for path, keywords in brings.get("without", {}).items() if not on else ():
        node = _node(schema, path)
        node.update(deepcopy({key: value for key, value in keywords.items() if value is not None}))
        for key in (key for key, value in keywords.items() if value is None):
            node.pop(key, None)
    for path, values in brings.get("enums", {}).items():
        node = _node(schema, path)
        if on:
            node["enum"] = [*node["enum"], *(value for value in values if value not in node["enum"])]
        else:
            node["enum"] = [value for value in node["enum"] if value not in values]
    for path, added in brings.get("adds", {}).items() if on else ():
        parent, name = _parent(schema, path)
        parent["properties"][name] = deepcopy(added)


def _remove(schema: JsonObject, paths: Iterable[str]) -> None:
    for path in paths:
        parent, name = _parent(schema, path)
        del parent["properties"][name]
        if not parent["properties"]:
            del parent["properties"]
        if name in parent.get("required", ()):
            parent["required"].remove(name)
            if not parent["required"]:
                del parent["required"]


def _forget(node: Any, rules: frozenset[tuple[str, str]]) -> None:
    """Remove rules at a node and below it."""
    if isinstance(node, list):
        for item in node:
            _forget(item, rules)
    elif isinstance(node, dict):
        stated = node.get("x-kubernetes-validations")
        if isinstance(stated, list):
            kept = [rule for rule in stated if _identity(rule) not in rules]
            node["x-kubernetes-validations"] = kept
            if not kept:
                del node["x-kubernetes-validations"]
        for child in node.values():
            _forget(child, rules)


def _node(schema: JsonObject, path: str) -> JsonObject:
    """The schema at a path: names of properties, ``[]`` for the items of a list."""
    for step in path.split("."):
        name = step.rstrip("[]")
        schema = schema["properties"][name]
        for _ in range((len(step) - len(name)) // 2):
            schema = schema["items"]
    return schema


def _parent(schema: JsonObject, path: str) -> tuple[JsonObject, str]:
    above, _, name = path.rpartition(".")
    return (_node(schema, above) if above else schema), name


def _identity(rule: JsonObject) -> tuple[str, str]:
    return rule["rule"].strip(), str(rule.get("message") or rule.get("messageExpression") or "").strip()


def _rules(crd_name: str, ids: Iterable[str]) -> frozenset[tuple[str, str]]:
    """The rules with these stable ids. They may be in the case file of another kind that shares them."""
    wanted = list(ids)
    found: dict[str, tuple[str, str]] = {}
    own = _CASES / f"{crd_name.partition('.')[0]}.yaml"
    files = [own, *(file for file in _case_files() if file != own)] if wanted else []
    for file in files:
        if all(one in found for one in wanted):
            break
        if file.is_file():
            for case in crd_schemas.parse(file.read_bytes())["rules"]:
                found.setdefault(case["id"], _identity(case))
    return frozenset(found[one] for one in wanted)


def _case_files() -> list[Path]:
    return sorted(_CASES.glob("*.yaml"))


@cache
def _table() -> JsonObject:
    return crd_schemas.parse(crd_schemas.read(_FILE))
