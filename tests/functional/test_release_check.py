"""`make release-check`: the bill of materials names what the image holds, version by version and hash by hash."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.support.paths import ROOT

pytestmark = pytest.mark.functional
TOOL = ROOT / ".venv" / "release" / "bin" / "cyclonedx-py"
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")


def command(out: Path) -> list[str]:
    """That of the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    found = re.search(r"\$\(RELEASE\)/bin/cyclonedx-py (.+)", makefile)
    assert found is not None
    return [str(TOOL), *shlex.split(found[1].replace("dist/ovnguard.cdx.json", str(out)))]


@pytest.mark.skipif(not TOOL.exists(), reason="the tools of a release are not installed: make release-check")
def test_bill_of_materials_is_the_lock(tmp_path: Path) -> None:
    done = subprocess.run(
        command(tmp_path / "bom.json"), cwd=ROOT, capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stderr
    bom = json.loads((tmp_path / "bom.json").read_text(encoding="utf-8"))
    assert (bom["bomFormat"], bom["metadata"]["component"]["name"]) == ("CycloneDX", "ovnguard")
    pins = set(re.findall(r"^([\w.-]+)==([^ ;]+)", LOCK, re.MULTILINE))
    assert {(each["name"], each["version"]) for each in bom["components"]} == pins
    hashes = {
        each["content"]
        for component in bom["components"]
        for reference in component["externalReferences"]
        for each in reference.get("hashes", [])
    }
    assert hashes == set(re.findall(r"--hash=sha256:([0-9a-f]{64})", LOCK))


def test_release_tools_are_pinned_by_hash() -> None:
    lock = (ROOT / "requirements-release.lock").read_text(encoding="utf-8")
    assert re.search(r"^cyclonedx-bom==", lock, re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "--require-hashes -r requirements-release.lock" in makefile
