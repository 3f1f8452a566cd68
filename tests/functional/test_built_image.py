"""The image as `make image` builds it: every command starts from its files, without root and with a read-only root."""

import base64
import csv
import hashlib
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.support.image import build
from tests.support.image.unpacked import Image, unpack
from tests.support.paths import ROOT
from tests.support.soak import SOAK, soak_only
from tests.support.webhook.webhook_process import EXAMPLES, serving

REASON = build.why_not() if SOAK else None
pytestmark = [
    pytest.mark.functional,
    soak_only,
    pytest.mark.skipif(REASON is not None, reason=f"needs image: {REASON}"),
]
PROGRAMS = ("kubectl-ovn_preflight", "ovnguard-webhook", "ovnguard-reconciler")
# argparse does not list them
PREFLIGHT_COMMANDS = ("test", "cost", "explain", "plan", "completion")


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    """The image, built and unpacked."""
    folder = tmp_path_factory.mktemp("image")
    return unpack(build.make(folder), folder / "unpacked")


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder that the image's user may write; its programs see it under the same path."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    return folder


def site(image: Image) -> Path:
    (found,) = image.root.glob("app/lib/python3.*/site-packages")
    return found


def run(image: Image, shared: Path, *args: str) -> str:
    """What a command prints; it must succeed."""
    done = subprocess.run(image.command(shared, *args), capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, f"{args}: {done.stdout}{done.stderr}"
    return done.stdout


def test_it_is_what_the_containerfile_says(image: Image) -> None:
    assert (image.config["User"], image.config["WorkingDir"]) == ("65532:65532", "/tmp")
    assert (image.config["Entrypoint"], image.config["Cmd"]) == (["ovnguard-webhook"], ["--help"])
    assert image.config["Labels"]["org.opencontainers.image.title"] == "ovnguard"


TRY = """\
import errno, os, pathlib
print(os.getuid(), os.getgid(), os.getgroups())
print(*(line for line in open("/proc/self/status") if line.startswith(("CapEff", "CapBnd", "NoNewPrivs"))), sep="")
for place in ("/", "/app", "/etc", "/var/tmp"):
    try:
        pathlib.Path(place, "x").touch()
    except OSError as error:
        print(place, errno.errorcode[error.errno])
"""


def test_its_programs_run_without_rights(image: Image, shared: Path) -> None:
    said = run(image, shared, "python", "-c", TRY).split()
    assert said[:9] == ["65532", "65532", "[]", "CapEff:", "0" * 16, "CapBnd:", "0" * 16, "NoNewPrivs:", "1"]
    assert said[9:] == ["/", "EROFS", "/app", "EROFS", "/etc", "EROFS", "/var/tmp", "EROFS"]


def test_no_installer_and_nothing_of_this_machine_is_in_it(image: Image, shared: Path) -> None:
    assert not [*image.root.glob("usr/**/pip"), *image.root.glob("app/**/site-packages/pip")]
    for module in ("pip", "ensurepip"):
        done = subprocess.run(
            image.command(shared, "python", "-m", module, "--version"), capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr.rpartition(": ")[2]) == (1, f"No module named {module}\n")
    assert not [path for path in (image.root / "etc").rglob("*") if path.name in {"pip.conf", "trusted.pem"}]
    assert not [*image.root.glob("etc/apt/sources.list*")]
    kept = [image.root / "etc" / name for name in ("hosts", "hostname", "resolv.conf")]
    assert [path.name for path in kept if path.exists() and path.stat().st_size] == []


def test_every_file_that_is_recorded_is_there_unchanged(image: Image) -> None:
    """And the asynchronous client of kubernetes is neither there nor recorded."""
    folder, wrong, count = site(image), [], 0
    for record in folder.glob("*.dist-info/RECORD"):
        for name, digest, _size in csv.reader(record.read_text(encoding="utf-8").splitlines()):
            count += 1
            path = folder / name
            if not path.is_file() or (digest and digest != hashed(path)):
                wrong.append(name)
    assert (wrong, count > 1000) == ([], True)
    assert not (folder / "kubernetes" / "aio").exists()
    (record,) = folder.glob("kubernetes-*.dist-info/RECORD")
    text = record.read_text(encoding="utf-8")
    assert ("kubernetes/aio" in text, "kubernetes/client/api_client.py" in text) == (False, True)


def hashed(path: Path) -> str:
    """As RECORD writes it."""
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).decode().rstrip("=")


def test_it_holds_the_locked_versions(image: Image) -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    locked = {
        name.replace("-", "_").lower(): version for name, version in re.findall(r"^([\w.-]+)==([^ ;]+)", lock, re.M)
    }
    held = dict(path.name.removesuffix(".dist-info").rsplit("-", 1) for path in site(image).glob("*.dist-info"))
    held = {name.replace(".", "_").lower(): version for name, version in held.items()}
    assert held.pop("ovnguard") == build.version()
    assert {name: locked[name] for name in held} == held


def commands(image: Image, shared: Path, *words: str) -> Iterator[list[str]]:
    """A command that answers --help, then those below it."""
    said = run(image, shared, *words, "--help")
    assert said.lower().startswith("usage: "), said
    yield list(words)
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", said, re.MULTILINE)
    for name in re.findall(r"^  ([a-z][a-z0-9-]*)", listed[1], re.MULTILINE) if listed else ():
        yield from commands(image, shared, *words, name)


def test_every_command_starts(image: Image, shared: Path) -> None:
    started = [" ".join(words) for program in PROGRAMS for words in commands(image, shared, program)]
    assert {"ovnguard-webhook serve", "ovnguard-reconciler rollout run", "ovnguard-reconciler dns run"} <= {*started}
    for name in PREFLIGHT_COMMANDS:
        assert "usage: " in run(image, shared, PROGRAMS[0], name, "--help").lower()
    for program in PROGRAMS:
        assert run(image, shared, program, "--version").split()[-1] == build.version()
    run(image, shared, "kubectl_complete-ovn_preflight", "")


def test_the_webhook_answers_over_tls(image: Image, shared: Path) -> None:
    entrypoint = image.command(shared, *image.config["Entrypoint"])
    with serving(shared, program=entrypoint) as webhook:
        good = yaml.safe_load((EXAMPLES / "valid" / "green-layer3.yaml").read_text(encoding="utf-8"))
        bad = yaml.safe_load((EXAMPLES / "invalid" / "bad-cidr.yaml").read_text(encoding="utf-8"))
        assert webhook.ask("/validate", good)["allowed"] is True
        assert webhook.ask("/validate", bad)["allowed"] is False
        assert webhook.call("GET", "/readyz")[0] == 200
    assert webhook.process.returncode == 0


def test_plan_and_preflight_judge_manifests(image: Image, shared: Path) -> None:
    for name in ("valid", "nodes"):
        (shared / name).mkdir()
        for source in (EXAMPLES / name).iterdir():
            (shared / name / source.name).write_bytes(source.read_bytes())
    plan = [PROGRAMS[2], "plan", "-f", f"{shared}/valid", "--nodes", f"{shared}/nodes", "-o", "json"]
    assert json.loads(run(image, shared, *plan))
    assert run(image, shared, PROGRAMS[0], f"{shared}/valid").startswith(
        "3 files, 3 objects judged, 0 errors, 0 warnings\n"
    )
