"""The leaders and zones of a cluster as processes, with the arguments, tokens and rights of the overlay."""

import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from tests.support.deployed.deployed import arguments
from tests.support.deployed.own_cluster.machines import Machines
from tests.support.deployed.process_log import messages
from tests.support.deployed.proxy import Proxy
from tests.support.deployed.running import bound_to, kubeconfig_of
from tests.testbed.apiserver import ApiServer, free_port
from tests.testbed.parts import Parts
from tests.testbed.process import Child

LEADER: Final = "ovnguard-reconciler-cluster"
_BIN: Final = Path(sys.executable).parent


class Processes:
    """The reconciler's processes by name; a zone has the name of its node."""

    def __init__(self, api: ApiServer, parts: Parts, machines: Machines, folder: Path) -> None:
        self._api, self._machines, self.folder = api, machines, folder
        self._calls = {kind: arguments(parts, kind) for kind in ("Deployment", "DaemonSet")}
        self.children: dict[str, Child] = {}
        self._configs: dict[str, Path] = {}
        self._doors: dict[str, Proxy] = {}
        self._ports: dict[str, int] = {}
        self.options: tuple[str, ...] = ()
        """More options of leaders and zones."""

    def lead(self, name: str) -> None:
        """Start a leader."""
        if name not in self._configs:
            (self.folder / name).mkdir()
            self._configs[name] = kubeconfig_of(self._api, self.folder / name, LEADER)
        self._ports[name] = free_port()
        own = {"--metrics-bind-address": f"127.0.0.1:{self._ports[name]}"}
        self._start(name, [], self._argv("Deployment", own, [f"--kubeconfig={self._configs[name]}"]))

    def has_led(self, name: str, identity: str) -> bool:
        """Whether a process of this name has said that it leads as ``identity``, which no other process has."""
        return f"{identity} leads" in messages(self.children[name].log)

    def join(self, node: str) -> None:
        """Start the zone of a node, whose Pod exists from then on."""
        if node not in self._configs:
            self._configs[node] = bound_to(self._api, self.folder, node)
        namespace = self._machines.lab[node].namespace
        if node not in self._doors:
            self._doors[node] = Proxy(urlsplit(self._api.url).port or 443, namespace)
        config = self._doors[node].kubeconfig(self._configs[node], self.folder / f"{node}-inside")
        own = {"--node": node, "--nb-db": self._machines.lab[node].zone.nb, "--metrics-bind-address": "127.0.0.1:19445"}
        own["--frr-conf"] = str(self.folder / f"{node}-frr.conf")
        own["--cni-conf-dir"] = str(self._cni_configured(node))
        more = [f"--kubeconfig={config}", *self._machines.frr_options(node)]
        inside = namespace.inside(self._machines.environment(node, os.environ["PATH"]))
        self._start(node, inside, self._argv("DaemonSet", own, more))

    def _cni_configured(self, node: str) -> Path:
        """The folder of the node's CNI configurations, with the file that ovnkube-node writes."""
        folder = self.folder / f"{node}-cni"
        folder.mkdir(exist_ok=True)
        config = {"cniVersion": "1.1.0", "name": "ovn-kubernetes", "type": "ovn-k8s-cni-overlay"}
        (folder / "10-ovn-kubernetes.conf").write_text(json.dumps(config), encoding="utf-8")
        return folder

    def leave(self, node: str) -> None:
        """Stop the zone of a node; its Pod is gone."""
        self.stop(node)
        del self._configs[node]

    def _argv(self, kind: str, own: dict[str, str], more: Sequence[str]) -> list[str | Path]:
        program, *options = self._calls[kind]
        named = (option.partition("=")[0] for option in options)
        filled = [f"{key}={own[key]}" if key in own else option for key, option in zip(named, options, strict=True)]
        return [_BIN / program, *filled, *more, *self.options]

    def _start(self, name: str, inside: Sequence[str | Path], argv: Sequence[str | Path]) -> None:
        self.children[name] = Child(name, [*inside, *argv], self.folder / f"{name}.log")

    def kill(self, name: str) -> None:
        """As a node's memory manager does: SIGKILL."""
        child = self.children.pop(name)
        os.kill(child.pid, signal.SIGKILL)
        child.process.wait()

    def stop(self, name: str) -> None:
        """As a kubelet stops a Pod."""
        self.children.pop(name).stop()

    def moved(self) -> None:
        """The API server has another port."""
        for door in self._doors.values():
            door.target = urlsplit(self._api.url).port or 443

    def close(self) -> None:
        """Stop all."""
        for child in self.children.values():
            child.terminate()
        for name in list(self.children):
            self.stop(name)
        for door in self._doors.values():
            door.close()

    def ended(self) -> list[str]:
        """The processes that ended by themselves, with the last that they said."""
        return [f"{name}: {child.tail(3)}" for name, child in self.children.items() if child.process.poll() is not None]

    def complaints(self) -> list[str]:
        """The warnings and errors in the logs of all processes so far, with the name of the process."""
        found = []
        for log in sorted(self.folder.glob("*.log")):
            for line in log.read_text(encoding="utf-8").splitlines():
                try:
                    entry = json.loads(line)
                except ValueError:
                    entry = {"level": "error", "message": line}
                if entry.get("level", "").lower() in ("warning", "error", "critical"):
                    found.append(f"{log.stem}: {entry['message']}")
        return found
