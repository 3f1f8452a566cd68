"""Two replicas behind their Service: one dies under load, both share one authority, and both are asked at once."""

import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from ovnguard.webhook.server.gunicorn_app import KEEPALIVE
from tests.support.deployed.deployed import DEPLOY, Kubectl
from tests.support.deployed.in_force import CUDNS, cudn
from tests.support.deployed.replicas import CLIENTS, Pair, grows, load, pair
from tests.support.soak import soak_only
from tests.support.verdicts.server_verdicts import Client
from tests.testbed.apiserver import ApiServer
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts
from tests.testbed.process import Child, wait_until

pytestmark = pytest.mark.timing
PROGRAM = Path(sys.executable).parent / "ovnguard-reconciler"
EXAMPLES = DEPLOY / "examples"
NODES = "/api/v1/nodes"
OPERATOR = "/apis/operator.openshift.io/v1/networks"


@pytest.fixture(scope="module")
def kubectl(apiserver: ApiServer, parts: Parts) -> Kubectl:
    need(parts, "kube-apiserver")
    return Kubectl(parts, apiserver)


@pytest.fixture(scope="module")
def two(apiserver: ApiServer, kubectl: Kubectl, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with pair(apiserver, kubectl, tmp_path_factory.mktemp("replicas")) as made:
        yield made


def test_each_of_two_dies_under_load(two: Pair) -> None:
    """Only requests that are under way on the dead one's connections fail, and who comes back serves again, alone."""
    first, second = two.replicas
    before, owed = two.balancer.ended.total(), two.balancer.lost.total()
    with load(two.cluster.api) as noted:
        wait_until(grows(noted, 100), "load", 60)
        assert first.decisions()
        assert second.decisions()
        for victim, survivor in ((first, second), (second, first)):
            victim.kill()
            decided = len(survivor.decisions())
            wait_until(grows(noted, 100), "the survivor serves", 60)
            assert len(survivor.decisions()) >= decided + 100
            victim.start()
    ended, owed = two.balancer.ended.total() - before, two.balancer.lost.total() - owed
    print(f"{noted.answered} answers, {len(noted.failed)} failed, {ended} connections ended, {owed} in mid-request")
    assert noted.wrong == []
    # one request at a time is on a connection; the last one may have come too late to be owed an answer
    assert len(noted.failed) <= ended <= 8 * CLIENTS


def test_restarted_one_after_the_other_under_load(two: Pair) -> None:
    """As an upgrade does it: who is to stop gets no new connections any more, and ends what has begun on the others."""
    slowest, ports = 0.0, [replica.port for replica in two.replicas]
    with load(two.cluster.api) as noted:
        wait_until(grows(noted, 100), "load", 60)
        for replica in two.replicas:
            two.balancer.lead(*(port for port in ports if port != replica.port))
            time.sleep(1)
            began = time.monotonic()
            replica.stop()
            slowest = max(slowest, time.monotonic() - began)
            wait_until(grows(noted, 100), "the other one serves", 60)
            replica.start()
            two.balancer.lead(*ports)
    print(f"{noted.answered} answers, {len(noted.failed)} failed, stopped within {slowest:.1f} s")
    assert noted.wrong == []
    assert noted.failed == []
    # a Pod has thirty
    assert slowest < 30


def test_connections_are_kept(two: Pair) -> None:
    """Between two changes of a network lies more time than a server that closes soon would wait."""
    two.cluster.refused()
    before = sum(two.balancer.taken.values())
    for _ in range(3):
        time.sleep(4)
        assert two.cluster.refused()
    assert sum(two.balancer.taken.values()) == before


@soak_only
def test_the_api_server_ends_idle_connections_before_we_do(two: Pair) -> None:
    """How long an API server keeps one, measured: what `webhook.server.gunicorn_app.KEEPALIVE` must be above."""
    two.cluster.refused()
    ended, began = two.balancer.ended.total(), time.monotonic()
    assert two.balancer.open > 0
    wait_until(lambda: two.balancer.open == 0, "the API server lets go", KEEPALIVE)
    print(f"idle connections ended after {time.monotonic() - began:.0f} s")
    assert two.balancer.ended.total() == ended
    assert two.cluster.refused()


SUBNETS = {"topology": "Layer2", "layer2": {"role": "Secondary", "subnets": ["10.82.0.0/16"]}}


def rivals(number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two networks that would have the same names in OVN."""
    one, other = (cudn(f"race{number}{sign}a", "10.82.0.0/16") for sign in "-.")
    for each in (one, other):
        each["spec"]["network"] = SUBNETS
    return one, other


def raced(api: ApiServer, contenders: tuple[dict[str, Any], dict[str, Any]]) -> list[int]:
    """Both are created at once; what each of the two clients is told."""
    start = threading.Barrier(2)

    def create(obj: dict[str, Any]) -> int:
        client = Client(api)
        client.send("GET", "/version")
        start.wait(60)
        answer = client.send("POST", CUDNS, obj)
        client.close()
        return answer.code

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(create, contenders))


def judges(two: Pair, name: str) -> set[int]:
    """Which replicas judged the creation of an object in the end."""
    return {
        number
        for number, replica in enumerate(two.replicas)
        for line in replica.decisions()
        if (line["path"], line["name"], line["operation"]) == ("/validate", name, "CREATE")
    }


@pytest.fixture
def admitted(two: Pair) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Two rivals that different replicas admitted; neither could have seen the other."""
    with ExitStack() as undo:
        for number in range(40):
            contenders = rivals(number)
            two.balancer.drop()
            codes = raced(two.cluster.api, contenders)
            assert 201 in codes, "somebody wins"
            places = [f"{CUDNS}/{each['metadata']['name']}" for each in contenders]
            by = [judges(two, each["metadata"]["name"]) for each in contenders]
            if codes == [201, 201] and sorted(map(list, by)) == [[0], [1]]:
                print(f"both admitted in round {number + 1}")
                for place in places:
                    undo.callback(two.cluster.api.request, "DELETE", place)
                yield contenders
                return
            for place in places:
                two.cluster.api.request("DELETE", place)
        raise AssertionError("never were both admitted by different replicas")


@pytest.fixture
def nodes(two: Pair) -> Iterator[None]:
    """The example nodes and default network."""
    with ExitStack() as undo:
        for file in sorted((EXAMPLES / "nodes").glob("*.yaml")):
            node = yaml.safe_load(file.read_text(encoding="utf-8"))
            two.cluster.post(NODES, node)
            undo.callback(two.cluster.api.request, "DELETE", f"{NODES}/{node['metadata']['name']}")
            two.cluster.patch(f"{NODES}/{node['metadata']['name']}/status", {"status": node["status"]})
        default = yaml.safe_load((EXAMPLES / "valid" / "default-network.yaml").read_text(encoding="utf-8"))
        two.cluster.post(OPERATOR, default)
        undo.callback(two.cluster.api.request, "DELETE", f"{OPERATOR}/cluster")
        yield


def accepted(api: ApiServer, name: str) -> dict[str, Any] | None:
    """The condition of that name, if there is one."""
    _, found = api.request("GET", f"{CUDNS}/{name}")
    conditions = found.get("status", {}).get("conditions", [])
    return next((dict(each) for each in conditions if each["type"] == "Accepted"), None)


def test_the_reconciler_is_the_arbiter_of_two_that_were_admitted_at_once(
    two: Pair, nodes: None, admitted: tuple[dict[str, Any], dict[str, Any]], tmp_path: Path
) -> None:
    api = two.cluster.api
    stored = [api.request("GET", f"{CUDNS}/{each['metadata']['name']}")[1]["metadata"] for each in admitted]
    elder, younger = (
        each["name"] for each in sorted(stored, key=lambda each: (each["creationTimestamp"], each["name"]))
    )
    command: list[str | Path] = [PROGRAM, "run", "--mode", "own", "--record", "--node", "worker-a"]
    command += ["--kubeconfig", api.kubeconfig, "--store", tmp_path / "store"]
    command += ["--frr-conf", tmp_path / "frr.conf", "--resync", "1", "--log-format", "json"]
    with Child("reconciler", command, tmp_path / "log") as zone:
        wait_until(lambda: accepted(api, younger) is not None, "the verdict is told", 60, [zone])
        condition = accepted(api, younger)
        assert condition is not None
        assert (condition["status"], condition["reason"]) == ("False", "Conflict")
        first, second = (f"cluster_udn_{name}" for name in (younger, elder))
        assert condition["message"] == (
            f'metadata.name: Invalid value: "{younger}": networks "{first}" and "{second}" have the same names in OVN, '
            f'beginning with "{first.replace("-", ".")}_" (OVNG-L2-011)'
        )
        time.sleep(2)
        assert accepted(api, elder) is None
        assert api.request("DELETE", f"{CUDNS}/{elder}")[0] == 200
        wait_until(lambda: (accepted(api, younger) or condition)["status"] == "True", "the other is taken", 60, [zone])
