"""The DNS servers of this machine, other than itself."""

import socket
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from ovnguard.reconciler.dns.apply.node_files import read_text
from ovnguard.reconciler.dns.plan.upstreams import PORT, Upstream, upstreams_of
from ovnguard.validators.network.model import IPAddress

RESOLV_CONF: Final = Path("/var/run/NetworkManager/resolv.conf")
"""NetworkManager's own list: that of /etc begins with CoreDNS on the node."""

# Addresses for documentation (RFC 5737, RFC 3849), which no machine has.
_FOREIGN: Final[dict[int, IPAddress]] = {4: ip_address("192.0.2.1"), 6: ip_address("2001:db8::1")}


class UpstreamServers:
    """The ``servers`` of the caller, or else those of a resolv.conf, which is read every time."""

    def __init__(self, resolv_conf: Path, servers: Sequence[Upstream] = ()) -> None:
        self._resolv_conf = resolv_conf
        self._servers = tuple(servers)

    def read(self) -> tuple[Upstream, ...]:
        """Return the servers. Raises StoreError when the file cannot be read."""
        if self._servers:
            return self._servers
        text = read_text(self._resolv_conf)
        own = [each.address for each in upstreams_of(text) if is_own(each.address)]
        return upstreams_of(text, own)


def is_own(address: IPAddress) -> bool:
    """Whether an address belongs to this machine: a socket can have it."""
    if not _binds(address):
        return False
    # With net.ipv4.ip_nonlocal_bind a socket can have any address; then the kernel's choice of a source decides.
    return not _binds(_FOREIGN[address.version]) or _source(address) == address


def _binds(address: IPAddress) -> bool:
    with _socket(address) as probe:
        try:
            probe.bind((str(address), 0))
        except OSError:
            return False
        return True


def _source(address: IPAddress) -> IPAddress | None:
    """The address from which this machine sends to ``address``."""
    with _socket(address) as probe:
        try:
            probe.connect((str(address), PORT))
        except OSError:
            return None
        return ip_address(probe.getsockname()[0])


def _socket(address: IPAddress) -> socket.socket:
    return socket.socket(socket.AF_INET if address.version == 4 else socket.AF_INET6, socket.SOCK_DGRAM)
