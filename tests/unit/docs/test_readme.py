"""What README.md shows is what the programs print, and what it links to is there."""

import re
import shlex
from pathlib import Path

import pytest

from ovnguard.validators.cli.preflight import preflight
from tests.support.paths import ROOT
from tests.support.soak import limit

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```console\n\$ kubectl ovn-preflight ([^\n]+)\n(.*?)```", TEXT, re.DOTALL)
LINKS = re.findall(r"\]\(([^)#]+)[^)]*\)", TEXT)


@limit(180)
@pytest.mark.parametrize(("arguments", "output"), EXAMPLES)
def test_an_example_prints_what_is_shown(
    arguments: str, output: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    assert preflight(shlex.split(arguments)) == 1
    assert capsys.readouterr().out == output


def test_a_manifest_is_refused_on_the_first_screen() -> None:
    assert EXAMPLES
    assert TEXT.index("```console") < TEXT.index("\n## ")


def test_it_is_short() -> None:
    assert TEXT.count("\n") <= 120
    prose = re.sub(r"```console\n.*?```", "", TEXT, flags=re.DOTALL)
    assert [line for line in prose.splitlines() if len(line) > 120] == []


@pytest.mark.parametrize("link", sorted(set(LINKS)))
def test_a_link_leads_somewhere(link: str) -> None:
    assert Path(ROOT, link).exists()


def test_nothing_is_applied_whose_image_cannot_be_pulled() -> None:
    assert "kubectl apply -k" not in TEXT
    assert "| kubectl apply" not in TEXT
