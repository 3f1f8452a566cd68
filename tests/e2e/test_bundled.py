"""The real kube-apiserver takes every bundled definition, and judges every request of every bundled suite as we do."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from ovnguard import crd_schemas
from tests.support.suite_coverage import asked, definitions
from tests.support.verdicts.definitions import Sample
from tests.support.verdicts.server_verdicts import (
    CRDS,
    Client,
    Question,
    Target,
    compared,
    make_strict,
    provisional,
    stored,
    targets,
)
from tests.testbed.apiserver import ApiServer

pytestmark = pytest.mark.e2e

SHOWN = 5
_SERVER_SIDE = frozenset({"uid", "resourceVersion", "creationTimestamp", "generation", "generateName", "managedFields"})


@pytest.fixture
def client(apiserver: ApiServer) -> Iterator[Client]:
    made = Client(apiserver)
    yield made
    made.close()


@dataclass(frozen=True)
class Suited:
    """A definition and what its suites ask of it."""

    path: str
    target: Target
    questions: tuple[Question, ...]


def suited(path: str) -> Suited:
    source = crd_schemas.parsed(path)
    (target,) = targets([Sample(source, source["spec"]["versions"][0]["name"], ())])
    found = []
    for index, (new, old, subresource) in enumerate(asked(path)):
        name = f"n{index}"
        if old is None:
            found.append(Question(target, _renamed(new, _given(new) or name), None, None, "Warn"))
        else:
            found.append(Question(target, _renamed(new, name), _renamed(old, name), subresource, "Warn"))
    return Suited(path, target, tuple(found))


def _given(obj: Any) -> str:
    metadata = obj.get("metadata")
    return metadata.get("name", "") if isinstance(metadata, dict) else ""


def _renamed(obj: Any, name: str) -> dict[str, Any]:
    """The object under a name of its own, without what a server sets; metadata that is none stays as it is."""
    metadata = obj.get("metadata") or {}
    if not isinstance(metadata, dict):
        return dict(obj)
    kept = {key: value for key, value in metadata.items() if key not in {*_SERVER_SIDE, "namespace"}}
    return {**obj, "metadata": {**kept, "name": name}}


@pytest.mark.parametrize("path", definitions())
def test_the_server_takes_every_definition(client: Client, path: str) -> None:
    answer = client.send("POST", f"{CRDS}?dryRun=All", crd_schemas.parsed(path))
    assert answer.code == 201, answer.body
    assert answer.warnings == []


# A server holds one of the definitions that share a name: those of one set at a time.
@pytest.mark.parametrize("folders", [("enhancement", "common"), ("released",)], ids=["enhancement", "released"])
def test_the_server_says_the_same_of_every_suite(client: Client, folders: tuple[str, ...]) -> None:
    every = [suited(path) for path in definitions() if path.startswith(folders)]
    judged = [each.target for each in every]
    wrong, count = [], 0
    with provisional(client, judged):
        questions = [one for each in every for one in each.questions]
        olds = [stored(client, one) for one in questions]
        make_strict(client, judged)
        for one, old in zip(questions, olds, strict=True):
            answer, found = compared(client, one, old)
            count += 1
            if found:
                shown = json.dumps({"new": one.new, "old": one.old, "code": answer.code}, ensure_ascii=False)
                wrong.append("\n".join([f"{one.target.name} {one.subresource or ''} {shown}", *found]))
    assert not wrong, f"{len(wrong)} of {count} differ\n" + "\n\n".join(wrong[:SHOWN])
    assert count >= 100
