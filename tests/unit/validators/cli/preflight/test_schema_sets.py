"""Which of the two bundled schema sets judges an object that fits both, and what names it."""

import pytest

from tests.support.preflight_run import report, run

CUDN = """apiVersion: k8s.ovn.org/v1
kind: ClusterUserDefinedNetwork
metadata:
  name: blue
spec:
  namespaceSelector: {}
  network:
    topology: Layer3
    %s
    layer3: {role: Primary, subnets: [{cidr: 10.1.0.0/16}]}
"""
OPERATOR = """apiVersion: operator.openshift.io/v1
kind: Network
metadata: {name: cluster}
spec:
  defaultNetwork:
    type: OVNKubernetes
    ovnKubernetesConfig: {%s}
"""
RELEASED = "released, which clusters run; the other set differs here: --schema-set enhancement"
PROPOSED = "enhancement, the proposed API; the other set differs here: --schema-set released"
DECIDED = "enhancement because of this field; it is the proposed API, clusters run the released one"


def judged_by(text: str, *arguments: str) -> list[str]:
    """The ends of the notes about the schema set."""
    notes = [each["message"] for each in report("-", *arguments, stdin=text)[1]["findings"]]
    begin = "judged by schema set "
    return [note.removeprefix(begin) for note in notes if note.startswith(begin)]


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("", "released"),
        ("transport: NoOverlay", RELEASED),
        ("transport: no-overlay", RELEASED),
        ("transport: Geneve", DECIDED),
        ("noOverlayOptions: {}", DECIDED),
        ("evpn: {}", "released because of this field"),
        # the set that lacks fewer fields
        ("noOverlay: {}\n    evpn: {}\n    noOverlayOptions: {}", RELEASED),
    ],
)
def test_what_fits_both_sets_is_judged_as_clusters_do(line: str, note: str) -> None:
    assert judged_by(CUDN % line) == [note]


@pytest.mark.parametrize(
    ("config", "note"),
    [
        ("defaultNetworkTransport: Geneve", PROPOSED),
        ("transport: Geneve", RELEASED),
        ("mtu: 1400", RELEASED),
    ],
)
def test_objects_of_the_cluster_decide(config: str, note: str, tmp_path) -> None:
    (tmp_path / "cluster.yaml").write_text(OPERATOR % config)
    inventory = ("--inventory", f"{tmp_path}/cluster.yaml")
    assert judged_by(CUDN % "transport: NoOverlay", *inventory) == [note]


@pytest.mark.parametrize(
    ("gates", "note"),
    [
        ("RouteReflector=true", PROPOSED),
        ("RouteReflector=false", RELEASED),
        ("NoOverlayMode=true", RELEASED),
    ],
)
def test_a_gate_of_one_set_decides(gates: str, note: str) -> None:
    text = OPERATOR % "bgpManagedConfig: {}"
    assert judged_by(text, "--feature-gates", gates) == [note]


def test_the_note_follows_the_error_at_its_field() -> None:
    lines = run("-", stdin=CUDN % "transport: NoOverlay").stdout.splitlines()
    assert lines[1].startswith("  7:3: error: spec.noOverlay is required when type transport is 'NoOverlay' ")
    assert lines[4:6] == [
        "  7:3: note: set spec.network.noOverlay, such as {outboundSNAT: Enabled, routing: Managed}. "
        "Options of transport NoOverlay. (spec.network)",
        f"  9:5: note: judged by schema set {RELEASED} (spec.network.transport)",
    ]


def test_accepted_objects_of_the_proposed_api_are_counted() -> None:
    counted = "1 object fits only the proposed API; clusters run the released one (-v lists them)"
    text = CUDN % "transport: Geneve"
    assert counted in run("-", stdin=text).stdout.splitlines()
    listed = run("-", "-v", stdin=text).stdout.splitlines()
    assert f"  9:5: note: judged by schema set {DECIDED} (spec.network.transport)" in listed
    assert "1 object fits only the proposed API; clusters run the released one" in listed
    assert "proposed" not in run("-", "--schema-set", "enhancement", stdin=text).stdout
