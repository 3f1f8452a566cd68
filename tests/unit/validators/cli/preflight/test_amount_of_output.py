"""What is printed by default, with ``-v`` and with ``-q``, and colours."""

import pytest

from tests.support.paths import ROOT
from tests.support.preflight_run import NO_OVERLAY, VALID, report, run

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
    assert lines[:2] == [f"ClusterUserDefinedNetwork green  {VALID}:2", "  2:1: note: judged by schema set released"]
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


def test_output_has_colours_only_on_request():
    coloured = run("deploy/examples/invalid/layer2-changed.yaml", "--color", "always")
    assert ": \x1b[31merror\x1b[0m: " in coloured.stdout
    assert "\x1b[" not in run("deploy/examples/invalid/layer2-changed.yaml").stdout
