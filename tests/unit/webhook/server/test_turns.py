"""Large requests, one after the other."""

from webhook.server.turns import Turns


def test_one_is_under_way_in_the_order_of_arrival():
    turns = Turns()
    for name in ("a", "b", "c"):
        turns.join(name, name.encode() * 10, 5.0)
    assert (turns.octets, "b" in turns) == (30, True)
    assert turns.begin() == ("a", b"a" * 10)
    assert (turns.begin(), turns.octets, "a" in turns) == (None, 20, False)
    turns.end("somebody else")
    assert turns.begin() is None
    turns.end("a")
    assert turns.begin() == ("b", b"b" * 10)


def test_nobody_waits():
    turns = Turns()
    assert (turns.begin(), turns.overdue(9.0), turns.oldest(), turns.octets) == (None, [], None, 0)


def test_who_waits_too_long_waits_no_more():
    turns = Turns()
    turns.join("a", b"a", 1.0)
    turns.join("b", b"b", 2.0)
    assert turns.overdue(0.9) == []
    assert turns.overdue(1.0) == ["a"]
    assert turns.begin() == ("b", b"b")


def test_oldest_goes_first_where_there_is_no_room():
    turns = Turns()
    turns.join("a", b"a", 1.0)
    turns.join("b", b"bb", 2.0)
    assert (turns.oldest(), turns.octets) == ("a", 2)
