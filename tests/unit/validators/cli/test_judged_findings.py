"""An unknown field hides no other error of its object."""

import pytest

from tests.support.preflight_run import report, run
from tests.support.soak import limit

NETWORK = """\
apiVersion: k8s.ovn.org/v1
kind: ClusterUserDefinedNetwork
metadata: {name: net}
spec: %s
"""


@pytest.mark.parametrize(
    ("spec", "later"),
    [
        pytest.param(
            "{namespaceSelector: {}, topology: Layer2}", ["spec.network: Required value"], id="a flat network"
        ),
        pytest.param(
            "{namespaceSelector: {}, network: {layer2: {role: Secondary, subnets: [{cidr: 10.0.0.0/24}]}}}",
            [
                'spec.network.layer2.subnets[0]: Invalid value: "object": '
                'spec.network.layer2.subnets[0] in body must be of type string: "object"',
                "spec.network.topology: Required value",
            ],
            id="objects in place of strings",
        ),
        pytest.param(
            "{namespaceSelector: {}, network: {topology: Layer2, layer2:"
            " {role: Primary, subnets: [100.64.0.0/16], zzz: 1}}}",
            [
                'spec.network.layer2.subnets[0]: Invalid value: "100.64.0.0/16": pod or join subnet overlaps with '
                'already configured internal subnets: user defined subnet "100.64.0.0/16" overlaps built-in join '
                'subnet "100.64.0.0/16"'
            ],
            id="a network rule",
        ),
        pytest.param(
            "{namespaceSelector: {}, network: {topology: Layer2, layer2:"
            " {role: Primary, subnets: [10.1.0.0/16], zzz: 1}}}",
            [],
            id="nothing else",
        ),
    ],
)
def test_what_unknown_fields_hide_comes_after_them(spec: str, later: list[str]) -> None:
    code, document = report("-", stdin=NETWORK % spec)
    found = document["findings"]
    assert code == 1
    assert [f"{each['path']}: {each['message']}" for each in found if each["then"]] == later
    assert {each["severity"] for each in found if each["then"]} <= {"note"}
    assert document["summary"]["errors"] == sum(each["rule"] == "strict" for each in found)


@limit(180)
def test_then_lines() -> None:
    flat = NETWORK % "{namespaceSelector: {}, topology: Layer2}"
    line = "  4:1: then: spec.network: Required value  [spec.required]\n"
    assert line in run("-", stdin=flat).stdout
    assert "then:" not in run("-", "-q", stdin=flat).stdout
    for form in ("github", "gitlab", "junit", "sarif", "tap"):
        assert "then: spec.network: Required value" in run("-", "-o", form, stdin=flat).stdout
