"""The table of feature gates, and what becomes of the bundled definitions under it."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from ovnguard import crd_schemas
from ovnguard.crd_schemas import gating
from ovnguard.crd_schemas.gating import Features, features
from ovnguard.validators.crd.compiled_crd import compile_crd
from tests.support.soak import limit

NETWORK = "networks.operator.openshift.io"
INFRASTRUCTURE = "infrastructures.config.openshift.io"
AZURE = "status.platformStatus.azure.ipFamily"
UPSTREAM = Path(__file__).parents[4] / "shared/conformance/openshift-api/payload-manifests/featuregates"
TABLE: dict[str, Any] = yaml.safe_load((Path(crd_schemas.__file__).parent / "gates.yaml").read_text(encoding="utf-8"))
WISHES = [
    *(pytest.param(features(name), id=name) for name in gating.feature_sets()),
    *(
        pytest.param(features(None, [f"{gate}={state}"]), id=f"{gate}={state}")
        for gate in gating.known_gates()
        for state in ("true", "false")
    ),
]


def _definitions() -> list[tuple[str, str, dict[str, Any]]]:
    """Name, schema set and definition of everything that the table speaks of."""
    found = {}
    for key in crd_schemas.kinds():
        name = crd_schemas.crd_name(*key)
        for schema_set, path in crd_schemas.paths(*key).items():
            common = path.startswith(crd_schemas.COMMON)
            if name in TABLE["crds"]:
                found[path] = (name, crd_schemas.COMMON if common else schema_set, crd_schemas.parsed(path))
    return list(found.values())


def _crd(name: str, schema_set: str) -> dict[str, Any]:
    return next(crd for crd_name, each, crd in _definitions() if (crd_name, each) == (name, schema_set))


def _node(crd: dict[str, Any], path: str) -> dict[str, Any] | None:
    node = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    for step in path.split("."):
        node = node["properties"].get(step)
        if node is None:
            return None
    return node


def _transport(schema_set: str) -> str:
    name = "transport" if schema_set == "released" else "defaultNetworkTransport"
    return f"spec.defaultNetwork.ovnKubernetesConfig.{name}"


def test_the_table_speaks_of_bundled_definitions_and_sets_only() -> None:
    names = {crd_schemas.crd_name(*key) for key in crd_schemas.kinds()}
    assert set(TABLE["crds"]) <= names
    for sets in TABLE["crds"].values():
        assert set(sets) <= {*crd_schemas.SETS, "*"}
        for gates in sets.values():
            assert all(set(brings) <= {"fields", "rules", "enums", "adds", "without"} for brings in gates.values())


def test_every_gate_of_a_set_brings_something() -> None:
    of_sets = {gate for gates in TABLE["featureSets"].values() if gates != "all" for gate in gates}
    assert of_sets <= set(gating.known_gates())
    assert gating.gates_of("CustomNoUpgrade") == of_sets
    # Ours alone is in no set.
    assert set(gating.known_gates()) - of_sets == {"RouteReflector"}


@pytest.mark.conformance
@pytest.mark.skipif(not UPSTREAM.is_dir(), reason="no feature gates of openshift/api beside this checkout")
@pytest.mark.parametrize("name", [name for name in gating.feature_sets() if name != "CustomNoUpgrade"])
def test_a_set_turns_on_what_openshift_turns_on(name: str) -> None:
    manifest = crd_schemas.parse(next(UPSTREAM.glob(f"*SelfManagedHA-{name}.yaml")).read_bytes())
    on = {gate["name"] for gate in manifest["status"]["featureGates"][0]["enabled"]}
    assert gating.gates_of(name) == on & set(gating.known_gates())


@pytest.mark.conformance
@pytest.mark.skipif(not UPSTREAM.is_dir(), reason="no feature gates of openshift/api beside this checkout")
def test_hosted_clusters_lack_the_gates_that_openshift_keeps_from_them() -> None:
    lacking: set[str] = set()
    for name in gating.feature_sets():
        for file in UPSTREAM.glob(f"*Hypershift-{name}.yaml"):
            manifest = crd_schemas.parse(file.read_bytes())
            on = {gate["name"] for gate in manifest["status"]["featureGates"][0]["enabled"]}
            lacking |= gating.gates_of(name) - on
    assert lacking == set(TABLE["neverHosted"])


def test_offered_are_the_sets_and_what_hosting_makes_of_them() -> None:
    assert gating.offered() == (
        *(features(name) for name in gating.feature_sets()),
        features("DevPreviewNoUpgrade", ["MutableTopology=false"]),
        features("CustomNoUpgrade", ["MutableTopology=false"]),
    )


@pytest.mark.parametrize("wish", WISHES)
@limit(180)
def test_whatever_is_asked_for_the_definitions_compile(wish: Features) -> None:
    for name, schema_set, crd in _definitions():
        before = json.dumps(crd)
        made = gating.gated(crd, name, schema_set, wish)
        assert json.dumps(crd) == before
        _compile(json.dumps(made.crd))
        for gate, paths in made.dropped.items():
            assert wish.state(gate) is False
            assert not any(_is_there(made.crd, path) for path in paths)


@cache
def _compile(crd: str) -> None:
    """Most wishes leave most definitions as they are: each is compiled once."""
    compile_crd(json.loads(crd))


def _is_there(crd: dict[str, Any], path: str) -> bool:
    node = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    for step in path.split("."):
        node = node.get("properties", {}).get(step.removesuffix("[]"), {})
        node = node.get("items", {}) if step.endswith("[]") else node
    return bool(node)


def test_nothing_asked_for_changes_nothing() -> None:
    for name, schema_set, crd in _definitions():
        assert gating.gated(crd, name, schema_set, Features()) == (crd, {})
    assert not Features()
    assert features("Default")
    assert features(None, ["NoOverlayMode=false"])


@pytest.mark.parametrize("schema_set", crd_schemas.SETS)
def test_fields_and_rules_of_a_gate_go_together(schema_set: str) -> None:
    crd = _crd(NETWORK, schema_set)
    made = gating.gated(crd, NETWORK, schema_set, features("Default"))
    assert _node(crd, _transport(schema_set))
    assert _node(made.crd, _transport(schema_set)) is None
    assert _transport(schema_set) in made.dropped["NoOverlayMode"]
    rules = (_node(made.crd, "spec.defaultNetwork.ovnKubernetesConfig") or {}).get("x-kubernetes-validations", [])
    assert not any("verlay" in rule["rule"] for rule in rules)
    kept = gating.gated(crd, NETWORK, schema_set, features("Default", ["NoOverlayMode=true"]))
    assert _node(kept.crd, _transport(schema_set)) == _node(crd, _transport(schema_set))


@pytest.mark.parametrize(
    ("wish", "values"),
    [
        (Features(), ["fullMesh"]),
        (features("TechPreviewNoUpgrade"), ["fullMesh"]),
        (features("CustomNoUpgrade"), ["fullMesh"]),
        (features(None, ["RouteReflector=false"]), ["fullMesh"]),
        (features(None, ["RouteReflector=true"]), ["fullMesh", "routeReflector"]),
        (features("TechPreviewNoUpgrade", ["RouteReflector=true"]), ["fullMesh", "routeReflector"]),
    ],
)
def test_a_gate_adds_a_value(wish: Features, values: list[str]) -> None:
    made = gating.gated(_crd(NETWORK, "enhancement"), NETWORK, "enhancement", wish)
    topology = _node(made.crd, "spec.defaultNetwork.ovnKubernetesConfig.bgpManagedConfig.bgpTopology")
    assert topology is not None
    assert topology["enum"] == values


def test_the_released_network_never_knows_route_reflectors() -> None:
    wish = features("CustomNoUpgrade", ["RouteReflector=true"])
    made = gating.gated(_crd(NETWORK, "released"), NETWORK, "released", wish)
    topology = _node(made.crd, "spec.defaultNetwork.ovnKubernetesConfig.bgpManagedConfig.bgpTopology")
    assert topology is not None
    assert topology["enum"] == ["FullMesh"]


@pytest.mark.parametrize(
    ("wish", "default"),
    [
        (Features(), None),
        (features(None, ["NoOverlayMode=true"]), None),
        (features("TechPreviewNoUpgrade"), "IPv4"),
        (features("Default", ["AzureDualStackInstall=true"]), "IPv4"),
    ],
)
def test_a_gate_adds_what_the_file_has_otherwise(wish: Features, default: str | None) -> None:
    made = gating.gated(_crd(INFRASTRUCTURE, "released"), INFRASTRUCTURE, "released", wish)
    field = _node(made.crd, AZURE)
    assert field is not None
    assert field.get("default") == default
    assert "AzureDualStackInstall" not in made.dropped


@pytest.mark.parametrize(
    "wish", [features("Default"), features("TechPreviewNoUpgrade", ["AzureDualStackInstall=false"])]
)
def test_what_a_gate_would_add_is_missed_where_it_is_off(wish: Features) -> None:
    made = gating.gated(_crd(INFRASTRUCTURE, "released"), INFRASTRUCTURE, "released", wish)
    assert _node(made.crd, AZURE) is None
    assert made.dropped["AzureDualStackInstall"] == (AZURE,)


@pytest.mark.parametrize(
    ("gate", "name", "path", "keyword", "on", "off"),
    [
        (
            "NutanixMultiSubnets",
            INFRASTRUCTURE,
            "spec.platformSpec.nutanix.failureDomains",
            "maxItems",
            32,
            None,
        ),
        (
            "DyanmicServiceEndpointIBMCloud",
            INFRASTRUCTURE,
            "status.platformStatus.ibmcloud.serviceEndpoints",
            "maxItems",
            13,
            None,
        ),
        (
            "DyanmicServiceEndpointIBMCloud",
            INFRASTRUCTURE,
            "spec.platformSpec.ibmcloud",
            "properties",
            ["serviceEndpoints"],
            None,
        ),
        (
            "AWSEuropeanSovereignCloudInstall",
            "dnses.config.openshift.io",
            "spec.platform.aws.privateZoneIAMRole",
            "x-kubernetes-validations",
            ["matches(self, '^arn:(aws|aws-cn|aws-us-gov|aws-eusc):iam::[0-9]{12}:role/.*$')"],
            ["matches(self, '^arn:(aws|aws-cn|aws-us-gov):iam::[0-9]{12}:role/.*$')"],
        ),
        (
            "VSphereMultiVCenterDay2",
            INFRASTRUCTURE,
            "spec.platformSpec",
            "x-kubernetes-validations",
            ["oldSelf.?vsphere.vcenters.hasValue() ? self.?vsphere.vcenters.hasValue() : true"],
            [
                "!has(oldSelf.vsphere) && has(self.vsphere) ? (has(self.vsphere.vcenters) && "
                "size(self.vsphere.vcenters) < 2) : true"
            ],
        ),
    ],
)
def test_each_state_of_a_gate_has_its_own_value(
    gate: str, name: str, path: str, keyword: str, on: object, off: object
) -> None:
    crd = next(crd for crd_name, _, crd in _definitions() if crd_name == name)
    for state, expected in (("true", on), ("false", off)):
        made = gating.gated(crd, name, "released", features(None, [f"{gate}={state}"]))
        found = (_node(made.crd, path) or {}).get(keyword)
        if keyword == "x-kubernetes-validations" and found is not None:
            found = [rule["rule"] for rule in found]
        assert (sorted(found) if keyword == "properties" and found else found) == expected, state


@pytest.mark.parametrize(
    ("feature_set", "gates", "message"),
    [
        (
            "Preview",
            [],
            "there is no feature set 'Preview'; there are Default, OKD, TechPreviewNoUpgrade, DevPreviewNoUpgrade, "
            "CustomNoUpgrade",
        ),
        ("", [], "there is no feature set ''; there are Default, OKD, "),
        (
            None,
            ["XyzGate=true"],
            "no bundled definition knows the feature gate 'XyzGate'; there are AWSClusterHostedDNS, ",
        ),
        (None, ["NoOverlayMode"], "'NoOverlayMode' is no feature gate; write NAME=true or NAME=false"),
        (None, ["NoOverlayMode=yes"], "'NoOverlayMode=yes' is no feature gate; write NAME=true or NAME=false"),
        (None, ["=true"], "'=true' is no feature gate; write NAME=true or NAME=false"),
        (None, [""], "'' is no feature gate; write NAME=true or NAME=false"),
        (
            "Default",
            ["NoOverlayMode=true", "RouteReflector=true,NoOverlayMode=false"],
            "the feature gate 'NoOverlayMode' is asked to be on and off",
        ),
    ],
)
def test_unknown_feature_sets_and_gates_are_refused(feature_set: str | None, gates: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        features(feature_set, gates)


def test_wishes_read_from_words() -> None:
    asked = features("Default", ["NoOverlayMode=true, RouteReflector=false", "NoOverlayMode=true"])
    assert asked == Features("Default", {"NoOverlayMode": True, "RouteReflector": False})
    assert asked.state("NoOverlayMode") is True
    assert asked.state("AWSDualStackInstall") is True
    assert asked.state("MutableTopology") is False
    assert features(None, ["NoOverlayMode=true"]).state("MutableTopology") is None
    assert asked.why_off("MutableTopology") == "in feature set Default"
    assert asked.why_off("RouteReflector") == "by --feature-gates"


def test_keys_of_different_feature_settings_differ() -> None:
    wishes = [
        Features(),
        *(features(name) for name in gating.feature_sets()),
        features(None, ["NoOverlayMode=true"]),
        features(None, ["NoOverlayMode=false"]),
        features("Default", ["NoOverlayMode=false"]),
    ]
    assert len({wish.key for wish in wishes}) == len(wishes)
    both = ["NoOverlayMode=true", "RouteReflector=true"]
    assert features(None, both).key == features(None, reversed(both)).key
