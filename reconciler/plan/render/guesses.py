"""Marks of guessed numbers: host subnets that a plan allocates before the cluster does, and the addresses in them."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from ipaddress import ip_network
from typing import Final, TypeAlias

from ovnguard.validators.network.addresses.addressing import AddressError, mac_of, subnet_addresses
from ovnguard.validators.network.model import IPNetwork

GUESS: Final = "(guess)"
Subnets: TypeAlias = Mapping[str, Mapping[str, tuple[IPNetwork, ...]]]
"""Subnets by network and node."""
NUMBER: Final = re.compile(
    r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)(?:/\d+)?|(?<![\w:])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?![\w:])(?:/\d+)?"
)
"""What may be an IPv4 address, an IPv6 address or a MAC, with the length of its prefix."""


class Guesses:
    """The guessed host subnets of networks: ``subnets`` are by network and node."""

    def __init__(self, subnets: Subnets) -> None:
        self.subnets = subnets
        every = [own for nodes in subnets.values() for own in nodes.values()]
        # the rows that all networks share have numbers of each
        self._marks = {name: _mark(nodes.values()) for name, nodes in subnets.items()} | (
            {"": _mark(every)} if every else {}
        )

    def marked(self, text: str, network: str = "") -> str:
        """Return ``text`` about ``network``, '' for all, with `GUESS` after each guessed number."""
        mark = self._marks.get(network)
        return text if mark is None else mark(text)

    def is_in(self, text: str, network: str = "") -> bool:
        """Whether ``text`` about ``network`` contains a guessed number."""
        return self.marked(text, network) != text


NO_GUESSES: Final = Guesses({})


def _mark(subnets: Iterable[tuple[IPNetwork, ...]]) -> Callable[[str], str]:
    known = frozenset(each for own in subnets for each in own)
    lengths = {(each.version, each.prefixlen) for each in known}
    macs = frozenset(mac for each in known for mac in _macs(each))

    @lru_cache(maxsize=4096)
    def mark(number: str) -> str:
        return f"{number} {GUESS}" if number in macs or is_inside(number) else number

    def is_inside(number: str) -> bool:
        try:
            found = ip_network(number, strict=False)
        except ValueError:
            return False
        return any(
            version == found.version and length <= found.prefixlen and found.supernet(new_prefix=length) in known
            for version, length in lengths
        )

    return lambda text: NUMBER.sub(lambda found: mark(found[0]), text)


def _macs(subnet: IPNetwork) -> tuple[str, ...]:
    """The MACs of the gateway and of the node's own port."""
    own = subnet_addresses(subnet)
    return () if isinstance(own, AddressError) else (mac_of(own.gateway.ip), mac_of(own.management.ip))
