"""Manifests that OVN-Kubernetes shows get the verdict of a real server, except those of docs/manifests.md."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from ovnguard.validators.commandline.program import Exit
from tests.support.paths import ROOT
from tests.support.preflight_run import run

FOLDER: Final = ROOT.parent / "shared/manifests/ovn-kubernetes"
PAGE: Final = ROOT / "docs/manifests.md"
NOT_THERE: Final = re.compile(r"no matches for kind|namespaces \"[^\"]*\" not found")
_ROW: Final = re.compile(r"^\| (\w\S*-\d+) \| (\S+) \| .+ \|$", re.M)

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="no manifests of OVN-Kubernetes next to this checkout"),
]


def answers() -> dict[str, dict[str, Any]]:
    if not FOLDER.is_dir():
        return {}
    found: dict[str, dict[str, Any]] = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))
    return found


def listed() -> dict[str, str]:
    """The rule of every manifest that only ovnguard refuses."""
    return dict(_ROW.findall(PAGE.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", [name for name, each in answers().items() if not NOT_THERE.search(each["answer"])])
def test_the_verdict_is_that_of_a_real_server(name: str) -> None:
    answer = answers()[name]
    rule = listed().get(Path(name).stem.removeprefix("docs_"))
    code, out, _ = run(str(FOLDER / name), "-o", "json")
    refusing = {each["rule"] for each in json.loads(out)["findings"] if each["severity"] == "error"}
    if rule is not None:
        assert (answer["accepted"], code, refusing) == (True, Exit.INVALID, {rule})
    else:
        assert (code == Exit.OK) == answer["accepted"], (answer["answer"], refusing)


def test_every_row_is_a_manifest() -> None:
    assert set(listed()) <= {Path(name).stem.removeprefix("docs_") for name in answers()}


def test_how_many_the_server_could_not_take() -> None:
    page = PAGE.read_text(encoding="utf-8")
    lacking = Counter(
        found[0].partition('"')[0] for answer in answers().values() if (found := NOT_THERE.search(answer["answer"]))
    )
    rows = re.findall(r"^\| `(no matches for kind|namespaces) .*\| (\d+) \|$", page, re.M)
    assert {name: int(count) for name, count in rows} == {key.strip(): count for key, count in lacking.items()}
