"""What the image is built from is enough: the distribution is made of the copied files alone, by the pinned tools."""

import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import files
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
                shutil.copytree(ROOT / source, destination, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
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
        f"ovnguard/{path.relative_to(context)}"
        for package in packages
        for path in (context / package).rglob("*")
        # the cases of rules and of policies are for those who change them
        if path.suffix in {".py", *DATA} and not ({"tests", "cases"} & set(path.relative_to(context).parts))
    }
    assert wanted <= held
    assert "ovnguard/webhook/templates/policies/names-kept.yaml" in wanted


def test_image_leaves_the_asynchronous_client_out_and_its_record_says_so(tmp_path: Path) -> None:
    """The steps of the build that remove it, on a copy of the installed distribution."""
    site = tmp_path / "lib" / "python3.13" / "site-packages"
    record = copied_distribution(site)
    steps = [each.strip() for each in re.sub(r"\\\n", "", CONTAINERFILE).split("&&") if "kubernetes/aio" in each]
    assert len(steps) == 2
    for step in steps:
        subprocess.run(["sh", "-ec", step.replace("/app/", f"{tmp_path}/")], check=True)
    names = [line.rpartition(",")[0].rpartition(",")[0] for line in record.read_text(encoding="utf-8").splitlines()]
    sources = {name for name in names if name.endswith(".py") and name.startswith("kubernetes/")}
    assert sources == {str(path.relative_to(site)) for path in (site / "kubernetes").rglob("*.py")}
    assert not [name for name in names if name.startswith("kubernetes/aio/")]
    used = "from kubernetes import client, config; from kubernetes.stream import ws_client; print(client.__file__)"
    command = [sys.executable, "-c", used]
    environment = {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(str(site))


def copied_distribution(site: Path) -> Path:
    """Copy the installed kubernetes; where its RECORD is."""
    (record,) = [file for file in files("kubernetes") or () if file.name == "RECORD"]
    source = Path(str(record.locate())).parent
    shutil.copytree(source, site / source.name)
    # links are enough: the steps remove files, and write the RECORD only
    shutil.copytree(source.parent / "kubernetes", site / "kubernetes", copy_function=linked)
    return site / source.name / "RECORD"


def linked(source: str, target: str) -> None:
    Path(target).symlink_to(source)
