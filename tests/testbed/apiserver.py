"""A real API server: etcd and kube-apiserver on loopback, with RBAC, webhooks and CRDs, but without controllers."""

import base64
import contextlib
import http.client
import json
import socket
import ssl
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import urlsplit

from tests.testbed import parts, pki
from tests.testbed.process import BedError, Child, scratch, wait_until

# A start takes a fifth less processor time, and up to 80 MiB more.
_LESS_GARBAGE_COLLECTION: Final = {"GOGC": "400"}
START_SECONDS = 120.0
_ADDRESS = "127.0.0.1"
_ADMIN, _ADMIN_GROUP = "admin", "system:masters"
_ATTEMPTS = 3
# kube-apiserver closes a connection without requests after 90 seconds.
_RESTING_SECONDS = 60

# Pods get no tokens here, as no controller makes service accounts; priority and fairness only slows down the start.
_APISERVER_FLAGS = (
    "--disable-admission-plugins=ServiceAccount",
    "--enable-priority-and-fairness=false",
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    "--service-cluster-ip-range=10.96.0.0/16",
    "--endpoint-reconciler-type=none",
    "--allow-privileged=true",
    f"--advertise-address={_ADDRESS}",
    f"--external-hostname={_ADDRESS}",
    f"--bind-address={_ADDRESS}",
)


def free_port() -> int:
    """A TCP port on loopback that nobody has now; another program may still take it first."""
    with socket.socket() as probe:
        probe.bind((_ADDRESS, 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(connection: http.client.HTTPConnection, path: str) -> bool:
    """Whether a server is there and answers 200."""
    with contextlib.closing(connection):
        try:
            connection.request("GET", path)
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False


def _on_free_port(undo: contextlib.ExitStack, launch: Callable[[int], Child], ready: Callable[[int], bool]) -> int:
    """Start a program on a free port and wait until it is ready; again on another port when it lost the first one."""
    for attempt in range(_ATTEMPTS):
        port = free_port()
        with contextlib.ExitStack() as started:
            child = started.enter_context(launch(port))
            try:
                wait_until(partial(ready, port), child.name, START_SECONDS, [child])
            except BedError as error:
                if "address already in use" in str(error) and attempt + 1 < _ATTEMPTS:
                    continue
                raise
            undo.push(started.pop_all())
            return port
    raise AssertionError("the last attempt returns or raises")


class ApiServer:
    """etcd and kube-apiserver while the context lasts; logs, keys and the kubeconfig in `directory`. `flags` are more
    of kube-apiserver's.

    LookupError when a part is missing, BedError when a program does not start.
    """

    def __init__(self, directory: Path, found: parts.Parts | None = None, flags: Sequence[str] = ()) -> None:
        self.directory, self._flags = directory, flags
        self._parts = parts.find() if found is None else found
        self._cleanup = contextlib.ExitStack()
        self._tls: ssl.SSLContext | None = None
        self._authority: pki.Authority | None = None
        self._resting = deque[tuple[float, http.client.HTTPSConnection]]()
        self._restartable: tuple[list[str | Path], pki.Pair] | None = None
        self._server, self._running = contextlib.ExitStack(), list[Child]()
        self._etcd_url = self.url = ""

    @property
    def ca_file(self) -> Path:
        """The authority that signed the serving certificate."""
        return self.directory / "pki" / "ca.crt"

    @property
    def kubeconfig(self) -> Path:
        """A kubeconfig of an administrator, by client certificate."""
        return self.directory / "kubeconfig"

    def start(self) -> Self:
        """Start both and wait until the API server says that it is ready."""
        etcd, apiserver = self._parts.etcd.tool("etcd"), self._parts.kube_apiserver.tool("kube-apiserver")
        (self.directory / "pki").mkdir(parents=True)
        self._authority = authority = pki.Authority(self.directory / "pki")
        serving, admin = authority.server("apiserver"), authority.client(_ADMIN, _ADMIN_GROUP)
        pki.write_key(self.directory / "pki" / "service-accounts.key")
        self._tls = ssl.create_default_context(cafile=str(self.ca_file))
        self._tls.load_cert_chain(admin.cert, admin.key)
        with contextlib.ExitStack() as undo:
            data = undo.enter_context(scratch("etcd"))
            self._etcd_url = self._start_etcd(undo, etcd, data)
            undo.callback(self._server.close)
            self._restartable = (self._argv(apiserver, serving), admin)
            self._start_apiserver(*self._restartable)
            self._cleanup = undo.pop_all()
        return self

    def restart(self) -> None:
        """Kill kube-apiserver and start it again, on another port: what etcd stores stays."""
        assert self._restartable is not None
        self._running[-1].process.kill()
        self._disconnect()
        self._server.close()
        self._start_apiserver(*self._restartable)

    def compact(self) -> None:
        """Make etcd forget all versions but the newest of each object."""
        # etcd has version numbers as texts in JSON
        answer = self._ask_etcd("/v3/kv/range", {"key": base64.b64encode(b"compact").decode()})
        self._ask_etcd("/v3/kv/compaction", {"revision": answer["header"]["revision"], "physical": True})

    def _ask_etcd(self, path: str, body: Any) -> Any:
        connection = http.client.HTTPConnection(_ADDRESS, urlsplit(self._etcd_url).port, timeout=60)
        with contextlib.closing(connection):
            connection.request("POST", path, json.dumps(body))
            answer = connection.getresponse()
            text = answer.read().decode()
        if answer.status != 200:
            raise BedError(f"etcd: {path}: {answer.status} {text}")
        return json.loads(text)

    def stop(self) -> None:
        """Stop both and remove etcd's data."""
        # Asked to end, kube-apiserver waits for the watches that are still open, and nothing of it is kept.
        self._running[-1].process.kill()
        self._disconnect()
        self._cleanup.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _start_etcd(self, undo: contextlib.ExitStack, etcd: Path, data: Path) -> str:
        """etcd with its data in memory; tests lose nothing with it, so it need not wait for a disk."""

        def launch(port: int) -> Child:
            url = f"http://{_ADDRESS}:{port}"
            clients = [f"--listen-client-urls={url}", f"--advertise-client-urls={url}"]
            peers = [f"--listen-peer-urls=http://{_ADDRESS}:0"]
            argv: list[str | Path] = [
                etcd,
                f"--data-dir={data / 'data'}",
                *clients,
                *peers,
                "--unsafe-no-fsync",
                "--log-level=warn",
            ]
            return Child("etcd", argv, self.directory / "etcd.log", _LESS_GARBAGE_COLLECTION)

        def healthy(port: int) -> bool:
            return _answers(http.client.HTTPConnection(_ADDRESS, port, timeout=2), "/health")

        return f"http://{_ADDRESS}:{_on_free_port(undo, launch, healthy)}"

    def _argv(self, apiserver: Path, serving: pki.Pair) -> list[str | Path]:
        accounts = self.directory / "pki" / "service-accounts.key"
        return [
            apiserver,
            f"--etcd-servers={self._etcd_url}",
            f"--tls-cert-file={serving.cert}",
            f"--tls-private-key-file={serving.key}",
            f"--client-ca-file={self.ca_file}",
            f"--service-account-key-file={accounts}",
            f"--service-account-signing-key-file={accounts}",
            *_APISERVER_FLAGS,
            *self._flags,
        ]

    def _start_apiserver(self, argv: list[str | Path], admin: pki.Pair) -> None:
        def launch(port: int) -> Child:
            log = self.directory / "kube-apiserver.log"
            self._running.append(
                Child("kube-apiserver", [*argv, f"--secure-port={port}"], log, _LESS_GARBAGE_COLLECTION)
            )
            return self._running[-1]

        def ready(port: int) -> bool:
            return _answers(http.client.HTTPSConnection(_ADDRESS, port, timeout=5, context=self._tls), "/readyz")

        self.url = f"https://{_ADDRESS}:{_on_free_port(self._server, launch, ready)}"
        self._write_kubeconfig(admin)

    def client(self, user: str, group: str) -> Path:
        """The kubeconfig of somebody else, by client certificate, at the address in the administrator's."""
        assert self._authority is not None
        pair, config = self._authority.client(user, group), json.loads(self.kubeconfig.read_text(encoding="utf-8"))
        config["users"][0]["user"] = {"client-certificate": str(pair.cert), "client-key": str(pair.key)}
        file = self.directory / f"kubeconfig-{user}"
        file.touch(mode=0o600)
        file.write_text(json.dumps(config), encoding="utf-8")
        return file

    def _write_kubeconfig(self, admin: pki.Pair) -> None:
        """JSON, which is YAML too."""
        cluster = {"server": self.url, "certificate-authority": str(self.ca_file)}
        user = {"client-certificate": str(admin.cert), "client-key": str(admin.key)}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "testbed", "cluster": cluster}],
            "users": [{"name": _ADMIN, "user": user}],
            "contexts": [{"name": "testbed", "context": {"cluster": "testbed", "user": _ADMIN}}],
            "current-context": "testbed",
        }
        self.kubeconfig.touch(mode=0o600)
        self.kubeconfig.write_text(json.dumps(config, indent=2), encoding="utf-8")

    def request(
        self, method: str, path: str, body: Any = None, content_type: str = "application/json"
    ) -> tuple[int, Any]:
        """One request as administrator: the HTTP status and the decoded answer. `body` is sent as JSON.

        For PATCH name the kind of patch in `content_type`. The answer is text where it is not JSON. A request that
        changes nothing is repeated once where the server, which is busy, closes the connection without an answer.
        """
        sent = None if body is None else json.dumps(body)
        headers = {"Content-Type": content_type, "Accept": "application/json"}
        try:
            answer, text = self.ask(method, path, sent, headers)
        except http.client.RemoteDisconnected:
            if method != "GET" and "dryRun=All" not in path:
                raise
            answer, text = self.ask(method, path, sent, headers)
        if answer.headers.get_content_type() == "application/json":
            return answer.status, json.loads(text)
        return answer.status, text

    def ask(
        self, method: str, path: str, sent: str | None, headers: dict[str, str]
    ) -> tuple[http.client.HTTPResponse, str]:
        """The same as text, in which the answer keeps its headers."""
        connection = self._connection()
        with contextlib.ExitStack() as failed:
            failed.callback(connection.close)
            connection.request(method, path, sent, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            failed.pop_all()
        self._resting.append((time.monotonic(), connection))
        return answer, text

    def _connection(self) -> http.client.HTTPSConnection:
        """That of an earlier request where one rests: handshakes were a seventh of the work of a server."""
        port = urlsplit(self.url).port
        with contextlib.suppress(IndexError):
            since, connection = self._resting.pop()
            if connection.port == port and time.monotonic() - since < _RESTING_SECONDS:
                return connection
            connection.close()
        return http.client.HTTPSConnection(_ADDRESS, port, timeout=120, context=self._tls)

    def _disconnect(self) -> None:
        while self._resting:
            self._resting.pop()[1].close()

    def log(self) -> str:
        """What kube-apiserver logged so far."""
        return (self.directory / "kube-apiserver.log").read_text(encoding="utf-8", errors="replace")
