import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT
from tests.support.preflight_run import report, run, widgets
from validators.cli.preflight_options import parser
from validators.cluster.watched_kinds import WATCHED

OKC = "spec.defaultNetwork.ovnKubernetesConfig"


@pytest.fixture(autouse=True)
def _in_checkout(monkeypatch):
    monkeypatch.chdir(ROOT)


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
        *(
            (f"deploy/examples/valid/{name}.yaml", "note", "judged by schema set enhancement")
            for name in ("blue-layer2", "default-network", "green-layer3")
        ),
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


def test_text_output_jumps_to_the_place():
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
        ("fullMesh", (), ["judged by schema set enhancement"]),
        (
            "FullMesh",
            (),
            ["judged by schema set released"],
        ),
        (
            "Ring}, defaultNetworkNoOverlayOptions: {outboundSNAT: Enable, routing: Managed",
            (),
            ["judged by schema set enhancement"],
        ),
        ("FullMesh", ("--schema-set", "released"), []),
    ],
)
def test_the_set_that_was_taken_is_said(topology, arguments, notes):
    _, document = report("-", *arguments, stdin=MANAGED % topology)
    said = [each["message"] for each in document["findings"] if each["severity"] == "note"]
    assert [text for text in said if not text.startswith("not checked: ")] == notes


UDN = """
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: %s}
spec: {topology: Layer2, layer2: {role: %s, subnets: [10.45.0.0/16]}}
"""
NO_NAMESPACE = "the namespace of the object (metadata.namespace, or -n)"


def unchecked_of(document):
    return [each["message"] for each in document["findings"] if each["message"].startswith("not checked")]


def test_a_namespace_that_the_manifest_omits_is_not_known():
    code, document = report("-", stdin=UDN % ("blue", "Primary"))
    assert (code, [each["rule"] for each in document["findings"] if each["severity"] != "note"]) == (0, [])
    found = " ".join(text for text in unchecked_of(document) if NO_NAMESPACE in text)
    assert {rule for rule in ("OVNG-L2-014", "OVNG-L2-016", "OVNG-L2-021", "OVNG-L2-023") if rule not in found} == set()


def test_the_namespace_of_manifests_that_name_none():
    code, document = report("-", "-n", "default", stdin=UDN % ("blue", "Primary"))
    warned = [each["rule"] for each in document["findings"] if each["severity"] == "warning"]
    assert (code, warned) == (0, ["OVNG-L2-021"])
    assert [text for text in unchecked_of(document) if NO_NAMESPACE in text] == []


def test_another_namespace_is_refused_as_by_kubectl():
    text = (UDN % ("blue", "Primary")).replace("{name: blue}", "{name: blue, namespace: red}")
    code, document = report("-", "--namespace", "sky", stdin=text)
    message = (
        'the namespace from the provided object "red" does not match the namespace "sky". '
        "You must pass '--namespace=red' to perform this operation."
    )
    assert (code, [(each["line"], each["message"]) for each in document["findings"]]) == (2, [(4, message)])


def test_a_network_whose_name_is_generated_does_not_collide_with_itself():
    text = (UDN % ("blue", "Primary")).replace("{name: blue}", "{generateName: blue-, namespace: red}")
    code, document = report("-", stdin=text)
    assert (code, [each["rule"] for each in document["findings"] if each["severity"] != "note"]) == (0, [])
    assert [each for each in unchecked_of(document) if "other networks" in each] == []
    code, document = report("-", "-n", "red", stdin=text + "---" + UDN % ("green", "Primary"))
    assert (code, [(each["name"], each["rule"]) for each in document["findings"] if each["severity"] == "error"]) == (
        1,
        [("blue-", "OVNG-L2-015"), ("green", "OVNG-L2-015")],
    )


def test_networks_whose_names_are_generated_are_networks_of_their_own():
    one = (UDN % ("blue", "Primary")).replace("{name: blue}", "{generateName: blue-, namespace: red}")
    code, document = report("-", "-v", stdin="---".join((one, one, one)))
    found = [(each["name"], each["message"]) for each in document["findings"] if each["severity"] == "error"]
    told = 'Invalid value: "red": primary network already exist in namespace "red": "blue-%05d"'
    assert (code, found) == (1, [("blue-", told % number) for number in (2, 1, 1)])
    network = (UDN % ("blue", "Primary")).replace("{name: blue}", "{generateName: '%s', namespace: red}")
    for base in ("", "Blue_"):
        assert report("-", stdin=network % base)[0] == 1


def test_the_old_object_of_a_manifest_without_namespace_has_one(tmp_path):
    old = tmp_path / "old.yaml"
    old.write_text((UDN % ("blue", "Secondary")).replace("{name: blue}", "{name: blue, namespace: red}"))
    code, document = report("-", "--old", str(old), "-n", "red", stdin=UDN % ("blue", "Primary"))
    refused = [each["message"] for each in document["findings"] if each["severity"] == "error"]
    assert (code, len(refused), refused[0].endswith("Layer2 is immutable")) == (1, 1, True)


def test_an_inventory_without_nodes_says_that_there_are_none(tmp_path):
    inventory = tmp_path / "nodes.yaml"
    inventory.write_text("{apiVersion: v1, kind: NodeList, items: []}")
    code, document = report("-", "--inventory", str(inventory), stdin=UDN % ("blue", "Primary"))
    assert (code, [text for text in unchecked_of(document) if "nodes" in text]) == (0, [])


CUDN = """
apiVersion: k8s.ovn.org/v1
kind: ClusterUserDefinedNetwork
metadata: {name: blue%s}
spec:
  namespaceSelector: {matchLabels: {team: blue}}
  network: {topology: Layer2, layer2: {role: Secondary, subnets: [10.45.0.0/16]}}
"""


@pytest.mark.parametrize("arguments", [(), ("-n", "sky")])
def test_a_cluster_scoped_object_has_no_namespace(arguments):
    code, document = report("-", *arguments, stdin=CUDN % ", namespace: red" + "---" + CUDN % "")
    found = [(each["severity"], each["message"]) for each in document["findings"] if each["severity"] != "note"]
    assert (code, found) == (0, [("warning", "judged as an update of the same object in <stdin>:2")])


def test_manifests_without_a_namespace_are_in_one_namespace():
    text = UDN % ("blue", "Primary") + "---" + UDN % ("green", "Primary")
    code, document = report("-", stdin=text)
    refused = [(each["rule"], each["line"]) for each in document["findings"] if each["severity"] == "error"]
    assert (code, [rule for rule, _ in refused]) == (1, ["OVNG-L2-015", "OVNG-L2-015"])


def test_the_second_manifest_of_an_object_is_an_update_of_the_first():
    text = UDN % ("blue", "Primary") + "---" + UDN % ("blue", "Secondary")
    code, document = report("-", stdin=text)
    found = [(each["severity"], each["message"]) for each in document["findings"] if each["severity"] != "note"]
    assert (code, found[0]) == (1, ("warning", "judged as an update of the same object in <stdin>:2"))
    assert [severity for severity, _ in found[1:]] == ["error"]
    assert found[1][1].endswith("Layer2 is immutable")


def test_an_inventory_with_an_empty_list_says_that_there_are_none(tmp_path):
    text = UDN % ("blue", "Primary")
    empty = tmp_path / "inventory.yaml"
    empty.write_text("apiVersion: v1\nkind: PodList\nitems: []\n")
    assert lacking(text) >= {"namespaces", "Pods"}
    assert lacking(text, "--inventory", str(empty)) & {"namespaces", "Pods"} == {"namespaces"}
    empty.write_text("apiVersion: v1\nkind: List\nitems: []\n")
    assert lacking(text, "--inventory", str(empty)) & {"namespaces", "Pods"} == set()


def lacking(text, *arguments):
    """What the rule about running pods lacks."""
    (said,) = (each for each in unchecked_of(report("-", *arguments, stdin=text)[1]) if "OVNG-L2-023" in each)
    return set(said.removeprefix("not checked: needs ").partition(" (OVNG")[0].split(" and "))


GREEN_UNCHECKED = (
    "14 rules not checked: no operator Network, RouteAdvertisements, nodes, namespaces, Pods, EgressServices given "
    "(-v lists them)\n"
)


def test_an_accepted_object_prints_nothing_but_the_counts_and_what_was_not_checked():
    assert run(VALID) == (0, "1 file, 1 object judged, 0 errors, 0 warnings\n" + GREEN_UNCHECKED, "")
    assert run(VALID, "-q") == (0, "", "")


def test_unchecked_rules_of_a_whole_run_are_counted_once(tmp_path):
    text = (ROOT / VALID).read_text()
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(
            text.replace("name: green", f"name: {name}").replace(".40.", f".{ord(name)}.")
        )
    out = run(str(tmp_path)).stdout.splitlines(keepends=True)
    assert out == ["2 files, 2 objects judged, 0 errors, 0 warnings\n", GREEN_UNCHECKED]


@pytest.mark.parametrize("word", ["-v", "--verbose"])
def test_verbose_lists_notes_at_each_object(word):
    lines = run(VALID, word).stdout.splitlines()
    assert lines[:2] == [f"ClusterUserDefinedNetwork green  {VALID}:2", "  2:1: note: judged by schema set enhancement"]
    assert "  2:1: note: not checked: needs the operator Network (OVNG-NET-002, OVNG-L2-029)" in lines
    assert lines[-1] == "1 file, 1 object judged, 0 errors, 0 warnings"
    assert all(line.startswith("  2:1: note: ") for line in lines[1:-1])


@pytest.mark.parametrize("word", ["-q", "--quiet"])
def test_quiet_prints_errors_only(word):
    result = run("deploy/examples/invalid/layer2-changed.yaml", word)
    assert (result.return_value, len(result.stdout.splitlines())) == (1, 4)
    assert ": error: Layer2 is immutable (spec.network.layer2: Invalid value)" in result.stdout
    assert run("-", word, "--feature-set", "Default", stdin=NO_OVERLAY) == (0, "", "")
    warned = run("-", word, "--feature-set", "Default", "--warnings-as-errors", stdin=NO_OVERLAY)
    assert (warned.return_value, warned.stdout.count(": warning: "), warned.stderr) == (1, 3, "")


def test_quiet_json_counts_what_it_does_not_list():
    code, document = report("-", "-q", "--feature-set", "Default", stdin=NO_OVERLAY)
    assert (code, document["findings"], document["summary"]["warnings"]) == (0, [], 3)


def test_colour_is_by_choice_only():
    coloured = run("deploy/examples/invalid/layer2-changed.yaml", "--color", "always")
    assert ": \x1b[31merror\x1b[0m: " in coloured.stdout
    assert "\x1b[" not in run("deploy/examples/invalid/layer2-changed.yaml").stdout


def test_standard_input():
    code, document = report("-", stdin=(ROOT / "deploy/examples/invalid/wrong-block.yaml").read_text())
    assert code == 1
    assert document["findings"][0]["file"] == "<stdin>"


def test_old_by_option():
    folder = "deploy/examples/invalid"
    code, _ = report(f"{folder}/wrong-block.yaml", "--old", f"{folder}/layer2-changed.old.yaml")
    assert code == 1
    green = (ROOT / "deploy/examples/valid/green-layer3.yaml").read_text()
    code, document = report("-", "--old", "deploy/examples/valid", stdin=green.replace("10.40.0.0/16", "10.39.0.0/16"))
    assert code == 1
    assert [finding["message"] for finding in document["findings"] if finding["severity"] == "error"] == [
        "Invalid value: Removing existing subnets is not allowed",
        "Invalid value: hostSubnet is immutable",
    ]


CUDN_KIND = "ClusterUserDefinedNetwork of k8s.ovn.org/v1"
BAD_INPUT = [
    (
        "apiVersion: k8s.ovn.org/v1\nkind: ClusterUserDefinedNetwrok\n",
        2,
        f"unknown kind ClusterUserDefinedNetwrok of k8s.ovn.org/v1; did you mean {CUDN_KIND}?",
    ),
    (
        "apiVersion: k8s.ovn.org/v2\nkind: ClusterUserDefinedNetwork\n",
        2,
        f"unknown kind ClusterUserDefinedNetwork of k8s.ovn.org/v2; did you mean {CUDN_KIND}?",
    ),
    ("a: [1\n", 2, "malformed YAML: did not find expected ',' or ']'"),
    ("kind: A\nkind: B\n", 2, "duplicate key 'kind'"),
    ("", 1, "standard input contains no object; the command before the pipe wrote no manifest"),
    ("# nothing\n---\n", 1, "standard input contains no object; the command before the pipe wrote no manifest"),
    ("  \t\n\n", 1, "standard input contains no object; the command before the pipe wrote no manifest"),
]


@pytest.mark.parametrize(("text", "line", "message"), BAD_INPUT)
def test_bad_input_is_one_error_and_exit_code_2(text, line, message):
    code, document = report("-", stdin=text)
    assert code == 2
    assert [(f["reason"], f["line"], f["message"], f["severity"]) for f in document["findings"]] == [
        ("BadInput", line, message, "error")
    ]


TRANSPORTS = "the operator Network or ClusterUserDefinedNetworks"


WITHOUT_SCHEMA = [
    ("v1", "Secret", "Secret of v1 is built into the API server"),
    ("example.com/v1", "Widget", "no schema for Widget of example.com/v1; give its CRD with --crds"),
    ("v1", "Foo", "no schema for Foo of v1; give its CRD with --crds"),
    ("bogus.k8s.io/v1", "Foo", "no schema for Foo of bogus.k8s.io/v1; give its CRD with --crds"),
    ("apps/v9", "Deployment", "no schema for Deployment of apps/v9; give its CRD with --crds"),
]


def test_kinds_without_a_schema_are_counted():
    text = "---\n".join(
        f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: x}}\n" for version, kind, _ in WITHOUT_SCHEMA
    )
    code, document = report("-", stdin=text + f"---\n{text}")
    summary = document["summary"]
    assert (code, summary["objects"], summary["warnings"], summary["notJudged"]) == (0, 0, 0, 10)
    assert [(each["severity"], each["reason"], each["message"]) for each in document["findings"][:5]] == [
        ("note", "NotJudged", f"not judged: {why}") for _, _, why in WITHOUT_SCHEMA
    ]
    assert run("-", stdin=text + f"---\n{text}").stdout == (
        "1 file, 0 objects judged, 0 errors, 0 warnings\n10 objects of 5 kinds were not judged (-v lists them)\n"
    )


def test_a_required_schema_that_is_missing_is_exit_code_4():
    code, document = report("-", "--require-schemas", stdin="apiVersion: example.com/v1\nkind: Widget\n")
    assert (code, document["summary"]["errors"], document["findings"][0]["severity"]) == (4, 1, "error")
    assert report("-", "--require-schemas", stdin=(ROOT / VALID).read_text())[0] == 0


def test_kinds_to_skip():
    text = "---\n".join(f"apiVersion: example.com/v1\nkind: {kind}\nmetadata: {{name: x}}\n" for kind in "ABC")
    code, document = report("-", "--skip", "A,C.example.com", "--require-schemas", stdin=text)
    assert (code, [each["kind"] for each in document["findings"]]) == (4, ["B"])


def test_a_misspelt_kind_to_skip_gets_a_suggestion():
    said = "warning: --skip userdefinednetwork: no object has this kind; did you mean UserDefinedNetwork?\n"
    result = run("-", "--skip", "userdefinednetwork,Pod", stdin=UDN % ("blue", "Primary"))
    assert (result.return_value, result.stderr) == (0, said)


@pytest.mark.parametrize(
    ("version", "kind", "meant"),
    [
        ("k8s.ovn.org/v1", "UserDefinedNetwrk", "UserDefinedNetwork of k8s.ovn.org/v1"),
        ("k8s.ovn.org/v2", "UserDefinedNetwork", "UserDefinedNetwork of k8s.ovn.org/v1"),
        ("k8s.ovn.or/v1", "UserDefinedNetwork", "UserDefinedNetwork of k8s.ovn.org/v1"),
        ("v1", "UserDefinedNetwork", "UserDefinedNetwork of k8s.ovn.org/v1"),
        ("apps/v1", "Deploymnt", "Deployment of apps/v1"),
        ("v1", "Confgmap", "ConfigMap of v1"),
        ("networking.k8.io/v1", "Ingress", "Ingress of networking.k8s.io/v1"),
    ],
)
def test_a_misspelt_kind_is_wrong_input(version, kind, meant):
    code, document = report("-", stdin=f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n")
    told = f"unknown kind {kind} of {version}; did you mean {meant}?"
    assert (code, [each["message"] for each in document["findings"]]) == (2, [told])


@pytest.mark.parametrize(
    ("version", "kind"),
    [
        ("v1", "Deployment"),
        ("batch/v1beta1", "CronJob"),
        ("config.example.io/v1", "Network"),
        ("metrics.k8s.io/v1beta1", "PodMetrics"),
        ("networking.gke.io/v1", "FrontendConfig"),
        ("serving.knative.dev/v1", "Service"),
    ],
)
def test_a_kind_that_only_looks_known_is_counted(version, kind):
    code, document = report("-", stdin=f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n")
    assert (code, document["summary"]["notJudged"]) == (0, 1)


def test_files_of_other_tools_are_counted(tmp_path):
    (tmp_path / "kustomization.yaml").write_text("resources: [net.yaml]\n")
    (tmp_path / "net.yaml").write_text((ROOT / VALID).read_text())
    lines = run(str(tmp_path)).stdout.splitlines()
    assert lines[:2] == [
        "1 file, 1 object judged, 0 errors, 0 warnings",
        "1 file of other tools was skipped (-v lists them)",
    ]
    assert f"  {tmp_path}/kustomization.yaml (Kustomization)" in run(str(tmp_path), "-v").stdout.splitlines()
    assert run("-f", str(tmp_path)).stdout.splitlines() == lines


def test_hidden_files_count_only_if_they_are_named(tmp_path):
    text = (ROOT / VALID).read_text()
    (tmp_path / ".github").mkdir()
    for name in (".github/ci.yaml", ".lint.yaml", "net.yaml"):
        (tmp_path / name).write_text(text if name == "net.yaml" else "on: push\n")
    (tmp_path / ".ovnguard.yaml").write_text("{}\n")
    for path in (tmp_path, tmp_path / "*"):
        assert run(str(path)).stdout.startswith("1 file, 1 object judged, 0 errors, 0 warnings\n")
    lines = run(str(tmp_path), "-v").stdout.splitlines()
    assert [each for each in lines if each.endswith("(hidden file)")] == [
        f"  {tmp_path}/.github/ci.yaml (hidden file)",
        f"  {tmp_path}/.lint.yaml (hidden file)",
    ]
    for named in (".lint.yaml", ".github"):
        assert run(str(tmp_path / named)).return_value == 2


def test_a_pattern_may_match_folders_without_manifests(tmp_path):
    (tmp_path / "a").mkdir()
    assert run(str(tmp_path / "*")).stdout.splitlines()[1] == (
        "  1:1: error: the folders that match this pattern contain no manifest"
    )
    (tmp_path / "net.yaml").write_text((ROOT / VALID).read_text())
    assert run(str(tmp_path / "*")).return_value == 0


def test_names_that_are_too_long_are_no_internal_error(tmp_path):
    longest = tmp_path / f"{'a' * 250}.yaml"
    longest.write_text((ROOT / VALID).read_text())
    assert run(str(longest)).return_value == 0
    for path in ("a" * 5000, f"{'a' * 5000}/values.yaml"):
        result = run(path)
        assert (result.return_value, result.stderr) == (2, "")
        assert result.stdout.splitlines()[1] == "  1:1: error: cannot be read: File name too long"


def test_a_bundled_definition_that_an_old_server_refuses_is_one_line():
    text = (ROOT / "deploy/examples/valid/blue-layer2.yaml").read_text()
    result = run("-", "--kubernetes-version", "1.29", "-q", stdin=f"{text}\n---\n{text.replace('blue', 'red')}")
    assert result.return_value == 2
    errors = [line for line in result.stdout.splitlines() if "error:" in line]
    assert len(errors) == 1
    assert "undeclared reference to 'isCIDR' (in container '') (and " in errors[0]
    assert errors[0].endswith(" more); give another with --crds")


def test_exit_zero_is_for_refused_objects_alone():
    assert run("deploy/examples/invalid/layer2-changed.yaml", "--exit-zero").return_value == 0
    assert run("-", "--exit-zero", stdin="a: [1\n").return_value == 2


def test_built_in_kinds_with_rules_are_judged_by_these():
    code, document = report("deploy/examples/nodes/worker-a.yaml")
    assert (code, [(finding["severity"], finding["message"]) for finding in document["findings"]]) == (
        0,
        [
            (
                "note",
                "judged by rules and policies only: Node of v1 is built into the API server, which has its schema",
            ),
            ("note", "not checked: needs other networks (OVNG-L2-028)"),
            ("note", f"not checked: needs {TRANSPORTS} (OVNG-NET-052)"),
            ("note", f"not checked: needs RouteAdvertisements and FRRConfigurations and {TRANSPORTS} (OVNG-NET-053)"),
        ],
    )


@pytest.mark.parametrize(
    ("version", "kind"),
    [
        ("apps/v1", "Deployment"),
        ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
        ("resource.k8s.io/v1", "ResourceClaim"),
        ("storagemigration.k8s.io/v1beta1", "StorageVersionMigration"),
    ],
)
def test_kinds_of_every_built_in_group_are_known(version, kind):
    code, document = report("-", stdin=f"apiVersion: {version}\nkind: {kind}\n")
    assert (code, [finding["reason"] for finding in document["findings"]]) == (0, ["NotJudged"])


def test_a_missing_path_and_an_empty_folder(tmp_path):
    assert report(str(tmp_path / "nowhere"))[0] == 2
    assert report(str(tmp_path))[0] == 2


BROKEN_NODES = """\
apiVersion: v1
kind: Node
metadata:
  name: a
  annotations:
    k8s.ovn.org/node-id: "1"
---
apiVersion: v1
kind: Node
metadata: {name: 5}
"""


def test_broken_nodes_of_the_inventory_are_told_and_verdicts_still_given(tmp_path):
    inventory = tmp_path / "nodes.yaml"
    inventory.write_text(BROKEN_NODES)
    code, document = report("deploy/examples/invalid/bad-cidr.yaml", "--inventory", str(inventory))
    findings = [(f["file"], f["line"], f["column"], f["path"], f["severity"]) for f in document["findings"]]
    assert code == 2
    assert findings[:2] == [
        (str(inventory), 6, 5, "metadata.annotations[k8s.ovn.org/node-id]", "warning"),
        (str(inventory), 10, 12, "metadata.name", "error"),
    ]
    assert [finding["message"] for finding in document["findings"]][:3] == [
        'Invalid value: "1": must be a decimal node id from 2 to 5000',
        "Invalid value: 5: must be a DNS-1123 subdomain of at most 253 octets",
        'Invalid value: "10.300.0.0/16": CIDR is invalid',
    ]
    inventory.write_text(BROKEN_NODES.partition("---")[0])
    code, document = report("deploy/examples/valid", str(inventory), "--inventory", str(inventory))
    assert code == 1
    assert [finding["rule"] for finding in document["findings"] if finding["severity"] == "error"] == [
        "node-network.ovnguard.io/node-id"
    ]
    result = report("deploy/examples/invalid/bad-cidr.yaml", "--inventory", str(inventory))
    assert (result[0], result[1]["summary"]["warnings"]) == (1, 1)


WRONG_METADATA = [
    # metadata, field, line and column, the end of the message
    ("name: 5", "metadata.name", (4, 3), "cannot unmarshal number into Go struct field ObjectMeta.name of type string"),
    ("name: x\n  labels: {a: 5}", "metadata.labels", (5, 3), "ObjectMeta.labels of type string"),
    (
        "name: x\n  ownerReferences:\n  - uid: 3",
        "metadata.ownerReferences.uid",
        (5, 3),
        "Go struct field OwnerReference.ownerReferences.uid of type types.UID",
    ),
    ("[]", "metadata", (3, 1), "cannot unmarshal array into Go value of type v1.ObjectMeta"),
    (
        "name: x\n  creationTimestamp: abc",
        "",
        (1, 1),
        'parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006"',
    ),
]


@pytest.mark.parametrize(("metadata", "field", "place", "ending"), WRONG_METADATA)
def test_wrong_types_in_metadata_are_shown_at_their_field(metadata, field, place, ending):
    text = f"apiVersion: k8s.ovn.org/v1\nkind: UserDefinedNetwork\nmetadata:\n  {metadata}\nspec: {{}}\n"
    code, document = report("-", stdin=text)
    finding = document["findings"][0]
    assert (code, finding["path"], (finding["line"], finding["column"])) == (1, field, place)
    assert finding["message"].endswith(ending)
    assert "<nil>" not in {finding["path"] for finding in document["findings"]}


def test_crds_take_crds_only():
    result = run("deploy/examples/valid", "--crds", "deploy/examples/nodes/worker-a.yaml")
    assert result == (
        2,
        "",
        "Error: deploy/examples/nodes/worker-a.yaml:2:1: kind: Node is not a CustomResourceDefinition; "
        "--crds takes CRDs only\n",
    )


WIDGET_CRD = widgets("{size: {type: integer, maximum: 3}}")


WIDGET = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: x}\n"


def test_given_crds_judge_their_kinds(tmp_path):
    (tmp_path / "crd.yaml").write_text(WIDGET_CRD)
    crds = ("--crds", str(tmp_path / "crd.yaml"))
    assert report("-", *crds, stdin=WIDGET + "size: 3\n")[0] == 0
    code, document = report("-", *crds, stdin=WIDGET + "size: 4\n")
    assert code == 1
    assert document["findings"][0]["message"] == ("Invalid value: 4: size in body should be less than or equal to 3")
    (tmp_path / "crd.yaml").write_text(
        WIDGET_CRD.replace("maximum: 3", 'maximum: 3, x-kubernetes-validations: [{rule: "self +"}]')
    )
    code, document = report("-", *crds, stdin=WIDGET)
    assert code == 2
    broken, noted = document["findings"]
    assert (broken["kind"], broken["name"], broken["line"], broken["reason"]) == (
        "CustomResourceDefinition",
        "widgets.example.com",
        WIDGET_CRD.splitlines().index(next(line for line in WIDGET_CRD.splitlines() if "maximum: 3" in line)) + 1,
        "BadInput",
    )
    assert broken["path"].endswith("properties[size].x-kubernetes-validations[0].rule")
    assert noted["message"] == "not judged: the CRD for Widget of example.com/v1 is invalid"
    # several objects, one report
    both = WIDGET + "---\n" + WIDGET.replace("name: x", "name: y")
    code, document = report("-", *crds, stdin=both)
    assert (code, [each["severity"] for each in document["findings"]]) == (2, ["error", "note", "note"])


def test_a_rule_that_costs_too_much_gets_a_hint(tmp_path):
    schema = "items: {type: array, items: {type: string}, x-kubernetes-validations: [{rule: %s}]}"
    rule = "'self.all(x, self.all(y, x == y))'"
    file = tmp_path / "crd.yaml"
    file.write_text(WIDGET_CRD.replace("size: {type: integer, maximum: 3}", schema % rule))
    lines = run("-", "--crds", str(file), stdin=WIDGET).stdout.splitlines()
    assert (
        f"  1:1: note: 'kubectl ovn-preflight cost {file}' shows which size is unknown and which bound helps" in lines
    )


HINT = "\nTry 'kubectl ovn-preflight --help' for help.\n"
WRONG_CALLS = [
    # words, standard error
    ([], "Error: name at least one PATH" + HINT),
    (["--"], "Error: name at least one PATH" + HINT),
    (["x", "--bogus"], "Error: unrecognized arguments: --bogus" + HINT),
    (["x", "--help", "--bogus=1"], "Error: unrecognized arguments: --bogus=1" + HINT),
    (["x", "-zo"], "Error: unrecognized arguments: -zo" + HINT),
    (["--outpu", "json", "x"], "Error: unrecognized arguments: --outpu; did you mean --output?" + HINT),
    (
        ["x", "-o", "yaml"],
        "Error: -o: 'yaml' is not a format; choose from text, json, junit, sarif, tap, github, gitlab\n",
    ),
    (["x", "--output="], "Error: -o: '' is not a format; choose from text, json, junit, sarif, tap, github, gitlab\n"),
    (
        ["--schema-set=new", "x"],
        "Error: argument --schema-set: invalid choice: 'new' (choose from 'auto', 'enhancement', 'released')" + HINT,
    ),
    (
        ["--schema-set=relased", "x"],
        "Error: argument --schema-set: invalid choice: 'relased' (choose from 'auto', 'enhancement', 'released'); "
        "did you mean released?" + HINT,
    ),
    (
        ["x", "--feature-set", "Defualt"],
        "Error: there is no feature set 'Defualt'; did you mean Default?\n",
    ),
    (
        ["x", "--feature-gates", "NoOverlayMod=true"],
        "Error: no bundled definition knows the feature gate 'NoOverlayMod'; did you mean NoOverlayMode?\n",
    ),
    (
        ["x", "--feature-set", "Preview"],
        "Error: there is no feature set 'Preview'; there are Default, OKD, TechPreviewNoUpgrade, DevPreviewNoUpgrade, "
        "CustomNoUpgrade\n",
    ),
    (
        ["x", "--feature-gates", "NoOverlayMode"],
        "Error: 'NoOverlayMode' is no feature gate; write NAME=true or NAME=false\n",
    ),
    (["x", "--feature-gates"], "Error: argument --feature-gates: expected one argument" + HINT),
    (["x", "--old"], "Error: argument --old: expected one argument" + HINT),
    (["x", "-o"], "Error: argument -o/--output: expected one argument" + HINT),
    (["x", "-qv"], "Error: argument -v/--verbose: not allowed with argument -q/--quiet" + HINT),
    (["x", "--exit-zero=1"], "Error: argument --exit-zero: ignored explicit argument '1'" + HINT),
]


@pytest.mark.parametrize(("words", "stderr"), WRONG_CALLS)
def test_wrong_calls(words, stderr):
    assert run(*words) == (2, "", stderr)


VALID = "deploy/examples/valid/green-layer3.yaml"


@pytest.mark.parametrize("words", [["-o", "json"], ["-ojson"], ["--output", "json"], ["--output=json"]])
@pytest.mark.parametrize("before", [True, False])
def test_ways_to_give_an_option(words, before):
    result = run(*(words if before else []), VALID, *([] if before else words))
    assert (result.return_value, json.loads(result.stdout)["summary"]["objects"]) == (0, 1)


def test_the_last_value_counts_and_words_after_two_dashes_are_paths(tmp_path, monkeypatch):
    assert run(VALID, "--color", "always", "--color", "never").return_value == 0
    text = (ROOT / VALID).read_bytes()
    monkeypatch.chdir(tmp_path)
    Path("-o").write_bytes(text)
    assert json.loads(run("-o", "json", "--", "-o").stdout)["summary"] == {
        "files": 1,
        "objects": 1,
        "errors": 0,
        "warnings": 0,
        "notJudged": 0,
    }


@pytest.mark.parametrize("words", [["-h"], ["--help"], ["--help", "--version"]])
def test_help_explains_every_option(words):
    result = run(*words)
    assert (result.return_value, result.stderr) == (0, "")
    assert result.stdout.startswith("usage: kubectl ovn-preflight [OPTIONS] PATH...\n\nJudge manifests as ")
    for action in parser()._actions:
        assert action.help
        assert all(option in result.stdout for option in action.option_strings)
        assert all(str(choice) in result.stdout for choice in action.choices or ())
    assert "\n  kubectl ovn-preflight deploy/ -o text -o sarif=report.sarif\n" in result.stdout
    assert "Exit codes: 0 accepted, 1 refused, 2 wrong call or unreadable input" in result.stdout


NO_OVERLAY = """apiVersion: operator.openshift.io/v1
kind: Network
metadata:
  name: cluster
spec:
  clusterNetwork: [{cidr: 10.128.0.0/14, hostPrefix: 23}]
  serviceNetwork: [172.30.0.0/16]
  additionalRoutingCapabilities: {providers: [FRR]}
  defaultNetwork:
    type: OVNKubernetes
    ovnKubernetesConfig:
      routeAdvertisements: Enabled
      transport: NoOverlay
      noOverlayConfig: {outboundSNAT: Enabled, routing: Managed}
      bgpManagedConfig: {bgpTopology: FullMesh}
"""
GATED = [(13, "transport"), (14, "noOverlayConfig"), (15, "bgpManagedConfig")]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--feature-set", "Default"], "in feature set Default"),
        (["--feature-set=OKD", "--feature-set=Default"], "in feature set Default"),
        (["--feature-set", "CustomNoUpgrade", "--feature-gates", "NoOverlayMode=false"], "by --feature-gates"),
        (["--feature-gates", "RouteReflector=true,NoOverlayMode=false"], "by --feature-gates"),
    ],
)
def test_what_a_feature_gate_turns_off_is_named_at_its_place(words, why):
    code, document = report("-", *words, stdin=NO_OVERLAY)
    assert code == 0
    assert [finding for finding in document["findings"] if finding["severity"] != "note"] == [
        {
            "kind": "Network",
            "namespace": "",
            "name": "cluster",
            "file": "<stdin>",
            "line": line,
            "column": 7,
            "path": f"{OKC}.{name}",
            "reason": "FieldValueDropped",
            "message": f"dropped: feature gate NoOverlayMode is off {why}",
            "rule": "OVNG-GATE-001",
            "severity": "warning",
        }
        for line, name in GATED
    ]


@pytest.mark.parametrize("words", [[], ["--feature-set", "TechPreviewNoUpgrade"], ["--feature-set=CustomNoUpgrade"]])
def test_nothing_is_dropped_while_its_gate_is_on(words):
    code, document = report("-", *words, stdin=NO_OVERLAY)
    assert (code, document["summary"]["warnings"]) == (0, 0)


def test_dropped_fields_can_fail_a_build():
    assert run("-", "--feature-set", "Default", "--warnings-as-errors", stdin=NO_OVERLAY).return_value == 1


INSTALL_CONFIG = """apiVersion: v1
metadata:
  name: blue
baseDomain: example.com
publish: %s
platform:
  aws:
    region: eu-west-1
    %s
"""
USER_DNS = "userConfiguredDNSLB: {userDNS: Disabled}"


@pytest.mark.parametrize("choice", [USER_DNS, "userProvisionedDNS: Disabled", "lbType: NLB"])
def test_an_install_config_is_judged_by_its_schema(choice):
    code, document = report("-", stdin=INSTALL_CONFIG % ("External", choice))
    assert [finding for finding in document["findings"] if finding["severity"] == "error"] == []
    assert (code, document["summary"]["objects"]) == (0, 1)


def test_a_bad_install_config_is_shown_at_its_own_fields():
    code, document = report("-", stdin=INSTALL_CONFIG % ("Both", USER_DNS))
    first = document["findings"][0]
    assert (code, first["line"], first["column"], first["path"]) == (1, 5, 1, "publish")
    assert first["message"] == ('Unsupported value: "Both": supported values: "", "External", "Internal", "Mixed"')


def test_a_choice_of_another_platform_is_unknown():
    text = "apiVersion: v1\nbaseDomain: a.b\nplatform:\n  azure:\n    userConfiguredDNSLB: {userDNS: Enabled}\n"
    code, document = report("-", stdin="metadata: {name: a}\n" + text)
    assert code == 1
    assert [
        (finding["line"], finding["path"]) for finding in document["findings"] if finding["severity"] == "error"
    ] == [(6, "platform.azure.userConfiguredDNSLB")]


def test_version():
    assert run("--version") == (0, f"kubectl ovn-preflight, version {version('ovnguard')}\n", "")


def test_no_cache_is_written_or_warned_about_without_one(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    words = ("deploy/examples/valid", "--inventory", "deploy/examples/nodes")
    without = run(*words, "--no-cache")
    assert list(tmp_path.iterdir()) == []
    assert run(*words) == without
    folder = tmp_path / "ovnguard" / "compiled"
    assert list(folder.iterdir())
    folder.chmod(0o755)
    warning = f"warning: compiled definitions are not kept: {folder} is open to other users: its mode must be 0700\n"
    assert warning in run(*words, "-v").stderr
    assert warning not in run(*words).stderr
    assert warning not in run(*words, "-v", "--no-cache").stderr


def test_the_inventory_line_names_every_kind_that_rules_need():
    line = next(each for each in run("--help").stdout.splitlines() if "kubectl get" in each)
    named = set(line.split()[2].split(","))
    for resource, _ in WATCHED:
        assert {resource.plural, f"{resource.plural}.{resource.group}"} & named, resource.plural
