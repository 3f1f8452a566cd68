from ipaddress import IPv4Network, IPv6Network

from hypothesis import given
from hypothesis import strategies as st

from ovnguard.validators.network.addresses.spans import Spans, apart, span_of
from ovnguard.validators.network.model import IPNetwork
from ovnguard.validators.network.transit.used_subnets import overlap

# Few bits, so that subnets meet often.
NETS: st.SearchStrategy[IPNetwork] = st.one_of(
    st.builds(
        lambda number, length: IPv4Network((number << 24, length), strict=False),
        st.integers(0, 255),
        st.integers(0, 10),
    ),
    st.builds(
        lambda number, length: IPv6Network((number << 120, length), strict=False),
        st.integers(0, 255),
        st.integers(0, 10),
    ),
)


@given(NETS)
def test_a_span_is_the_first_and_the_last_address(net: IPNetwork) -> None:
    assert span_of(net) == (net.version, int(net.network_address), int(net.broadcast_address))


@given(st.lists(NETS, max_size=8), st.lists(NETS, max_size=4))
def test_spans_meet_what_one_of_the_subnets_overlaps(nets: list[IPNetwork], asked: list[IPNetwork]) -> None:
    wanted = any(overlap(one, other) for one in nets for other in asked)
    assert Spans(nets).meet(map(span_of, asked)) == wanted


@given(st.lists(NETS, max_size=6))
def test_subnets_are_apart_when_no_two_overlap(nets: list[IPNetwork]) -> None:
    wanted = not any(overlap(one, other) for index, one in enumerate(nets) for other in nets[:index])
    assert apart(map(span_of, nets)) == wanted
