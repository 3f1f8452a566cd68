"""How the definitions here are written: schemas node by node, and a sample as they are asked about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

GROUP = "verdicts.example.com"
Schema = dict[str, Any]


@dataclass(frozen=True)
class Sample:
    """A definition, the version that is asked, objects (without their type) to start from, and how often to ask."""

    definition: dict[str, Any]
    version: str
    objects: Sequence[Mapping[str, Any]] = field(default=())
    requests: int = 60


def obj(properties: Mapping[str, Any], *rules: Schema, **more: Any) -> Schema:
    """An object node."""
    return {"type": "object", "properties": dict(properties)} | _ruled(rules) | more


def items(inner: Schema, *rules: Schema, **more: Any) -> Schema:
    """An array node."""
    return {"type": "array", "items": inner} | _ruled(rules) | more


def leaf(kind: str, *rules: Schema, **more: Any) -> Schema:
    """A scalar node."""
    return {"type": kind} | _ruled(rules) | more


def rule(text: str, message: str = "", **more: Any) -> Schema:
    """A rule; the server words those without a message itself."""
    return {"rule": text} | ({"message": message} if message else {}) | more


def _ruled(rules: Sequence[Schema]) -> Schema:
    return {"x-kubernetes-validations": list(rules)} if rules else {}


def named(
    kind: str, schema: Schema, *, namespaced: bool = True, versions: Sequence[Schema] = (), **subresources: Any
) -> dict[str, Any]:
    """A definition of a kind; ``versions`` are merged over one version v1 each."""
    version: Schema = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    if subresources:
        version["subresources"] = subresources
    plural = f"{kind.lower()}s"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced" if namespaced else "Cluster",
            "names": {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"},
            "versions": [version | one for one in versions or ({},)],
        },
    }


STRING, INTEGER = leaf("string"), leaf("integer")
ANY: Schema = {"x-kubernetes-preserve-unknown-fields": True}
SHORT = leaf("string", maxLength=20)
