"""A zone's writer: when it joins a zone, what it replaces, and what it leaves alone until then."""

from collections.abc import Sequence

import pytest

from reconciler.apply.foreign_rows import ForeignRowsError
from reconciler.apply.frr.frr_file import FrrFile
from reconciler.apply.store_errors import NetworksRefusedError, StoreUnavailableError
from reconciler.loop.zone_writer import WriteOptions
from reconciler.plan.row_diff import apply
from reconciler.plan.rows import Operation, Row
from tests.support.fake_cluster import Store, World, cudn, operator

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


def zone(options: WriteOptions = WriteOptions()) -> tuple[World, Shared]:  # noqa: B008 - a value
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


def test_an_adoption_that_the_database_refuses_is_tried_again_and_ends_nobody():
    world, store = zone(WriteOptions(adopt=frozenset({"cluster_udn_blue"})))
    store.add(SWITCH)
    store.refused = {"cluster_udn_blue"}
    assert world.zone.tick() == ()
    assert (world.zone.refusals[0].network, store.deleted) == ("cluster_udn_blue", [])
    store.add("x", **{"k8s.ovn.org/network": "cluster_udn_green"})
    assert world.zone.tick() == ()


def test_a_foreign_configuration_of_frr_is_said_once_and_is_no_failure(tmp_path, caplog):
    world, _ = zone()
    conf = tmp_path / "frr.conf"
    conf.write_text("router bgp 1\n")
    world.zone = world.zone_of(Shared(), frr=lambda _: FrrFile(conf).write("ours\n"))
    world.settle()
    text = f"{conf}: is a configuration of somebody else (its first line is not ovnguard's mark); move it away"
    assert caplog.messages.count(text) == 1
    assert conf.read_text() == "router bgp 1\n"
