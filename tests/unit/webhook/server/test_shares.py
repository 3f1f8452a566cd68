"""Counts that forked processes share."""

import os

import pytest

from webhook.server.shares import PLACES, Courtesy, Shares


def test_others_are_those_that_accept():
    shares = Shares()
    first, second, third = (shares.take() for _ in range(3))
    assert shares.others(first) == []
    shares.tell(first, 4)
    shares.tell(second, 0)
    assert (shares.others(first), shares.others(third)) == ([0], [4, 0])
    shares.leave(second)
    assert shares.others(first) == []


def test_place_of_an_ended_process_is_given_again():
    shares = Shares()
    places = [shares.take() for _ in range(PLACES)]
    assert (len(set(places)), shares.take()) == (PLACES, None)
    shares.tell(places[5], 7)
    shares.release(places[5])
    assert shares.others(places[0]) == []
    assert shares.take() == places[5]


def test_without_a_place_nothing_is_shared():
    shares = Shares()
    shares.tell(shares.take(), 3)
    shares.tell(None, 4)
    shares.release(None)
    assert shares.others(None) == []


@pytest.mark.filterwarnings("default::DeprecationWarning")
def test_what_a_forked_process_tells_is_seen():
    shares = Shares()
    own, other = shares.take(), shares.take()
    child = os.fork()
    if not child:
        shares.tell(other, 9)
        os._exit(0)
    os.waitpid(child, 0)
    assert shares.others(own) == [9]


def test_connection_is_left_to_whoever_has_fewer():
    courtesy = Courtesy()
    assert not courtesy.leaves(3, [])
    assert not courtesy.leaves(3, [3, 5])
    assert courtesy.leaves(3, [2, 5])
    # it was taken
    assert courtesy.leaves(4, [3, 5])


def test_each_connection_that_was_left_in_vain_doubles_those_that_are_taken():
    courtesy, taken = Courtesy(), []
    for _ in range(4):
        assert courtesy.leaves(9, [1])
        count = 0
        while not courtesy.leaves(9, [1]):
            count += 1
            if count == 1 << len(taken):
                break
        taken.append(count)
    assert taken == [1, 2, 4, 8]
