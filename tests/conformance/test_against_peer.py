"""Our verdicts against the API server's own code, on generated objects: schemas of every kind, and real definitions.

$OVNGUARD_PEER names the program, $OVNGUARD_PEER_SEED other seeds. A soak compares many more objects.
"""

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import yaml

from ovnguard.validators.crd.compiled_crd import CompiledCRD, InvalidCRD, compile_crd
from tests.support.differential.compare import definition
from tests.support.differential.generate import requests
from tests.support.differential.object_verdicts import request_differences
from tests.support.differential.peer import Peer
from tests.support.differential.samples import sample
from tests.support.differential.wide import WideGenerator
from tests.support.paths import ROOT, shared_folder
from tests.support.soak import limit, sized

SEED = int(os.environ.get("OVNGUARD_PEER_SEED", "1"))
SEEDS = sized(20, 250)
"""Schemas for each of ten tests."""
EACH = sized(120, 2000)
"""Requests to compare for each served version of a real definition."""
COSTED = 5
"""Of so many, one is compared in what its rules cost, too."""
ENOUGH = sized(7_000, 120_000)
SHOWN = 5


def judged(peer: Peer, crd: CompiledCRD, name: str, request: dict[str, Any]) -> list[str] | None:
    """The request with what differs; [] if nothing does, None for one that the peer cannot judge."""
    found = request_differences(peer, crd, name, request)
    return None if found is None else [f"{request}\n" + "\n".join(found)] if found else []


def compare(peer: Peer, crd: CompiledCRD, name: str, stream: Iterable[dict[str, Any]], count: int) -> list[str]:
    """Differences in ``count`` requests that both can judge."""
    wrong: list[str] = []
    compared = 0
    for request in islice(stream, 2 * count):
        found = judged(peer, crd, name, {**request, "cost": compared % COSTED == 0})
        if found is not None:
            compared += 1
            wrong += found
        if compared == count:
            return wrong
    pytest.fail(f"the peer judges only {compared} of {2 * count} requests")


@pytest.mark.parametrize("start", range(0, 10 * SEEDS, SEEDS))
@pytest.mark.parametrize("rules", [False, True], ids=["schemas", "rules"])
@limit(300)
def test_generated_schemas(peer: Peer, start: int, rules: bool) -> None:
    wrong: list[str] = []
    refused = 0
    first = SEED * 1_000_000 + start
    for seed in range(first, first + SEEDS):
        schema, has_status, listed = sample(seed, rules=rules)
        source = definition(schema, status=has_status)
        errors = peer.ask(crd=source)["crdErrors"]
        if errors:
            with pytest.raises(InvalidCRD) as caught:
                compile_crd(source)
            assert sorted(one.text for one in caught.value.errors) == sorted(one["text"] for one in errors)
            refused += 1
            continue
        crd = compile_crd(source)
        for request in listed:
            wrong += judged(peer, crd, "foos.example.com", {**request, "cost": rules}) or []
    assert refused <= max(SEEDS // 5, 5)
    assert not wrong, "\n\n".join(wrong[:SHOWN])


def definition_files() -> list[Path]:
    """Every definition in the upstream data, and the bundled ones."""
    folder = shared_folder()
    upstream = [] if folder is None else sorted((folder / "conformance").rglob("*.yaml"))
    bundled = sorted((ROOT / "crd_schemas").rglob("*.yaml"))
    return [file for file in upstream + bundled if "kind: CustomResourceDefinition" in file.read_text(encoding="utf-8")]


def served(file: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The definitions of a file with each of their served versions."""
    for source in yaml.load_all(file.read_text(encoding="utf-8"), yaml.CSafeLoader):
        if source and source.get("kind") == "CustomResourceDefinition":
            yield from ((source, version) for version in source["spec"]["versions"] if version["served"])


@pytest.mark.parametrize("file", definition_files(), ids=lambda file: file.name)
@limit(300)
def test_real_definitions(peer: Peer, file: Path) -> None:
    wrong: list[str] = []
    for source, version in served(file):
        assert peer.ask(crd=source)["crdErrors"] == []
        crd = compile_crd(source, version=version["name"])
        schema, api_version = version["schema"]["openAPIV3Schema"], f"{crd.group}/{crd.version}"
        stream = requests(WideGenerator(SEED, 0.01), schema, api_version, crd.kind, crd.has_status)
        wrong += compare(peer, crd, source["metadata"]["name"], stream, EACH)
    assert not wrong, "\n\n".join(wrong[:SHOWN])


def test_enough_requests_are_compared(peer: Peer, shared: Path) -> None:
    """Every served version above compares EACH requests or fails."""
    versions = sum(1 for file in definition_files() for _ in served(file))
    assert versions * EACH >= ENOUGH, f"{versions} served versions below {shared} and in crd_schemas"


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
