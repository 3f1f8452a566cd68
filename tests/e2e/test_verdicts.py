"""The real kube-apiserver and ours say the same of the same request: outcome, causes, message, object, warnings.

A failure prints the request; the same seeds make the same requests again.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import yaml

from ovnguard import crd_schemas
from tests.support.differential.compare import definition
from tests.support.differential.schemas import SchemaGenerator
from tests.support.paths import shared_folder
from tests.support.verdicts.definitions import Sample, samples
from tests.support.verdicts.server_verdicts import (
    Client,
    compared,
    is_luck,
    make_strict,
    provisional,
    questions,
    stored,
    targets,
)
from tests.testbed.apiserver import ApiServer

pytestmark = pytest.mark.e2e
SEED = 20260
SHOWN = 5


@pytest.fixture
def client(apiserver: ApiServer) -> Iterator[Client]:
    made = Client(apiserver)
    yield made
    made.close()


def asked_all(client: Client, chosen: Sequence[Sample], seed: int = SEED) -> Counter[str]:
    """Ask everything of both; how many requests there were, and of which outcome."""
    judged = targets(chosen)
    counts: Counter[str] = Counter()
    wrong = []
    with provisional(client, judged):
        asked = [one for index, target in enumerate(judged) for one in questions(target, seed + index)]
        olds = [stored(client, one) for one in asked]
        make_strict(client, judged)
        for one, old in zip(asked, olds, strict=True):
            answer, found = compared(client, one, old)
            kind = "create" if old is None else one.subresource or "update"
            counts.update(["requests", kind, "allowed" if answer.code < 300 else "refused", one.validation])
            counts["luck"] += answer.code == 422 and is_luck(answer.body)
            if found:
                shown = json.dumps({"new": one.new, "old": one.old}, ensure_ascii=False)
                wrong.append("\n".join([f"{one.target.name} {kind} {one.validation} {shown}", *found]))
    assert not wrong, f"seed {seed}: {len(wrong)} of {counts['requests']} differ\n" + "\n\n".join(wrong[:SHOWN])
    return counts


def bundled(schema_set: str) -> list[Sample]:
    """The bundled definitions, and the objects of their suites."""
    found = []
    for (_, version, _), source in crd_schemas.crds(schema_set).items():
        found.append(Sample(source, version, suite_objects(schema_set, source["metadata"]["name"]), requests=90))
    return found


def suite_objects(schema_set: str, name: str) -> list[dict[str, Any]]:
    """What the bundled suites of a definition create, valid or not."""
    found = []
    for file, suite in crd_schemas.suites():
        folders = {schema_set, crd_schemas.COMMON}
        if not folders.intersection(str(file).split("/")) or name not in str(suite):
            continue
        tests = yaml.safe_load(suite.read_text(encoding="utf-8"))["tests"]
        for case in (tests.get("onCreate") or []) + (tests.get("onUpdate") or []):
            found.append(
                {key: one for key, one in yaml.safe_load(case["initial"]).items() if key in {"spec", "status"}}
            )
    return found


def generated(seeds: Sequence[int]) -> list[Sample]:
    """Definitions whose schemas are made at random."""
    found = []
    for seed in seeds:
        source = definition(SchemaGenerator(seed).root(), status=bool(seed % 2))
        source["metadata"]["name"] = f"rand{seed}s.example.com"
        source["spec"]["names"] = {"plural": f"rand{seed}s", "kind": f"Rand{seed}", "listKind": f"Rand{seed}List"}
        found.append(Sample(source, "v1"))
    return found


@pytest.mark.parametrize(
    ("chosen", "least"),
    [
        pytest.param(lambda: bundled("enhancement"), 360, id="enhancement"),
        pytest.param(lambda: bundled("released"), 360, id="released"),
        pytest.param(samples, 700, id="breadth"),
        pytest.param(lambda: generated(range(1000, 1010)), 600, id="generated"),
    ],
)
def test_no_difference(client: Client, chosen: Any, least: int) -> None:
    counts = asked_all(client, chosen())
    assert counts["requests"] >= least
    assert min(counts["allowed"], counts["refused"]) >= least // 20, counts
    assert counts["luck"] <= counts["requests"] // 50, counts


@pytest.mark.conformance
def test_no_difference_over_definitions_of_others(client: Client) -> None:
    folder = shared_folder()
    assert folder is not None
    files = [file for part in ("ovn-kubernetes", "frr-k8s") for file in (folder / "conformance" / part).rglob("*.yaml")]
    found = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in sorted(files)]
    chosen = [
        Sample(source, version["name"], requests=30)
        for source in found
        for version in source["spec"]["versions"]
        if version["served"]
    ]
    assert asked_all(client, chosen)["requests"] >= 30 * len(files)
