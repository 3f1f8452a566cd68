"""``make image``: the image of deploy/image/Containerfile as an OCI archive, without a registry of images.

mmdebstrap makes a base of Debian's packages, and buildah builds on it in a chroot. How this machine reaches its package
index is mounted while the build runs, and is in no layer. What is made on the way is next to the archive, and removed.
"""

import ast
import configparser
import os
import shutil
import ssl
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Final

from tests.support.paths import ROOT
from tests.testbed import pins
from tests.testbed.command import CommandError, progress, run
from tests.testbed.sources import aptsources, debian

CONTAINERFILE: Final = Path("deploy", "image", "Containerfile")
_BASE: Final = "localhost/ovnguard-base"
_IMAGE: Final = "localhost/ovnguard"
_BASE_FILE: Final = "FROM scratch\nADD base.tar /\n"
# an interpreter whose name is python, as in the images of Python, pip for the build, and what google-re2 links
_PACKAGES: Final = "python-is-python3,python3-pip,libstdc++6"
_MMDEBSTRAP: Final = (
    "--variant=essential",
    f"--include={_PACKAGES}",
    # the folder is packed and thrown away, so nothing waits for the disk
    "--dpkgopt=force-unsafe-io",
    *(f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in ("doc", "info", "locale", "man")),
    # of this machine, which is nobody's business: the mirror, the resolver, names
    '--customize-hook=rm -r "$1/etc/apt/sources.list.d"',
    '--customize-hook=cd "$1/etc" && truncate --size 0 hosts hostname resolv.conf',
)
_BUILD: Final = ("build", "--isolation", "chroot", "--pull-never", "--format", "oci")
# where pip reads settings of the whole machine, besides /etc/pip.conf
_PIP_FOLDER: Final = Path("/etc/xdg/pip")
_PIP_SETTINGS: Final = {
    *("index-url", "extra-index-url", "trusted-host", "proxy"),
    *("timeout", "default-timeout", "retries"),
}


def why_not() -> str | None:
    """Why no image can be built on this machine, and what to install; None when it can."""
    absent = [name for name in ("buildah", "mmdebstrap") if shutil.which(name) is None]
    if absent:
        return f"this machine has no {' and no '.join(absent)}: apt-get install {' '.join(absent)}"
    return None if os.geteuid() == 0 else "only root can build an image here"


def make(folder: Path, source: Path = ROOT) -> Path:
    """Build the image of a tree for this architecture; returns its archive in ``folder``. Raises CommandError."""
    if (reason := why_not()) is not None:
        raise CommandError(reason)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".image-", dir=folder) as name:
        work = Path(name)
        digest = _make_base(work)
        log = folder / "image.log"
        log.unlink(missing_ok=True)
        progress("image", f"building; {log} has what the steps print")
        file = source / CONTAINERFILE
        files: list[str | Path] = ["--file", file, "--ignorefile", f"{file}.dockerignore", "--logfile", log]
        settings = ["--volume", f"{_pip_folder(work)}:{_PIP_FOLDER}:ro", "--build-arg", f"BASE={_BASE}@{digest}"]
        _buildah(work, *_BUILD, *files, *settings, "--tag", _IMAGE, source)
        _buildah(work, "push", "--quiet", _IMAGE, f"oci-archive:{work}/image.tar:ovnguard:{version(source)}")
        architecture = run(["dpkg", "--print-architecture"]).strip()
        return (work / "image.tar").rename(folder / f"ovnguard-image-{architecture}.tar")


def _make_base(work: Path) -> str:
    """Make the base and return the digest by which the build names it."""
    suite, component = pins.load().suite, pins.load().component
    stanzas = aptsources.stanzas_for(aptsources.read(debian.ETC_APT), suite, component)
    if not stanzas:
        raise CommandError("the apt settings of this machine name no Debian mirror")
    sources, context = work / "base.sources", work / "base"
    sources.touch(mode=0o600)  # an address may carry a password
    sources.write_text(stanzas[0], encoding="utf-8")
    context.mkdir()
    (context / "Containerfile").write_text(_BASE_FILE, encoding="utf-8")
    progress("image", f"making a base of Debian {suite}")
    run(["mmdebstrap", *_MMDEBSTRAP, suite, context / "base.tar", sources], waiting=_waiting)
    _buildah(work, *_BUILD, "--file", context / "Containerfile", "--tag", _BASE, context)
    return _buildah(work, "images", "--format", "{{.Digest}}", _BASE).strip()


def _buildah(work: Path, *args: str | Path) -> str:
    """Run buildah on a storage of its own in ``work``."""
    storage = ["--root", f"{work}/storage", "--runroot", f"{work}/run", "--storage-driver", "vfs"]
    return run(["buildah", *storage, *args], env={"TMPDIR": str(work)}, waiting=_waiting)


def _pip_folder(work: Path) -> Path:
    """A folder with pip's settings as they are on this machine, and with the certificates that it trusts."""
    folder = work / "pip"
    folder.mkdir(mode=0o700)
    found = pip_settings(run([sys.executable, "-m", "pip", "config", "list"]))
    trusted = found.get("cert") or ssl.get_default_verify_paths().cafile
    config = configparser.RawConfigParser()
    config["global"] = {name: value for name, value in found.items() if name in _PIP_SETTINGS}
    if trusted is not None:
        shutil.copyfile(trusted, folder / "trusted.pem")
        config["global"]["cert"] = str(_PIP_FOLDER / "trusted.pem")
    with (folder / "pip.conf").open("w", encoding="utf-8") as file:
        config.write(file)
    return folder


def pip_settings(listed: str) -> dict[str, str]:
    """What ``pip config list`` prints, by name; the environment comes before files."""
    lines = [line.partition("=") for line in listed.splitlines() if "='" in line or '="' in line]
    named = [(*name.rpartition(".")[::2], ast.literal_eval(value)) for name, _, value in lines]
    ordered = sorted(named, key=lambda each: each[0] == ":env:")
    return {name: value for section, name, value in ordered if section in {"global", ":env:"}}


def version(source: Path = ROOT) -> str:
    return str(tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def _waiting(seconds: int) -> None:
    progress("image", f"still at it, {seconds} s")


def main() -> int:
    """Build, and print where the archive is; 1 with one line when that is not possible."""
    try:
        archive = make(ROOT / "dist")
    except (CommandError, OSError) as error:
        print(f"image: {error}", file=sys.stderr)
        return 1
    print(f"{archive.relative_to(ROOT)}: {archive.stat().st_size / 2**20:.0f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
