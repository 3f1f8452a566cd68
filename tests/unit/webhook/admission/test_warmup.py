"""Warming up reaches every rule: its networks are ones that the real judge accepts."""

import pytest

import crd_schemas
from validators.admission import Judgement, Operation, Request, judge
from validators.network.cluster_view import ClusterView, EmptyView
from webhook.admission.warmup import OBJECTS, warm


@pytest.mark.parametrize("network", OBJECTS, ids=lambda network: network["kind"])
def test_networks_are_accepted(network):
    judgement = judge(Request(Operation.CREATE, network), EmptyView())
    assert judgement.allowed, [error.text for error in judgement.errors]
    assert judgement.schema_set


def test_every_bundled_kind_is_warmed():
    kinds = {(*network["apiVersion"].split("/"), network["kind"]) for network in OBJECTS}
    # an install configuration is a file, which no API server ever asks about
    assert kinds == set(crd_schemas.kinds()) - {("install.openshift.io", "v1", "InstallConfig")}


def test_both_operations_are_judged():
    asked = []

    def judging(request: Request, view: ClusterView) -> Judgement:
        asked.append((request.operation, request.object, request.old))
        return judge(request, view)

    warm(judging)
    assert asked == [
        entry for obj in OBJECTS for entry in ((Operation.CREATE, obj, None), (Operation.UPDATE, obj, obj))
    ]
