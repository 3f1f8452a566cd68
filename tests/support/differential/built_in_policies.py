"""Random policies on built-in kinds, whose expressions read fields that exist, and some that do not.

The seed makes a question repeatable. A path follows a schema, but sometimes takes the name of any field of any release.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ovnguard.validators.base.cel_names import escape
from ovnguard.validators.base.field import NEWEST_MINOR, OLDEST_MINOR
from ovnguard.validators.built_in.schemas import BuiltInKind, kinds_of_release, schema_of
from tests.support.differential.policies import PolicyQuestions

USUAL: Final = ("Deployment", "Pod", "Service", "ConfigMap", "Job", "NetworkPolicy")
"""The kinds of most questions."""
_LITERALS: Final = ("1", "-3", "1.5", "true", "'a'", "null", "[1]", "['a']", "{'a': 1}", "2u", "b'a'", "duration('1s')")
_LEAVES: Final = (
    "{path} == {literal}",
    "{path} != {path2}",
    "{path} > {literal}",
    "{path} <= {path2}",
    "{path} in [{literal}]",
    "{path}.size() > 1",
    "size({path}) == 0",
    "{path}.startsWith('a')",
    "{path}.matches('^a')",
    "{path}.contains({path2})",
    "{path} + {literal} == {literal2}",
    "{path} + {path2} == {path}",
    "{path} || true",
    "!{path}",
    "int({path}) > 1",
    "string({path}) == 'a'",
    "type({path}) == string",
    "quantity({path}).isGreaterThan(quantity('1Gi'))",
    "timestamp({path}) > timestamp('2020-01-01T00:00:00Z')",
    "{path}.getFullYear() > 2020",
    "{path}.orValue({literal}) == {literal2}",
    "({path} ? 1 : 2) == 1",
    "isIP({path})",
    "'a' in {path}",
    "{path}.isSorted()",
    "{path}.sum() == 1",
    "sets.contains({path}, [{literal}])",
    "'%s'.format([{path}]) == 'a'",
    "optional.of({path}).hasValue()",
)
_STRINGS: Final = ("string({path})", "'is ' + {path}", "{path}.join(', ')", "'%d'.format([{path}])")
_MACROS: Final = ("all", "exists", "exists_one")
_PARAMS: Final = ("ConfigMap", "Secret", "Deployment", "CustomResourceDefinition")


class BuiltInPolicies:
    """Makes questions about a minor release."""

    def __init__(self, seed: int, release: int) -> None:
        self.random = random.Random(seed)
        self._release = release
        self._kinds = kinds_of_release(release)
        self._usual = [each for each in self._kinds if each.kind in USUAL and each.version == "v1"]
        self._fields = _every_field()
        self._base = PolicyQuestions(seed).question()
        self._base |= {"bindings": [], "params": []}
        self._roots: dict[str, Mapping[str, Any]] = {}
        self._variables = 0

    def question(self) -> dict[str, Any]:
        """One question; its kinds without a schema are built in."""
        rng = self.random
        chosen = rng.sample(self._usual if rng.random() < 0.7 else self._kinds, rng.choice((1, 1, 1, 2, 3)))
        self._roots = {
            root: schema_of(rng.choice(chosen).struct, self._release) for root in ("object", "object", "oldObject")
        }
        spec: dict[str, Any] = {"matchConstraints": {"resourceRules": self._rules(chosen)}}
        if rng.random() < 0.3:
            wanted = rng.choice(_PARAMS)
            param = next(each for each in self._kinds if each.kind == wanted)
            spec["paramKind"] = {"apiVersion": _api_version(param), "kind": param.kind}
            self._roots["params"] = schema_of(param.struct, self._release)
        self._variables = 0
        if rng.random() < 0.3:
            made: list[dict[str, str]] = []
            for number in range(2):
                made.append({"name": f"v{number}", "expression": self._path()[0]})
                self._variables = number + 1
            spec["variables"] = made
        spec["validations"] = [self._validation() for _ in range(rng.choice((1, 2, 3)))]
        head = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy"}
        kinds = [{**each._asdict(), "schema": None} for each in self._kinds if rng.random() < 0.98 or each in chosen]
        for each in kinds:
            del each["struct"]
        return {
            **self._base,
            "policy": {**head, "metadata": {"name": "policy.example.com"}, "spec": spec},
            "kinds": kinds,
        }

    def _rules(self, chosen: Sequence[BuiltInKind]) -> list[dict[str, Any]]:
        rng = self.random
        made = []
        for each in chosen:
            resource = each.resource
            if rng.random() < 0.1:
                resource = rng.choice(
                    (each.kind.lower(), resource.upper(), f"{resource}/status", "*/scale", "unknowns")
                )
            groups, versions = [each.group], [each.version]
            if rng.random() < 0.1:
                other = rng.choice(self._kinds)
                groups, versions = rng.choice(([each.group, other.group], ["*"], [""])), [each.version, "v1"]
            resources = [resource, *(one.resource for one in rng.sample(self._kinds, rng.choice((0, 0, 0, 1, 12))))]
            made.append({"apiGroups": groups, "apiVersions": versions, "operations": ["*"], "resources": resources})
        return made

    def _validation(self) -> dict[str, Any]:
        made: dict[str, Any] = {"expression": self._condition()}
        if self.random.random() < 0.3:
            made["messageExpression"] = self.random.choice(_STRINGS).format(path=self._path()[0])
        return made

    def _condition(self) -> str:
        rng = self.random
        if rng.random() < 0.25:
            return f"({self._leaf()}) {rng.choice(('&&', '||'))} ({self._leaf()})"
        return self._leaf()

    def _leaf(self) -> str:
        rng = self.random
        path, held = self._path()
        elements = held.get("items") or (held.get("additionalProperties") and {"type": "string"})
        if isinstance(elements, Mapping) and rng.random() < 0.7:
            inner = self._extended("x", elements, rng.randrange(3))[0]
            condition = rng.choice(_LEAVES).format(**self._parts(inner))
            return f"{path}.{rng.choice(_MACROS)}(x, {condition})"
        if rng.random() < 0.15 and "[" not in path and "." in path and "?" not in path:
            return f"has({path})"
        return rng.choice(_LEAVES).format(**self._parts(path))

    def _parts(self, path: str) -> dict[str, str]:
        rng = self.random
        other = path if rng.random() < 0.3 else self._path()[0]
        return {"path": path, "path2": other, "literal": rng.choice(_LITERALS), "literal2": rng.choice(_LITERALS)}

    def _path(self) -> tuple[str, Mapping[str, Any]]:
        rng = self.random
        if self._variables and rng.random() < 0.4:
            return f"variables.v{rng.randrange(self._variables)}", {}
        root = rng.choice(list(self._roots))
        return self._extended(root, self._roots[root], rng.randrange(1, 7))

    def _extended(self, path: str, schema: Mapping[str, Any], steps: int) -> tuple[str, Mapping[str, Any]]:
        rng = self.random
        for _ in range(steps):
            properties = schema.get("properties") or {}
            if "items" in schema:
                path, schema = f"{path}[0]", schema["items"]
            elif "additionalProperties" in schema:
                path, schema = path + rng.choice(("['a']", ".a")), schema["additionalProperties"]
            elif not properties and rng.random() < 0.9:
                break
            else:
                name = rng.choice(self._fields if not properties or rng.random() < 0.06 else _weighted(properties))
                path = f"{path}.{'?' if rng.random() < 0.05 else ''}{escape(name) or 'b'}"
                schema = properties.get(name, {})
        return path, schema


def _weighted(properties: Mapping[str, Any]) -> list[str]:
    """The names of fields; those that lead somewhere are more likely."""
    return [name for name, held in properties.items() for _ in range(4 if held.keys() & {"properties", "items"} else 1)]


def _every_field() -> list[str]:
    """The name of each field of the kinds of the oldest and the newest release."""
    structs = {(each.struct, release) for release in (OLDEST_MINOR, NEWEST_MINOR) for each in kinds_of_release(release)}
    return sorted({name for struct, release in structs for name in _names(schema_of(struct, release))})


def _names(schema: Mapping[str, Any]) -> set[str]:
    found: set[str] = set()
    for name, held in (schema.get("properties") or {}).items():
        found |= {name} | _names(held)
    for key in schema.keys() & {"items", "additionalProperties"}:
        found |= _names(schema[key])
    return found


def _api_version(kind: BuiltInKind) -> str:
    return f"{kind.group}/{kind.version}" if kind.group else kind.version
