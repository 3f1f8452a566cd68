"""Whether the cluster network operator writes the same objects, by what the API server recorded.

Only the replicas of its Deployment and the managers of fields count: labels and annotations are what a writer wants.
Sources: cluster-network-operator, release 4.14, ``manifests`` and ``pkg/apply/apply.go``; hypershift,
``control-plane-operator/controllers/hostedcontrolplane/manifests``.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ovnguard.reconciler.rollout.plan.model import Problem
from ovnguard.validators.network.parse_values import MAX_ITEMS, dig, text_of

HEIR: Final = "cluster-network-operator/operconfig"
"""The field manager of the part of the operator that applies the manifests."""
_OPERATOR: Final = "cluster-network-operator"
"""The name of its field manager, which a slash and the name of a part of it may follow."""
_SELF_HOSTED: Final = ("openshift-network-operator", "network-operator")
_SET_BY_CODE: Final = "networkoperator.openshift.io/"
_ADVICE: Final = "the cluster network operator would undo what --mode own writes"


def operator_deployment(hosted: str) -> tuple[str, str]:
    """Return namespace and name of the operator's Deployment. ``hosted`` is the namespace of a hosted control plane."""
    return (hosted, _OPERATOR) if hosted else _SELF_HOSTED


def is_operator_manager(manager: str) -> bool:
    """Return whether a field manager is the operator."""
    return manager.partition("/")[0] == _OPERATOR


def is_set_by_code(field: str) -> bool:
    """Return whether the operator's code sets a field, beyond its templates: such a field stays the operator's.

    Source: cluster-network-operator, release 4.14, ``pkg/controller/operconfig`` and ``setOVNObjectAnnotation``.
    """
    return field == "ownerReferences" or field.startswith(_SET_BY_CODE)


def running_operator(deployment: object) -> Problem | None:
    """Return a problem when the operator's Deployment wants or has replicas, ready or not; None when it is absent."""
    wanted, found = _count(dig(deployment, "spec", "replicas"), 1), _count(dig(deployment, "status", "replicas"), 0)
    if deployment is None or not (wanted or found):
        return None
    state = f"spec.replicas is {wanted} and status.replicas is {found}"
    return Problem(f"Deployment {_place(deployment)}", f"{state}: {_ADVICE}; scale it to 0, or use --mode audit")


def operator_writes(objects: Iterable[object]) -> Mapping[str, str]:
    """Return which field manager of the operator wrote last, and when, by object; nothing of what it never wrote."""
    found: dict[str, str] = {}
    for each in objects:
        last = max(_writes(each), default=None)
        if last is not None:
            found[f"{text_of(dig(each, 'kind'))} {_place(each)}"] = f"{last[1]} wrote it at {last[0]}"
    return found


def new_writes(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Problem]:
    """Iterate over the objects that the operator has written since ``before``."""
    for subject, text in now.items():
        if before.get(subject) != text:
            yield Problem(subject, f"{text}: {_ADVICE}; stop the operator, then start this process again")


def _writes(obj: object) -> Iterator[tuple[str, str]]:
    """Time and manager of the operator's entries."""
    entries = dig(obj, "metadata", "managedFields")
    for each in entries[:MAX_ITEMS] if isinstance(entries, list) else ():
        manager = text_of(dig(each, "manager"))
        # what was handed over to it has no time until it writes
        if is_operator_manager(manager) and dig(each, "time"):
            yield text_of(dig(each, "time")), manager


def _place(obj: object) -> str:
    return "/".join(text_of(dig(obj, "metadata", key)) for key in ("namespace", "name"))


def _count(value: object, absent: int) -> int:
    """A number of replicas; ``absent`` for None, 1 for a value that is not a number."""
    return value if isinstance(value, int) else absent if value is None else 1
