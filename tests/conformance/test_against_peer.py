"""Our verdicts against the API server's own code, on generated objects: schemas of every kind, and real definitions.

$OVNGUARD_PEER names the program; $OVNGUARD_PEER_ROUNDS multiplies the number of objects.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conformance.compare import definition, differences, ours
from tests.conformance.generate import Generator, requests, sample
from tests.conformance.peer import VARIABLE, Peer, find
from tests.conftest import ROOT, shared_folder
from validators.crd import InvalidCRD, compile_crd

ROUNDS = int(os.environ.get("OVNGUARD_PEER_ROUNDS", "1"))
SHOWN = 5


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    program = find()
    if program is None:
        pytest.skip(f"needs apiserver-verdict: set {VARIABLE} to the program")
    with Peer(program) as running:
        yield running


def judged(peer: Peer, crd: Any, name: str, version: str, request: dict[str, Any]) -> list[str]:
    """What differs for one request; nothing for an old object that storage could never have held."""
    try:
        answer = peer.ask(crdRef=name, version=version, **request)
    except RuntimeError:
        return []
    found = differences(ours(crd, request), answer)
    return [f"{request}\n" + "\n".join(found)] if found else []


@pytest.mark.parametrize("start", range(0, 500, 50))
@pytest.mark.timeout(300)
def test_generated_schemas(peer: Peer, start: int) -> None:
    wrong: list[str] = []
    for seed in range(start * ROUNDS, (start + 50) * ROUNDS):
        schema, has_status, listed = sample(seed)
        source = definition(schema, status=has_status)
        peer.ask(crd=source)
        crd = compile_crd(source)
        for request in listed:
            wrong += judged(peer, crd, "foos.example.com", "v1", request)
    assert not wrong, "\n\n".join(wrong[:SHOWN])


def definition_files() -> list[Path]:
    """Every definition in the upstream data, and the bundled ones."""
    folder = shared_folder()
    upstream = [] if folder is None else sorted((folder / "conformance").rglob("*.yaml"))
    bundled = sorted((ROOT / "crd_schemas").rglob("*.yaml"))
    return [file for file in upstream + bundled if "kind: CustomResourceDefinition" in file.read_text(encoding="utf-8")]


@pytest.mark.parametrize("file", definition_files(), ids=lambda file: file.name)
@pytest.mark.timeout(300)
def test_real_definitions(peer: Peer, file: Path) -> None:
    wrong: list[str] = []
    for source in yaml.safe_load_all(file.read_text(encoding="utf-8")):
        if not source or source.get("kind") != "CustomResourceDefinition":
            continue
        answer = peer.ask(crd=source)
        assert answer["crdErrors"] == []
        for version in source["spec"]["versions"]:
            if not version["served"]:
                continue
            crd = compile_crd(source, version=version["name"])
            schema, api_version = version["schema"]["openAPIV3Schema"], f"{crd.group}/{crd.version}"
            for request in requests(Generator(1, 0.01), schema, api_version, crd.kind, crd.has_status, 20 * ROUNDS):
                wrong += judged(peer, crd, source["metadata"]["name"], crd.version, request)
    assert not wrong, "\n\n".join(wrong[:SHOWN])


def test_a_refused_definition_is_refused_with_the_same_texts(peer: Peer) -> None:
    schema = {
        "type": "object",
        "nullable": True,
        "properties": {
            "spec": {"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "string"}},
            "list": {"type": "array", "x-kubernetes-list-type": "map", "items": {"type": "object"}},
            "rule": {"type": "string", "x-kubernetes-validations": [{"rule": "self.zz"}, {"rule": "size(self)"}]},
        },
    }
    source = definition(schema, status=True)
    with pytest.raises(InvalidCRD) as caught:
        compile_crd(source)
    theirs = sorted(error["text"] for error in peer.ask(crd=source)["crdErrors"])
    assert sorted(error.text for error in caught.value.errors) == theirs
