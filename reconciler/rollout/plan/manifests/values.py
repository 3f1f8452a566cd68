"""What differs between clusters and releases in the manifests."""

from dataclasses import dataclass
from typing import Final

from validators.network.ovnkube_settings.interconnect import NAMESPACE

NORTHBOUND_PORT: Final = 9641
SOUTHBOUND_PORT: Final = 9642


@dataclass(frozen=True, slots=True)
class ManifestValues:
    """The values of one cluster and release.

    ``masters`` are the addresses of the nodes with the databases of a single zone; with hosted control planes, their
    names in the management cluster. ``hosted`` is the namespace there, empty for a cluster with its own control plane.
    ``interconnect`` is False for releases before 4.14. ``route_host`` is where nodes of a hosted cluster reach the
    southbound database through the route, empty while it has no host; with ``node_port`` there is no route.
    ``ip_families`` is the mode that workloads record, empty where it is not known.
    """

    version: str
    image: str
    masters: tuple[str, ...]
    control_plane_image: str = ""
    hosted: str = ""
    interconnect: bool = True
    route_host: str = ""
    node_port: int | None = None
    control_plane_replicas: int = 2
    ip_families: str = ""

    @property
    def control_namespace(self) -> str:
        """The namespace of the masters and of the control plane."""
        return self.hosted or NAMESPACE

    @property
    def control_image(self) -> str:
        """The image of the masters and of the control plane, which a hosted cluster may choose."""
        return self.control_plane_image or self.image

    @property
    def has_route(self) -> bool:
        """Whether nodes reach the southbound database through a route."""
        return bool(self.hosted) and self.node_port is None

    def remotes(self, port: int) -> str:
        """The databases at ``port`` of all masters, as OVN takes them."""
        return ",".join(f"ssl:[{each}]:{port}" if ":" in each else f"ssl:{each}:{port}" for each in self.masters)

    @property
    def southbound_of_nodes(self) -> str:
        """The southbound database as nodes of a single zone reach it."""
        if not self.hosted:
            return self.remotes(SOUTHBOUND_PORT)
        if self.node_port is not None:
            return ",".join(f"ssl:{each}:{self.node_port}" for each in self.masters)
        return f"ssl:{self.route_host}:443"
