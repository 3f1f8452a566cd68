"""IP and CIDR: what netip accepts, how it prints, and the texts of its refusals."""

import ipaddress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.validators.cel.library.cidr import cidr, is_cidr
from ovnguard.validators.cel.library.ip import ip, is_canonical, is_ip
from ovnguard.validators.cel.types.errors import EvalError


@pytest.mark.parametrize("text", ["1.2.3.4", "::1.2.3.4", "2001:db8::1", "::", "1::", "::2:3:4:5:6:7:8", "FE80::1"])
def test_addresses(text):
    assert is_ip(text)


@pytest.mark.parametrize(
    ("text", "tail"),
    [
        ("", "unable to parse IP"),
        ("1.2.3", "IPv4 address too short"),
        ("1.2.3.4.5", "IPv4 address too long"),
        ("01.2.3.4", "IPv4 field has octet with leading zero"),
        ("1.2.3.256", "IPv4 field has value >255"),
        (" 1.2.3.4", 'unexpected character (at " 1.2.3.4")'),
        ("1..2.3", 'IPv4 field must have at least one digit (at ".2.3")'),
        ("::1::", 'multiple :: in address (at ":")'),
        ("1:2:3:4:5:6:7", "address string too short"),
        ("1:2:3:4:5:6:7:8:9", 'trailing garbage after address (at "9")'),
        ("12345::", 'each group must have 4 or less digits (at "12345::")'),
        ("::1:2:3:4:5:6:7:8", "the :: must expand to at least one field of zeros"),
    ],
)
def test_refused_address(text, tail):
    with pytest.raises(EvalError) as caught:
        ip(text)
    lead = f'IP Address "{text}" parse error during conversion from string: ParseAddr("{text}"): '
    assert str(caught.value) == lead + tail


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fe80::1%eth0", 'IP address "fe80::1%eth0" with zone value is not allowed'),
        ("::ffff:1.2.3.4", 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'),
    ],
)
def test_not_allowed_address(text, message):
    with pytest.raises(EvalError, match="not allowed") as caught:
        ip(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(("text", "canonical"), [("2001:DB8::1", False), ("2001:db8:0::1", False), ("10.0.0.1", True)])
def test_canonical(text, canonical):
    assert is_canonical(text) is canonical


@pytest.mark.parametrize("text", ["10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/+8", "10.0.0.0", "fe80::1%a/64", "1.1.1.1/"])
def test_refused_prefixes(text):
    assert not is_cidr(text)


def test_prefix_error_is_doubled():
    lead = "network address parse error during conversion from string: "
    with pytest.raises(EvalError) as caught:
        cidr("x")
    assert str(caught.value) == f"{lead}{lead}netip.ParsePrefix(\"x\"): no '/'"


@settings(deadline=None)
@given(st.ip_addresses())
def test_canonical_text_agrees_with_the_standard_library(address):
    text = str(address)
    if isinstance(address, ipaddress.IPv6Address) and (address.ipv4_mapped is not None):
        return
    assert int(address) == ip(text).value
    assert ipaddress.ip_address(str(ip(text))) == address


@settings(deadline=None)
@given(st.text(alphabet="0123456789abcdef:./%", max_size=24))
def test_agrees_with_the_standard_library_on_what_is_an_address(text):
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        assert not is_ip(text)
        return
    mapped = address.version == 6 and (address.ipv4_mapped is not None or "%" in text)
    assert is_ip(text) is not mapped
