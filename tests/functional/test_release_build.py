"""The distributions of a release: the same bytes from two clones, without tests, and usable without the checkout."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from zipfile import ZipFile

import pytest

from tests.support.git_folder import git
from tests.support.paths import ROOT
from tests.support.release import build
from tests.support.release.staging import Tree, staged
from tests.support.soak import limit, soak_only

pytestmark = [pytest.mark.functional, limit(300)]
_NOT_COMMITTED = (".git", ".venv", ".*_cache", ".hypothesis", ".cluster", "__pycache__", "dist", "build")
SUITE = "crd_schemas/released/operator.openshift.io/v1/tests/networks.operator.openshift.io"
OTHERS = "validators==0.36.0"
"""A distribution of others, with the name that one of our folders has."""
PLAIN = ("__init__.py", "py.typed")
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
    """The digest of each file in a folder and below, by its path there."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


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


@soak_only
@limit(1800)
def test_two_clones_make_the_same_release(origin: Path, tmp_path: Path) -> None:
    """Also the wheels of others, the one file with its manifest, licences and bill of materials; not the image."""
    if not build.RELEASE_TOOLS.is_dir():
        pytest.skip("the tools of a release are not installed")
    here, there = tmp_path / "here", tmp_path / "another place"

    def made(place: Path) -> dict[str, str]:
        place.mkdir()
        clone = cloned(origin, place)
        build.python_artefacts(staged(clone, place / "staged"), place / "dist", place / "site")
        (clone / ".venv").symlink_to(ROOT / ".venv")
        os.utime(clone / "requirements-release.lock", (0, 0))
        build.bill(clone, place / "dist")
        return digests(place / "dist")

    first, second = made(here), dict[str, str]()
    in_another_place(lambda: second.update(made(there)))
    assert len(first) > 30
    assert [name for name in first.keys() | second.keys() if first.get(name) != second.get(name)] == []


def test_the_wheel_has_each_file_once_and_no_tests(tree: Tree, dist: Path) -> None:
    (path,) = dist.glob("*.whl")
    with ZipFile(path) as wheel:
        names = wheel.namelist()
        metadata = wheel.read(f"ovnguard-{tree.version}.dist-info/METADATA").decode("utf-8")
    assert len(set(names)) == len(names)
    assert {name.partition("/")[0] for name in names} == {"ovnguard", f"ovnguard-{tree.version}.dist-info"}
    assert [name for name in names if "/tests/" in name or "/policies/cases/" in name] == []
    assert "ovnguard/validators/cel/syntax/grammar_tables.json" in names
    assert "](docs/" not in metadata
    assert f"](REPOSITORY/raw/v{tree.version}/docs/pictures/" in metadata


def test_the_source_distribution_has_what_the_wheel_needs(tree: Tree, dist: Path) -> None:
    with tarfile.open(dist / f"ovnguard-{tree.version}.tar.gz") as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "PKG-INFO", "requirements.lock"} <= names
    assert {name.partition("/")[0] for name in names if "/" in name} == {"ovnguard"}
    assert [name for name in names if "/tests/" in name] == []


def test_the_wheel_has_the_files_of_the_four_folders(tree: Tree, dist: Path) -> None:
    (path,) = dist.glob("*.whl")
    with ZipFile(path) as wheel:
        held = {name: wheel.read(name) for name in wheel.namelist() if name.startswith("ovnguard/")}
    files = {file for name in PACKAGES for file in (tree.folder / name).rglob("*") if file.is_file()}
    ours = {f"ovnguard/{file.relative_to(tree.folder)}": file.read_bytes() for file in files if not _of_tests(file)}
    assert held == ours | {f"ovnguard/{name}": (tree.folder / "ovnguard" / name).read_bytes() for name in PLAIN}


def _of_tests(file: Path) -> bool:
    return "tests" in file.parts or ("policies", "cases") in pairwise(file.parts)


@pytest.fixture(scope="module")
def site(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, installed next to the distribution `validators` of the package index."""
    folder = tmp_path_factory.mktemp("site")
    for what in (*map(str, dist.glob("*.whl")), OTHERS):
        install = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-compile",
            "--target",
            str(folder),
        ]
        done = subprocess.run([*install, what], capture_output=True, text=True, check=False)
        if done.returncode and what == OTHERS:
            pytest.skip(f"needs registry: {done.stderr.strip().splitlines()[-1]}")
        assert done.returncode == 0, done.stderr
    return folder


def away(site: Path, folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run Python with the installed files and the libraries, but without the checkout: -S reads no .pth file."""
    path = os.pathsep.join([str(site), sysconfig.get_path("purelib")])
    environment = {**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": str(folder / "cache")}
    command = [sys.executable, "-P", "-S", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_the_wheel_judges_without_the_checkout(site: Path, tmp_path: Path) -> None:
    manifest = ROOT / "deploy" / "examples" / "invalid" / "layer2-no-overlay.yaml"
    program = "from ovnguard.validators.cli.main import main; main()"
    done = away(site, tmp_path, "-c", program, str(manifest))
    assert (done.returncode, done.stderr) == (1, "")
    assert "1 file, 1 object judged, 1 error, 0 warnings" in done.stdout


def test_the_wheel_lives_next_to_the_other_validators(site: Path, tmp_path: Path) -> None:
    program = """
        import sys
        from importlib.metadata import distribution
        import ovnguard.validators.testing, validators
        assert validators.domain("example.com") is True
        loaded = [entry.load() for entry in distribution("ovnguard").entry_points]
        ours = [name for name in sys.modules if name.split(".")[0] == "ovnguard"]
        places = {sys.modules[name].__file__.removesuffix("/__init__.py").split("/ovnguard")[0] for name in ours}
        print(len(loaded), *places, validators.__file__)
    """
    done = away(site, tmp_path, "-c", dedent(program))
    assert (done.stdout.split(), done.stderr) == (["5", str(site), f"{site}/validators/__init__.py"], "")


def test_the_wheel_brings_the_pytest_plugin(site: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / SUITE, tmp_path / SUITE)
    definition = Path(SUITE).parents[1] / "networks.yaml"
    shutil.copy(ROOT / definition, tmp_path / definition)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    done = away(site, tmp_path, "-m", "pytest", "-q", "-p", "no:randomly", SUITE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^\d+ passed", done.stdout.splitlines()[-1]), done.stdout
