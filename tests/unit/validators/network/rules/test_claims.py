"""Nothing that an object says about itself makes its verdict milder: labels, owners, key spelling and the like."""

import copy
from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from tests.support.rule_case_files import Case, cases
from tests.support.soak import sized
from validators.admission import Judgement, Operation, Request, judge
from validators.network.cluster_view import ClusterView

JsonObject = dict[str, Any]
Claim = Callable[[JsonObject], None]
TENANT: Final = "system:serviceaccount:red:default"
SPEAKING: Final = [
    case
    for case in cases()
    if case.speaks and case.request.operation is not Operation.DELETE and case.rule != "OVNG-L2-037"
]
"""Cases with findings; OVNG-L2-037 reports the claims themselves."""
TRIED: Final = sized(list({case.rule: case for case in reversed(SPEAKING)}.values()), SPEAKING)
"""In short, the first case of each rule."""


def _labels(meta: JsonObject) -> None:
    claimed = {
        "app.kubernetes.io/managed-by": "ovn-kubernetes",
        "k8s.ovn.org/user-defined-network": "",
        "k8s.ovn.org/managed-bgp": "",
        "k8s.ovn.org/route-advertisements": "",
        "k8s.ovn.org/generated": "true",
        "ovnguard.io/exempt": "true",
        "ovnguard.io/managed-by": "ovnguard",
        "olm.managed": "true",
    }
    meta["labels"] = {**claimed, **(meta.get("labels") or {})}


def _annotations(meta: JsonObject) -> None:
    claimed = {
        "ovnguard.io/exempt": "true",
        "ovnguard.io/accepted": "true",
        "k8s.ovn.org/network-name": "default",
        "k8s.ovn.org/generated": "true",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "release.openshift.io/create-only": "true",
    }
    meta["annotations"] = {**claimed, **(meta.get("annotations") or {})}


def _owner(api: str, kind: str, name: str = "") -> Claim:
    def claim(meta: JsonObject) -> None:
        owner = {"apiVersion": api, "kind": kind, "name": name or meta.get("name", "x"), "uid": "forged"}
        meta["ownerReferences"] = [{**owner, "controller": True, "blockOwnerDeletion": True}]

    return claim


def _finalizers(meta: JsonObject) -> None:
    meta["finalizers"] = ["k8s.ovn.org/user-defined-network-protection", "ovnguard.io/network"]


def _managers(meta: JsonObject) -> None:
    entry = {"apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}}, "operation": "Update"}
    names = ("ClusterManager", "ovnguard", "cluster-network-operator", "clustermanager-routeadvertisements-controller")
    meta["managedFields"] = [{**entry, "manager": name, "time": "2026-01-02T03:04:05Z"} for name in names]


def _generated_name(meta: JsonObject) -> None:
    meta["generateName"] = f"{meta.get('name', 'x')}-"


def _deletion(meta: JsonObject) -> None:
    meta["deletionTimestamp"] = "2026-01-02T03:04:05Z"
    meta["deletionGracePeriodSeconds"] = 0


CLAIMS: Final[Mapping[str, Claim]] = {
    "labels": _labels,
    "annotations": _annotations,
    "finalizers": _finalizers,
    "managed fields": _managers,
    "generated name": _generated_name,
    "deletion": _deletion,
    "controller of a ClusterUserDefinedNetwork": _owner("k8s.ovn.org/v1", "ClusterUserDefinedNetwork"),
    "controller of a UserDefinedNetwork": _owner("k8s.ovn.org/v1", "UserDefinedNetwork"),
    "controller of another network": _owner("k8s.ovn.org/v1", "ClusterUserDefinedNetwork", "other"),
    "controller of the operator Network": _owner("operator.openshift.io/v1", "Network", "cluster"),
    "controller of a Deployment": _owner("apps/v1", "Deployment"),
    "controller of a RouteAdvertisements": _owner("k8s.ovn.org/v1", "RouteAdvertisements"),
}


def _judged(case: Case, view: ClusterView, claim: Claim | None, user: str) -> Judgement:
    request: Request = copy.deepcopy(case.request)._replace(user=case.request.user or user)
    if request.object is not None and claim is not None:
        claim(request.object.setdefault("metadata", {}))
    return judge(request, view)


def _findings(answer: Judgement) -> list[tuple[str, str, str]]:
    return [(error.rule, error.field, error.detail) for error in (*answer.errors, *answer.warnings)]


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.rule}-{case.name}") for case in TRIED])
def test_a_claim_takes_no_finding_away(case: Case) -> None:
    view = case.view
    for user in ("", TENANT):
        plain = [each for each in _findings(_judged(case, view, None, user)) if each[0] == case.rule]
        for name, claim in CLAIMS.items():
            answer = _judged(case, view, claim, user)
            if answer.verdict is None or answer.verdict.allowed:
                assert [each for each in plain if each not in _findings(answer)] == [], (name, user)
