"""An unknown field gets the path of the field that exists, wherever that is."""

import pytest

from ovnguard.validators.cli.hints.field_hints import closest, field_hint
from tests.support.preflight_run import report, run

SCHEMA = {
    "properties": {
        "metadata": {"type": "object"},
        "spec": {
            "properties": {
                "network": {
                    "properties": {
                        "topology": {"type": "string"},
                        "layer2": {"properties": {"subnets": {"items": {"type": "string"}}, "role": {}}},
                        "layer3": {"properties": {"subnets": {"items": {"properties": {"cidr": {}}}}, "role": {}}},
                    }
                },
                "mtu": {"type": "integer"},
                "selector": {"properties": {"matchLabels": {}, "matchExpressions": {}}},
                "kinds": {"type": "array", "items": {"type": "string"}},
            },
        },
        "status": {"properties": {"topology": {}}},
    }
}


@pytest.mark.parametrize(
    ("path", "spec", "hint"),
    [
        ("spec.netwrok", {}, "did you mean spec.network?"),
        ("spec.MTU", {}, "did you mean spec.mtu?"),
        ("spec.network.layer3.subnets[3].cidrs", {}, "did you mean spec.network.layer3.subnets[3].cidr?"),
        ("spec.network.layer3.subnets[3].zzz", {}, ""),
        ("spc", {}, "did you mean spec?"),
        ("", {}, ""),
        ("spec.network", {}, ""),
        ("metadata.label", {}, "did you mean metadata.labels?"),
        ("spec.topology", {}, "did you mean spec.network.topology?"),
        ("spec.Topology", {}, "did you mean spec.network.topology?"),
        ("spec.subnets", {}, "did you mean spec.network.layer2.subnets or spec.network.layer3.subnets?"),
        ("spec.subnets", {"topology": "Layer3"}, "did you mean spec.network.layer3.subnets?"),
        ("spec.network.subnets", {"network": {"topology": "Layer2"}}, "did you mean spec.network.layer2.subnets?"),
        ("spec.net", {"net": {"mtu": 1, "kinds": []}}, "did you mean spec.mtu and spec.kinds?"),
        (
            "spec.selector.team",
            {"selector": {"team": "blue"}},
            "a selector has its labels in spec.selector.matchLabels",
        ),
        ("spec.selector.kubernetes.io/name", {}, "a selector has its labels in spec.selector.matchLabels"),
        ("spec.mtu.value", {"mtu": {"value": 1400}}, "spec.mtu is an integer, without fields: write 1400"),
        ("spec.mtu.value", {"mtu": {"value": 1400, "unit": "B"}}, "spec.mtu is an integer, without fields"),
        ("spec.kinds.pods", {"kinds": {"pods": True}}, "spec.kinds is a list: begin each entry with a dash"),
        (
            "spec.network.layer2.subnets[0].cidr",
            {"network": {"layer2": {"subnets": [{"cidr": "10.1.0.0/16"}]}}},
            'spec.network.layer2.subnets[0] is a string, without fields: write "10.1.0.0/16"',
        ),
    ],
)
def test_fields(path: str, spec: dict, hint: str) -> None:
    assert field_hint(path, {"kind": "Sample", "spec": spec}, SCHEMA) == hint


def test_without_a_schema() -> None:
    assert field_hint("spec.topology", {"kind": "Sample"}, {}) == ""


MISSPELT = """\
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: net, namespace: red}
spec: {topology: %s, layer3: {role: Primary, subnets: [{%s: 10.41.0.0/16}]}}
"""


@pytest.mark.parametrize(
    ("topology", "cidr", "meant"),
    [
        ("layer3", "cidr", "Layer3"),
        ("Layer3", "cidrr", "spec.layer3.subnets[0].cidr"),
        ("Layer3", "zzz", None),
    ],
)
def test_a_note_follows_the_error(topology: str, cidr: str, meant: str | None) -> None:
    text = MISSPELT % (topology, cidr)
    notes = [each for each in report("-", stdin=text)[1]["findings"] if each["message"].startswith("did you mean")]
    assert [each["message"] for each in notes] == ([f"did you mean {meant}?"] if meant else [])
    assert (f"note: did you mean {meant}?" in run("-", stdin=text).stdout) is (meant is not None)


def test_a_word_or_a_list_that_takes_long_to_compare_gets_no_hint() -> None:
    assert closest("v" * 100, ["v" * 99]) == "v" * 99
    assert closest("v" * 101, ["v" * 99]) == ""
    known = [f"word{number}" for number in range(201)]
    assert closest("words", known[:200]) != ""
    assert closest("words", known) == ""


def test_the_first_hundred_misspelt_fields_get_hints() -> None:
    neighbors = ", ".join("{adress: 10.0.0.1}" for _ in range(120))
    text = f"""\
apiVersion: frrk8s.metallb.io/v1beta1
kind: FRRConfiguration
metadata: {{name: ext, namespace: frr-k8s-system}}
spec: {{bgp: {{routers: [{{asn: 64512, neighbors: [{neighbors}]}}]}}}}
"""
    findings = report("-", stdin=text)[1]["findings"]
    meant = [each["message"] for each in findings if each["message"].startswith("did you mean")]
    unknown = [each["path"] for each in findings if each["rule"] == "strict"]
    assert len(unknown) == 120
    assert meant == [f"did you mean {path.replace('adress', 'address')}?" for path in unknown[:100]]
