"""Wrong calls, ways to write options, help, version, and the cache of compiled definitions."""

import json
from importlib.metadata import version
from pathlib import Path

import pytest

from ovnguard.validators.cli.preflight_options import parser
from tests.support.paths import ROOT
from tests.support.preflight_run import VALID, run

HINT = "\nTry 'kubectl ovn-preflight --help' for help.\n"
WRONG_CALLS = [
    # words, standard error
    ([], "Error: name at least one PATH" + HINT),
    (["--"], "Error: name at least one PATH" + HINT),
    (["x", "--bogus"], "Error: unrecognized arguments: --bogus" + HINT),
    (["x", "--help", "--bogus=1"], "Error: unrecognized arguments: --bogus=1" + HINT),
    (["x", "-zo"], "Error: unrecognized arguments: -zo" + HINT),
    (
        ["x", "--strict"],
        "Error: unrecognized arguments: --strict; leave it out: unknown and duplicate fields are always refused" + HINT,
    ),
    (["x", "--format=json"], "Error: unrecognized arguments: --format=json; write --output" + HINT),
    (["x", "-summary"], "Error: unrecognized arguments: -summary; leave it out: the last lines are a summary" + HINT),
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


@pytest.mark.parametrize("words", [["--help-all"], ["-h", "--help-all"], ["--help-all", "--version"]])
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


@pytest.mark.parametrize("words", [["-h"], ["--help"], ["--help", "--version"]])
def test_help_shows_usual_options_and_names_the_groups_of_the_others(words):
    result = run(*words)
    assert (result.return_value, result.stderr) == (0, "")
    shown = " ".join(line.split()[0] for line in result.stdout.splitlines() if line.startswith("  -"))
    assert shown == "-f --old --inventory --kubernetes-version -o -q, -v, --version --help-all -h,"
    groups = "what is judged (5), the cluster (3), the API server (3), findings (5), the process (3)"
    assert f"\n--help-all also shows: {groups}.\n" in result.stdout
    assert "\n  kubectl ovn-preflight deploy/ -o text -o sarif=report.sarif\n" in result.stdout


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
