"""The manifest with which krew, the index of kubectl plugins, installs the preflight."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

NAME: Final = "ovn-preflight"
_ARCHITECTURES: Final[Mapping[str, str]] = {"x86_64": "amd64", "aarch64": "arm64"}
"""What Go calls the machines that Linux names."""
_TEXT: Final = """\
Judges manifests of OVN-Kubernetes networks as the API server and the network
designs do, before they are applied, with file, line, reason and rule id.
"""


def manifest(archive: Path, version: str, repository: str, python: str, machine: str) -> str:
    """The manifest of a version; ``archive`` has the licence and the program, for a Python and a machine."""
    plugin: dict[str, Any] = {
        "apiVersion": "krew.googlecontainertools.github.com/v1alpha2",
        "kind": "Plugin",
        "metadata": {"name": NAME},
        "spec": {
            "version": f"v{version}",
            "homepage": repository or "REPOSITORY",
            "shortDescription": "Judge OVN-Kubernetes networks before they exist",
            "description": _TEXT,
            "caveats": f"It needs {python} on PATH. This manifest was not tried with krew.\n",
            "platforms": [
                {
                    "selector": {"matchLabels": {"os": "linux", "arch": _ARCHITECTURES[machine]}},
                    "uri": f"{repository or 'REPOSITORY'}/releases/download/v{version}/{archive.name}",
                    "sha256": hashlib.sha256(archive.read_bytes()).hexdigest(),
                    "bin": "kubectl-ovn_preflight",
                    "files": [{"from": name, "to": "."} for name in ("kubectl-ovn_preflight", "LICENSE")],
                }
            ],
        },
    }
    return yaml.safe_dump(plugin, sort_keys=False)
