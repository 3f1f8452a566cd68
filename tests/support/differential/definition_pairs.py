"""Seeded updates of definitions: an old definition, often with faults, and what an author may make of it."""

import copy
from collections.abc import Callable, Iterator
from typing import Any, Final

from tests.support.differential.compare import definition
from tests.support.differential.definitions import DefinitionGenerator, versions_of
from tests.support.differential.schemas import SchemaGenerator

Json = dict[str, Any]
NAMES: Final = ("v1", "v2", "v1beta1", "v3")
_BUNDLES: Final = ("", "YQ==", "LS0tLS1CRUdJTiBYLS0tLS0KLS0tLS1FTkQgWC0tLS0tCg==")
_APPROVED: Final = "api-approved.kubernetes.io"
_MANY: Final = {f"p{number}": {"type": "string"} for number in range(10)}
# Faults that an update may keep.
_FAULTS: Final[tuple[Json, ...]] = (
    {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object", "properties": {}}},
    {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "array", "x-kubernetes-list-type": "set"}},
    {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string", "nullable": True}},
    {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a"],
        "items": {"type": "object", "properties": {"a": {"type": "string"}}},
    },
    {"type": "text"},
    {"type": "object", "properties": {"a": {"type": "integer"}}, "default": {"a": 1, "b": 2}},
    {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
    {
        "type": "array",
        "items": {"type": "array", "items": {"type": "string"}},
        "x-kubernetes-validations": [{"rule": "self.all(a, self.all(b, a.all(c, b.all(d, c == d))))"}],
    },
    {
        "type": "array",
        "items": {"type": "integer"},
        "x-kubernetes-validations": [{"rule": "self.sortBy(a, a) == self"}],
    },
    {
        "type": "array",
        "items": {"type": "integer"},
        "x-kubernetes-validations": [{"rule": "true", "messageExpression": "string(self.sortBy(a, a).size())"}],
    },
    {"type": "string", "x-kubernetes-validations": [{"rule": "semver(self).major() > 1"}]},
    {"type": "string", "x-kubernetes-validations": [{"rule": "isIP(self)", "messageExpression": "ip(self).family()"}]},
    {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "optionalOldSelf": True}]},
    {"type": "string", "format": "unheard-of"},
    {"type": "integer", "format": "int128"},
    {"properties": {"a": {"format": "k8s-short-name", "type": "string"}}},
)


class PairGenerator(DefinitionGenerator):
    """Makes one update of a seed."""

    def pair(self) -> Json:
        """The old and the new definition."""
        old = self._fit() if self.random.random() < 0.6 else self.make()
        new = copy.deepcopy(old)
        changes = self.random.choice((0, 1, 1, 2, 3))
        try:
            for _ in range(changes):
                new = self._changed(new, old)
        except (KeyError, TypeError, AttributeError, IndexError):
            pass  # an old definition of another shape: the changes so far are enough
        if self.random.random() < 0.6 and isinstance(old.get("spec"), dict):
            old["status"] = self._status(old)
        return {"old": old, "new": new}

    def _fit(self) -> Json:
        """A definition without faults, or with one that an update may keep."""
        rng = self.random
        schema = SchemaGenerator(self.seed).root()
        made = definition(schema, status=rng.random() < 0.3)
        if rng.random() < 0.5:
            self._add_version(made)
        if rng.random() < 0.6:
            self._fault(made)
        return made

    def _fault(self, made: Json) -> None:
        rng = self.random
        version = rng.choice(versions_of(made))
        schema = version["schema"]["openAPIV3Schema"]
        chance = rng.randrange(8)
        if chance < 5:
            schema.setdefault("properties", {})["fault"] = self._pick(_FAULTS)
        elif chance == 5:
            schema.setdefault("properties", {}).update(copy.deepcopy(_MANY))
            version["selectableFields"] = [{"jsonPath": f".{name}"} for name in _MANY]
        elif chance == 6:
            made["spec"]["preserveUnknownFields"] = True
            if rng.random() < 0.5:
                version.pop("schema")
        else:
            made["spec"]["conversion"] = self._conversion()

    def _conversion(self) -> Json:
        client = {"url": "https://example.com", "caBundle": self._pick(_BUNDLES)}
        return {
            "strategy": "Webhook",
            "webhook": {"clientConfig": client, "conversionReviewVersions": self._pick((["v2"], ["v1"], ["v1beta1"]))},
        }

    def _status(self, old: Json) -> Json:
        rng = self.random
        names = [str(one.get("name")) for one in versions_of(old)] or ["v1"]
        stored = rng.choice((names, names[:1], ["v1"], [*names, "v0"], ["v0", "v00"], []))
        condition = {"type": "Established", "status": rng.choice(("True", "True", "False"))}
        made: Json = {"storedVersions": stored, "conditions": rng.choice(([condition], [condition], []))}
        if rng.random() < 0.2:
            made["acceptedNames"] = self._pick(({"kind": "A", "plural": "B", "listKind": "A"}, {"shortNames": ["X"]}))
        return made

    def _changed(self, new: Json, old: Json) -> Json:
        rng = self.random
        changes: tuple[Callable[[Json], object], ...] = (
            self._spoil_schema,
            self._spoil_schema,
            self._spoil_rest,
            self._rename,
            self._version,
            self._version,
            self._fault,
            self._fault,
            self._meta,
            self._unknown,
            self._repair,
        )
        rng.choice(changes)(new)
        return new

    def _rename(self, new: Json) -> None:
        spec, rng = new["spec"], self.random
        match rng.randrange(5):
            case 0:
                spec["scope"] = "Cluster" if spec["scope"] == "Namespaced" else "Namespaced"
            case 1:
                spec["names"]["kind"] = rng.choice(("Bar", "FooList", ""))
            case 2:
                spec["names"]["plural"] = rng.choice(("bars", ""))
            case 3:
                spec["group"] = rng.choice(("example.org", "x.k8s.io", ""))
            case _:
                spec["group"] = "x.k8s.io"
                value = rng.choice(("", "https://example.com", "unapproved, a test", "x"))
                new["metadata"].setdefault("annotations", {})[_APPROVED] = value

    def _version(self, new: Json) -> None:
        versions, rng = new["spec"]["versions"], self.random
        version = rng.choice(versions)
        match rng.randrange(6):
            case 0:
                versions.remove(version)
            case 1:
                version["name"] = rng.choice(NAMES)
            case 2:
                storing = not version.get("storage", False)
                for one in versions:
                    one["storage"] = False
                version["storage"] = storing
            case 3:
                versions.append(copy.deepcopy(version) | {"name": rng.choice(NAMES), "storage": rng.random() < 0.3})
            case 4:
                version["served"] = not version.get("served", False)
            case _:
                version["schema"]["openAPIV3Schema"] = SchemaGenerator(self.seed + 7).root()

    def _meta(self, new: Json) -> None:
        values: tuple[tuple[str, Any], ...] = (
            ("uid", "b"),
            ("generation", 7),
            ("labels", {"a b": "c"}),
            ("namespace", "x"),
            ("creationTimestamp", "2026-01-01T00:00:00Z"),
            ("deletionTimestamp", "2026-01-01T00:00:00Z"),
            ("finalizers", ["x", "a/b"]),
            ("ownerReferences", [{"apiVersion": "v1", "kind": "Event", "name": "a", "uid": ""}]),
            ("name", "other"),
            ("annotations", {"A": "b"}),
        )
        key, value = self.random.choice(values)
        new["metadata"][key] = value

    def _unknown(self, new: Json) -> None:
        version = self.random.choice(new["spec"]["versions"])
        schema = version["schema"]["openAPIV3Schema"]
        places: Iterator[Json] = iter(
            (new, new["metadata"], new["spec"], new["spec"]["names"], version, schema, schema["properties"]["spec"])
        )
        for place in places:
            if self.random.random() < 0.3:
                place[self.random.choice(("unheard", "Kind", "descripton"))] = {"a": 1}

    def _repair(self, new: Json) -> None:
        for version in versions_of(new):
            version["schema"]["openAPIV3Schema"]["properties"].pop("fault", None)
