from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, ip_network

from hypothesis import given
from hypothesis import strategies as st

from ovnguard.validators.network.addresses.prefix_index import PrefixIndex
from ovnguard.validators.network.model import IPNetwork


def _network(drawn: tuple[bool, int, int]) -> IPNetwork:
    """Small and crowded, so that subnets meet; the upper end of the address space is in it."""
    six, length, bits = drawn
    if six:
        return IPv6Network((bits << 121 >> (128 - length - 121) << (128 - length - 121), length + 121), strict=False)
    return IPv4Network((((bits % 128) << 25) & 0xFFFFFFFF, length), strict=False)


NETWORKS = st.tuples(st.booleans(), st.integers(0, 7), st.integers(0, 127)).map(_network)


@given(st.lists(NETWORKS, max_size=12), NETWORKS)
def test_finds_what_overlaps_and_nothing_else(known: list[IPNetwork], asked: IPNetwork) -> None:
    index = PrefixIndex((net, number) for number, net in enumerate(known))
    expected = {
        (net, number) for number, net in enumerate(known) if net.version == asked.version and net.overlaps(asked)
    }
    found = list(index.overlapping(asked))
    assert set(found) == expected
    assert len(found) == len(expected)


def test_what_holds_the_subnet_comes_first() -> None:
    nets = [ip_network(text) for text in ("10.0.0.0/24", "10.0.0.0/8", "10.0.0.128/25", "10.1.0.0/16", "fd00::/8")]
    index = PrefixIndex((net, str(net)) for net in nets)
    assert [owner for _, owner in index.overlapping(nets[0])] == ["10.0.0.0/8", "10.0.0.0/24", "10.0.0.128/25"]


class Counting(PrefixIndex[int]):
    """Counts how many subnets are looked at."""

    looks = 0

    def _entries(self, key: tuple[int, int, int]) -> Iterator[tuple[IPNetwork, int]]:
        self.looks += 1
        return super()._entries(key)


def test_ten_thousand_subnets_are_not_compared_in_pairs() -> None:
    nets = [IPv4Network(((10 << 24) + (number << 8), 24)) for number in range(10_000)]
    index = Counting((net, number) for number, net in enumerate(nets))
    assert [owner for net in nets for _, owner in index.overlapping(net)] == list(range(10_000))
    assert index.looks == len(nets)
