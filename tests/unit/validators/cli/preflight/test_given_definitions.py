"""Definitions of ``--crds``, and bundled ones that an old server refuses."""

from tests.support.paths import ROOT
from tests.support.preflight_run import report, run, widgets


def test_a_bundled_definition_that_an_old_server_refuses_is_one_line():
    text = (ROOT / "deploy/examples/valid/blue-layer2.yaml").read_text()
    result = run("-", "--kubernetes-version", "1.29", "-q", stdin=f"{text}\n---\n{text.replace('blue', 'red')}")
    assert result.return_value == 2
    errors = [line for line in result.stdout.splitlines() if "error:" in line]
    assert len(errors) == 1
    assert "undeclared reference to 'isCIDR' (in container '') (and " in errors[0]
    assert errors[0].endswith(" more); give another with --crds")


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
