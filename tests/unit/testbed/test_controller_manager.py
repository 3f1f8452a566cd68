"""What kube-controller-manager is given, and what a cluster says that does without it."""

import json
from pathlib import Path

import pytest

from tests.support.deployed.own_cluster.supervisor import missing_for_people
from tests.testbed import pins, pki
from tests.testbed.apiserver import ApiServer
from tests.testbed.controller_manager import ControllerManager
from tests.testbed.parts import Part
from tests.testbed.process import wait_until

SERVER = "https://127.0.0.1:1"


@pytest.fixture
def api(tmp_path: Path) -> ApiServer:
    """An API server that has a folder, keys and an administrator, and does not run."""
    server = ApiServer(tmp_path / "api")
    (server.directory / "pki").mkdir(parents=True)
    server._authority = pki.Authority(server.directory / "pki")
    config = {"clusters": [{"cluster": {"server": SERVER}}], "users": [{"name": "admin", "user": {"token": "secret"}}]}
    server.kubeconfig.write_text(json.dumps(config))
    return server


@pytest.mark.timing
def test_it_runs_three_controllers_with_its_own_certificate_and_listens_nowhere(api: ApiServer, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\nexec sleep 60\n')
    program.chmod(0o755)
    part = Part("kube-controller-manager", "1.35.4", "a test", {"kube-controller-manager": program}, {}, None)
    with ControllerManager(part, api, tmp_path / "controllers") as made:
        wait_until(lambda: "burst" in made.child.tail(), "the arguments", 10.0, [made.child])
        config, *flags = made.child.tail().splitlines()
    assert flags == [
        "--controllers=namespace-controller,garbage-collector-controller,endpointslice-controller",
        "--leader-elect=false",
        "--use-service-account-credentials=false",
        "--secure-port=0",
        "--kube-api-qps=200",
        "--kube-api-burst=400",
    ]
    file = Path(config.removeprefix("--kubeconfig="))
    assert file.stat().st_mode & 0o077 == 0
    given = json.loads(file.read_text())
    assert given["clusters"] == [{"cluster": {"server": SERVER}}]
    (user,) = given["users"]
    stem = api.directory / "pki" / "system:kube-controller-manager"
    assert user["user"] == {"client-certificate": f"{stem}.crt", "client-key": f"{stem}.key"}


def test_it_is_built_from_the_module_and_version_of_kube_apiserver_right_after_it() -> None:
    known = pins.load().parts
    names = list(known)
    own, server = known["kube-controller-manager"], known["kube-apiserver"]
    assert names.index(own.name) == names.index(server.name) + 1
    assert (own.module, own.version, own.go) == (server.module, server.version, server.go)


def test_a_cluster_says_what_it_does_without() -> None:
    machines = "machines (frr: no mirror): nodes and pods are kwok's, and no packet moves"
    controllers = (
        "kube-controller-manager (no go): "
        "deleted namespaces stay, dependants outlive owners, and Services get no EndpointSlices"
    )
    assert missing_for_people("", None) == []
    assert missing_for_people("frr: no mirror", None) == [machines]
    assert missing_for_people("", "no go") == [controllers]
    assert missing_for_people("frr: no mirror", "no go") == [machines, controllers]
