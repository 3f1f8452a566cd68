"""Who may ask, by address."""

import click
import pytest

from ovnguard.webhook.commands.client_networks import UNKNOWN, ClientNetworks, client_networks

SLICE = {"endpoints": [{"addresses": ["192.0.2.10", "192.0.2.11"]}, {"addresses": ["2001:db8:0::1"]}]}


@pytest.mark.parametrize(
    ("address", "accepted"),
    [
        ("10.0.0.1", True),
        ("::ffff:10.0.0.1", True),
        ("10.1.0.0", False),
        ("fd69::2", True),
        ("fe80::1%eth0", False),
        ("192.0.2.10", True),
        ("192.0.2.12", False),
        ("2001:db8::1", True),
        ("", False),
        ("somewhere", False),
    ],
)
def test_addresses_that_may_ask(address: str, accepted: bool) -> None:
    networks, published = client_networks(["10.0.0.0/16", "apiservers", "fd69::/112"])
    assert published
    assert ClientNetworks(networks, lambda: [SLICE]).accept(address) is accepted


def test_networks_alone_are_ready() -> None:
    networks, published = client_networks(["10.0.0.0/16"])
    assert not published
    assert ClientNetworks(networks).unready() == ()


@pytest.mark.parametrize(
    "slices", [None, [], [{}], [{"endpoints": None}], [{"endpoints": ["x", {"addresses": "y"}, {"addresses": None}]}]]
)
def test_unknown_api_servers_are_a_reason_not_to_be_ready(slices: list[object] | None) -> None:
    unknown = ClientNetworks((), lambda: slices)
    assert unknown.unready() == (UNKNOWN,)
    assert not unknown.accept("192.0.2.10")


def test_known_api_servers() -> None:
    assert ClientNetworks((), lambda: [SLICE]).unready() == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("10.0.0.1/8", "10.0.0.1/8 has host bits set"),
        ("all", "'all' does not appear to be an IPv4 or IPv6 network"),
    ],
)
def test_an_invalid_network_is_refused(text: str, reason: str) -> None:
    with pytest.raises(click.UsageError) as refused:
        client_networks([text])
    assert refused.value.message == f"--client-network: a CIDR or 'apiservers' is expected: {reason}"
