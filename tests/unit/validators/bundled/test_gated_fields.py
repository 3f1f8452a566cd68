"""Objects under feature gates: what is dropped is named once, and nothing else is said of it."""

import copy
from typing import Any

import pytest

from ovnguard.crd_schemas.gating import Features, features
from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.base.field import ErrorType
from ovnguard.validators.bundled.catalog import Catalog
from ovnguard.validators.bundled.gated_fields import RULE, DroppedFields
from ovnguard.validators.network.cluster_view import EmptyView

CONFIG = "spec.defaultNetwork.ovnKubernetesConfig"


def network(**config: Any) -> dict[str, Any]:
    return {
        "apiVersion": "operator.openshift.io/v1",
        "kind": "Network",
        "metadata": {"name": "cluster"},
        "spec": {
            "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
            "serviceNetwork": ["172.30.0.0/16"],
            "additionalRoutingCapabilities": {"providers": ["FRR"]},
            "defaultNetwork": {
                "type": "OVNKubernetes",
                "ovnKubernetesConfig": {"routeAdvertisements": "Enabled", **config},
            },
        },
    }


RELEASED = network(
    transport="NoOverlay",
    noOverlayConfig={"outboundSNAT": "Enabled", "routing": "Managed"},
    bgpManagedConfig={"bgpTopology": "FullMesh"},
)
REFLECTED = network(
    defaultNetworkTransport="NoOverlay",
    defaultNetworkNoOverlayOptions={"outboundSNAT": "Enable", "routing": "Managed"},
    bgpManagedConfig={"asNumber": 64600, "bgpTopology": "routeReflector"},
)


def messages(obj: dict[str, Any], wish: Features, old: dict[str, Any] | None = None) -> tuple[list[str], list[str]]:
    """Errors and warnings of an object as kubectl would send it."""
    request = Request(Operation.CREATE if old is None else Operation.UPDATE, obj, old)
    judgement = judge(request, EmptyView(), Catalog(features=wish), field_validation="Strict")
    assert judgement.schema_warnings == ()
    assert judgement.allowed is not bool(judgement.errors)
    return [error.text for error in judgement.errors], [warning.text for warning in judgement.warnings]


def dropped(why: str) -> list[str]:
    names = ("transport", "noOverlayConfig", "bgpManagedConfig")
    return [f"{CONFIG}.{name}: dropped: feature gate NoOverlayMode is off {why}" for name in names]


@pytest.mark.parametrize(
    ("wish", "warnings"),
    [
        (Features(), []),
        (features("TechPreviewNoUpgrade"), []),
        (features("CustomNoUpgrade"), []),
        (features("Default", ["NoOverlayMode=true"]), []),
        (features("Default"), dropped("in feature set Default")),
        (features("OKD"), dropped("in feature set OKD")),
        (features(None, ["NoOverlayMode=false"]), dropped("by --feature-gates")),
        (features("TechPreviewNoUpgrade", ["NoOverlayMode=false"]), dropped("by --feature-gates")),
    ],
)
def test_what_a_gate_drops_is_named(wish: Features, warnings: list[str]) -> None:
    given = copy.deepcopy(RELEASED)
    assert messages(given, wish) == ([], warnings)
    assert given == RELEASED


def test_a_dropped_field_is_a_warning_of_its_own_kind_and_not_stored() -> None:
    request = Request(Operation.CREATE, RELEASED)
    judgement = judge(request, EmptyView(), Catalog(features=features("Default")))
    first = judgement.warnings[0]
    assert (first.type, first.field, first.rule) == (ErrorType.DROPPED, f"{CONFIG}.transport", "OVNG-GATE-001")
    assert first.body == "dropped: feature gate NoOverlayMode is off in feature set Default"
    assert judgement.schema_set == "released"
    assert judgement.object is not None
    stored = judgement.object["spec"]["defaultNetwork"]["ovnKubernetesConfig"]
    assert not {"transport", "noOverlayConfig", "bgpManagedConfig"} & stored.keys()
    assert stored["routeAdvertisements"] == "Enabled"
    assert judgement.mutated is RELEASED


def test_fields_that_nobody_knows_are_still_unknown() -> None:
    errors, warnings = messages(network(transport="NoOverlay", transprot="NoOverlay"), features("Default"))
    where = f"{CONFIG}.transprot"
    assert errors == [f'{where}: Invalid value: unknown field "{where}"']
    assert warnings == dropped("in feature set Default")[:1]


def test_an_update_is_judged_without_them_on_both_sides() -> None:
    later = copy.deepcopy(RELEASED)
    later["spec"]["defaultNetwork"]["ovnKubernetesConfig"]["mtu"] = 1400
    assert messages(later, features("Default"), old=RELEASED) == ([], dropped("in feature set Default"))
    gone = network(mtu=1400)
    assert messages(gone, features("Default"), old=RELEASED) == ([], [])


@pytest.mark.parametrize(
    ("wish", "refused"),
    [
        (Features(), True),
        (features("TechPreviewNoUpgrade"), True),
        (features("CustomNoUpgrade"), True),
        (features(None, ["RouteReflector=false"]), True),
        (features(None, ["RouteReflector=true"]), False),
        (features("TechPreviewNoUpgrade", ["RouteReflector=true"]), False),
    ],
)
def test_route_reflectors_need_their_gate(wish: Features, refused: bool) -> None:
    errors, warnings = messages(REFLECTED, wish)
    where = f"{CONFIG}.bgpManagedConfig.bgpTopology"
    expected = f'{where}: Unsupported value: "routeReflector": supported values: "fullMesh"'
    assert errors[:1] == ([expected] if refused else [])
    assert warnings == []


def test_the_released_network_refuses_route_reflectors_in_any_case() -> None:
    obj = copy.deepcopy(RELEASED)
    obj["spec"]["defaultNetwork"]["ovnKubernetesConfig"]["bgpManagedConfig"]["bgpTopology"] = "routeReflector"
    errors, _ = messages(obj, features("CustomNoUpgrade", ["RouteReflector=true"]))
    where = f"{CONFIG}.bgpManagedConfig.bgpTopology"
    assert errors[0] == f'{where}: Unsupported value: "routeReflector": supported values: "FullMesh"'


def test_given_definitions_know_no_gates() -> None:
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "networks.operator.openshift.io"},
        "spec": {
            "group": "operator.openshift.io",
            "scope": "Cluster",
            "names": {"plural": "networks", "singular": "network", "kind": "Network", "listKind": "NetworkList"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
                }
            ],
        },
    }
    chosen = Catalog([crd], features=features("Default")).choose(RELEASED)
    assert chosen is not None
    assert (chosen.schema_set, chosen.dropped) == ("given", ())


def test_lists_are_walked_and_paths_name_the_items() -> None:
    found = DroppedFields(features("Default"), {"MutableTopology": ("spec.a[].b", "spec.c[][].d", "status")})
    obj = {"spec": {"a": [{"b": 1, "x": 2}, {"x": 3}, 4], "c": [[{"d": 1}]], "e": {}}, "status": {}}
    given = copy.deepcopy(obj)
    left, warnings = found.without(obj)
    assert obj == given
    assert left == {"spec": {"a": [{"x": 2}, {"x": 3}, 4], "c": [[{}]], "e": {}}}
    assert [warning.field for warning in warnings] == ["spec.a[0].b", "spec.c[0][0].d", "status"]
    assert {warning.rule for warning in warnings} == {RULE}


@pytest.mark.parametrize("obj", [{}, {"spec": None}, {"spec": {"a": {"b": 1}}}, {"spec": [{"a": 1}]}])
def test_what_has_no_such_field_stays_the_very_same(obj: dict[str, Any]) -> None:
    found = DroppedFields(features("Default"), {"MutableTopology": ("spec.a[].b",)})
    left, warnings = found.without(obj)
    assert left is obj
    assert warnings == ()


class Kept:
    """A store in memory that remembers its keys."""

    def __init__(self) -> None:
        self.data: dict[str, bytes] = {}

    def load(self, key: str) -> bytes | None:
        return self.data.get(key)

    def save(self, key: str, data: bytes) -> None:
        self.data[key] = data


def test_the_store_never_mixes_wishes() -> None:
    store = Kept()
    wishes = [None, features("Default"), features("TechPreviewNoUpgrade"), features(None, ["RouteReflector=true"])]
    seen = []
    for wish in (*wishes, *wishes):
        chosen = Catalog(store=store, features=wish).choose(REFLECTED)
        assert chosen is not None
        verdict = chosen.crd.verdict(REFLECTED)
        seen.append((verdict.allowed, len(verdict.unknown)))
    assert seen[:4] == seen[4:]
    assert seen[0] == (False, 0)
    assert seen[1][1] == 3
    assert seen[3] == (True, 0)
