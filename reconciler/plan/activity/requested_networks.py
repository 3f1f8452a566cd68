"""Nodes by the networks that pods on them request in their annotation.

Source: ovn-kubernetes ``pkg/networkmanager/pod_tracker.go``: a pod counts for each attachment that it names, even on
the host's network, from its scheduling until it completes; one whose annotation cannot be read counts for none.
"""

from collections.abc import Iterator, Mapping, Set
from functools import lru_cache
from typing import Final

from ovnguard.reconciler.plan.inputs.attachment_names import network_names
from ovnguard.reconciler.plan.pods.pod_requests import REQUESTS, requested_attachments
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS, Inventory
from ovnguard.validators.network.cluster_view import POD
from ovnguard.validators.network.declared.node_values import BadValueError
from ovnguard.validators.network.parse_values import dig, text_of

_DONE: Final = ("Succeeded", "Failed")
_MAX_TEXTS: Final = 4096


def nodes_by_request(inventory: Inventory) -> Mapping[str, Set[str]]:
    """Return the nodes of pods by the networks that these request; empty while pods are unknown."""
    return inventory.derived(_by_request, POD, *NETWORK_KINDS)


def _by_request(inventory: Inventory) -> Mapping[str, Set[str]]:
    found: dict[str, set[str]] = {}
    network_of = network_names(inventory)
    for pod in inventory.objects(POD) or ():
        for attachment in _attachments(pod):
            found.setdefault(network_of(attachment), set()).add(text_of(dig(pod, "spec", "nodeName")))
    found.pop("", None)
    return found


def _attachments(pod: JsonObject) -> Iterator[str]:
    text = dig(pod, "metadata", "annotations", REQUESTS)
    done = text_of(dig(pod, "status", "phase")) in _DONE
    if isinstance(text, str) and text_of(dig(pod, "spec", "nodeName")) and not done:
        yield from _read(text, text_of(dig(pod, "metadata", "namespace")) or "default")


@lru_cache(maxsize=_MAX_TEXTS)
def _read(text: str, namespace: str) -> tuple[str, ...]:
    try:
        return tuple(requested_attachments(text, namespace))
    except BadValueError:
        return ()
