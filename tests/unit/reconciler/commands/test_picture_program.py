"""A drawing program that is absent, fails, hangs or answers nonsense is one line on the page."""

from pathlib import Path

import pytest

from reconciler.commands import picture_program
from reconciler.commands.picture_program import Problem, pictures, svg_of
from reconciler.plan.planner import make_plan
from reconciler.plan.rows.settings import Settings
from tests.support.plan_samples import nodes, udn
from tests.support.reconciler_cli import NODES, VALID, run


def program(folder: Path, script: str) -> str:
    """A program with this shell script."""
    file = folder / "dot"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return str(file)


def test_the_program_gets_the_graph_and_returns_the_picture(tmp_path: Path) -> None:
    found = svg_of("graph {}", "net", program(tmp_path, 'echo "<svg><text>$1 $(cat)</text></svg>"'))
    assert str(found).endswith("<text>-Tsvg graph {}</text></svg>")


@pytest.mark.timing
@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("echo 'bad\x1b[2J graph' >&2; exit 3", "dot failed with exit code 3: bad\\x1b[2J graph"),
        ("exec sleep 60", "dot took longer than 0 s"),
        ("echo no", "dot returned no SVG: syntax error: line 1, column 0"),
        ("printf '\\377'", "dot cannot be used: 'utf-8' codec can't decode byte 0xff"),
    ],
)
def test_one_line_for_what_goes_wrong(tmp_path: Path, script: str, text: str) -> None:
    found = svg_of("graph {}", "net", program(tmp_path, script), 0.3)
    assert isinstance(found, Problem)
    assert text in found.text
    assert "\n" not in found.text


def test_a_program_that_cannot_start(tmp_path: Path) -> None:
    found = svg_of("graph {}", "net", str(tmp_path))
    assert isinstance(found, Problem)
    assert found.text == f"{tmp_path} cannot be used: [Errno 13] Permission denied: '{tmp_path}'"


def test_no_picture_starts_after_the_time_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_program, "ALL_PICTURES", 0)
    zones = make_plan([udn("a_b")], nodes(1), Settings()).zones
    (picture,) = pictures(zones, program(tmp_path, "exit 9")).values()
    assert (picture.svg, picture.problem) == ("", "the pictures took longer than 0 s")


def test_without_the_program_the_page_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = run("plan", "-f", VALID, "--nodes", NODES, "-o", "html")
    assert done.out.count("No picture: it is drawn by Graphviz, and there is no program dot. To get it: apt-get ") == 3
    assert "<summary>The picture in words</summary>" in done.out


def test_an_empty_plan_has_a_picture_that_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, 'echo "<svg><text>$(grep -o "No network is planned." | head -1)</text></svg>"')
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    done = run("plan", "-f", NODES, "--nodes", NODES, "-o", "html")
    assert "<text>No network is planned.</text></svg>" in done.out
