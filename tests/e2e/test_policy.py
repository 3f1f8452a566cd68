"""ValidatingAdmissionPolicy: the real kube-apiserver and ours say the same of the same request, word for word."""

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from ovnguard.validators.policy import InvalidPolicy, compile_binding, compile_policy
from tests.support.cel.policy_expressions import (
    CASES,
    PARAMS,
    REFUSED,
    Case,
    binding,
    config_map,
    line,
    policy,
    request,
)
from tests.support.verdicts.policy_client import BINDINGS, POLICIES, Client
from tests.testbed.apiserver import ApiServer
from tests.testbed.process import wait_until

pytestmark = pytest.mark.e2e

MAPS = "/api/v1/namespaces/default/configmaps"
SENTINEL = Case("case-sentinel", {"validations": [{"expression": "false", "message": "all are known"}]})
"""Created last: once it denies, the server knows every policy and binding before it."""


@dataclass(frozen=True)
class World:
    """What the server says of each case (status, answer, warnings), and what ours needs to know."""

    answers: dict[str, tuple[int, dict[str, Any], list[str]]]
    objects: dict[str, dict[str, Any]]
    olds: dict[str, dict[str, Any]]
    namespace: dict[str, Any]


def _ask(client: Client, case: Case) -> tuple[int, dict[str, Any], list[str]]:
    """The answer to a dry run, asked again for as long as a busy server answers that it had no time."""
    method, path = ("PUT", f"{MAPS}/{case.name}") if case.update else ("POST", MAPS)
    while True:
        answer = client.send(method, f"{path}?dryRun=All", config_map(case))
        if answer[0] != 504:
            return answer


def _create(client: Client, undo: contextlib.ExitStack, path: str, body: dict[str, Any]) -> dict[str, Any]:
    status, answer, _ = client.send("POST", path, body)
    assert status == 201, answer
    undo.callback(client.send, "DELETE", f"{path}/{body['metadata']['name']}")
    return answer


@pytest.fixture(scope="module")
def world(apiserver: ApiServer) -> Iterator[World]:
    """Every policy and binding applied, every request sent as a dry run; all of it is removed again."""
    with contextlib.ExitStack() as undo:
        client = Client(apiserver)
        namespace = client.send("GET", "/api/v1/namespaces/default")[1]
        for params in PARAMS:
            _create(client, undo, MAPS, params)
        olds = {}
        for case in CASES:
            if case.update:
                before = config_map(case)
                before["data"]["mode"] = "slow"
                olds[case.name] = _create(client, undo, MAPS, before)
        # As they are stored while nothing stands against them.
        objects = {case.name: _ask(client, case)[1] for case in CASES}
        for case in (*CASES, SENTINEL):
            _create(client, undo, POLICIES, policy(case))
            _create(client, undo, BINDINGS, binding(case))
        wait_until(lambda: _ask(client, SENTINEL)[0] == 422, "the policies are known", 60)
        yield World({case.name: _ask(client, case) for case in CASES}, objects, olds, namespace)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_api_server_answers_as_our_evaluation(world: World, case: Case) -> None:
    status, answer, warnings = world.answers[case.name]
    compiled = compile_policy(policy(case))
    verdict = compiled.evaluate(
        request(case, world.objects[case.name], world.olds.get(case.name)),
        [compile_binding(binding(case))],
        params=PARAMS,
        namespace=world.namespace,
    )
    if status < 400:
        assert verdict.status() is None, verdict.message
    else:
        assert verdict.status() == answer
        assert verdict.code == status
    assert list(verdict.warnings) == warnings


def test_there_are_60_cases_with_unique_names() -> None:
    assert len(CASES) + len(REFUSED) >= 60
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("index", range(len(REFUSED)))
def test_same_refusal(refusals: list[list[list[str]]], index: int) -> None:
    """Policies and bindings that the server does not take, with all that it says of them."""
    kind, body = REFUSED[index]
    with pytest.raises(InvalidPolicy) as refusal:
        (compile_policy if kind == "policy" else compile_binding)(body)
    assert [[error.type.value, error.field, error.body] for error in refusal.value.errors] == refusals[index]


@pytest.fixture(scope="module")
def refusals(apiserver: ApiServer) -> list[list[list[str]]]:
    """Reason, field and message of each cause, for every policy and binding that is refused."""
    found = []
    for kind, body in REFUSED:
        status, answer = apiserver.request("POST", f"{POLICIES if kind == 'policy' else BINDINGS}?dryRun=All", body)
        assert status == 422, answer
        found.append([[one["reason"], one["field"], one["message"]] for one in answer["details"]["causes"]])
    return found


def test_record(world: World, refusals: list[list[list[str]]], golden: Callable[[str, str], None]) -> None:
    """What the server says is kept, so that ours is compared with it where there is no server."""
    lines = [line(case.name, *world.answers[case.name]) for case in CASES]
    golden("policies.jsonl", "".join([*lines, *(json.dumps({"refused": one}) + "\n" for one in refusals)]))
