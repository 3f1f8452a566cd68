"""What ping's output says about lost packets."""

import pytest

from tests.testbed.pinging import Loss, loss_of
from tests.testbed.process import BedError


def output(*numbers: int) -> str:
    lines = (f"64 bytes from 10.128.4.1: icmp_seq={number} ttl=64 time=0.1 ms" for number in numbers)
    return "\n".join(("PING 10.128.4.1 (10.128.4.1) from 10.128.2.1 : 56(84) bytes of data.", *lines, ""))


@pytest.mark.parametrize(
    ("numbers", "loss"),
    [
        ((1, 2, 3), Loss(3, 0, 0)),
        # late answers are answers
        ((1, 3, 2, 4), Loss(4, 0, 0)),
        ((1, 2, 5, 6, 8), Loss(8, 3, 2)),
        ((4,), Loss(4, 3, 3)),
    ],
)
def test_missing_numbers_are_lost(numbers: tuple[int, ...], loss: Loss) -> None:
    assert loss_of(output(*numbers)) == loss


def test_what_other_machines_say_is_no_answer() -> None:
    noise = "From 10.128.2.1 icmp_seq=2 Destination Host Unreachable\nping: sendmsg: Network is unreachable\n"
    assert loss_of(output(1) + noise + output(4)) == Loss(4, 2, 2)
    with pytest.raises(BedError, match=r"^ping: no answer: "):
        loss_of(noise)
