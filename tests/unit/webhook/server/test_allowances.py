"""Which connection ends when too many are without a request."""

from typing import NamedTuple

import pytest

from ovnguard.webhook.server.allowances import Allowances, Limits, Stage

LIMITS = Limits(waiting=12, of_address=3, of_outsiders=2)


class Counted(NamedTuple):
    """A connection, named by its address and a number; those of addresses that begin with o are outsiders'."""

    name: str
    stage: str = "waits"
    since: float = 0.0


def counted(*given: Counted) -> Allowances[str]:
    allowances = Allowances[str](LIMITS)
    for name, stage, since in given:
        address = name.rstrip("0123456789")
        allowances.waits(name, address, since, outsider=address.startswith("o"))
        if stage == "ready":
            allowances.ready(name, since)
        if stage in {"speaks", "asked"}:
            allowances.speaks(name, address, since)
        if stage == "asked":
            allowances.asked(name, since)
    return allowances


def many(address: str, count: int, stage: str = "waits", since: float = 0.0) -> list[Counted]:
    """Connections of one address, each a hundredth of a second younger than the one before."""
    return [Counted(f"{address}{number}", stage, since + number / 100) for number in range(count)]


@pytest.mark.parametrize(
    ("given", "now", "expected"),
    [
        pytest.param(many("a", 3), 9, [], id="an address within its allowance"),
        pytest.param(many("a", 5), 9, ["a0", "a1"], id="the oldest silent ones"),
        pytest.param(many("a", 5), 2.9, [], id="none is silent yet: the connections of a burst stay"),
        pytest.param(many("a", 5), 3.0, ["a0"], id="only one is silent"),
        pytest.param(many("a", 5, "speaks"), 2.9, [], id="none of those that speak is silent yet"),
        pytest.param(many("a", 5, "speaks"), 9, ["a0", "a1"], id="one that speaks and never asks"),
        pytest.param(many("a", 3) + many("b", 3, "speaks"), 9, [], id="each address has its own allowance"),
        pytest.param(many("a", 3, "speaks") + many("a9", 2), 9, ["a90", "a91"], id="those that wait end first"),
        pytest.param(
            many("a", 5, "speaks") + many("a9", 2, since=6.5), 9, ["a0", "a1", "a2", "a3"], id="too many speak"
        ),
        pytest.param(
            many("a", 4, "speaks") + many("a9", 1, since=5), 9, ["a0", "a1"], id="the oldest, though it speaks"
        ),
        pytest.param(many("a", 9, "asked"), 9, [], id="whoever has asked does not count"),
        pytest.param(many("a", 9) + many("b", 5), 0.1, ["a0", "a1"], id="too many wait in total: of whoever has most"),
        pytest.param(many("o", 2), 9, [], id="outsiders within their allowance"),
        pytest.param(many("o", 4), 0.9, [], id="outsiders that are not silent yet"),
        pytest.param(many("o", 4), 1.01, ["o0", "o1"], id="silent outsiders"),
        pytest.param(many("oa", 1) + many("ob", 3), 9, ["ob0", "ob1"], id="outsiders share one allowance"),
        pytest.param(many("o", 4, "speaks"), 0.1, ["o0", "o1"], id="outsiders that speak have no time"),
        pytest.param(many("o", 4, "asked"), 9, ["o0", "o1"], id="outsiders count until they end"),
        pytest.param(many("o", 2, "speaks") + many("o9", 2, "ready"), 0.1, ["o90", "o0"], id="never the newest"),
        pytest.param(
            [*many("o", 1, "asked"), *many("o8", 1, "speaks"), *many("o9", 3, "ready")],
            0.1,
            ["o90", "o91", "o80"],
            id="those that did most stay longest",
        ),
        pytest.param(
            many("o", 2, "speaks") + many("o9", 2), 9, ["o90", "o91"], id="outsiders: those that wait are too many"
        ),
    ],
)
def test_surplus_connections_end(given: list[Counted], now: float, expected: list[str]) -> None:
    allowances = counted(*given)
    assert allowances.surplus(now) == expected
    for each in expected:
        allowances.leave(each)
    assert allowances.surplus(now) == []


@pytest.mark.parametrize(
    ("given", "now", "excess", "expected"),
    [
        pytest.param(
            many("a", 2, "speaks") + many("b", 3, "speaks"), 9, 2, ["b0", "a0"], id="of whoever has most left"
        ),
        pytest.param(many("a", 3, "speaks") + many("b", 3), 2.9, 2, [], id="nobody who is not silent"),
    ],
)
def test_surplus_connections_end_for_a_full_worker(
    given: list[Counted], now: float, excess: int, expected: list[str]
) -> None:
    assert counted(*given).surplus(now, excess) == expected


def test_stages_of_a_connection() -> None:
    allowances = counted(Counted("a0"), Counted("o0"))
    assert [allowances.stage("a0"), allowances.is_outsider("a0"), allowances.is_outsider("o0")] == [
        Stage.WAITS,
        False,
        True,
    ]
    allowances.ready("o0", 1)
    assert allowances.stage("o0") is Stage.READY
    for name in ("a0", "o0"):
        allowances.speaks(name, name[0], 1)
        assert allowances.stage(name) is Stage.SPEAKS
        allowances.asked(name, 2)
    assert [allowances.stage("a0"), allowances.stage("o0")] == [None, Stage.ASKED]
    assert [allowances.is_outsider("a0"), allowances.is_outsider("o0")] == [False, True]
    allowances.leave("o0")
    assert not allowances.is_outsider("o0")


def test_a_kept_connection_counts_again_with_its_next_request() -> None:
    allowances = counted(*many("a", 5, "asked"))
    for number in range(5):
        allowances.speaks(f"a{number}", "a", 10 + number)
    assert allowances.surplus(14.5) == ["a0", "a1"]


def test_an_ended_connection_that_then_asks_does_not_count() -> None:
    allowances = counted(Counted("o0", "speaks"))
    allowances.leave("o0")
    allowances.asked("o0", 1)
    allowances.ready("o0", 1)
    assert not allowances.is_outsider("o0")
