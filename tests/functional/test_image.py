"""What the image is built from is enough: the distribution is made of the copied files alone, by the pinned tools."""

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.paths import ROOT

pytestmark = pytest.mark.functional
CONTAINERFILE = (ROOT / "deploy" / "image" / "Containerfile").read_text(encoding="utf-8")
DATA = (".yaml", ".lark", ".json")


def copied(folder: Path) -> Path:
    """The build context as the file copies it, without what a build ignores."""
    for line in re.findall(r"^COPY (?!--from)(.+)$", CONTAINERFILE, re.MULTILINE):
        *sources, target = line.split()
        for source in sources:
            destination = folder / (source if target == "./" else target)
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, destination, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / source, destination)
    return folder


def test_distribution_holds_everything_that_it_runs_with(tmp_path: Path) -> None:
    (tmp_path / "context").mkdir()
    context = copied(tmp_path / "context")
    build = re.search(r"pip --python /build (wheel .+?) --wheel-dir", CONTAINERFILE)
    assert build is not None
    command = [sys.executable, "-m", "pip", *build[1].split(), "--no-index", "--wheel-dir", tmp_path, context]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("ovnguard-*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    packages = ("crd_schemas", "validators", "webhook", "reconciler")
    wanted = {
        str(path.relative_to(context))
        for package in packages
        for path in (context / package).rglob("*")
        if path.suffix in {".py", *DATA}
    }
    assert wanted <= held
    assert "webhook/templates/policies/names-kept.yaml" in wanted
