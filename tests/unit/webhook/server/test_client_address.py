"""One form for the addresses of one client."""

from ipaddress import ip_address

import pytest

from ovnguard.webhook.server.client_address import canonical


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:0::1", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
    ],
)
def test_one_form(text: str, address: str) -> None:
    assert canonical(text) == ip_address(address)


@pytest.mark.parametrize("text", ["", "somewhere", "192.0.2"])
def test_no_address(text: str) -> None:
    assert canonical(text) is None
