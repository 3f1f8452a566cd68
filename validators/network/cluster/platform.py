"""The platform of a cluster, and who manages its DNS, from the Infrastructure object.

Sources: openshift/api, config/v1, ``InfrastructureStatus``; OpenShift enhancement "BYO custom DNS", 'API Extensions'.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster_view import INFRASTRUCTURE
from ovnguard.validators.network.parse_values import dig, mapping, text_of

STATUS: Final = "status.platformStatus"

CLOUDS: Final[Mapping[str, str]] = {
    "AWS": "aws",
    "Azure": "azure",
    "GCP": "gcp",
    "IBMCloud": "ibmcloud",
    "PowerVS": "powervs",
    "AlibabaCloud": "alibabaCloud",
}
"""Platforms with their own DNS, to which an installer-provisioned cluster writes its records, and their blocks."""

_CHOICES: Final = (
    ("aws", "dnsConfig", "provider"),
    ("aws", "cloudLoadBalancerConfig", "dnsType"),
    ("azure", "cloudLoadBalancerConfig", "dnsType"),
    ("gcp", "cloudLoadBalancerConfig", "dnsType"),
)
_OWN_DNS: Final = frozenset({"UserAndClusterProvided", "ClusterHosted"})


class DNSChoice(NamedTuple):
    """Who manages DNS according to one field: its path below the platform status, and its value."""

    path: tuple[str, ...]
    value: str

    @property
    def field(self) -> str:
        """The path of the field in an Infrastructure."""
        return ".".join((STATUS, *self.path))

    @property
    def is_custom(self) -> bool:
        """Whether the user manages DNS."""
        return self.value in _OWN_DNS


class Platform(NamedTuple):
    """The facts of an Infrastructure; an absent fact is the empty string or tuple.

    ``type`` is the platform (``AWS``, ``BareMetal``, ``None``...), ``control_plane`` and ``workers`` the topologies
    (``HighlyAvailable``, ``SingleReplica``...), ``choices`` every field that specifies who manages DNS.
    """

    type: str = ""
    control_plane: str = ""
    workers: str = ""
    choices: tuple[DNSChoice, ...] = ()

    @property
    def custom_dns(self) -> DNSChoice | None:
        """The field that makes DNS user-managed; None where the platform's own DNS is in use."""
        return next((choice for choice in self.choices if choice.is_custom), None)

    @property
    def is_cloud(self) -> bool:
        """Whether the platform has its own DNS."""
        return self.type in CLOUDS


def platform_of(infrastructure: object) -> Platform:
    """Read an Infrastructure; ``spec.platformSpec`` counts as long as the status does not name the platform."""
    named = text_of(dig(infrastructure, "status", "platformStatus", "type"))
    older = text_of(dig(infrastructure, "status", "platform"))
    return Platform(
        named or older or text_of(dig(infrastructure, "spec", "platformSpec", "type")),
        text_of(dig(infrastructure, "status", "controlPlaneTopology")),
        text_of(dig(infrastructure, "status", "infrastructureTopology")),
        tuple(_choices(infrastructure)),
    )


def _choices(infrastructure: object) -> Iterator[DNSChoice]:
    status = mapping(infrastructure, "status", "platformStatus")
    for path in _CHOICES:
        value = text_of(dig(status, *path))
        if value:
            yield DNSChoice(path, value)


def platform(inventory: Inventory) -> Platform | None:
    """Return the cluster's platform; None when no Infrastructure is known, or several disagree."""
    return inventory.derived(_platform, INFRASTRUCTURE)


def _platform(inventory: Inventory) -> Platform | None:
    found = {platform_of(each) for each in inventory.objects(INFRASTRUCTURE) or ()}
    return found.pop() if len(found) == 1 else None


def known_platform(inventory: Inventory) -> str:
    """Return the type of the cluster's platform, or the empty string when it is unknown."""
    found = platform(inventory)
    return "" if found is None else found.type


def install_platform(config: JsonObject) -> str:
    """Return the key of the platform in an InstallConfig (``aws``, ``baremetal``...), or the empty string."""
    named = [key for key, value in mapping(config, "platform").items() if value is not None]
    return str(named[0]) if len(named) == 1 else ""
