"""The distributions of a release: the same bytes from two clones, without tests, and usable without the checkout."""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.support.git_folder import git
from tests.support.paths import ROOT
from tests.support.release import build
from tests.support.release.staging import Tree, staged
from tests.support.soak import limit

pytestmark = [pytest.mark.functional, limit(300)]
_NOT_COMMITTED = (".git", ".venv", ".*_cache", ".hypothesis", ".cluster", "__pycache__", "dist", "build")
PACKAGES = {"crd_schemas", "validators", "webhook", "reconciler"}


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the files of this checkout, whoever owns that one."""
    folder = tmp_path_factory.mktemp("origin") / "ovnguard"
    shutil.copytree(ROOT, folder, symlinks=True, ignore=shutil.ignore_patterns(*_NOT_COMMITTED))
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=all")
    return folder


def cloned(origin: Path, folder: Path) -> Path:
    git(folder, "clone", "--quiet", str(origin), "clone")
    return folder / "clone"


@pytest.fixture(scope="module")
def tree(origin: Path, tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """The last commit, from a clone."""
    folder = tmp_path_factory.mktemp("one")
    return staged(cloned(origin, folder), folder / "staged")


@pytest.fixture(scope="module")
def dist(tree: Tree) -> Path:
    """The distributions and the chart of that commit."""
    made = tree.folder.parent / "dist"
    made.mkdir()
    _built(tree, made)
    return made


def _built(tree: Tree, dist: Path) -> None:
    build.distributions(tree, dist)
    build.chart(tree, dist)


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def in_another_place(act: Callable[[], None]) -> None:
    """Act with another umask, time zone and locale."""
    before = os.umask(0o077)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        patch.setenv("LC_ALL", "C")
        try:
            act()
        finally:
            os.umask(before)


def test_two_clones_make_the_same_bytes(origin: Path, dist: Path, tmp_path: Path) -> None:
    other = tmp_path / "another place" / "dist"
    other.mkdir(parents=True)

    def again() -> None:
        _built(staged(cloned(origin, tmp_path), tmp_path / "staged"), other)

    in_another_place(again)
    assert digests(other) == digests(dist)
    assert len(digests(dist)) == 3


def test_the_wheel_has_each_file_once_and_no_tests(tree: Tree, dist: Path) -> None:
    (path,) = dist.glob("*.whl")
    with ZipFile(path) as wheel:
        names = wheel.namelist()
        metadata = wheel.read(f"ovnguard-{tree.version}.dist-info/METADATA").decode("utf-8")
    assert len(set(names)) == len(names)
    assert {name.partition("/")[0] for name in names} == PACKAGES | {f"ovnguard-{tree.version}.dist-info"}
    assert [name for name in names if "/tests/" in name or "/policies/cases/" in name] == []
    assert "validators/cel/syntax/grammar_tables.json" in names
    assert "](docs/" not in metadata
    assert f"](REPOSITORY/raw/v{tree.version}/docs/pictures/" in metadata


def test_the_source_distribution_has_what_the_wheel_needs(tree: Tree, dist: Path) -> None:
    with tarfile.open(dist / f"ovnguard-{tree.version}.tar.gz") as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "PKG-INFO", "requirements.lock"} <= names
    assert {name.partition("/")[0] for name in names if "/" in name} == PACKAGES
    assert [name for name in names if "/tests/" in name] == []


def test_the_wheel_judges_without_the_checkout(dist: Path, tmp_path: Path) -> None:
    (path,) = dist.glob("*.whl")
    run = partial(subprocess.run, cwd=tmp_path, capture_output=True, text=True, check=False)
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--target",
        "site",
        str(path),
    ]
    assert run([*install, "--no-compile"]).returncode == 0
    # before the checkout, which the environment of the tests has installed
    code = (
        "import sys; sys.path.insert(0, 'site'); import validators; assert '/site/' in validators.__file__; "
        "from validators.cli.main import main; main()"
    )
    manifest = ROOT / "deploy" / "examples" / "invalid" / "layer2-no-overlay.yaml"
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = run([sys.executable, "-P", "-c", code, str(manifest)], env=environment)
    assert (done.returncode, done.stderr) == (1, "")
    assert "1 file, 1 object judged, 1 error, 0 warnings" in done.stdout
