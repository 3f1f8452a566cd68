"""What the watcher of a whole cluster makes of what it sees."""

from tests.support.deployed.own_cluster.watcher import Seen, State, Watcher
from tests.testbed.apiserver import ApiServer


def states(*seen: tuple[float, str]) -> list[State]:
    return [State(at, 1, status, "Reason: text") for at, status in seen]


def watcher(tmp_path, **conditions: list[State]) -> Watcher:
    made = Watcher(ApiServer(tmp_path))
    made.objects["userdefinednetworks/a/net"] = Seen(100.0, 1, conditions=conditions)
    return made


def test_a_condition_fails_when_it_is_not_true_for_ten_seconds(tmp_path) -> None:
    short, long = states((101, "False"), (110, "True")), states((101, "False"), (105, "Unknown"), (111, "True"))
    made = watcher(tmp_path, Short=short, Long=long)
    assert made.failed_since(100.0) == ["userdefinednetworks/a/net Long=False for 10 s: Reason: text"]
    assert made.failed_since(102.0) == []
    assert made.slowest(100.0) == (11.0, "userdefinednetworks/a/net Long")


def test_an_older_generation_is_not_true_and_a_network_has_its_condition(tmp_path) -> None:
    made = watcher(tmp_path, Accepted=states((101, "True")))
    assert made.untrue() == ["userdefinednetworks/a/net has no ZonesReady"]
    made = watcher(tmp_path, ZonesReady=states((101, "True")))
    assert made.untrue() == []
    made.objects["userdefinednetworks/a/net"].generation = 2
    assert made.untrue() == ["userdefinednetworks/a/net ZonesReady=True Reason: text"]
