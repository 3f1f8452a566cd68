"""Marks of guessed numbers: the subnets, the addresses in them and their MACs, of the right network alone."""

from ipaddress import ip_network

import pytest

from ovnguard.reconciler.plan.render.guesses import NO_GUESSES, Guesses
from ovnguard.validators.network.addresses.addressing import mac_of

GUESSES = Guesses(
    {
        "blue": {"a": (ip_network("10.40.0.0/24"), ip_network("fd00:1::/64")), "b": (ip_network("10.40.1.0/24"),)},
        "red": {"a": (ip_network("10.50.0.0/23"),)},
    }
)
V6_MAC = mac_of(ip_network("fd00:1::/64")[2])


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("10.40.0.0/24", "10.40.0.0/24 (guess)"),
        ("10.40.1.7", "10.40.1.7 (guess)"),
        ("[10.40.0.1/24, 172.18.0.2/16]", "[10.40.0.1/24 (guess), 172.18.0.2/16]"),
        ("ip4.src==10.40.0.2 && ip4.dst == 10.40.0.0/16", "ip4.src==10.40.0.2 (guess) && ip4.dst == 10.40.0.0/16"),
        ("0a:58:0a:28:01:01 10.40.1.1", "0a:58:0a:28:01:01 (guess) 10.40.1.1 (guess)"),
        ("fd00:1::2/64 via fd00:2::1", "fd00:1::2/64 (guess) via fd00:2::1"),
        (f"{V6_MAC} unknown", f"{V6_MAC} (guess) unknown"),
        ("10.40.2.1", "10.40.2.1"),
        ("10.40.0.0.1", "10.40.0.0.1"),
        ("910.40.0.1 and 10.40.0.300", "910.40.0.1 and 10.40.0.300"),
        ("::/0 a:b:c default-network-controller:x:", "::/0 a:b:c default-network-controller:x:"),
        ("10.50.0.1", "10.50.0.1"),
    ],
)
def test_numbers_of_a_network(text: str, marked: str) -> None:
    assert GUESSES.marked(text, "blue") == marked
    assert GUESSES.is_in(text, "blue") is (marked != text)


def test_texts_about_all_networks_have_the_numbers_of_each() -> None:
    assert GUESSES.marked("10.40.0.1 10.50.1.1") == "10.40.0.1 (guess) 10.50.1.1 (guess)"


def test_another_network_has_no_guesses() -> None:
    assert GUESSES.marked("10.40.0.1", "green") == "10.40.0.1"
    assert NO_GUESSES.marked("10.40.0.1") == "10.40.0.1"
