"""Files, folders, patterns and standard input, and input that cannot be read."""

import pytest

from tests.support.paths import ROOT
from tests.support.preflight_run import VALID, report, run


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


def test_names_that_are_too_long_are_input_errors(tmp_path):
    longest = tmp_path / f"{'a' * 250}.yaml"
    longest.write_text((ROOT / VALID).read_text())
    assert run(str(longest)).return_value == 0
    for path in ("a" * 5000, f"{'a' * 5000}/values.yaml"):
        result = run(path)
        assert (result.return_value, result.stderr) == (2, "")
        assert result.stdout.splitlines()[1] == "  1:1: error: cannot be read: File name too long"


def test_exit_zero_is_for_refused_objects_only():
    assert run("deploy/examples/invalid/layer2-changed.yaml", "--exit-zero").return_value == 0
    assert run("-", "--exit-zero", stdin="a: [1\n").return_value == 2


def test_a_missing_path_and_an_empty_folder(tmp_path):
    assert report(str(tmp_path / "nowhere"))[0] == 2
    assert report(str(tmp_path))[0] == 2


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
