"""An invalid value gets what helps: the value that is meant, quotes, or the field that a rule speaks of."""

import pytest

from tests.support.preflight_run import report

NETWORK = """\
apiVersion: k8s.ovn.org/v1
kind: ClusterUserDefinedNetwork
metadata: {name: net, labels: {%s}}
spec:
  namespaceSelector: {matchLabels: {%s}}
  network: {topology: Layer%s}
"""
LAYER2 = "2, layer2: {role: Primary, subnets: [10.1.0.0/16]%s}"


def hints(text: str) -> list[str]:
    """The notes about the first error of a manifest."""
    found = report("-", stdin=text)[1]["findings"]
    return [each["message"] for each in found if each["reason"] == "Note" and each["path"]]


@pytest.mark.parametrize(
    ("labels", "selector", "network", "hint"),
    [
        ("", "team: y", LAYER2 % "", 'YAML reads y as true; quote it: "y"'),
        ("", "team: No", LAYER2 % "", 'YAML reads No as false; quote it: "No"'),
        ("", "team: true", LAYER2 % "", 'quote it: "true"'),
        ("", "vlan: 0100", LAYER2 % "", 'quote it: "0100"'),
        ("a: b, advertise: on", "", LAYER2 % "", 'metadata.labels.advertise: YAML reads on as true; quote it: "on"'),
        ("vlan: 100", "", LAYER2 % "", 'metadata.labels.vlan: quote it: "100"'),
        ("", "", LAYER2 % ', mtu: "1400"', "write 1400 without quotes"),
        ("", "", LAYER2 % ', mtu: "x"', None),
        (
            "",
            "",
            "2, layer2: {role: Primary, subnets: 10.1.0.0/16}",
            'spec.network.layer2.subnets is a list: write ["10.1.0.0/16"]',
        ),
        (
            "",
            "",
            "3, layer3: {role: Primary, subnets: [10.1.0.0/16]}",
            'spec.network.layer3.subnets[0] is an object: write {cidr: "10.1.0.0/16"}',
        ),
        ("", "", "2, layer2: {role: Secondary, ipam: {lifecycle: Persistent}}", "set spec.network.layer2.subnets"),
        ("", "", LAYER2.replace("Primary", "primary") % "", "did you mean Primary?"),
        ("", "", "3, layer2: {role: Primary, subnets: [10.1.0.0/16]}", "set spec.network.layer3"),
    ],
)
def test_values(labels: str, selector: str, network: str, hint: str | None) -> None:
    assert hints(NETWORK % (labels, selector, network))[:1] == ([hint] if hint else [])


def test_a_rule_that_forbids_a_field_names_its_path() -> None:
    both = NETWORK % ("", "", LAYER2 % "" + ", layer3: {role: Primary, subnets: [{cidr: 10.2.0.0/16}]}")
    assert hints(both) == ["remove spec.network.layer3, or change what forbids it"]


def test_localnet_needs_another_kind() -> None:
    text = """\
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: net, namespace: red}
spec: {topology: Localnet, layer2: {role: Secondary, subnets: [10.1.0.0/16]}}
"""
    there = "spec.network.topology of a ClusterUserDefinedNetwork"
    assert hints(text)[0] == f"a UserDefinedNetwork has no such value; did you mean {there}?"


def test_an_attachment_without_its_own_name() -> None:
    config = '{"cniVersion": "0.4.0", "name": "x", "type": "ovn-k8s-cni-overlay", "topology": "layer2"}'
    text = f"""\
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {{name: net, namespace: red}}
spec: {{config: '{config}'}}
"""
    key = '"netAttachDefName": "red/net"'
    assert hints(text) == [f"NADName is the key netAttachDefName: add {key} to spec.config"]
