"""deploy/ applied to an API server: overlays that point to a port of this machine, where the webhook runs as a process.

A `Replica` is what a Pod of the Deployment would be: the same options, the rights of the same service account.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import yaml

from tests.support.deployed.deployed import DEPLOY, OURS, Kubectl, remove_namespace
from tests.support.deployed.installed import PROGRAM, served_crds
from tests.support.deployed.running import LASTING
from tests.testbed.apiserver import ApiServer, free_port
from tests.testbed.process import guarded, wait_until

REGISTRATIONS = "/apis/admissionregistration.k8s.io/v1"
KINDS = ("validatingwebhookconfigurations", "mutatingwebhookconfigurations")
CUDNS = "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks"
SECRET = f"/api/v1/namespaces/{OURS}/secrets/ovnguard-authority"
MERGE = "application/merge-patch+json"


def leading_here(port: int) -> list[dict[str, Any]]:
    """Patches of a kustomization: Service and registrations lead to a port of this machine."""
    patches = []
    for name in ("validating", "mutating"):
        document = yaml.safe_load((DEPLOY / "base" / f"{name}.yaml").read_text(encoding="utf-8"))
        ports = [f"/webhooks/{index}/clientConfig/service/port" for index in range(len(document["webhooks"]))]
        steps = [{"op": "replace", "path": path, "value": port} for path in ports]
        patches.append({"target": {"kind": document["kind"]}, "patch": yaml.safe_dump(steps)})
    spec = [{"op": "replace", "path": "/spec", "value": {"type": "ExternalName", "externalName": "localhost"}}]
    return [{"target": {"kind": "Service"}, "patch": yaml.safe_dump(spec)}, *patches]


def led_here(folder: Path, port: int, components: Sequence[str] = (), name: str = "kubernetes") -> Path:
    """The overlay ``name`` with more components, its Service and registrations leading to this machine."""
    kustomization = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": [os.path.relpath(DEPLOY / "overlays" / name, folder.resolve())],
        "components": [os.path.relpath(DEPLOY / "components" / name, folder.resolve()) for name in components],
        "patches": leading_here(port),
    }
    (folder / "kustomization.yaml").write_text(yaml.safe_dump(kustomization), encoding="utf-8")
    return folder


def cudn(name: str, subnet: str) -> dict[str, Any]:
    """A primary Layer2 network of a cluster."""
    layer2 = {"role": "Primary", "subnets": [subnet]}
    spec = {"namespaceSelector": {"matchLabels": {"t": name}}, "network": {"topology": "Layer2", "layer2": layer2}}
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": {"name": name},
        "spec": spec,
    }


def account_of(api: ApiServer, folder: Path, name: str = "ovnguard-webhook") -> Path:
    """A kubeconfig with nothing but a token of the service account."""
    path = f"/api/v1/namespaces/{OURS}/serviceaccounts/{name}/token"
    status, answer = api.request("POST", path, {"apiVersion": "authentication.k8s.io/v1", "spec": LASTING})
    assert status == 201, answer
    config = json.loads(api.kubeconfig.read_text(encoding="utf-8"))
    config["users"][0]["user"] = {"token": answer["status"]["token"]}
    file = folder / name
    file.write_text(json.dumps(config), encoding="utf-8")
    return file


def options_of(account: Path, port: int) -> list[str]:
    """Those of the Deployment, with an address of this machine and the cluster by its kubeconfig."""
    (deployment,) = yaml.safe_load_all((DEPLOY / "base" / "deployment.yaml").read_text(encoding="utf-8"))
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    text = "\n".join(container["args"]).replace("$(POD_IP)", "localhost").replace("$(PORT)", str(port))
    assert "$(" not in text
    # this API server publishes no address, and calls from this machine
    here = ["--client-network=127.0.0.0/8", "--client-network=::1/128"]
    return [*text.replace("--in-cluster", f"--kubeconfig={account}").splitlines(), *here]


class Replica:
    """The webhook as its Deployment starts it: a process group of its own, on a port that stays its own."""

    def __init__(self, api: ApiServer, folder: Path, port: int = 0, module: str = "") -> None:
        """``module``: a stand-in for the program, as ``python -m`` takes it."""
        folder.mkdir(exist_ok=True)
        self.api, self.folder = api, folder
        self.port = port or free_port()
        self._program = [sys.executable, "-m", module] if module else [PROGRAM]
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Return when it serves."""
        self.launch()
        self.wait()

    def launch(self) -> None:
        """Start it; the kernel kills it with the thread that does."""
        options = options_of(account_of(self.api, self.folder), self.port)
        with (self.folder / "log").open("ab") as log:
            argv = guarded([*self._program, *options])
            self._process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=log, text=True, process_group=0)

    def wait(self) -> None:
        """Return when it serves."""
        assert self._process is not None
        assert self._process.stdout is not None
        assert self._process.stdout.readline().startswith("https://"), self.log()

    @property
    def pid(self) -> int:
        """Of the process that its Deployment starts."""
        assert self._process is not None
        return self._process.pid

    def stop(self) -> None:
        """As a Pod is stopped."""
        if self._process is not None:
            self._process.terminate()
            self._gone()

    close = stop

    def kill(self) -> None:
        """As a node dies: every process of it at once."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._gone()

    def _gone(self) -> None:
        assert self._process is not None
        self._process.wait(60)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process = None

    def log(self) -> str:
        """Everything that it said."""
        return (self.folder / "log").read_text(encoding="utf-8")

    def decisions(self) -> list[dict[str, Any]]:
        """Its lines about requests."""
        return [line for line in self._lines() if line.get("message") == "decision"]

    def faults(self) -> list[str]:
        """That it, or one of its workers, ended by itself."""
        ended = self._process is not None and self._process.poll() is not None
        lines = [line for line in self._lines() if line.get("logger") == "gunicorn.error" and line["level"] != "info"]
        # The API server calls before it knows the authority, and gives up on the webhook's certificate.
        workers = [text for line in lines if not (text := str(line["message"])).startswith("Invalid request from ip=")]
        return [*(["the webhook ended by itself"] if ended else []), *workers]

    def _lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log().splitlines() if line.endswith("}")]


def start_together(replicas: Sequence[Replica]) -> None:
    """Start all at the same moment; return when all serve."""
    for replica in replicas:
        replica.launch()
    for replica in replicas:
        replica.wait()


class Deployed:
    """The API server with an overlay applied."""

    def __init__(
        self,
        api: ApiServer,
        kubectl: Kubectl,
        folder: Path,
        port: int,
        components: Sequence[str] = (),
        overlay: str = "kubernetes",
    ) -> None:
        """``port``: where the registrations lead."""
        self.api = api
        self.kubectl = kubectl
        self.folder = folder
        self.overlay = led_here(folder, port, components, overlay)

    def apply(self) -> str:
        """As users apply an overlay; what kubectl says of each object."""
        return self.kubectl("apply", "-k", self.overlay).stdout

    def patch(self, path: str, change: Any) -> dict[str, Any]:
        """A merge patch, which succeeds."""
        status, answer = self.api.request("PATCH", path, change, MERGE)
        assert status == 200, answer
        return dict(answer)

    def post(self, path: str, obj: dict[str, Any]) -> None:
        """Create something, which succeeds."""
        status, answer = self.api.request("POST", path, obj)
        assert status == 201, answer

    def bundles(self) -> set[str]:
        """What the webhooks of both registrations are trusted by."""
        found = set()
        for kind in KINDS:
            _, registration = self.api.request("GET", f"{REGISTRATIONS}/{kind}/ovnguard")
            found |= {hook["clientConfig"].get("caBundle", "") for hook in registration["webhooks"]}
        return found

    def refused(self) -> bool:
        """Whether a network that only the webhook refuses is refused by it."""
        status, answer = self.api.request("POST", f"{CUDNS}?dryRun=All", cudn("probe", "100.65.0.0/16"))
        return status == 422 and "denied the request" in answer["message"]

    def until_asked(self) -> None:
        """Wait until the webhook is asked, and trusted."""
        wait_until(self.refused, "the webhook is asked through its Service", 300)

    def manifest(self, obj: dict[str, Any]) -> Path:
        """A file for kubectl."""
        file = self.folder / "object.json"
        file.write_text(json.dumps(obj), encoding="utf-8")
        return file

    def apply_object(self, obj: dict[str, Any], *flags: str) -> subprocess.CompletedProcess[str]:
        """``kubectl apply -f``, whatever comes of it."""
        return self.kubectl("apply", "-f", self.manifest(obj), *flags, check=False)


def asked(replicas: Sequence[Replica], act: Callable[[], Any]) -> list[tuple[str, str, str]]:
    """Route, operation and subresource of each decision that a request led to.

    Once each: when the API server's cache is behind, it patches again, and asks again.
    """
    before = [len(replica.decisions()) for replica in replicas]
    act()
    new = [line for replica, seen in zip(replicas, before, strict=True) for line in replica.decisions()[seen:]]
    return list(dict.fromkeys((line["path"], line["operation"], line["subresource"]) for line in new))


@contextmanager
def bundler(api: ApiServer, folder: Path) -> Iterator[None]:
    """The process that writes caBundle, with the rights of its own account."""
    (deployment,) = (
        document
        for document in yaml.safe_load_all((DEPLOY / "base" / "ca-bundle.yaml").read_text(encoding="utf-8"))
        if document["kind"] == "Deployment"
    )
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    account = account_of(api, folder, "ovnguard-ca-bundle")
    options = [each.replace("--in-cluster", f"--kubeconfig={account}") for each in container["args"]]
    with (folder / "ca-bundle.log").open("ab") as log:
        process = subprocess.Popen(guarded([PROGRAM, *options]), stderr=log)
    try:
        yield
    finally:
        process.terminate()
        assert process.wait(60) == 0


@contextmanager
def published_address(api: ApiServer) -> Iterator[None]:
    """An API server publishes an address, which this one, on loopback, cannot: EndpointSlices have no such address."""
    slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
    body = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": "kubernetes", "labels": {"kubernetes.io/service-name": "kubernetes"}},
        "addressType": "IPv4",
        "endpoints": [{"addresses": ["192.0.2.10"]}],
        "ports": [{"name": "https", "port": 6443}],
    }
    status, answer = api.request("POST", slices, body)
    assert status == 201, answer
    try:
        yield
    finally:
        api.request("DELETE", f"{slices}/kubernetes")


@contextmanager
def overlay_applied(cluster: Deployed) -> Iterator[None]:
    """Bundled CRDs are served and the overlay is applied, until the block ends."""
    with ExitStack() as undo:
        undo.enter_context(served_crds(cluster.api))
        undo.callback(remove_namespace, cluster.api, OURS)
        undo.enter_context(published_address(cluster.api))
        undo.callback(cluster.kubectl, "delete", "--ignore-not-found", "--wait=false", "-k", cluster.overlay)
        cluster.apply()
        undo.enter_context(bundler(cluster.api, cluster.folder))
        yield
