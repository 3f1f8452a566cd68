"""The webhook as its image and its Pod confine it: another user, no capabilities, a read-only root, 64 MiB of /tmp.

The one right that is left is to read what belongs to others, as the program may be installed where only its owner can
read; in the image everybody can.
"""

import contextlib
import http.client
import json
import re
import shutil
import ssl
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from ovnguard.validators.manifest.sources import read_sources
from tests.support.paths import ROOT
from tests.support.webhook.webhook_load import children
from tests.support.webhook.webhook_process import EXAMPLES, PROGRAM, asking
from tests.testbed.apiserver import free_port
from tests.testbed.netns import why_not

pytestmark = pytest.mark.functional
CONTAINERFILE = (ROOT / "deploy" / "image" / "Containerfile").read_text(encoding="utf-8")
METRICS = free_port()
INSIDE = """\
set -e
mount -o remount,bind,ro /
checkout="$5"
mount --bind "$checkout" /mnt
mount -t tmpfs -o size="$1",mode=1777 tmpfs "$2"
# whoever works below the folder that is hidden now
case "$checkout" in "$2"/*) mkdir -p "$checkout"; mount --bind /mnt "$checkout";; esac
cd "$2"
user="$3" group="$4"
shift 5
exec setpriv --reuid "$user" --regid "$group" --clear-groups --no-new-privs --bounding-set=-all,+dac_read_search \\
    --inh-caps=-all,+dac_read_search --ambient-caps=+dac_read_search -- "$@"
"""


def directive(name: str) -> str:
    """The last one of that name."""
    return str(re.findall(rf"(?m)^{name} (.+)$", CONTAINERFILE)[-1])


@pytest.fixture
def confined() -> Iterator[tuple[int, Path]]:
    """The process and its root."""
    reason = why_not() or (None if shutil.which("setpriv") else "this machine has no setpriv")
    if reason is not None:
        pytest.skip(f"needs netns: {reason}")
    (deployment,) = yaml.safe_load_all((ROOT / "deploy/base/deployment.yaml").read_text(encoding="utf-8"))
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    (volume,) = deployment["spec"]["template"]["spec"]["volumes"]
    (mounted,) = container["volumeMounts"]
    assert mounted["mountPath"] == directive("WORKDIR")
    size = volume["emptyDir"]["sizeLimit"].removesuffix("i")
    user, _, group = directive("USER").partition(":")
    ports = ["--port", "0", "--metrics-port", str(METRICS)]
    options = ["serve", *ports, "--self-signed", "certificates", "--workers", "2"]
    wrapped = ["unshare", "--mount", "--propagation", "private", "sh", "-c", INSIDE, "sh"]
    argv = [*wrapped, size, mounted["mountPath"], user, group, str(ROOT), str(PROGRAM), *options]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        url = process.stdout.readline().strip()
        assert url.startswith("https://"), process.stderr.read()
        yield int(url.rpartition(":")[2]), Path(f"/proc/{process.pid}/root")
        process.terminate()
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait(60)
        process.stdout.close()
        process.stderr.close()


def of_the_checkout(path: Path) -> bool:
    """Whether a path is in this checkout, or leads there."""
    return ROOT.is_relative_to(path) or path.is_relative_to(ROOT)


def test_webhook_serves_as_its_user_on_a_read_only_root(confined: tuple[int, Path]) -> None:
    port, root = confined
    user = int(directive("USER").partition(":")[0])
    for process in (int(root.parent.name), *children(int(root.parent.name))):
        status = dict(line.split(":\t", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
        assert {int(each) for each in status["Uid"].split()} == {user}
        assert int(status["CapEff"], 16) == int(status["CapBnd"], 16) == 1 << 2
    mounts = [line.split() for line in (root.parent / "mounts").read_text().splitlines()]
    assert ["ro" in each[3].split(",") for each in mounts if each[1] == "/"][-1]
    trust = ssl.create_default_context(cadata=(root / "tmp/certificates/ca.crt").read_text())
    for document in read_sources([str(EXAMPLES / "valid")]).documents * 20:
        connection = http.client.HTTPSConnection("127.0.0.1", port, context=trust, timeout=20)
        with contextlib.closing(connection):
            body = json.dumps(asking(document.value))
            connection.request("POST", "/validate", body, {"Content-Type": "application/json"})
            assert json.loads(connection.getresponse().read())["response"]["allowed"] is True
    with contextlib.closing(http.client.HTTPSConnection("127.0.0.1", METRICS, context=trust, timeout=20)) as metrics:
        metrics.request("GET", "/metrics")
        assert b"ovnk_admission_requests_total" in metrics.getresponse().read()
    written = [path for path in sorted((root / "tmp").rglob("*")) if not of_the_checkout("/" / path.relative_to(root))]
    assert not [path for path in written if stat.S_ISSOCK(path.lstat().st_mode)]
    assert sum(path.lstat().st_blocks * 512 for path in written) < 32 * 2**20
    assert {path.relative_to(root / "tmp").parts[0].split("-")[0] for path in written} == {"certificates", "ovnguard"}
