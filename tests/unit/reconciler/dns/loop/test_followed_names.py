"""When names are looked up again, and what stays of what was found."""

from ipaddress import ip_address

import pytest

from ovnguard.reconciler.dns.apply.lookup import Answer, Question
from ovnguard.reconciler.dns.loop.followed_names import Followed, FollowedNames

A, B = "a.example.net", "b.example.net"
ONE, OTHER = ip_address("10.0.0.1"), ip_address("10.0.0.2")


class Servers:
    def __init__(self) -> None:
        self.now, self.asked = 0.0, list[str]()
        self.answers: dict[str, Answer] = {}

    def look_up(self, questions):
        found = {}
        for question in questions:
            if question.version == 4:
                self.asked.append(question.name)
            found[question] = self.answers[question.name] if question.version == 4 else Answer()
        return found


@pytest.fixture
def servers():
    return Servers()


@pytest.fixture
def names(servers):
    return FollowedNames(servers.look_up, lambda: servers.now)


@pytest.mark.parametrize(("ttl", "seconds"), [(0, 5), (4, 5), (12, 12), (30, 30), (86400, 30)])
def test_ttl_within_bounds(servers, names, ttl, seconds):
    servers.answers[A] = Answer((ONE,), ttl)
    assert names.follow([A]) == Followed((ONE,), succeeded=1)
    assert names.due() == seconds
    servers.now += seconds - 0.1
    assert names.follow([A]) == Followed((ONE,))
    servers.now += 0.1
    assert names.follow([A]) == Followed((ONE,), succeeded=1)


def test_each_name_has_its_own_time(servers, names):
    servers.answers |= {A: Answer((ONE,), 10), B: Answer((OTHER,), 20)}
    assert names.follow([A, B]).addresses == (ONE, OTHER)
    servers.now = 10
    names.follow([A, B])
    assert servers.asked == [A, B, A]
    assert names.due() == 10


def test_failure_is_tried_again_soon_and_keeps_the_addresses(servers, names):
    servers.answers[A] = Answer((ONE,), 10)
    names.follow([A])
    servers.answers[A], servers.now = Answer(problem="NXDOMAIN"), 10
    assert names.follow([A]) == Followed((ONE,), (f"{A} A: NXDOMAIN",), failed=1)
    assert names.due() == 5
    servers.now = 12
    assert names.follow([A]) == Followed((ONE,), (f"{A} A: NXDOMAIN",))


def test_name_without_any_address_keeps_the_last_ones(servers, names):
    servers.answers[A] = Answer((ONE,), 10)
    names.follow([A])
    servers.answers[A], servers.now = Answer(), 10
    assert names.follow([A]) == Followed((ONE,), (f"{A}: has no address",), failed=1)


def test_name_that_is_not_listed_any_more_is_forgotten(servers, names):
    servers.answers |= {A: Answer((ONE,), 10), B: Answer((OTHER,), 10)}
    names.follow([A])
    assert names.follow([B]).addresses == (OTHER,)
    assert names.follow([]) == Followed()
    assert names.due() is None
    assert names.follow([A]).succeeded == 1


def test_failed_family_is_named():
    answers = {4: Answer((ONE,), 60), 6: Answer(problem="10.0.0.53: SERVFAIL")}
    names = FollowedNames(lambda questions: {each: answers[each.version] for each in questions}, lambda: 0.0)
    assert names.follow([A]).problems == (f"{Question(A, 6)}: 10.0.0.53: SERVFAIL",)
