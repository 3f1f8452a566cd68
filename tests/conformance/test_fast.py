"""The fast path against the exact one, on objects of every definition there is and of generated ones."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from ovnguard import crd_schemas
from ovnguard.validators.crd.compiled_crd import CompiledCRD, compile_crd
from ovnguard.validators.crd.strategy import judge_exactly
from tests.support.differential.compare import definition, without_rules
from tests.support.differential.generate import Generator, requests
from tests.support.differential.samples import sample
from tests.support.fast_differential import same
from tests.support.paths import shared_folder
from tests.support.soak import sized

PER_DEFINITION = sized(15, 300)


def definitions() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each definition of the upstream data, and each bundled one."""
    folder = shared_folder()
    for file in sorted((folder / "conformance").rglob("*.yaml")) if folder else []:
        if "tests" not in file.parts and "crd" in file.as_posix():
            for source in yaml.load_all(file.read_bytes(), yaml.CSafeLoader):
                if source and source.get("kind") == "CustomResourceDefinition":
                    yield file.name, source
    for name in crd_schemas.SETS:
        for gvk, bundled in crd_schemas.crds(name).items():
            yield f"{name} {gvk[2]}", bundled


DEFINITIONS = list(definitions())


def judged(crd: CompiledCRD, schema: dict[str, Any], seed: int) -> int:
    """How many of some requests, and of the same with the object made ready first, the fast path took."""
    generator = Generator(seed, hardness=0.01 * (seed % 3))
    taken = 0
    api_version = f"{crd.group}/{crd.version}"
    for request in requests(generator, schema, api_version, crd.kind, crd.has_status, PER_DEFINITION):
        obj, old = request["object"], request.get("oldObject")
        subresource = "status" if request["operation"] == "STATUS" else None
        ready = judge_exactly(crd.endpoint, obj, old, subresource).object
        for new, before in ((obj, old), (ready or obj, old), (ready or obj, ready)):
            if subresource is None or before is not None:
                taken += same(crd, new, before, subresource)[0]
    return taken


@pytest.mark.parametrize(("name", "source"), DEFINITIONS, ids=[name for name, _ in DEFINITIONS])
def test_real_definitions(name: str, source: dict[str, Any]) -> None:
    for each in (source, without_rules(source)):
        crd = compile_crd(each)
        version = next(one for one in source["spec"]["versions"] if one["name"] == crd.version)
        assert crd.endpoint.fast is not None
        for seed in range(2):
            judged(crd, version["schema"]["openAPIV3Schema"], seed)


def test_generated_definitions() -> None:
    taken = 0
    for seed in range(sized(60, 2000)):
        schema, has_status, _ = sample(seed)
        crd = compile_crd(definition(schema, status=has_status))
        if crd.endpoint.fast is not None:
            taken += judged(crd, schema, seed)
    assert taken > 100
