"""Reports in several formats and files, written whole or not at all."""

import json
import os
from pathlib import Path

import pytest

from ovnguard.validators.cli.outputs import FORMATS, Output, outputs_of
from tests.support.paths import ROOT
from tests.support.preflight_run import run

REFUSED = "deploy/examples/invalid/layer2-no-overlay.yaml"


@pytest.fixture(autouse=True)
def _in_checkout(monkeypatch):
    monkeypatch.chdir(ROOT)


def test_without_a_format_it_is_text():
    assert outputs_of([]) == (Output("text"),)
    assert outputs_of(["text", "json=a=b.json"]) == (Output("text"), Output("json", "a=b.json"))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["jsn"], "-o: 'jsn' is not a format; did you mean json?"),
        (["xyz"], "-o: 'xyz' is not a format; choose from text, json, junit, sarif, tap, github, gitlab"),
        (["json="], "-o json=: name a file after the equals sign"),
        (["text", "tap"], "-o text and -o tap both write to standard output; give one a file: -o tap=FILE"),
        (["json=-", "text"], "-o json and -o text both write to standard output; give one a file: -o text=FILE"),
        (["json=/dev/stdout", "tap"], "-o json and -o tap both write to standard output; give one a file: -o tap=FILE"),
        (["json=a", "tap=a"], "-o json and -o tap both write to a; give each its own file"),
        (["sarif=a.json", "json=./a.json"], "-o sarif and -o json both write to ./a.json; give each its own file"),
        (
            ["tap=a", "json=b", "sarif=docs/../b"],
            "-o json and -o sarif both write to docs/../b; give each its own file",
        ),
    ],
)
def test_wrong_outputs(values, message):
    words = [word for value in values for word in ("-o", value)]
    assert run(REFUSED, *words) == (2, "", f"Error: {message}\n")


def test_several_reports_at_once(tmp_path):
    words = [word for name in FORMATS[1:] for word in ("-o", f"{name}={tmp_path / name}")]
    result = run(REFUSED, "-o", "text", *words)
    assert result == run(REFUSED)
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(FORMATS[1:])
    for name in FORMATS[1:]:
        assert (tmp_path / name).read_text() == run(REFUSED, "-o", name).stdout


def test_a_file_has_the_rights_that_the_umask_leaves(tmp_path):
    before = os.umask(0o027)
    try:
        run(REFUSED, "-o", f"json={tmp_path / 'report'}")
    finally:
        os.umask(before)
    assert (tmp_path / "report").stat().st_mode & 0o777 == 0o640


def test_a_full_disk_is_one_line_and_leaves_no_partial_report(tmp_path):
    assert run(REFUSED, "-q", "-o", "json=/dev/full") == (
        3,
        "",
        "Error: cannot write /dev/full: No space left on device\n",
    )
    missing = tmp_path / "no" / "report.json"
    assert run(REFUSED, "-o", f"json={missing}") == (
        3,
        "",
        f"Error: cannot write {missing}: No such file or directory\n",
    )


def test_a_link_to_a_report_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "report.json").symlink_to("real/report.json")
    assert run(REFUSED, "-q", "-o", f"json={tmp_path / 'report.json'}") == (1, "", "")
    assert (tmp_path / "report.json").is_symlink()
    assert json.loads((tmp_path / "real" / "report.json").read_text())["summary"]["errors"] == 1


def test_an_interrupt_leaves_no_part_of_a_report(tmp_path, monkeypatch):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(REFUSED, "-o", f"json={tmp_path / 'report.json'}")
    assert list(tmp_path.iterdir()) == []


def test_a_report_replaces_the_last_one_whole(tmp_path):
    report = tmp_path / "report.json"
    report.write_text("x" * 100_000)
    run(REFUSED, "-o", f"json={report}")
    assert json.loads(report.read_text())["summary"]["errors"] == 1
    assert [each.name for each in tmp_path.iterdir()] == ["report.json"]


def test_a_format_gets_all_notes_only_if_programs_read_it(tmp_path):
    result = run("deploy/examples/valid/green-layer3.yaml", "-o", "text", "-o", f"json={tmp_path / 'all.json'}")
    assert "note:" not in result.stdout
    notes = json.loads(Path(tmp_path, "all.json").read_text())["findings"]
    assert {each["severity"] for each in notes} == {"note"}
