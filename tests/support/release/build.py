"""The artefacts of a release, in dist/: `python -m tests.support.release.build [--publish]`.

Their bytes follow from the commit, its lock files and the Python that runs, and from no clock, umask, locale or folder.
dist/wheels has the packages of requirements.lock for this Python and platform, as the index has them.
"""

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Final

from tests.support.image import build as image_build
from tests.support.paths import ROOT
from tests.support.release.archives import packed, read_folder, sums
from tests.support.release.krew import manifest
from tests.support.release.licences import licences
from tests.support.release.promises import promises, renewed
from tests.support.release.staging import Tree, staged
from tests.support.release.unset import unset

TOOLS: Final = Path(sys.executable).parent
RELEASE_TOOLS: Final = TOOLS.parent / "release" / "bin"
PYTHON: Final = f"python{sys.version_info.major}.{sys.version_info.minor}"
PLATFORM: Final = f"{PYTHON.replace('python', 'py')}-{sysconfig.get_platform()}"
PROGRAM: Final = "kubectl-ovn_preflight"
NOT_FOR_THE_PREFLIGHT: Final = (
    "blinker",
    "cryptography",
    "dnspython",
    "flask",
    "gunicorn",
    "itsdangerous",
    "ovs",
    "prometheus_client",
    "sortedcontainers",
    "werkzeug",
)
"""Wheels that only the webhook and the reconciler use."""


def main(words: list[str] | None = None) -> int:
    """Make everything, or say what a publication lacks and which promises are not kept; what is new is promised."""
    options = argparse.ArgumentParser(prog="make release", description=__doc__)
    options.add_argument("--publish", action="store_true", help="refuse what only a release of one's own may lack")
    publish = options.parse_args(words).publish
    missing = unset()
    for each in missing:
        print(f"{'error: ' if publish else ''}not set: {each}", file=sys.stderr)
    if publish and missing:
        return 2
    if faults := renewed(promises()):
        for each in faults:
            print(f"error: a promise is not kept: {each}; `make promises` takes it back", file=sys.stderr)
        return 2
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    make(ROOT, ROOT / "dist")
    return 0


def make(root: Path, dist: Path) -> None:
    """Make the artefacts of the last commit of ``root``."""
    dist.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        tree = staged(root, Path(folder) / "ovnguard")
        python_artefacts(tree, dist, Path(folder) / "site")
        tried(tree, dist, Path(folder))
        image(tree, dist, Path(folder) / "image")
    bill(root, dist)
    (dist / "SHA256SUMS").write_text(sums(dist), encoding="utf-8")


def python_artefacts(tree: Tree, dist: Path, site: Path) -> None:
    """All but the image and the bill of materials; ``site`` is a new folder for what the one file holds."""
    distributions(tree, dist)
    chart(tree, dist)
    wheels(tree, dist / "wheels")
    (dist / "LICENSES-OF-OTHERS.txt").write_text(licences((dist / "wheels").glob("*.whl")), encoding="utf-8")
    preflight(tree, dist, site)


def run(tree: Tree, *command: str | Path) -> None:
    """Run a tool in the tree, at the time of its commit."""
    environment = {
        **os.environ,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "SHIV_ROOT": str(tree.folder.parent / "shiv"),
        "SOURCE_DATE_EPOCH": str(tree.time),
        "XDG_CACHE_HOME": str(tree.folder.parent / "cache"),
    }
    subprocess.run(
        [TOOLS / command[0], *command[1:]],
        cwd=tree.folder,
        env=environment,
        check=True,
        stdout=sys.stderr,
        umask=0o022,  # archives record the modes of files
    )


def distributions(tree: Tree, dist: Path) -> None:
    """The wheel and the source distribution."""
    run(tree, "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", dist)


def chart(tree: Tree, dist: Path) -> None:
    """The Helm chart, as `helm package` names it."""
    files = read_folder(tree.folder / "deploy" / "chart", "ovnguard/")
    (dist / f"ovnguard-chart-{tree.version}.tgz").write_bytes(packed(files, tree.time))


def wheels(tree: Tree, folder: Path) -> None:
    """The wheels of requirements.lock; what has none for this platform is built."""
    run(tree, "pip", "wheel", "--quiet", "--no-deps", "--require-hashes", "-r", "requirements.lock", "-w", folder)


def preflight(tree: Tree, dist: Path, site: Path) -> None:
    """The preflight as one file, which needs this Python and platform, its archive and its manifest for krew."""
    left_out = tuple(f"{name}-" for name in NOT_FOR_THE_PREFLIGHT)
    needed = [path.name for path in (dist / "wheels").glob("*.whl") if not path.name.startswith(left_out)]
    # by name: pip would record the path of a file
    names = ["==".join(name.split("-")[:2]) for name in sorted(needed)]
    install = ("pip", "install", "--quiet", "--no-deps", "--no-compile", "--target", site)
    run(tree, *install, *_links(dist), *names, f"ovnguard=={tree.version}")
    # commands of others, which name this interpreter, and a client that nobody imports
    for name in ("bin", "kubernetes/aio"):
        shutil.rmtree(site / name)
    program = dist / f"{PROGRAM}-{tree.version}-{PLATFORM}"
    shebang = f"/usr/bin/env {PYTHON}"
    run(
        tree,
        RELEASE_TOOLS / "shiv",
        "--reproducible",
        "--site-packages",
        site,
        "-p",
        shebang,
        "-e",
        "ovnguard.validators.cli.main:main",
        "-o",
        program,
    )
    files = {PROGRAM: program.read_bytes(), "LICENSE": (tree.folder / "LICENSE").read_bytes()}
    archive = dist / f"{program.name}.tar.gz"
    archive.write_bytes(packed(files, tree.time, [PROGRAM]))
    text = manifest(archive, tree.version, tree.addresses["repository"], PYTHON, os.uname().machine)
    (dist / "ovn-preflight.yaml").write_text(text, encoding="utf-8")


def _links(dist: Path) -> tuple[str | Path, ...]:
    """What makes pip find everything in ``dist``, and nowhere else."""
    return ("--no-index", "--find-links", dist, "--find-links", dist / "wheels")


def tried(tree: Tree, dist: Path, folder: Path) -> None:
    """Install the wheel into an empty environment without a network, and run what it installs and the one file."""
    environment = folder / "environment"
    run(tree, PYTHON, "-m", "venv", environment)
    run(tree, environment / "bin" / "pip", "install", "--quiet", *_links(dist), "ovnguard")
    example = tree.folder / "deploy" / "examples" / "valid"
    (program,) = (path for path in dist.glob(f"{PROGRAM}-*") if path.suffix != ".gz")
    for each in (environment / "bin" / PROGRAM, program):
        run(tree, each, example)


def image(tree: Tree, dist: Path, folder: Path) -> None:
    """The image as `make image` builds it, where this machine can."""
    if reason := image_build.why_not():
        print(f"left out: the image; {reason}", file=sys.stderr)
        return
    made = image_build.make(folder, tree.folder)
    shutil.move(made, dist / made.name.replace("image", f"image-{tree.version}"))


def bill(root: Path, dist: Path) -> None:
    """The bill of materials, as `make release-check` writes it."""
    made = "dist/ovnguard.cdx.json"
    subprocess.run(["make", "--no-print-directory", made], cwd=root, check=True, stdout=sys.stderr)
    if dist != root / "dist":
        shutil.copyfile(root / made, dist / Path(made).name)


if __name__ == "__main__":
    sys.exit(main())
