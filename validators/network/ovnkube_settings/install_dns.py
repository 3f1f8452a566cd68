"""The settings of an InstallConfig for the cluster's DNS and load balancers.

Source: OpenShift enhancement "BYO custom DNS", 'Workflow Description' and 'API Extensions'. Two spellings: as proposed,
``platform.aws.userConfiguredDNSLB`` with the user's load balancers; as released, ``userProvisionedDNS`` of each cloud,
where the installer creates the load balancers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.platform import install_platform
from ovnguard.validators.network.cluster_view import INSTALL_CONFIG
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.parse_values import MAX_ITEMS, dig, mapping, text_of

PROPOSED: Final = "platform.aws.userConfiguredDNSLB"
API: Final = "apiLBName"
API_INT: Final = "apiIntLBName"
_PROPOSED: Final = tuple(PROPOSED.split("."))
_NETWORKS: Final = (("aws", "subnets"), ("aws", "vpc", "subnets"), ("azure", "virtualNetwork"), ("gcp", "network"))


@dataclass(frozen=True, slots=True)
class LoadBalancers:
    """The user's own load balancers. ``is_external``: the API server is published externally."""

    enabled: bool
    api: str
    api_int: str
    is_external: bool
    has_subnets: bool


def load_balancers(obj: JsonObject) -> LoadBalancers | None:
    """Return the load balancers that an InstallConfig for AWS specifies in the proposed spelling, or None."""
    if group_kind_of(obj) != INSTALL_CONFIG or not mapping(obj, *_PROPOSED):
        return None
    proposed = mapping(obj, *_PROPOSED)
    return LoadBalancers(
        proposed.get("userDNS") == "Enabled",
        text_of(proposed.get(API)),
        text_of(proposed.get(API_INT)),
        is_external(obj),
        has_network(obj),
    )


def is_external(obj: JsonObject) -> bool:
    """Whether the InstallConfig publishes the API server externally, which is the default."""
    publish = text_of(obj.get("publish"))
    if publish == "Mixed":
        return text_of(dig(obj, "operatorPublishingStrategy", "apiserver")) != "Internal"
    return publish != "Internal"


def has_network(obj: JsonObject) -> bool:
    """Whether the InstallConfig names an existing network, or subnets of one, of a cloud."""
    return any(dig(obj, "platform", *path) for path in _NETWORKS)


def user_keeps_names(obj: JsonObject) -> bool:
    """Whether an InstallConfig, in either spelling, makes DNS user-managed."""
    return is_proposed_choice(obj) or is_released_choice(obj)


def is_proposed_choice(obj: JsonObject) -> bool:
    """Whether an InstallConfig makes DNS user-managed as proposed."""
    return dig(obj, *_PROPOSED, "userDNS") == "Enabled"


def is_released_choice(obj: JsonObject) -> bool:
    """Whether an InstallConfig makes DNS user-managed as released."""
    return dig(obj, "platform", install_platform(obj), "userProvisionedDNS") == "Enabled"


def static_addresses(obj: JsonObject) -> Iterator[tuple[str, str, str]]:
    """Iterate over (load balancer, path, address) of the addresses that an InstallConfig reserves."""
    platform = install_platform(obj)
    for name in ("api", "apiInt", "ingress"):
        listed = dig(obj, "platform", platform, "staticIPs", name)
        for index, address in enumerate(listed[:MAX_ITEMS] if isinstance(listed, list) else ()):
            yield name, f"platform.{platform}.staticIPs.{name}[{index}]", text_of(address)
