"""Whether a node's container runtime is configured to call OVN-Kubernetes' CNI plugin.

Source: containernetworking/cni, ``libcni.ConfFiles`` for the suffixes. A configuration names plugins as its own
``type``, in ``plugins`` and in Multus' ``delegates``. ovnkube-node writes 10-ovn-kubernetes.conf once it serves pods.
"""

import json
from pathlib import Path
from typing import Any, Final

PLUGIN: Final = "ovn-k8s-cni-overlay"
_SUFFIXES: Final = frozenset((".conf", ".conflist", ".json"))
_MAX_OCTETS: Final = 1 << 20


def names_plugin(folder: Path) -> bool:
    """Return whether a configuration in ``folder`` calls `PLUGIN`; a file that cannot be read calls nothing."""
    try:
        files = [each for each in folder.iterdir() if each.suffix in _SUFFIXES]
    except OSError:
        return False
    return any(map(_calls_plugin, files))


def _calls_plugin(file: Path) -> bool:
    try:
        if not file.is_file() or file.stat().st_size > _MAX_OCTETS:
            return False
        left: list[Any] = [json.loads(file.read_bytes())]
    except (OSError, ValueError, RecursionError):
        return False
    while left:
        value = left.pop()
        if isinstance(value, dict):
            if value.get("type") == PLUGIN:
                return True
            left += value.values()
        elif isinstance(value, list):
            left += value
    return False
