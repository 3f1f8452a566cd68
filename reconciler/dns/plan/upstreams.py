"""The DNS servers that a node's CoreDNS asks about all other names."""

import re
from collections.abc import Collection
from ipaddress import ip_address
from typing import Final, NamedTuple

from ovnguard.validators.network.model import IPAddress

PORT: Final = 53
# CoreDNS's plugin forward refuses more.
MAX_UPSTREAMS: Final = 15
_ZONE: Final = re.compile(r"[0-9A-Za-z_.-]{1,15}")
_BRACKETS: Final = re.compile(r"\[(?P<address>[^\]]*)\](:(?P<port>[0-9]{1,5}))?")
_WITH_PORT: Final = re.compile(r"(?P<address>[0-9.]+):(?P<port>[0-9]{1,5})")


class Upstream(NamedTuple):
    """A DNS server."""

    address: IPAddress
    port: int = PORT

    def __str__(self) -> str:
        if self.port == PORT:
            return str(self.address)
        return f"[{self.address}]:{self.port}" if self.address.version == 6 else f"{self.address}:{self.port}"


def upstream_of(text: str) -> Upstream | None:
    """Read ``ADDRESS``, ``ADDRESS:PORT`` or ``[ADDRESS]:PORT``; None for any other text."""
    found = _BRACKETS.fullmatch(text) or _WITH_PORT.fullmatch(text)
    address = _address(found["address"] if found else text)
    port = int(found["port"]) if found and found["port"] else PORT
    return Upstream(address, port) if address is not None and 0 < port < 65536 else None


def upstreams_of(resolv_conf: str, own: Collection[IPAddress] = ()) -> tuple[Upstream, ...]:
    """Return the servers of a resolv.conf, without loopback addresses and the node's ``own``.

    CoreDNS itself listens on these: the node's own address comes first in the resolv.conf of a node that uses CoreDNS.
    Source: openshift/baremetal-runtimecfg, ``pkg/config``.
    """
    found = nameservers_of(resolv_conf)
    return tuple(each for each in found if not each.address.is_loopback and each.address not in own)[:MAX_UPSTREAMS]


def nameservers_of(resolv_conf: str) -> tuple[Upstream, ...]:
    """Return the servers of a resolv.conf, each once and in their order."""
    found: dict[Upstream, None] = {}
    for line in resolv_conf.splitlines():
        words = line.split()
        address = _address(words[1]) if len(words) > 1 and words[0] == "nameserver" else None
        if address is not None:
            found[Upstream(address)] = None
    return tuple(found)


def _address(text: str) -> IPAddress | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    zone = address.scope_id if address.version == 6 else None
    return address if zone is None or _ZONE.fullmatch(zone) else None
