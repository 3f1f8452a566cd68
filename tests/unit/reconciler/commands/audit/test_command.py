"""`audit` as a wrong call, against databases that are not there, and with the objects of a live cluster."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterConfigError, ClusterError
from ovnguard.validators.manifest.sources import read_sources
from tests.support.paths import ROOT
from tests.support.reconciler_cli import NODES, VALID, run
from tests.support.soak import limit

INPUTS = ("-f", VALID, "--nodes", NODES)
DATABASE = ("--nb-db", "worker-a=unix:/nonexistent.sock")
ARCHIVE = str(ROOT / "deploy")
TWICE = "ARCHIVE holds the objects and the databases: leave out "


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name what to audit: ARCHIVE, or --nb-db NODE=REMOTE of a live cluster"),
        ((*INPUTS,), "name what to audit: ARCHIVE, or --nb-db NODE=REMOTE of a live cluster"),
        ((ARCHIVE, *DATABASE), f"{TWICE}--nb-db"),
        ((ARCHIVE, "--kubeconfig", "x"), f"{TWICE}--kubeconfig"),
        ((*DATABASE, "-f", VALID), "-f PATH and --nodes PATH need each other; without both, the cluster is read"),
        ((*DATABASE, *INPUTS, "--context", "x"), "the objects come from -f or from a cluster, not from both"),
        ((*DATABASE, *INPUTS, "--node", "worker-b"), "--node: no --nb-db names node worker-b"),
        (("--nb-db", "other=unix:/x", *INPUTS), "--nb-db: no node other in --nodes"),
    ],
)
def test_a_wrong_call(arguments, message):
    done = run("audit", *arguments)
    assert (done.code, done.err) == (2, message)


def test_the_old_spelling_names_the_new_one():
    done = run("diff", "--audit", *INPUTS, *DATABASE)
    message = "diff --audit is now `ovnguard-reconciler audit`, with the same -f, --nodes and --nb-db"
    assert (done.code, done.err) == (2, message)


def test_a_machine_is_no_part_of_an_audit():
    databases = ("--node", "worker-a", "--nb-db", "unix:/x", "--sb-db", "unix:/y")
    done = run("verify", "--audit", *INPUTS, *databases, "--host", "worker-a")
    assert (done.code, done.err) == (2, "--audit compares the database alone, not --host")


def test_a_database_that_is_not_there():
    done = run("audit", *INPUTS, *DATABASE)
    assert done.code == 3
    assert "error: node worker-a: unix:/nonexistent.sock: No such file or directory" in done.err


class Server:
    """An API server with these objects, by the path of their list."""

    server = "https://10.0.0.1:6443"

    def __init__(self, objects: Mapping[str, list[Any]], failure: Exception | None = None) -> None:
        self._objects, self._failure = objects, failure

    def request(self, method: str, path: str, *_: Any) -> Any:
        assert method == "GET"
        if self._failure is not None:
            raise self._failure
        if path not in self._objects:
            raise ApiStatusError(404, "NotFound", "not found")
        return {"items": self._objects[path], "metadata": {}}


@pytest.fixture
def connect(monkeypatch):
    def to(answer: Any) -> None:
        def connect(options):
            if isinstance(answer, ClusterConfigError):
                raise answer
            return answer

        monkeypatch.setattr("ovnguard.reconciler.commands.loop_options.connect", connect)

    return to


PLURALS = {
    "ClusterUserDefinedNetwork": "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks",
    "Network": "/apis/operator.openshift.io/v1/networks",
    "Node": "/api/v1/nodes",
}


@limit(180)  # imports the Kubernetes client
def test_the_objects_of_a_cluster_are_those_of_its_manifests(connect):
    objects: dict[str, list[Any]] = {}
    for document in read_sources([VALID, NODES]).documents:
        if document.value["kind"] in PLURALS:
            objects.setdefault(PLURALS[document.value["kind"]], []).append(document.value)
    version = {"metadata": {"name": "version"}, "status": {"desired": {"version": "4.20.3"}}}
    connect(Server({**objects, "/apis/config.openshift.io/v1/clusterversions": [version]}))
    done = run("audit", *DATABASE, "-o", "json")
    assert (done.code, json.loads(done.out)["release"]) == (3, "4.20.3")
    # the facts that rules lack come in the order of the objects
    offline = run("audit", *INPUTS, *DATABASE, "-o", "json").err
    assert [each for each in done.err.splitlines() if " not checked: " not in each] == [
        each for each in offline.splitlines() if " not checked: " not in each
    ]


@pytest.mark.parametrize(
    ("answer", "code", "message"),
    [
        (ClusterConfigError("no kubeconfig"), 2, "no kubeconfig"),
        (Server({}, ClusterError("10.0.0.1: timed out")), 3, "error: 10.0.0.1: timed out\n"),
        (
            Server({}, ApiStatusError(403, "Forbidden", "no")),
            3,
            "error: https://10.0.0.1:6443: you may not list networks, clusteruserdefinednetworks, userdefinednetworks "
            "and 29 more\n",
        ),
    ],
)
def test_a_cluster_that_cannot_be_read(connect, answer, code, message):
    connect(answer)
    done = run("audit", *DATABASE)
    assert (done.code, done.out, done.err) == (code, "", message)
