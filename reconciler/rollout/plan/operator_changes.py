"""What the operator's own manifests change between 4.13 and the phases of 4.14: ``operator_changes.json``.

A test makes that file from both branches (``pytest --update``).
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from ovnguard.reconciler.rollout.plan.model import Flavour, Folder
from ovnguard.reconciler.rollout.plan.phase_manifests import CLUSTER
from ovnguard.validators.base.json_types import JsonObject

FILE: Final = Path(__file__).with_name("operator_changes.json")
HOSTED: Final = "HOSTED"
"""The namespace of a hosted control plane in the file."""


def removed_objects(flavour: Flavour, file: str, hosted: str) -> Iterator[JsonObject]:
    """Iterate over the identities of the objects of ``file``, in the order of their removal: the workload goes last."""
    for identity in _data()["removed"][flavour].get(file, ()):
        api_version, kind, place = identity.split(" ")
        namespace, _, name = place.partition("/")
        metadata: JsonObject = {"name": name}
        if namespace:
            metadata["namespace"] = hosted if namespace == HOSTED else namespace
        if namespace == HOSTED:
            metadata["annotations"] = {CLUSTER: "management"}
        yield {"apiVersion": api_version, "kind": kind, "metadata": metadata}


def dropped(flavour: Flavour, name: str, before: Folder, after: Folder) -> frozenset[str]:
    """Return what the operator's own templates of workload ``name`` lose from one phase to another."""
    return frozenset(_data()["dropped"][flavour].get(f"{name}: {before} to {after}", ()))


def unprobed(flavour: Flavour) -> frozenset[str]:
    """Return the workloads that have no readiness probe in the operator's own templates."""
    return frozenset(_data()["unprobed"][flavour])


@cache
def _data() -> Any:
    return json.loads(FILE.read_text(encoding="utf-8"))
