"""Policies as documents: the preflight and the real kube-apiserver say the same of 300 of them, word for word."""

import itertools
import json
from pathlib import Path

import pytest

from tests.support.preflight_run import report
from tests.support.soak import sized
from tests.support.verdicts.policy_client import BINDINGS, POLICIES, Client
from tests.support.verdicts.policy_documents import documents, ours, servers, sorted_text
from tests.testbed.apiserver import ApiServer

pytestmark = pytest.mark.e2e

SEED = 35
COUNT = sized(300, 3000)


def test_each_error_and_its_order_are_the_servers(apiserver: ApiServer, tmp_path: Path) -> None:
    client = Client(apiserver)
    bodies = list(documents(SEED, COUNT))
    for number, body in enumerate(bodies):
        (tmp_path / f"{number:05}.json").write_text(sorted_text(body))
    _, document = report(str(tmp_path))
    found = {
        Path(file).stem: list(each) for file, each in itertools.groupby(document["findings"], lambda each: each["file"])
    }
    different = {}
    accepted = 0
    for number, body in enumerate(bodies):
        path = POLICIES if body["kind"] == "ValidatingAdmissionPolicy" else BINDINGS
        status, answer, warnings = client.send(
            "POST", f"{path}?dryRun=All&fieldValidation=Strict", json.loads(sorted_text(body))
        )
        theirs, mine = servers(status, answer), ours(found.get(f"{number:05}", ()))
        accepted += status == 201
        if (theirs, []) != (mine, warnings):
            different[json.dumps(body)] = (status, theirs, mine, warnings)
    assert different == {}
    assert COUNT / 20 < accepted < COUNT / 2
