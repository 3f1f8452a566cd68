"""Verdicts on the examples of the deployment, and how text output shows them."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.preflight_run import report, run

BY_FIELD = "enhancement because of this field; it is the proposed API, clusters run the released one"
OKC = "spec.defaultNetwork.ovnKubernetesConfig"


def test_valid_examples():
    code, document = report("deploy/examples/valid", "--inventory", "deploy/examples/nodes")
    assert code == 0
    assert document["summary"] == {"files": 3, "objects": 3, "errors": 0, "warnings": 0, "notJudged": 0}
    assert [
        (finding["file"], finding["severity"], finding["message"])
        for finding in document["findings"]
        if not finding["message"].startswith("not checked: needs ")
    ] == [
        (
            "deploy/examples/valid/blue-layer2.yaml",
            "note",
            'transit subnets 100.90.0.0/16 selected: 100.88.0.0/16 overlaps user defined subnet "100.88.0.0/15"',
        ),
        ("deploy/examples/valid/blue-layer2.yaml", "note", "judged by schema set released"),
        ("deploy/examples/valid/default-network.yaml", "note", f"judged by schema set {BY_FIELD}"),
        ("deploy/examples/valid/green-layer3.yaml", "note", "judged by schema set released"),
    ]


# file, line, field, message, rule: what each invalid example must be refused for first.
REFUSED = [
    (
        "bad-cidr",
        15,
        "spec.network.layer2.subnets[0]",
        'Invalid value: "10.300.0.0/16": CIDR is invalid',
        "udn-cidr-valid",
    ),
    ("bgp-removed", 14, OKC, "Invalid value: bgpManagedConfig field is immutable", "default-network-bgp-immutable"),
    (
        "join-overlap",
        15,
        "spec.network.layer2.subnets[0]",
        'Invalid value: "100.65.128.0/17": pod or join subnet overlaps with already configured internal subnets: '
        'user defined join subnet "100.65.0.0/16" overlaps user defined subnet "100.65.128.0/17"',
        "OVNG-NET-001",
    ),
    ("layer2-changed", 12, "spec.network.layer2", "Invalid value: Layer2 is immutable", "udn-layer2-immutable"),
    (
        "layer2-no-overlay",
        10,
        "spec.network",
        "Invalid value: transport 'NoOverlay' is only supported for Layer3 primary networks",
        "udn-no-overlay-topology-defaulted",
    ),
    (
        "managed-without-asn",
        23,
        f"{OKC}.bgpManagedConfig.asNumber",
        'Invalid value: bgpManagedConfig.asNumber is required when DefaultNetworkNoOverlayOptions.Routing="Managed"',
        "default-network-managed-needs-as-number",
    ),
    (
        "managed-without-bgp",
        17,
        OKC,
        "Invalid value: bgpManagedConfig is required when DefaultNetworkTransport is NoOverlay, "
        'DefaultNetworkNoOverlayOptions is set and DefaultNetworkNoOverlayOptions.Routing="Managed"',
        "default-network-managed-needs-bgp",
    ),
    (
        "no-overlay-without-options",
        17,
        OKC,
        "Invalid value: defaultNetworkNoOverlayOptions is required when DefaultNetworkTransport is NoOverlay",
        "default-network-options-required",
    ),
    (
        "options-without-no-overlay",
        17,
        OKC,
        "Invalid value: defaultNetworkNoOverlayOptions is only supported for no-overlay networks",
        "default-network-options-only-no-overlay",
    ),
    (
        "released-routes-off",
        17,
        OKC,
        "Invalid value: routeAdvertisements must be Enabled when transport is NoOverlay",
        "no-overlay-needs-route-advertisements",
    ),
    (
        "snat-changed",
        17,
        OKC,
        "Invalid value: defaultNetworkNoOverlayOptions field is immutable",
        "default-network-options-immutable",
    ),
    (
        "transport-changed",
        17,
        OKC,
        "Invalid value: DefaultNetworkTransport field is immutable",
        "default-network-transport-immutable",
    ),
    (
        "wrong-block",
        10,
        "spec.network",
        "Invalid value: spec.layer3 is required when topology is Layer3 and forbidden otherwise",
        "udn-layer3-block",
    ),
]


def test_every_invalid_example_is_refused_for_its_own_reason():
    code, document = report("deploy/examples/invalid")
    assert code == 1
    first: dict[str, Any] = {}
    for finding in document["findings"]:
        if finding["severity"] == "error":
            first.setdefault(Path(finding["file"]).stem, finding)
    assert sorted(first) == [name for name, *_ in REFUSED]
    for name, line, field, message, rule in REFUSED:
        finding = first[name]
        assert (finding["line"], finding["path"], finding["message"]) == (line, field, message)
        assert finding["rule"] == rule


def test_text_output_shows_line_and_column():
    result = run("deploy/examples/invalid/layer2-changed.yaml", "--color", "never")
    assert result.return_value == 1
    assert result.stdout == (
        "ClusterUserDefinedNetwork red  deploy/examples/invalid/layer2-changed.yaml:2\n"
        "  12:5: error: Layer2 is immutable (spec.network.layer2: Invalid value)  [udn-layer2-immutable]\n"
        "    12 |     layer2:\n"
        "       |     ^\n"
        "1 file, 1 object judged, 1 error, 0 warnings\n"
    )


MANAGED = """
apiVersion: operator.openshift.io/v1
kind: Network
metadata: {name: cluster}
spec:
  clusterNetwork: [{cidr: 10.128.0.0/14, hostPrefix: 23}]
  serviceNetwork: [172.30.0.0/16]
  additionalRoutingCapabilities: {providers: [FRR]}
  defaultNetwork:
    type: OVNKubernetes
    ovnKubernetesConfig: {routeAdvertisements: Enabled, bgpManagedConfig: {asNumber: 64600, bgpTopology: %s}}
"""


@pytest.mark.parametrize(
    ("topology", "arguments", "notes"),
    [
        ("fullMesh", (), [f"judged by schema set {BY_FIELD}"]),
        (
            "FullMesh",
            (),
            ["judged by schema set released because of this field"],
        ),
        (
            "Ring}, defaultNetworkNoOverlayOptions: {outboundSNAT: Enable, routing: Managed",
            (),
            [f"judged by schema set {BY_FIELD}"],
        ),
        ("FullMesh", ("--schema-set", "released"), []),
    ],
)
def test_the_selected_schema_set_is_noted(topology, arguments, notes):
    _, document = report("-", *arguments, stdin=MANAGED % topology)
    noted = [each["message"] for each in document["findings"] if each["severity"] == "note"]
    assert [text for text in noted if text.startswith("judged by ")] == notes
