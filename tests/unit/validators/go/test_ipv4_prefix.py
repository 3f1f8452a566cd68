from ipaddress import ip_interface

from hypothesis import given
from hypothesis import strategies as st

from ovnguard.validators.cel.library.cidr import parse_prefix
from ovnguard.validators.cel.values.net_values import CIDR
from ovnguard.validators.go.ipv4_prefix import plain_prefix

_OCTETS = st.one_of(st.integers(0, 300).map(str), st.sampled_from(["00", "01", "010", "0255", "", "x", "٣"]))
_LENGTHS = st.one_of(st.integers(0, 40).map(str), st.sampled_from(["00", "08", "032", "", "-1", "/8", "٣"]))


@given(st.lists(_OCTETS, min_size=3, max_size=5), _LENGTHS)
def test_what_is_read_is_what_python_and_go_read(octets: list[str], length: str) -> None:
    text = f"{'.'.join(octets)}/{length}"
    found, exact = plain_prefix(text), parse_prefix(text)
    if found is None:
        # Go takes no other spelling of an IPv4 prefix either.
        assert not isinstance(exact, CIDR)
        return
    interface = ip_interface(text)
    assert found == (int(interface.ip), interface.network.prefixlen)
    assert isinstance(exact, CIDR)
    assert found == (exact.address.value, exact.length)
    assert exact.address.family == 4


@given(st.text("0123456789./ \n", max_size=20))
def test_nothing_else_is_read(text: str) -> None:
    found = plain_prefix(text)
    if found is not None:
        assert found == (int(ip_interface(text).ip), ip_interface(text).network.prefixlen)
