"""Which settings of a LoadBalancer Service for a known address a platform ignores.

Source: OpenShift enhancement "BYO custom DNS", 'Variation'.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.parse_values import dig, mapping

_PREFIX: Final = "service.beta.kubernetes.io"
_READERS: Final[Mapping[str, str]] = {
    f"{_PREFIX}/aws-load-balancer-name": "AWS",
    f"{_PREFIX}/aws-load-balancer-eip-allocations": "AWS",
    f"{_PREFIX}/azure-load-balancer-ipv4": "Azure",
    f"{_PREFIX}/azure-load-balancer-ipv6": "Azure",
}


# Where a platform reads the address that the load balancer should get; AWS reads ids of allocations, not addresses.
_ADDRESSES: Final = {"Azure": (f"{_PREFIX}/azure-load-balancer-ipv4", f"{_PREFIX}/azure-load-balancer-ipv6"), "GCP": ()}


class Setting(NamedTuple):
    """A setting of a Service: its field and value."""

    field: str
    value: object


def is_load_balancer(service: JsonObject) -> bool:
    """Whether a Service asks for a load balancer."""
    return dig(service, "spec", "type") == "LoadBalancer"


def ignored_settings(service: JsonObject, platform: str) -> Iterator[Setting]:
    """Iterate over the settings that ``platform`` ignores; none where settings of two platforms are mixed, which a
    policy reports.
    """
    annotations = mapping(service, "metadata", "annotations")
    readers = {reader for key, reader in _READERS.items() if key in annotations}
    if not platform or len(readers) > 1:
        return
    for key, reader in _READERS.items():
        if key in annotations and reader != platform:
            yield Setting(f"metadata.annotations[{key}]", annotations[key])
    address = dig(service, "spec", "loadBalancerIP")
    if address and platform == "AWS" and not readers:
        yield Setting("spec.loadBalancerIP", address)


def reserved_addresses(service: JsonObject, platform: str) -> Iterator[Setting]:
    """Iterate over the addresses that ``platform`` gives to the load balancer: those of its annotations, which override
    ``spec.loadBalancerIP``.
    """
    annotations = mapping(service, "metadata", "annotations")
    found = [key for key in _ADDRESSES.get(platform, ()) if annotations.get(key)]
    for key in found:
        yield Setting(f"metadata.annotations[{key}]", annotations[key])
    address = dig(service, "spec", "loadBalancerIP")
    if platform in _ADDRESSES and not found and address:
        yield Setting("spec.loadBalancerIP", address)
