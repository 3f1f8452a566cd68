"""The bundled `released` definitions against the definitions that were released, on generated objects.

Every object is judged by our engine under both definitions; where the API server's own code is at hand, it judges a
share of them under the upstream one and we under ours. Outcome, texts, warnings and stored object must be the same.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
import yaml

from ovnguard import crd_schemas
from ovnguard.crd_schemas.gating import features, gated
from ovnguard.validators.base.verdict import Verdict
from ovnguard.validators.crd.compiled_crd import CompiledCRD, compile_crd
from tests.support.differential.compare import differences, ours
from tests.support.differential.generate import Generator, requests
from tests.support.differential.peer import Peer, find
from tests.support.paths import shared_folder
from tests.support.soak import sized

NETWORKS = "conformance/openshift-api/operator/v1/zz_generated.crd-manifests/0000_70_network_01_networks"
OVN = "conformance/ovn-kubernetes/crds/k8s.ovn.org"
INGRESSES = "definitions/openshift-api/config/v1/zz_generated.crd-manifests/0000_10_config-operator_01_ingresses"
CONTROLLERS = "definitions/openshift-api/operator/v1/zz_generated.crd-manifests/0000_50_ingress_00_ingresscontrollers"
INGRESS = ("config.openshift.io", "v1", "Ingress")
CONTROLLER = ("operator.openshift.io", "v1", "IngressController")


class Pair(NamedTuple):
    """A bundled definition and the file of the shared folder it must agree with.

    ``feature_set`` takes from ours what is off there. ``alike``: the schemas are equal, descriptions aside.
    """

    key: tuple[str, str, str]
    file: str
    feature_set: str | None = None
    alike: bool = True

    def __str__(self) -> str:
        return f"{self.key[2]}-{self.feature_set or 'whole'}"


# One line for each definition that is compared; those of the first table on OBJECTS objects, the others on a tenth.
PAIRS: tuple[Pair, ...] = (
    Pair(("operator.openshift.io", "v1", "Network"), f"{NETWORKS}-DevPreviewNoUpgrade.crd.yaml"),
    Pair(("k8s.ovn.org", "v1", "ClusterUserDefinedNetwork"), f"{OVN}_clusteruserdefinednetworks.yaml"),
    Pair(("k8s.ovn.org", "v1", "UserDefinedNetwork"), f"{OVN}_userdefinednetworks.yaml"),
    Pair(("k8s.ovn.org", "v1", "RouteAdvertisements"), f"{OVN}_routeadvertisements.yaml"),
    Pair(("k8s.ovn.org", "v1", "EgressIP"), f"{OVN}_egressips.yaml"),
    Pair(("k8s.ovn.org", "v1", "EgressService"), f"{OVN}_egressservices.yaml"),
    Pair(("k8s.ovn.org", "v1", "ClusterNetworkConnect"), f"{OVN}_clusternetworkconnects.yaml"),
    Pair(("k8s.ovn.org", "v1", "VTEP"), f"{OVN}_vteps.yaml"),
    Pair(("k8s.ovn.org", "v1alpha1", "Uplink"), f"{OVN}_uplinks.yaml"),
    Pair(("k8s.ovn.org", "v1alpha1", "UplinkState"), f"{OVN}_uplinkstates.yaml"),
    Pair(("k8s.ovn.org", "v1", "EgressFirewall"), f"{OVN}_egressfirewalls.yaml"),
    Pair(("k8s.ovn.org", "v1", "EgressQoS"), f"{OVN}_egressqoses.yaml"),
    Pair(("k8s.ovn.org", "v1alpha1", "NetworkQoS"), f"{OVN}_networkqoses.yaml"),
    Pair(("k8s.ovn.org", "v1", "AdminPolicyBasedExternalRoute"), f"{OVN}_adminpolicybasedexternalroutes.yaml"),
    Pair(INGRESS, f"{INGRESSES}-CustomNoUpgrade.crd.yaml"),
    Pair(CONTROLLER, f"{CONTROLLERS}-CustomNoUpgrade.crd.yaml"),
)
GATED: tuple[Pair, ...] = (
    Pair(("operator.openshift.io", "v1", "Network"), f"{NETWORKS}-Default.crd.yaml", "Default"),
    Pair(("operator.openshift.io", "v1", "Network"), f"{NETWORKS}-OKD.crd.yaml", "OKD"),
    Pair(
        ("operator.openshift.io", "v1", "Network"),
        f"{NETWORKS}-TechPreviewNoUpgrade.crd.yaml",
        "TechPreviewNoUpgrade",
    ),
    Pair(
        ("operator.openshift.io", "v1", "Network"),
        f"{NETWORKS}-DevPreviewNoUpgrade.crd.yaml",
        "DevPreviewNoUpgrade",
    ),
    Pair(("operator.openshift.io", "v1", "Network"), f"{NETWORKS}-CustomNoUpgrade.crd.yaml", "CustomNoUpgrade"),
    *(
        Pair(key, f"{files}-{name}.crd.yaml", name)
        for key, files in ((INGRESS, INGRESSES), (CONTROLLER, CONTROLLERS))
        for name in ("Default", "TechPreviewNoUpgrade", "CustomNoUpgrade")
    ),
)
OBJECTS = sized(1500, 20_000)
SHOWN = 5
TRIES = 60
LEAST = 0.1
"""Each outcome's share of the objects, or the comparison says nothing."""

OVERSTEPPED = 0.1
"""The share of bounds that `beyond` oversteps."""
LONGEST = 2000
"""Characters of a suite's object."""


@cache
def definitions(pair: Pair) -> tuple[dict[str, Any], dict[str, Any]]:
    """Our definition and upstream's."""
    folder = shared_folder()
    assert folder is not None, "conformance tests are deselected where this is None"
    file = folder / pair.file
    if not file.is_file():
        pytest.skip(f"no {pair.file} in the shared folder")
    upstream = yaml.load(file.read_bytes(), yaml.CSafeLoader)
    bundled = crd_schemas.crds("released")[pair.key]
    wanted = features(pair.feature_set)
    return gated(bundled, upstream["metadata"]["name"], "released", wanted).crd, upstream


def asked(pair: Pair, upstream: dict[str, Any], count: int) -> Iterator[dict[str, Any]]:
    """Creations, updates and status updates: a quarter as the schema suggests, a quarter sound, half from suites.

    What is structurally wrong never gets to the rules, and a text that a rule takes apart is seldom guessed.
    """
    group, version, kind = pair.key
    served = next(one for one in upstream["spec"]["versions"] if one["name"] == version)
    has_status = "status" in served.get("subresources", {})
    schema = served["schema"]["openAPIV3Schema"]
    part = count // 4
    yield from requests(Generator(7, 0.005), schema, f"{group}/{version}", kind, has_status, part)
    yield from sound(Generator(11), schema, f"{group}/{version}", kind, has_status, part)
    yield from from_suites(Generator(13), pair.key, has_status, count - 2 * part)


def from_suites(
    generator: Generator, key: tuple[str, str, str], has_status: bool, count: int
) -> Iterator[dict[str, Any]]:
    """Requests whose objects are pieced together from two of the bundled suites, some with a place or two changed."""
    rng = generator.random
    known = suite_objects(crd_schemas.find(*key)["released"])
    head = {"apiVersion": f"{key[0]}/{key[1]}", "kind": key[2], "metadata": {"name": "x"}}
    for _ in range(count):
        one, two = rng.choice(known), rng.choice(known)
        operation = rng.choice(("CREATE", "UPDATE", "UPDATE", *(("STATUS",) if has_status else ())))
        made = generator.mutated(crossed(rng, one, two), rng.choice((0, 0, 0, 1, 2)))
        request: dict[str, Any] = {"object": made | head, "operation": operation}
        if operation != "CREATE":
            request["oldObject"] = crossed(rng, one, rng.choice((one, one, two))) | head
        yield request


@cache
def suite_objects(definition: Path) -> list[dict[str, Any]]:
    """What the suites beside a definition create and update, of the size that people write."""
    texts = [
        case[key]
        for suite in sorted((definition.parent / "tests").glob(f"{definition.stem}.*/*.yaml"))
        for cases in yaml.load(suite.read_bytes(), yaml.CSafeLoader)["tests"].values()
        for case in cases
        for key in ("initial", "updated")
        if len(case.get(key, "")) in range(1, LONGEST)
    ]
    return [yaml.load(text, yaml.CSafeLoader) for text in texts]


def sound(
    generator: Generator, schema: dict[str, Any], api_version: str, kind: str, has_status: bool, count: int
) -> Iterator[dict[str, Any]]:
    """Requests whose objects are pieced together from two that fit, as old objects are from the same two."""
    rng = generator.random
    parts = {key: guessable(one) for key, one in schema["properties"].items() if key in {"spec", "status"}}
    head = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}}
    for index in range(count):
        one, two = ({key: generator.value(part) for key, part in parts.items()} for _ in range(2))
        if index % 5 == 0:
            one = {key: generator.value(beyond(rng, schema["properties"][key])) for key in parts}
        request: dict[str, Any] = {
            "object": head | crossed(rng, one, two),
            "operation": rng.choice(("CREATE", "UPDATE", "UPDATE", *(("STATUS",) if has_status else ()))),
        }
        if request["operation"] != "CREATE":
            request["oldObject"] = head | crossed(rng, one, two)
        yield request


def guessable(node: dict[str, Any]) -> dict[str, Any]:
    """A schema without the properties whose texts a generator cannot guess."""
    made = dict(node)
    if "properties" in node:
        made["properties"] = {key: guessable(one) for key, one in node["properties"].items() if not is_guesswork(one)}
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), dict):
            made[key] = guessable(node[key])
    return made


def is_guesswork(node: dict[str, Any]) -> bool:
    """Whether every value has a text that must fit a pattern or a format."""
    if node.get("type") == "string":
        return "pattern" in node or "format" in node
    if isinstance(node.get("items"), dict):
        return is_guesswork(node["items"])
    properties = node.get("properties", {})
    return any(is_guesswork(properties[name]) for name in node.get("required", ()) if name in properties)


def beyond(rng: Random, node: dict[str, Any]) -> dict[str, Any]:
    """A schema that asks for values one step beyond some of its bounds."""
    made = {
        key: beyond(rng, one) if key in {"items", "additionalProperties"} and isinstance(one, dict) else one
        for key, one in node.items()
    }
    if "properties" in node:
        made["properties"] = {key: beyond(rng, one) for key, one in node["properties"].items()}
    for low, high in (("minimum", "maximum"), ("minItems", "maxItems"), ("minLength", "maxLength")):
        steps = [node[key] + step for key, step in ((low, -1), (high, 1)) if key in node and node[key] + step >= -1]
        if steps and rng.random() < OVERSTEPPED:
            made[low] = made[high] = max(rng.choice(steps), -1 if low == "minimum" else 0)
    return made


def crossed(rng: Random, one: Any, two: Any) -> Any:
    """A value with parts of two: objects part by part, everything else from either."""
    if not (isinstance(one, dict) and isinstance(two, dict)):
        return rng.choice((one, one, one, two))
    keys = [key for key in (one | two) if (key in one and key in two) or rng.random() < 0.6]
    return {key: crossed(rng, one.get(key, two.get(key)), two.get(key, one.get(key))) for key in keys}


def verdict_parts(verdict: Verdict) -> tuple[Any, ...]:
    """Everything a client sees, in no order."""
    errors = Counter((error.type, error.field, error.detail, error.text) for error in verdict.errors)
    return verdict.allowed, verdict.refusal, errors, sorted(verdict.warnings), verdict.object


@pytest.mark.parametrize("pair", PAIRS + GATED, ids=str)
def test_both_definitions_say_the_same_of_every_object(pair: Pair) -> None:
    bundled, upstream = definitions(pair)
    crds = [compile_crd(one, version=pair.key[1]) for one in (bundled, upstream)]
    outcomes: Counter[bool] = Counter()
    wrong: list[str] = []
    count = OBJECTS if pair in PAIRS else OBJECTS // 10
    for request in asked(pair, upstream, count):
        mine, theirs = (ours(crd, request) for crd in crds)
        outcomes[theirs.allowed] += 1
        if verdict_parts(mine) != verdict_parts(theirs):
            wrong.append(f"{request}\n    ours: {verdict_parts(mine)}\n    upstream's: {verdict_parts(theirs)}")
    assert not wrong, "\n\n".join(wrong[:SHOWN])
    assert outcomes.total() == count
    assert min(outcomes[True], outcomes[False]) >= LEAST * count, outcomes


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_the_servers_own_code_says_so_too(pair: Pair) -> None:
    program = find()
    if program is None:
        pytest.skip("needs apiserver-verdict: build it with python -m tests.support.differential.peer")
    bundled, upstream = definitions(pair)
    crd = compile_crd(bundled, version=pair.key[1])
    with Peer(program) as peer:
        assert peer.ask(crd=bundled)["crdErrors"] == []
        assert peer.ask(crd=upstream)["crdErrors"] == []
        listed = asked(pair, upstream, OBJECTS // 5)
        wrong = [line for request in listed for line in apart(peer, crd, upstream, request)]
    assert not wrong, "\n\n".join(wrong[:SHOWN])


def apart(peer: Peer, crd: CompiledCRD, upstream: dict[str, Any], request: dict[str, Any]) -> list[str]:
    """What differs between the server under upstream's definition and us under ours.

    Which part of two objects Go compares first differs from time to time, and so does what it says of stored data that
    no schema allows: then one of its answers has to be ours.
    """
    verdict = ours(crd, request)
    found: list[str] = []
    for _ in range(TRIES):
        try:
            answer = peer.ask(crdRef=upstream["metadata"]["name"], version=crd.version, **request)
        except RuntimeError:
            # An old object that storage could never have held.
            return []
        found = differences(verdict, answer)
        if not found:
            return []
    return [f"{request}\n" + "\n".join(found)]


@pytest.mark.parametrize("pair", [pair for pair in PAIRS + GATED if pair.alike], ids=str)
def test_schemas_are_equal_but_for_their_descriptions(pair: Pair) -> None:
    served = [
        {one["name"]: undescribed(one) for one in definition["spec"]["versions"] if one["name"] == pair.key[1]}
        for definition in definitions(pair)
    ]
    assert served[0] == served[1]


def undescribed(node: Any) -> Any:
    """A schema without descriptions; a property of that name stays."""
    if isinstance(node, list):
        return [undescribed(one) for one in node]
    if not isinstance(node, dict):
        return node
    return {key: undescribed(one) for key, one in node.items() if not (key == "description" and isinstance(one, str))}
