"""Conditions of ours on a real API server: each entry has its owner, and none takes the other away."""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from ovnguard.reconciler.apply.kube import Condition, Recorder, find_condition
from ovnguard.reconciler.loop.status.network_status import ACCEPTED, ACCEPTED_MANAGER, CONFLICT
from ovnguard.validators.cluster.client_protocol import ClusterOptions
from ovnguard.validators.cluster.kubernetes_client import connect
from ovnguard.validators.cluster.resources import CUDNS
from tests.support.deployed.installed import CUDNS as PATH
from tests.support.deployed.installed import served_crds
from tests.testbed.apiserver import ApiServer

TRANSIT = Condition("TransitSubnetAllocated", True, "DefaultSelected", "Transit subnet 100.88.0.0/16 selected.")
HELD_BACK = Condition(ACCEPTED, False, CONFLICT, "x: taken (OVNG-L2-010)", ACCEPTED_MANAGER)


@pytest.fixture(scope="module", params=["enhancement", "released"])
def api(apiserver: ApiServer, request: pytest.FixtureRequest) -> Iterator[ApiServer]:
    with served_crds(apiserver, request.param):
        yield apiserver


def network(name: str) -> dict[str, Any]:
    layer2 = {"role": "Primary", "subnets": ["10.20.0.0/16"]}
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": {"name": name},
        "spec": {
            "namespaceSelector": {"matchLabels": {"a": "b"}},
            "network": {"topology": "Layer2", "layer2": layer2},
        },
    }


def test_two_conditions_coexist(api: ApiServer) -> None:
    client = connect(ClusterOptions(str(api.kubeconfig)))
    recorder = Recorder(client, (CUDNS,), partial(datetime.now, UTC))
    status, answer = api.request("POST", PATH, network("blue"))
    assert status == 201, answer
    newest = partial(api.request, "GET", f"{PATH}/blue")
    assert recorder.report(newest()[1], TRANSIT)
    # on a version that is old by now nothing is written, and the next look writes it
    stale = newest()[1]
    api.request("PATCH", f"{PATH}/blue", {"metadata": {"labels": {"a": "b"}}}, "application/merge-patch+json")
    assert not recorder.report(stale, HELD_BACK)
    assert recorder.report(newest()[1], HELD_BACK)
    for condition, expected in ((TRANSIT, "True"), (HELD_BACK, "False")):
        found = find_condition(newest()[1], condition.type)
        assert found is not None
        assert (found["status"], found["reason"], found["message"]) == (expected, condition.reason, condition.message)
    assert not recorder.report(newest()[1], HELD_BACK)
    assert recorder.report(
        newest()[1], Condition(ACCEPTED, True, ACCEPTED, "The network is accepted.", ACCEPTED_MANAGER)
    )
    assert find_condition(newest()[1], TRANSIT.type) is not None
    client.close()
