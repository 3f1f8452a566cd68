"""One Event about its Node reports a zone that fails for a minute, and one reports the end."""

from ovnguard.reconciler.apply.store_errors import SchemaTooOldError
from ovnguard.reconciler.loop.status.lasting_failure import LASTING, LastingFailure
from ovnguard.reconciler.loop.status.network_status import StatusReason
from tests.support.fake_cluster import World, cudn


def test_a_lasting_failure_is_reported_once_and_a_short_one_never():
    now = [0.0]
    failure = LastingFailure(lambda: now[0])
    assert failure.news(["restarts"]) is None
    assert failure.news([]) is None
    now[0] = LASTING - 1
    assert failure.news(["away"]) is None
    now[0] = 2 * LASTING - 2
    assert failure.news(["away"]) is None
    now[0] = 2 * LASTING - 1
    assert failure.news(["still away", "and more"]) == StatusReason("ZoneFails", "still away")
    assert failure.news(["still away"]) is None
    assert failure.news([]) == StatusReason("ZoneRecovered", "The failure has ended.")
    assert failure.news([]) is None


def test_a_database_with_an_older_schema_is_an_event_about_the_node():
    world = World(cudn("blue"))
    world.settle()
    world.cluster.events.clear()
    world.store.failure = SchemaTooOldError("nb.sock: too old")
    assert world.zone.tick() == ("nb.sock: too old",)
    assert world.cluster.events == []
    world.seconds += LASTING
    world.zone.tick()
    world.zone.tick()
    world.store.failure = None
    world.settle()
    events = [
        (each["type"], each["reason"], each["regarding"]["kind"], each["regarding"]["name"], each["note"])
        for each in world.cluster.events
    ]
    assert events == [
        ("Warning", "ZoneFails", "Node", "n1", "nb.sock: too old"),
        ("Normal", "ZoneRecovered", "Node", "n1", "The failure has ended."),
    ]
