"""`make cluster` and docs/tour.md: one cluster starts, shows what the page shows, is killed, and leaves nothing."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.deployed.own_cluster.place import Place
from tests.support.pages.console import replayed
from tests.support.paths import ROOT
from tests.support.soak import limit
from tests.testbed import store
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts
from tests.testbed.process import wait_until

pytestmark = limit(900)
PAGE = ROOT / "docs" / "tour.md"
COMMAND = (sys.executable, "-m", "tests.support.deployed.own_cluster")
MOST_MEMORY = 2560


def run(place: Place, command: str, *options: str, **environment: str) -> str:
    """A command that succeeds; what it prints."""
    argv = [*COMMAND, command, "--folder", str(place.folder), *options]
    env = {**os.environ, **environment}
    done = subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True, timeout=700, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def programs(place: Place) -> set[str]:
    """The names of the programs that run."""
    found = set()
    for pid in place.processes():
        with suppress(OSError):
            found.add(Path(Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8").partition("\0")[0]).name)
    return found


def left(place: Place, supervisor: int) -> list[object]:
    """What is there of a cluster."""
    files = [*Path("/dev/shm").glob(f"ovng-{supervisor}-*"), *([place.folder] if place.folder.exists() else [])]
    return [*place.processes(), *files]


@pytest.fixture(scope="module")
def place(parts: Parts, netns_allowed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    need(parts, "ovn", "tools", "frr", "etcd", "kube-apiserver", "kube-controller-manager", "kwok")
    place = Place(tmp_path_factory.mktemp("tour") / "cluster")
    try:
        shown = run(place, "up")
        assert f"export KUBECONFIG={place.kubeconfig} " in shown
        assert "missing: " not in shown
        yield place
        nothing_is_left_after_a_kill(place)
    finally:
        place.clear()


def nothing_is_left_after_a_kill(place: Place) -> None:
    """The kernel ends everything with the supervisor, and `down` removes the files."""
    supervisor = place.supervisor()
    assert supervisor is not None
    assert {"kube-apiserver", "kube-controller-manager", "kwok"} <= programs(place)
    os.kill(supervisor, signal.SIGKILL)
    wait_until(lambda: place.processes() == [], "all processes end with the supervisor", 60)
    assert run(place, "down") == "the cluster is down\n"
    assert left(place, supervisor) == []
    assert run(place, "down") == "no cluster is up\n"


def test_a_second_start_says_that_it_is_up(place: Place) -> None:
    before = place.supervisor()
    assert run(place, "up").startswith("the cluster is up already\nup after ")
    assert place.supervisor() == before is not None
    assert 0 < place.memory() < MOST_MEMORY


def test_every_command_of_the_tour_prints_what_is_shown(
    place: Place, tmp_path: Path, generated: Callable[[Path, str, str], None]
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "deploy").symlink_to(ROOT / "deploy")
    path = f"{place.bin}{os.pathsep}{os.environ['PATH']}"
    shown = replayed(PAGE.read_text(encoding="utf-8"), work, "", PATH=path, KUBECONFIG=str(place.kubeconfig))
    generated(PAGE, shown, "pytest tests/e2e/test_tour.py --update")


def kubectl(place: Place, *arguments: str, given: object = None) -> str:
    """A call that succeeds; what it prints. ``given`` is what it reads."""
    argv: list[str | Path] = [place.bin / "kubectl", "--kubeconfig", place.kubeconfig, *arguments]
    text = "" if given is None else json.dumps(given)
    done = subprocess.run(argv, input=text, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def obj(kind: str, name: str, **more: Any) -> dict[str, Any]:
    """An object of the core's group."""
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}} | more


def pod(name: str) -> dict[str, Any]:
    """A pod that ends at once when it is deleted."""
    made = obj(
        "Pod", name, spec={"containers": [{"name": "main", "image": "none"}], "terminationGracePeriodSeconds": 0}
    )
    made["metadata"]["labels"] = {"app": name}
    return made


@pytest.fixture
def space(place: Place) -> Iterator[str]:
    """A namespace for a test, with a pod `web` that is ready; afterwards it is deleted and goes."""
    name = "controlled"
    kubectl(place, "create", "namespace", name)
    kubectl(place, "-n", name, "create", "-f", "-", given=pod("web"))
    kubectl(place, "-n", name, "wait", "--for=condition=Ready", "pod/web", "--timeout=2m")
    yield name
    kubectl(place, "delete", "namespace", name, "--ignore-not-found", "--timeout=2m")


def listed(place: Place, space: str, what: str, *more: str) -> list[dict[str, Any]]:
    """The objects of a namespace."""
    return list(json.loads(kubectl(place, "-n", space, "get", what, "-o", "json", *more))["items"])


def endpoints(place: Place, space: str) -> list[tuple[str, str, bool, int]]:
    """The address, node, readiness and port of each server in the slices of the Service `web`."""
    slices = listed(place, space, "endpointslices", "-l", "kubernetes.io/service-name=web")
    assert {each["metadata"]["labels"]["endpointslice.kubernetes.io/managed-by"] for each in slices} <= {
        "endpointslice-controller.k8s.io"
    }
    return [
        (*server["addresses"], server["nodeName"], server["conditions"]["ready"], port["port"])
        for each in slices
        for server in each["endpoints"] or ()
        for port in each["ports"]
    ]


def test_the_pods_of_a_service_are_in_its_endpointslice_and_answer_at_its_address(place: Place, space: str) -> None:
    ports = [{"port": 80, "targetPort": 8080}]
    service = obj("Service", "web", spec={"selector": {"app": "web"}, "ports": ports})
    kubectl(place, "-n", space, "create", "-f", "-", given=service)
    (web,) = listed(place, space, "pods")
    expected = [(web["status"]["podIP"], web["spec"]["nodeName"], True, 8080)]
    wait_until(lambda: endpoints(place, space) == expected, "the endpoints", 60)
    kubectl(place, "-n", space, "create", "-f", "-", given=pod("client"))
    kubectl(place, "-n", space, "wait", "--for=condition=Ready", "pod/client", "--timeout=2m")
    address = kubectl(place, "-n", space, "get", "service", "web", "-o", "jsonpath={.spec.clusterIP}")
    ask: list[str | Path] = [
        place.bin / "on",
        f"{space}/client",
        "timeout",
        "5",
        "bash",
        "-c",
        f"head -1 < /dev/tcp/{address}/80",
    ]

    def answered() -> bool:
        done = subprocess.run(ask, capture_output=True, text=True, check=False)
        return done.returncode == 0 and json.loads(done.stdout or "{}").get("name") == f"{space}-web"

    wait_until(answered, "the pod answers at the address of the service", 60)
    kubectl(place, "-n", space, "delete", "pod", "web", "--now")
    wait_until(lambda: endpoints(place, space) == [], "no endpoints", 60)


def test_dependants_are_collected_after_their_owner(place: Place, space: str) -> None:
    kubectl(place, "-n", space, "create", "configmap", "owner")
    kubectl(place, "-n", space, "create", "configmap", "other")
    uid = kubectl(place, "-n", space, "get", "configmap", "owner", "-o", "jsonpath={.metadata.uid}")
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid}
    secret = obj("Secret", "dependant")
    secret["metadata"]["ownerReferences"] = [owner]
    kubectl(place, "-n", space, "create", "-f", "-", given=secret)
    kubectl(place, "-n", space, "delete", "configmap", "owner")
    wait_until(lambda: listed(place, space, "secrets") == [], "the dependant is collected", 60)
    assert [each["metadata"]["name"] for each in listed(place, space, "configmaps")] == ["other"]


def test_a_deleted_namespace_empties_and_goes(place: Place, space: str) -> None:
    kubectl(place, "-n", space, "create", "configmap", "content")
    kubectl(place, "delete", "namespace", space, "--timeout=2m")
    assert f"namespace/{space}\n" not in kubectl(place, "get", "namespaces", "-o", "name")
    kubectl(place, "create", "namespace", space)
    assert listed(place, space, "pods,configmaps") == []


def without(part: str, folder: Path) -> Path:
    """A user's cache folder in which a part of the test bed is not installed."""
    (folder / "ovnguard" / "testbed").mkdir(parents=True)
    for home in store.root().iterdir():
        if not home.name.startswith((f"{part}-", ".")):
            (folder / "ovnguard" / "testbed" / home.name).symlink_to(home)
    return folder


def test_nodes_of_kwok_where_machines_are_impossible_and_no_controllers_where_they_are_not_installed(
    parts: Parts, tmp_path: Path
) -> None:
    need(parts, "etcd", "kube-apiserver", "kwok")
    place = Place(tmp_path / "cluster")
    cache = without("kube-controller-manager", tmp_path / "cache")
    try:
        shown = run(place, "up", "--without-machines", XDG_CACHE_HOME=str(cache))
        supervisor = place.supervisor()
        assert supervisor is not None
        assert [line for line in shown.splitlines() if line.startswith("missing: ")] == [
            "missing: machines (network namespaces: not wanted): nodes and pods are kwok's, and no packet moves",
            "missing: kube-controller-manager (not installed; run make testbed): deleted namespaces stay, "
            "dependants outlive owners, and Services get no EndpointSlices",
        ]
        assert run(place, "down") == "the cluster is down\n"
        assert left(place, supervisor) == []
    finally:
        place.clear()
