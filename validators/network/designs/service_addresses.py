"""Which settings of a LoadBalancer Service for a known address a platform ignores.

Source: OpenShift enhancement "BYO custom DNS", 'Variation'.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from validators.base.json_types import JsonObject
from validators.network.parse_values import dig, mapping

_PREFIX: Final = "service.beta.kubernetes.io"
_READERS: Final[Mapping[str, str]] = {
    f"{_PREFIX}/aws-load-balancer-name": "AWS",
    f"{_PREFIX}/aws-load-balancer-eip-allocations": "AWS",
    f"{_PREFIX}/azure-load-balancer-ipv4": "Azure",
    f"{_PREFIX}/azure-load-balancer-ipv6": "Azure",
}


class IgnoredSetting(NamedTuple):
    """A setting that has no effect: its field and value."""

    field: str
    value: object


def is_load_balancer(service: JsonObject) -> bool:
    """Whether a Service asks for a load balancer."""
    return dig(service, "spec", "type") == "LoadBalancer"


def ignored_settings(service: JsonObject, platform: str) -> Iterator[IgnoredSetting]:
    """Iterate over the settings that ``platform`` ignores; none where settings of two platforms are mixed, which a
    policy reports.
    """
    annotations = mapping(service, "metadata", "annotations")
    readers = {reader for key, reader in _READERS.items() if key in annotations}
    if not platform or len(readers) > 1:
        return
    for key, reader in _READERS.items():
        if key in annotations and reader != platform:
            yield IgnoredSetting(f"metadata.annotations[{key}]", annotations[key])
    address = dig(service, "spec", "loadBalancerIP")
    if address and platform == "AWS" and not readers:
        yield IgnoredSetting("spec.loadBalancerIP", address)
