"""Policies, rule suites and configurations of the preflight with one to three faults near each other.

``python -m tests.attacks.hostile_inputs policies|suites|configurations SEED [COUNT]`` judges those of other seeds, and
prints each crash.
"""

import copy
import json
import random
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from click import ClickException
from click.testing import CliRunner

from ovnguard.validators.cli import suite_command
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.policy import InvalidPolicy
from tests.attacks.hostile_values import crashes, spoil
from tests.support.differential.policies import PolicyQuestions
from tests.support.differential.policy_compare import ours
from tests.support.preflight_run import run, widgets
from tests.support.suite_sample import GOOD, NAME, crd, foo, suite

_CONFIGURATION: Final = {
    "paths": ["net.yaml"],
    "old": ["old.yaml"],
    "crds": ["crd.yaml"],
    "policies": [],
    "kubernetesVersion": "1.35",
    "inventory": ["net.yaml"],
    "namespace": "red",
    "featureSet": "Default",
    "featureGates": [],
    "warningsAsErrors": False,
    "severities": {"OVNG-NET-005": "warning"},
    "ignore": [
        {"rule": "OVNG-NET-001", "kind": "UserDefinedNetwork", "namespace": "red", "name": "a", "reason": "text"}
    ],
}
_NETWORK: Final = {
    "apiVersion": "k8s.ovn.org/v1",
    "kind": "UserDefinedNetwork",
    "metadata": {"name": "a", "namespace": "red"},
    "spec": {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": ["10.1.0.0/16"]}},
}
_SPEC_SIZE: Final = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size"
_UPDATES: Final[list[dict[str, Any]]] = [
    {
        "name": "patched",
        "initialCRDPatches": [
            {"op": "test", "path": "/spec/versions/0/name", "value": "v1"},
            {"op": "replace", "path": f"{_SPEC_SIZE}/maximum", "value": 20},
            {"op": "copy", "from": _SPEC_SIZE, "path": f"{_SPEC_SIZE}2"},
            {"op": "remove", "path": f"{_SPEC_SIZE}2"},
        ],
        "initial": foo(spec={"size": 11}),
        "updated": foo(spec={"size": 12}),
        "expectedError": "should be less than or equal to 10",
    },
    {
        "name": "status",
        "initial": foo(spec={"size": 1}),
        "updated": foo(spec={"size": 1}, status={"size": 6}),
        "expectedStatusError": "should be less than or equal to 5",
    },
]
_SUITES: Final = (
    GOOD,
    suite(GOOD["tests"]["onCreate"], _UPDATES, featureGates=["A", "-B"], apiVersion="apiextensions.k8s.io/v1"),
)
_ANALYSES: Final = ((), (), (), ("--coverage",), ("--mutate",), ("-o", "json"), ("-o", "junit"), ("-o", "tap"), ("-v",))


def policies(seed: int) -> dict[str, Any]:
    """A policy with bindings, parameters and a request."""
    rng = random.Random(seed)
    made = copy.deepcopy(PolicyQuestions(seed).question())
    times = rng.choice((0, 1, 1, 2, 2, 3))
    for key in rng.sample(("policy", "policy", "bindings", "params"), rng.choice((1, 1, 2))) if times else ():
        spoil(rng, made[key], times)
    # a file has objects only
    made["params"] = [each for each in made["params"] if isinstance(each, dict)]
    if rng.random() < 0.3 and made["request"]["object"]:
        spoil(rng, made["request"]["object"], 2)
    return made


def judge_policies(case: Mapping[str, Any], folder: Path) -> str:
    """Judge the request, then its object as a manifest; whether the API server would keep policy and bindings."""
    try:
        outcome = "refused" if ours(case)["compileErrors"] else "accepted"
    except InvalidPolicy:
        outcome = "refused"
    documents = [case["policy"], *case["bindings"], *case["params"]]
    file = _file(folder / "policies.json", *documents)
    result = run("-", "--policies", str(file), "--no-cache", stdin=json.dumps(case["request"]["object"]))
    assert result.return_value in {Exit.OK, Exit.INVALID, Exit.USAGE}, result
    return outcome


def suites(seed: int) -> dict[str, Any]:
    """A suite, its definition, and what to do with them."""
    rng = random.Random(seed)
    made = {"suite": copy.deepcopy(rng.choice(_SUITES)), "crd": crd()}
    times = rng.choice((0, 1, 1, 2, 2, 3))
    spoil(rng, made["suite"], times)
    if rng.random() < 0.3:
        spoil(rng, made["crd"], times)
    return {**made, "options": list(rng.choice(_ANALYSES))}


def judge_suites(case: Mapping[str, Any], folder: Path) -> str:
    """Run the suite; whether all its cases passed."""
    _file(folder / "v1" / "foos.json", case["crd"])
    _file(folder / "v1" / "tests" / NAME / "0.yaml", case["suite"])
    arguments = [str(folder), *case["options"]]
    try:
        ran = CliRunner().invoke(suite_command.test, arguments, catch_exceptions=False, standalone_mode=False)
    except ClickException:
        return "refused"
    assert ran.return_value in {Exit.OK, Exit.INVALID}, ran.output
    return "refused" if ran.return_value else "accepted"


def configurations(seed: int) -> Any:
    """A configuration."""
    rng = random.Random(seed)
    made = dict(rng.sample(sorted(_CONFIGURATION.items()), rng.randint(1, len(_CONFIGURATION))))
    made = copy.deepcopy(made)
    spoil(rng, made, rng.choice((0, 1, 1, 2, 2, 3)))
    return made


def judge_configurations(case: Any, folder: Path) -> str:
    """Judge a network with the configuration; whether the configuration can be used."""
    _file(folder / "net.yaml", _NETWORK)
    _file(folder / "old.yaml", _NETWORK)
    (folder / "crd.yaml").write_text(widgets("{}"), encoding="utf-8")
    _file(folder / ".ovnguard.yaml", case)
    result = run(str(folder / "net.yaml"))
    assert result.return_value in {Exit.OK, Exit.INVALID, Exit.USAGE, Exit.NO_SCHEMA}, result
    return "refused" if result.return_value == Exit.USAGE else "accepted"


def _file(path: Path, *documents: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n---\n".join(json.dumps(one) for one in documents), encoding="utf-8")
    return path


INPUTS: Final[dict[str, tuple[Callable[[int], Any], Callable[[Any, Path], str]]]] = {
    "policies": (policies, judge_policies),
    "suites": (suites, judge_suites),
    "configurations": (configurations, judge_configurations),
}


def main(name: str, seed: int, count: int) -> int:
    """Judge so many cases; print the crashes. The exit code is 1 if there is one."""
    make, judge = INPUTS[name]
    with TemporaryDirectory() as folder:
        found, _ = crashes(range(seed, seed + count), make, lambda case: judge(case, Path(folder)), 30.0)
    for crash in found:
        print(crash)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1))
