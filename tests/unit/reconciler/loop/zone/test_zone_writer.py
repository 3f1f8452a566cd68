"""A zone's writer: when it joins a zone, what it replaces, and what it leaves alone until then."""

import json
from collections.abc import Sequence

import pytest

from ovnguard.reconciler.apply.deletion_brake import Limit
from ovnguard.reconciler.apply.foreign_rows import ForeignRowsError
from ovnguard.reconciler.apply.frr.frr_file import FrrFile
from ovnguard.reconciler.apply.store_errors import NetworksRefusedError, StoreUnavailableError
from ovnguard.reconciler.loop.status.zone_state import WriteOptions
from ovnguard.reconciler.plan.rows.row import Operation, Row
from ovnguard.reconciler.plan.rows.row_diff import apply
from ovnguard.validators.network.cluster_view import CUDN, NAD, POD
from tests.support.fake_cluster import Store, World, cudn, nad, operator

NO_OPTIONS = WriteOptions()


SWITCH = "cluster_udn_blue_ovn_layer2_switch"


class Shared(Store):
    """A store with rows of others, which refuses some networks' changes once."""

    def __init__(self) -> None:
        super().__init__()
        self.foreign: dict[str, Row] = {}
        self.refused: set[str] = set()
        self.deleted: list[str] = []

    def others(self) -> tuple[Row, ...]:
        return tuple(self.foreign.values())

    def add(self, name: str, **ids: str) -> None:
        row = Row("Logical_Switch", f"uuid-of-{name}", {"name": name, "external_ids": ids})
        self.foreign[row.uuid] = row

    def apply(self, operations: Sequence[Operation]) -> None:
        strange = [each for each in operations if each.uuid in self.foreign]
        refused, self.refused = self.refused, set()
        self.transactions += 1
        if refused:
            raise NetworksRefusedError("nb", dict.fromkeys(refused, "taken"))
        self.deleted += [each.uuid for each in strange]
        self.foreign = {uuid: row for uuid, row in self.foreign.items() if uuid not in self.deleted}
        self.rows = apply([each for each in operations if each not in strange], self.rows)


def zone(options: WriteOptions = NO_OPTIONS) -> tuple[World, Shared]:
    """A world whose networks record what they need, and the database of a zone that nobody has written yet."""
    world, store = World(cudn("blue"), operator()), Shared()
    world.settle()
    world.frr.text = "as before"
    world.zone = world.zone_of(store, options=options)
    return world, store


def test_nothing_is_touched_until_the_zone_is_known_to_be_free():
    world, store = zone()
    store.failure = StoreUnavailableError("nb is down")
    assert world.zone.tick() == ("nb is down",)
    assert world.frr.text == "as before"
    store.failure = None
    store.add(SWITCH)
    patches = len(world.cluster.patches)
    with pytest.raises(ForeignRowsError, match=f"network cluster_udn_blue: Logical_Switch {SWITCH}; stop the other"):
        world.zone.tick()
    assert (world.frr.text, store.transactions) == ("as before", 0)
    assert len(world.cluster.patches) == patches
    store.foreign.clear()
    world.settle()
    assert (world.frr.text, store.networks) == ("", {"cluster_udn_blue"})


def test_rows_that_appear_later_end_nobody():
    world, store = zone()
    world.settle()
    store.add("x", **{"k8s.ovn.org/network": "cluster_udn_blue"})
    world.cluster.put(cudn("green", "10.30.0.0/16"))
    world.settle()
    assert store.networks == {"cluster_udn_blue", "cluster_udn_green"}


def test_rows_that_appear_later_are_one_event():
    world, store = zone(WriteOptions(adopt=frozenset({"cluster_udn_blue"})))
    store.add("left", **{"k8s.ovn.org/network": "cluster_udn_blue"})
    world.settle()
    store.add("x", **{"k8s.ovn.org/network": "cluster_udn_blue"})
    for number in range(2):
        world.cluster.put(cudn("green", f"10.3{number}.0.0/16"))
        world.settle()
    (event,) = (each for each in world.cluster.events if each["reason"] == "OtherWriter")
    assert (event["type"], event["regarding"]["kind"]) == ("Warning", "Node")
    assert event["note"] == (
        "another writer is alive: 1 row of another writer: network cluster_udn_blue: Logical_Switch x"
    )


def test_an_adoption_that_the_database_refuses_is_tried_again_and_ends_nobody():
    world, store = zone(WriteOptions(adopt=frozenset({"cluster_udn_blue"})))
    store.add(SWITCH)
    store.refused = {"cluster_udn_blue"}
    assert world.zone.tick() == ()
    assert (world.zone.refusals[0].network, store.deleted) == ("cluster_udn_blue", [])
    store.add("x", **{"k8s.ovn.org/network": "cluster_udn_green"})
    assert world.zone.tick() == ()


def test_a_foreign_configuration_of_frr_is_logged_once_and_is_not_a_failure(tmp_path, caplog):
    world, _ = zone()
    conf = tmp_path / "frr.conf"
    conf.write_text("router bgp 1\n")
    world.zone = world.zone_of(Shared(), frr=lambda _: FrrFile(conf).write("ours\n"))
    world.settle()
    text = f"{conf}: is a configuration of somebody else (its first line is not ovnguard's mark); move it away"
    assert caplog.messages.count(text) == 1
    assert conf.read_text() == "router bgp 1\n"


def attachment(number: int):
    found = nad(f"n{number}")
    config = {"name": f"tenant{number}", "netAttachDefName": f"ns/n{number}", "role": "secondary"}
    found["spec"]["config"] = json.dumps({**json.loads(found["spec"]["config"]), **config})
    return found


def held_text(caplog) -> list[str]:
    return [line for line in caplog.messages if " wait: " in line]


def test_an_empty_list_holds_its_own_kind_and_says_which(caplog):
    world = World(cudn("blue"), cudn("green", "10.30.0.0/16"))
    store = Shared()
    world.settle()
    world.zone = world.zone_of(store)
    world.settle()
    world.cluster.served[CUDN].clear()
    world.cluster.silent = frozenset({CUDN})
    world.settle()
    assert store.networks == {"cluster_udn_blue", "cluster_udn_green"}
    (line,) = held_text(caplog)
    assert line.startswith(
        "zone n1: deletions of 2 networks (cluster_udn_blue, cluster_udn_green) and 0 other rows wait: "
        "the API server suddenly lists nothing of ClusterUserDefinedNetwork; if they are right, annotate the Node with "
    )


def test_an_empty_list_counts_towards_the_limit(caplog):
    networks = [attachment(number) for number in range(3)]
    world = World(cudn("blue"), *networks)
    world.settle()
    store = Shared()
    world.zone = world.zone_of(store, options=WriteOptions(limit=Limit(1, percent=False)))
    world.settle()
    assert len(store.networks) == 4
    world.cluster.served[CUDN].clear()
    world.cluster.silent = frozenset({CUDN})
    for name in ("n0", "n1"):
        del world.cluster.served[NAD][name]
    world.settle()
    assert len(store.networks) == 4
    (line,) = held_text(caplog)
    assert line.startswith("zone n1: deletions of 3 networks (cluster_udn_blue, tenant0, tenant1) and ")
    assert " wait: more than --max-deletions 1 of 4 networks or " in line


def test_when_no_pod_is_listed_nothing_is_deleted_anywhere(caplog):
    world = World(cudn("blue"), cudn("green", "10.30.0.0/16"))
    world.settle()
    store = Shared()
    world.zone = world.zone_of(store)
    world.settle()
    del world.cluster.served[CUDN]["green"]
    world.cluster.silent = frozenset({POD})
    world.settle()
    assert store.networks == {"cluster_udn_blue", "cluster_udn_green"}
    assert "the API server suddenly lists nothing of Pod; " in held_text(caplog)[0]
    world.cluster.silent = frozenset()
    world.settle()
    assert store.networks == {"cluster_udn_blue"}
