"""The webhook as a process that reads a real API server."""

import contextlib
import http.client
import json
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.admission_reviews import UID, review
from tests.support.deployed.installed import PROGRAM


class Webhook:
    def __init__(self, process: subprocess.Popen[str], url: str, folder: Path) -> None:
        self.process = process
        self.port = int(url.rpartition(":")[2])
        self.folder = folder

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        trust = ssl.create_default_context(cafile=self.folder / "ca.crt")
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=trust, timeout=60)
        with contextlib.closing(connection):
            connection.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
        return answer.status, json.loads(text) if text.startswith(b"{") else text

    def ask(self, obj: dict[str, Any], old: dict[str, Any] | None = None) -> dict[str, Any]:
        operation = "CREATE" if old is None else "UPDATE"
        status, answer = self.call("POST", "/validate", review(object=obj, oldObject=old, operation=operation))
        assert (status, answer["response"]["uid"]) == (200, UID), answer
        return answer["response"]

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "log").read_text().splitlines() if line.startswith("{")]


@contextlib.contextmanager
def serving(folder: Path, kubeconfig: Path, *options: str) -> Iterator[Webhook]:
    folder.mkdir(exist_ok=True)
    certificate = () if "--authority-secret" in options else ("--self-signed", str(folder))
    command = [str(PROGRAM), "serve", "--port", "0", "--kubeconfig", str(kubeconfig), *certificate, *options]
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url, (folder / "log").read_text()
        yield Webhook(process, url, folder)
    finally:
        process.terminate()
        process.wait(60)
        if process.stdout is not None:
            process.stdout.close()


def network(name: str = "blue", **spec: Any) -> dict[str, Any]:
    layer3 = {"role": "Primary", "subnets": [{"cidr": "10.40.0.0/16", "hostSubnet": 24}]}
    whole = {
        "namespaceSelector": {"matchLabels": {"t": name}},
        "network": {"topology": "Layer3", "layer3": layer3, **spec},
    }
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": {"name": name},
        "spec": whole,
    }
