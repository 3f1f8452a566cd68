"""Definitions whose rules have a cost."""

from typing import Any

NAME = "widgets.example.com"


def crd(spec: dict[str, Any], *rules: dict[str, Any] | str) -> dict[str, Any]:
    """A definition whose spec has these properties and rules."""
    written = [{"rule": rule} if isinstance(rule, str) else rule for rule in rules]
    schema: dict[str, Any] = {"type": "object", "properties": {"spec": {"type": "object", "properties": spec}}}
    if written:
        schema["properties"]["spec"]["x-kubernetes-validations"] = written
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": NAME},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }
