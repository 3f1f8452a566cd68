"""Warming up reaches every rule: its networks are ones that the real judge accepts."""

import pytest

from ovnguard import crd_schemas
from ovnguard.validators.admission import Judgement, Operation, Request, judge
from ovnguard.validators.network.cluster_view import INSTALL_CONFIG, ClusterView, EmptyView, GroupKind
from ovnguard.validators.network.rules import RULED_KINDS
from ovnguard.webhook.admission.warmup import OBJECTS, warm


@pytest.mark.parametrize("network", OBJECTS, ids=lambda network: network["kind"])
def test_networks_are_accepted(network):
    judgement = judge(Request(Operation.CREATE, network), EmptyView())
    assert judgement.allowed, [error.text for error in judgement.errors]
    assert judgement.schema_set


def test_every_bundled_kind_with_rules_is_warmed():
    warmed = {(*network["apiVersion"].split("/"), network["kind"]) for network in OBJECTS}
    # an install configuration is a file, which no API server ever asks about
    judged = RULED_KINDS - {INSTALL_CONFIG}
    assert warmed == {key for key in crd_schemas.kinds() if GroupKind(key[0], key[2]) in judged}


def test_both_operations_are_judged():
    asked = []

    def judging(request: Request, view: ClusterView) -> Judgement:
        asked.append((request.operation, request.object, request.old))
        return judge(request, view)

    warm(judging)
    assert asked == [
        entry for obj in OBJECTS for entry in ((Operation.CREATE, obj, None), (Operation.UPDATE, obj, obj))
    ]
