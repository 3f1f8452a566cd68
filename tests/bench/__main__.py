"""`make bench`: every figure is a ratio against a peer that did the same work in the same run."""

import json
import os
import platform
import statistics
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

import jsonschema
import yaml

from ovnguard import crd_schemas
from ovnguard.validators.crd.compiled_crd import compile_crd
from ovnguard.validators.manifest.yaml_reader import load_all
from tests.bench import (
    allocation,
    cluster,
    command_line,
    earlier,
    fabric,
    large_page,
    northbound,
    one_more,
    routing_objects,
    verdict,
    webhook,
)
from tests.bench.measure import Ratio, compare
from tests.support.differential import peer
from tests.testbed import parts

EXAMPLES = Path(__file__).resolve().parents[2] / "deploy" / "examples"
NETWORK = ("operator.openshift.io", "v1", "Network")
CUDN = ("k8s.ovn.org", "v1", "ClusterUserDefinedNetwork")


def yaml_reading() -> Ratio:
    """Manifests to values, duplicate keys refused and kubectl's scalars, against PyYAML's own C loader."""
    text = b"\n---\n".join([file.read_bytes() for file in sorted((EXAMPLES / "invalid").glob("*.yaml"))] * 10)
    return compare(
        "read YAML manifests",
        lambda: list(load_all(text)),
        "PyYAML CSafeLoader",
        lambda: list(yaml.load_all(text, yaml.CSafeLoader)),
    )


def verdicts() -> Iterator[Ratio]:
    """The whole verdict (prune, default, structure, CEL) against jsonschema's structure alone."""
    for name, file, key in (("Network", "default-network", NETWORK), ("CUDN", "green-layer3", CUDN)):
        definition = crd_schemas.crds("enhancement")[key]
        schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        obj = next(load_all((EXAMPLES / "valid" / f"{file}.yaml").read_bytes())).value
        crd = compile_crd(definition)
        checker = jsonschema.Draft4Validator(schema)
        yield compare(
            f"verdict on a {name}",
            partial(crd.verdict, obj),
            "jsonschema, structure alone",
            partial(_errors, checker, obj),
        )


def _errors(checker: jsonschema.Draft4Validator, obj: object) -> list[object]:
    return list(checker.iter_errors(obj))


def main() -> None:
    """Print the machine, then one line a figure."""
    command_line.compile_sources()
    print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, CPython {platform.python_version()}")
    print(f"load before the run: {' '.join(f'{one:.2f}' for one in os.getloadavg())}")
    names = ("cel-python", "jsonschema", "pyyaml")
    print(json.dumps({name: version(name) for name in names}))
    print(f"\n{'':<46} {'ours':>10} {'peer':>10}   faster    peer")
    for ratio in (yaml_reading(), *verdicts()):
        print(ratio.line(), flush=True)
    found = []
    for ratio in (*verdict.measure(peer.build()), *verdict.compiling()):
        print(ratio.line(), flush=True)
        found.append(ratio)
    for name, seconds in verdict.first_use():
        print(f"{'compile it: ' + name:<46} {seconds * 1e3:7.2f} ms", flush=True)
    tool = command_line.peer()
    for ratio in command_line.measure(tool) if tool else ():
        print(ratio.line(), flush=True)
    for line in command_line.growth():
        print(line, flush=True)
    prepared = [ratio.factor for ratio in found if ratio.name.endswith("prepared object")]
    print(f"{'prepared objects, geometric mean':<46} {'':>22} {statistics.geometric_mean(prepared):6.2f} x")
    print("\nthe Northbound database")
    for line in northbound.measure() if parts.find().ovn.reason is None else ():
        print(line, flush=True)
    for title, lines in _SECTIONS.items():
        print(f"\n{title}")
        for line in lines():
            print(line, flush=True)
    program = peer.build()
    if program is not None:
        print("\nrefusals, times faster than apiserver-verdict")
        for line in _table(dict(verdict.refused(program))):
            print(line, flush=True)


def _dynamic() -> Iterator[str]:
    yield from allocation.measure()
    yield from allocation.large()
    yield from cluster.measure(cluster.FULL, cluster.Found())


_SECTIONS: Mapping[str, Callable[[], Iterator[str]]] = {
    "dynamic allocation": _dynamic,
    "plan and audit, processor time, next to an earlier commit": earlier.measure,
    "one more network, processor time": one_more.measure,
    "objects of a managed fabric, processor time of one pass": routing_objects.measure,
    "real FRR on many nodes": fabric.measure,
    "the webhook behind TLS, connections kept": webhook.measure,
    "the page of a large plan": large_page.measure,
}


def _table(found: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """One line a kind of refusal, one column a request."""
    yield f"{'':<14}" + "".join(f"{name:>20}" for name in found)
    for kind in dict.fromkeys(kind for column in found.values() for kind in column):
        cells = (f"{column[kind]:.2f}" if kind in column else "-" for column in found.values())
        yield f"{kind:<14}" + "".join(f"{cell:>20}" for cell in cells)
    factors = [factor for column in found.values() for factor in column.values()]
    yield f"geometric mean {statistics.geometric_mean(factors):.2f}, smallest {min(factors):.2f}"


if __name__ == "__main__":
    main()
