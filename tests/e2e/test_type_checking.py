"""Policies on built-in kinds: the warnings in their status, by the real kube-controller-manager, are ovnguard's."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ovnguard.validators.base.field import DEFAULT_KUBERNETES, minor
from ovnguard.validators.built_in.schemas import kinds_of_release
from ovnguard.validators.policy import InvalidPolicy, compile_policy
from tests.support.built_in_types.server_answers import created_kinds
from tests.support.differential.built_in_policies import BuiltInPolicies
from tests.support.differential.policy_compare import plain_warning, type_warnings
from tests.support.soak import sized
from tests.support.verdicts.policy_client import POLICIES
from tests.testbed.apiserver import ApiServer
from tests.testbed.controller_manager import ControllerManager
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts

pytestmark = pytest.mark.e2e

COUNT = sized(100, 1000)
SECONDS = 120


@pytest.fixture
def checked(apiserver: ApiServer, parts: Parts, tmp_path: Path) -> Iterator[ApiServer]:
    """The API server, with the controller that checks the types of policies."""
    need(parts, "kube-controller-manager")
    controllers = ("validatingadmissionpolicy-status-controller",)
    with ControllerManager(parts["kube-controller-manager"], apiserver, tmp_path / "manager", controllers):
        yield apiserver


def test_warnings_in_the_status(checked: ApiServer) -> None:
    served = created_kinds(checked)
    made, stored = BuiltInPolicies(35, minor(DEFAULT_KUBERNETES)), {}
    for number in range(COUNT):
        question = made.question()
        policy = question["policy"]
        policy["metadata"]["name"] = f"types-{number}.example.com"
        status, answer = checked.request("POST", POLICIES, policy)
        try:
            compiled = compile_policy(policy, DEFAULT_KUBERNETES)
        except InvalidPolicy:
            assert status == 422, policy
            continue
        assert status == 201, answer
        every = [{**each._asdict(), "schema": None} for each in kinds_of_release(minor(DEFAULT_KUBERNETES))]
        kinds = [_without_struct(each) for each in every if (_api_version(each), each["kind"]) in served]
        stored[policy["metadata"]["name"]] = type_warnings({"kinds": kinds}, compiled, DEFAULT_KUBERNETES)
    try:
        theirs = _statuses(checked, set(stored))
    finally:
        for name in stored:
            checked.request("DELETE", f"{POLICIES}/{name}")
    assert {name: theirs[name] for name in stored} == stored
    assert len(stored) > len([each for each in stored.values() if each]) > COUNT / 3


def test_resources_are_those_of_discovery(apiserver: ApiServer) -> None:
    known = {
        (_api_version(each._asdict()), each.kind): each.resource for each in kinds_of_release(minor(DEFAULT_KUBERNETES))
    }
    found = {key: path.rpartition("/")[2] for key, path in created_kinds(apiserver).items() if key in known}
    assert len(found) > 60
    assert found == {key: known[key] for key in found}


def _statuses(server: ApiServer, names: set[str]) -> dict[str, list[dict[str, str]]]:
    """The warnings in the status of each of these policies, once the controller has seen all of them."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        items = [each for each in server.request("GET", POLICIES)[1]["items"] if each["metadata"]["name"] in names]
        if all(each.get("status", {}).get("observedGeneration") == each["metadata"]["generation"] for each in items):
            return {each["metadata"]["name"]: _warnings(each) for each in items}
        time.sleep(0.5)
    raise TimeoutError("the controller did not check every policy")


def _warnings(policy: dict[str, Any]) -> list[dict[str, str]]:
    found = policy["status"].get("typeChecking", {}).get("expressionWarnings", ())
    return [plain_warning({"field": each["fieldRef"], "text": each["warning"]}) for each in found]


def _without_struct(kind: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in kind.items() if key != "struct"}


def _api_version(kind: dict[str, Any]) -> str:
    return f"{kind['group']}/{kind['version']}" if kind["group"] else str(kind["version"])
