"""deploy/ as data, with the settings of containers."""

import re

import yaml

from tests.support.paths import ROOT

DEPLOY = ROOT / "deploy"


def load(path):
    text = (DEPLOY / path).read_text(encoding="utf-8")
    return [document for document in yaml.load_all(text, yaml.CSafeLoader) if document]


def named(kind, name, namespace=None, where="base/rbac.yaml"):
    (found,) = [
        document
        for document in load(where)
        if (document["kind"], document["metadata"]["name"]) == (kind, name)
        and document["metadata"].get("namespace") == namespace
    ]
    return found


def args_of(container):
    """Its arguments, with its variables in their places; those that the cluster knows are an address."""
    environment = {each["name"]: each.get("value", "10.0.0.1") for each in container.get("env", [])}
    return [re.sub(r"\$\((\w+)\)", lambda found: environment[found[1]], each) for each in container["args"]]
