"""The objects of a live cluster, as manifests for a plan: the kinds and fields that `run` watches."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ovnguard.reconciler.apply.objects.object_owners import title_of
from ovnguard.reconciler.commands.loop_options import connected
from ovnguard.reconciler.commands.manifests import Manifests, manifests_of
from ovnguard.reconciler.loop.inputs.zone_resources import ZONE_RESOURCES
from ovnguard.validators.cluster.client_protocol import ClusterError, ClusterOptions
from ovnguard.validators.cluster.live_cluster import LiveCluster
from ovnguard.validators.cluster.resources import WHOLE, Part, Resource
from ovnguard.validators.manifest.documents import Document
from ovnguard.validators.network.cluster_view import CLUSTER_VERSION
from ovnguard.validators.network.list_text import shortlist

_VERSIONS: Final = Resource(CLUSTER_VERSION.group, "v1", "clusterversions", CLUSTER_VERSION.kind)
_READ: Final[Sequence[tuple[Resource, Part]]] = (*ZONE_RESOURCES, (_VERSIONS, WHOLE))


def read_cluster(options: ClusterOptions) -> tuple[str, Manifests]:
    """Return the URL and the objects of a cluster. Raises ClusterError, and click.UsageError without a usable
    configuration.
    """
    client = connected(options)
    found = LiveCluster(client, client.server).surroundings(_READ)
    if found.forbidden:
        raise ClusterError(f"{client.server}: you may not list {shortlist(found.forbidden)}")
    documents = tuple(Document(title_of(obj), 0, obj, json.dumps(obj).encode()) for obj in found.objects)
    return client.server, replace(manifests_of(documents), gathered=True)
