"""What the objects of a cluster say about it: its release, and the networks of each namespace."""

from collections.abc import Iterable, Mapping
from typing import Final

from ovnguard.reconciler.plan.comparison.row_differences import printable
from ovnguard.validators.manifest.documents import Document
from ovnguard.validators.network.cluster_view import CLUSTER_VERSION, DAEMON_SET
from ovnguard.validators.network.declared.network_of import group_kind_of, network_of
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import VERSION_ANNOTATION
from ovnguard.validators.network.parse_values import dig

COMPARED: Final = ("8871cd9",)
"""The releases whose rows the tests compare; docs/audit.md lists them."""


def release_of(documents: Iterable[Document]) -> str:
    """The release that the objects state, '' for none."""
    for document in documents:
        if group_kind_of(document.value) == CLUSTER_VERSION:
            found = dig(document.value, "status", "desired", "version")
        elif group_kind_of(document.value) == DAEMON_SET:
            found = dig(document.value, "metadata", "annotations", VERSION_ANNOTATION)
        else:
            continue
        if isinstance(found, str) and found:
            return printable(found)
    return ""


def release_note(release: str) -> str:
    """Return the sentence about a release that nobody compared, or that is unknown, '' for another one."""
    if any(each in release for each in COMPARED):
        return ""
    unknown = f"was not compared with release {release}" if release else "may not have been compared with this release"
    return f"ovnguard {unknown} (docs/audit.md): some drift may be a difference between releases"


def networks_by_namespace(documents: Iterable[Document]) -> Mapping[str, frozenset[str]]:
    """Return the names of the networks that objects of each namespace declare."""
    found: dict[str, set[str]] = {}
    for document in documents:
        network = network_of(document.value).network if document.identity.namespace else None
        if network is not None:
            found.setdefault(document.identity.namespace, set()).add(network.name)
    return {namespace: frozenset(names) for namespace, names in found.items()}
