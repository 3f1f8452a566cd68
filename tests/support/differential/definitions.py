"""Seeded definitions, most of them broken: every keyword and every field with values of every type.

A plausible definition is made first; then up to four places get another value from the pool of their keyword.
"""

import copy
import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from ovnguard import crd_schemas
from tests.support.differential.compare import definition
from tests.support.differential.definition_values import (
    BUNDLES,
    CLIENTS,
    COLUMNS,
    FLAGS,
    KEYWORDS,
    META,
    NAME_TEXTS,
    NAMES,
    NODES,
    REVIEWED,
    RULES,
    SCALES,
    SELECTABLE,
    TEXTS,
)
from tests.support.differential.patterns import pattern
from tests.support.differential.rules import with_rules
from tests.support.differential.schemas import SchemaGenerator
from tests.support.differential.wide import WideGenerator


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
        for version in versions_of(made):
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
        keyword = self.random.choice(list(KEYWORDS))
        node[keyword] = self._keyword(keyword, node)

    def _keyword(self, keyword: str, node: dict[str, Any]) -> Any:
        rng = self.random
        if keyword == "pattern":
            return pattern(rng) if rng.random() < 0.9 else self._pick(TEXTS)
        if keyword == "x-kubernetes-validations":
            return self._pick(([], None, {}, 1)) if rng.random() < 0.15 else self._some(RULES)
        if keyword in {"allOf", "anyOf", "oneOf"}:
            return self._pick(([], None, {}, [None], _INT_OR_STRING)) if rng.random() < 0.3 else self._some(NODES)
        if keyword in {"properties", "patternProperties", "definitions"}:
            if rng.random() < 0.2:
                return self._pick(({}, None, [], 1))
            old = node.get(keyword) if keyword == "properties" else {}
            return {**(old if isinstance(old, dict) else {}), rng.choice(NAMES): self._node()}
        return self._pick(KEYWORDS[keyword])

    def _node(self) -> Any:
        made = self._pick(NODES)
        if isinstance(made, dict) and self.random.random() < 0.4:
            keyword = self.random.choice(list(KEYWORDS))
            made[keyword] = self._keyword(keyword, made)
        return made

    def _some(self, pool: Any) -> list[Any]:
        return [self._pick(pool) for _ in range(self.random.choice((1, 1, 2, 3)))]

    def _spoil_rest(self, made: dict[str, Any]) -> None:
        rng = self.random
        spec = made["spec"]
        versions = versions_of(made)
        version = rng.choice(versions) if versions else {}
        match rng.randrange(13):
            case 0 | 1:
                key = rng.choice(list(META))
                made["metadata"][key] = self._pick(META[key])
            case 2:
                spec["names"][rng.choice(("plural", "singular", "kind", "listKind"))] = self._pick(NAME_TEXTS)
            case 3:
                spec["names"][rng.choice(("shortNames", "categories"))] = self._pick(
                    (["a"], ["A"], [""], [1], None, {})
                )
            case 4 | 5:
                strategy = rng.choice(("Webhook", "Webhook", "Webhook", "None", "", "X", 1))
                client = self._pick(CLIENTS)
                if isinstance(client, dict) and rng.random() < 0.2:
                    client["caBundle"] = self._pick(BUNDLES)
                webhook = {"clientConfig": client, "conversionReviewVersions": self._pick(REVIEWED)}
                spec["conversion"] = {"strategy": strategy, "webhook": webhook}
            case 6:
                version["subresources"] = self._pick(({}, None, 1, {"status": None}, {"scale": self._pick(SCALES)}))
            case 7:
                version["additionalPrinterColumns"] = self._pick((self._some(COLUMNS), [], None, 1))
            case 8 | 9:
                version["selectableFields"] = self._pick(SELECTABLE)
            case 10:
                key = rng.choice(("served", "storage", "deprecated", "deprecationWarning", "name", "schema"))
                pool: tuple[Any, ...] = TEXTS if key in {"deprecationWarning", "name"} else FLAGS
                version[key] = self._pick(({}, None, 1, {"openAPIV3Schema": None}) if key == "schema" else pool)
            case 11:
                spec["versions"] = self._pick(([], None, 1, [None], [{}], [1]))
            case _:
                self._spoil_spec(made)

    def _spoil_spec(self, made: dict[str, Any]) -> None:
        spec = made["spec"]
        key = self.random.choice(("group", "scope", "preserveUnknownFields", "conversion", "names"))
        spec[key] = self._pick(("x.k8s.io", "", "Cluster", None, 1, True, {}, "A b", "a"))
        if not isinstance(spec.get("names"), dict):
            spec["names"] = {}
        if spec.get("group") == "x.k8s.io":
            made["metadata"]["annotations"] = self._pick(META["annotations"])


@cache
def _real() -> list[dict[str, Any]]:
    """The bundled definitions of a moderate size."""
    found = [crd for schema_set in crd_schemas.SETS for crd in crd_schemas.crds(schema_set).values()]
    return [json.loads(text) for text in dict.fromkeys(map(json.dumps, found)) if len(text) < _LONGEST]


_LONGEST: Final = 14_000
_INT_OR_STRING: Final = [{"type": "integer"}, {"type": "string"}]


def versions_of(made: dict[str, Any]) -> list[dict[str, Any]]:
    """The versions of a definition that are objects."""
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
