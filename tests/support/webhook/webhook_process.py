"""The webhook as a process with its own certificate, and the client that tests use to call it."""

import contextlib
import http.client
import json
import ssl
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ovnguard.webhook.certificates.self_signed import CertificateFiles
from tests.support.admission_reviews import UID, review
from tests.support.paths import ROOT

PROGRAM = Path(sys.executable).parent / "ovnguard-webhook"

EXAMPLES = ROOT / "deploy" / "examples"


def asking(obj: dict, old: dict | None = None) -> dict:
    group, _, version = obj["apiVersion"].rpartition("/")
    kind = {"group": group, "version": version, "kind": obj["kind"]}
    operation = "UPDATE" if old else "CREATE"
    return review(object=obj, oldObject=old, kind=kind, operation=operation, name=obj["metadata"]["name"])


class Serving:
    def __init__(self, process: subprocess.Popen, url: str, folder: Path) -> None:
        self.process = process
        self.host, self.port = url.removeprefix("https://").rsplit(":", 1)
        self.folder = folder

    @property
    def metrics_port(self) -> int:
        """The port of metrics, as the log tells it."""
        lines = [json.loads(line) for line in (self.folder / "log").read_text(encoding="utf-8").splitlines()]
        [url] = [line["url"] for line in lines if line["message"] == "metrics"]
        return int(url.removesuffix("/metrics").rpartition(":")[2])

    def call(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        trust = ssl.create_default_context(cafile=self.folder / "ca.crt")
        connection = http.client.HTTPSConnection(self.host.strip("[]"), int(self.port), context=trust, timeout=20)
        with contextlib.closing(connection):
            connection.request(method, path, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read()

    def metrics(self) -> str:
        """What a scrape gets."""
        trust = ssl.create_default_context(cafile=self.folder / "ca.crt")
        connection = http.client.HTTPSConnection("127.0.0.1", self.metrics_port, context=trust, timeout=20)
        with contextlib.closing(connection):
            connection.request("GET", "/metrics")
            return connection.getresponse().read().decode()

    def ask(self, path: str, obj: dict, old: dict | None = None) -> dict:
        status, body = self.call("POST", path, json.dumps(asking(obj, old)).encode())
        response = json.loads(body)["response"]
        assert (status, response["uid"]) == (200, UID)
        return response


@contextlib.contextmanager
def serving(
    folder: Path,
    *args: str | Path,
    files: CertificateFiles | None = None,
    program: Sequence[str | Path] = (PROGRAM,),
) -> Iterator[Serving]:
    folder.mkdir(exist_ok=True)
    certificate: list[str | Path] = (
        ["--self-signed", folder] if files is None else ["--cert", files.certificate, "--key", files.key]
    )
    command: list[str | Path] = [*program, "serve", "--port", "0", *certificate, *args]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        assert url.startswith("https://"), (folder / "log").read_text()
        yield Serving(process, url, folder)
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()
