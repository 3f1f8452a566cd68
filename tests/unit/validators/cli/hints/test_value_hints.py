"""An invalid value gets what helps: the value that is meant, quotes, or the field that a rule speaks of."""

import pytest

from tests.support.preflight_run import report

NETWORK = """\
apiVersion: k8s.ovn.org/v1
kind: ClusterUserDefinedNetwork
metadata: {name: net, labels: {%s}}
spec:
  namespaceSelector: {matchLabels: {%s}}
  network: {topology: %s}
"""
LAYER2 = "Layer2, layer2: {role: Primary, subnets: [10.1.0.0/16]%s}"

ROLE = "Whether the network carries a pod's default route."
SHARES = "Subnets from which nodes get their shares. A primary network may get more of them later."
SUBNETS = "Subnets of the network, at most one of each family."
LAYER3 = "A network with a subnet per node and routers between them."


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
        ("", "", LAYER2 % ', mtu: "1400B"', "write 1400: a number without letters and quotes"),
        ("", "", LAYER2 % ', mtu: "x"', "write a number from 576 to 65536"),
        ("", "", LAYER2 % ', mtu: "1400:1"', "write a number from 576 to 65536"),
        ("", "", "Layer2, layer2: {role: [Primary]}", "spec.network.layer2.role is no list: write Primary"),
        (
            "",
            "",
            "Layer2, layer2: [{role: Primary}]",
            "spec.network.layer2 is no list: write its fields without a dash",
        ),
        (
            "",
            "",
            "Layer3, layer3: {role: Primary, subnets: {cidr: 10.1.0.0/16}}",
            "spec.network.layer3.subnets is a list: begin each entry with a dash",
        ),
        (
            "",
            "",
            "Layer2, layer2: {subnets: [10.1.0.0/16]}",
            f"add spec.network.layer2.role: Primary or Secondary. {ROLE}",
        ),
        (
            "",
            "",
            "Layer3, layer3: {role: Primary}",
            f"add spec.network.layer3.subnets, such as [{{cidr: VALUE}}]. {SHARES}",
        ),
        (
            "",
            "",
            "Localnet, localnet: {role: Secondary}",
            "add spec.network.localnet.physicalNetworkName, a string. Name of the bridge mapping.",
        ),
        (
            "",
            "",
            "Layer2, layer2: {role: Secondary, subnets: [10.1.0.0/16], joinSubnets: [10.2.0.0/16]}",
            "remove spec.network.layer2.joinSubnets, or change what forbids it",
        ),
        (
            "",
            "",
            "Layer2, layer2: {role: Primary, subnets: 10.1.0.0/16}",
            'spec.network.layer2.subnets is a list: write ["10.1.0.0/16"]',
        ),
        (
            "",
            "",
            "Layer3, layer3: {role: Primary, subnets: [10.1.0.0/16]}",
            'spec.network.layer3.subnets[0] is an object: write {cidr: "10.1.0.0/16"}',
        ),
        (
            "",
            "",
            "Layer2, layer2: {role: Secondary, ipam: {lifecycle: Persistent}}",
            f"set spec.network.layer2.subnets, a list. {SUBNETS}",
        ),
        ("", "", LAYER2.replace("Primary", "primary") % "", "did you mean Primary?"),
        (
            "",
            "",
            "Layer3, layer2: {role: Primary, subnets: [10.1.0.0/16]}",
            f"set spec.network.layer3, such as {{role: Primary, subnets: [{{cidr: VALUE}}]}}. {LAYER3}",
        ),
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


@pytest.mark.parametrize(
    ("asn", "hint"),
    [
        ("AS64512", "write 64512: a number without letters and quotes"),
        ('"64512"', "write 64512 without quotes"),
        ("AS1.10", "write a number from 0 to 4294967295"),
    ],
)
def test_a_number_with_letters(asn: str, hint: str) -> None:
    text = """\
apiVersion: frrk8s.metallb.io/v1beta1
kind: FRRConfiguration
metadata: {name: frr, namespace: frr-k8s-system}
spec: {bgp: {routers: [{asn: %s, neighbors: [{address: 10.0.0.1, asn: 64512, ebgpMultiHop: %s}]}]}}
"""
    assert hints(text % (asn, "true")) == [hint]


@pytest.mark.parametrize(
    ("word", "meant"), [("enabled", "true"), ("'No'", "false"), ("0", "false"), ("2", "true or false")]
)
def test_words_that_are_no_booleans(word: str, meant: str) -> None:
    text = """\
apiVersion: frrk8s.metallb.io/v1beta1
kind: FRRConfiguration
metadata: {name: frr, namespace: frr-k8s-system}
spec: {bgp: {routers: [{asn: 64512, neighbors: [{address: 10.0.0.1, asn: 64513, ebgpMultiHop: %s}]}]}}
"""
    assert hints(text % word) == [f"write {meant} without quotes"]


def test_a_missing_selector_and_what_it_selects() -> None:
    text = """\
apiVersion: k8s.ovn.org/v1
kind: RouteAdvertisements
metadata: {name: default}
spec: {nodeSelector: {}, networkSelectors: [{networkSelectionType: DefaultNetwork}], advertisements: [PodNetwork]}
"""
    assert hints(text) == [
        "add spec.frrConfigurationSelector, such as {matchLabels: {KEY: VALUE}}. "
        "Labels of the source FRRConfigurations for the generated ones."
    ]
