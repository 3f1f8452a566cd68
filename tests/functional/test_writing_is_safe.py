"""A zone's only writer on a real Northbound database: whom it refuses to join, what it replaces, what it holds back."""

import contextlib
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from ovnguard.reconciler.apply.deletion_brake import Limit
from ovnguard.reconciler.apply.foreign_rows import ForeignRowsError
from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.loop.status.zone_state import WriteOptions
from ovnguard.reconciler.loop.status.zone_texts import ALLOW
from ovnguard.reconciler.loop.zone.zone_loop import ZoneLoop
from ovnguard.validators.network.cluster_view import CUDN, NODE
from tests.support.fake_cluster import World, cudn
from tests.testbed.ovn import OvnZone

pytestmark = pytest.mark.timing

SWITCH = "cluster_udn_blue_ovn_layer2_switch"
ROUTER = "GR_cluster_udn_blue_n1"
PORT = f"stotr-{SWITCH}"
OWN = WriteOptions()


class Live:
    """The zone of n1 in a real database; API server and FRR are in memory, with all that networks need recorded."""

    def __init__(self, zone: OvnZone, world: World, connect: Callable[[], NorthboundStore]) -> None:
        self.zone, self.world, self._connect = zone, world, connect
        self._store: NorthboundStore | None = None
        world.settle()

    def start(self, options: WriteOptions = OWN) -> ZoneLoop:
        """A process; the one before ends."""
        if self._store is not None:
            self._store.close()
        self._store = self._connect()
        return self.world.zone_of(self._store, options=options)

    def names(self, table: str) -> list[str]:
        return sorted(self.zone.nbctl("--bare", "--columns=name", "list", table).split())

    def everything(self) -> str:
        return self.zone.nbctl("show") + self.zone.nbctl("--columns=_uuid,external_ids", "list", "logical_switch")

    def settle(self, loop: ZoneLoop) -> None:
        for _ in range(3):
            assert loop.tick() == ()


@pytest.fixture
def live(ovn_zone: Callable[[str], OvnZone]) -> Iterator[Callable[..., Live]]:
    with contextlib.ExitStack() as stack:

        def make(*objects: dict[str, Any]) -> Live:
            zone = ovn_zone("n1")

            def connect() -> NorthboundStore:
                store = NorthboundStore(zone.nb, 5.0, exclusive=True, notify=lambda: None)
                return stack.enter_context(contextlib.closing(store))

            return Live(zone, World(*objects), connect)

        yield make


def occupy(zone: OvnZone) -> None:
    """What OVN-Kubernetes would have there: rows of planned names and of its own, and one that somebody added."""
    ids = "external_ids:k8s.ovn.org/network=cluster_udn_blue"
    zone.nbctl("ls-add", SWITCH, "--", "set", "logical_switch", SWITCH, ids)
    zone.nbctl("lsp-add", SWITCH, PORT, "--", "set", "logical_switch_port", PORT, ids)
    zone.nbctl("lr-add", ROUTER)
    zone.nbctl("pg-add", "theirs", "--", "set", "port_group", "theirs", ids)
    zone.nbctl("meter-add", "acl-logging", "drop", "20", "pktps", "0")
    zone.nbctl("copp-add", "ovnkube-default", "arp", "theirs")
    zone.nbctl("ls-add", "of-nobody")


def test_a_database_that_holds_rows_of_another_writer_is_refused_with_a_list(live) -> None:
    one = live(cudn("blue"), cudn("green", "10.30.0.0/16"))
    one.world.cluster.put(cudn("unrecorded", "10.40.0.0/16"))
    occupy(one.zone)
    before, patches = one.everything(), len(one.world.cluster.patches)
    with pytest.raises(ForeignRowsError) as raised:
        one.start().tick()
    assert len(one.world.cluster.patches) == patches
    assert str(raised.value) == (
        "the database has 6 rows of another writer: shared rows: Copp ovnkube-default, Meter acl-logging; "
        "network cluster_udn_blue: "
        f"Logical_Router {ROUTER}, Logical_Switch {SWITCH}, Logical_Switch_Port {PORT}, and 1 more; "
        "stop the other writer, then name each network with --adopt NETWORK, or use --mode audit"
    )
    assert one.everything() == before


def test_adopting_a_network_replaces_rows_of_its_names_and_nothing_else(live) -> None:
    one = live(cudn("blue"), cudn("green", "10.30.0.0/16"))
    occupy(one.zone)
    loop = one.start(WriteOptions(adopt=frozenset({"cluster_udn_blue"})))
    one.settle(loop)
    # once each: OVN itself would take a second one of the same name
    assert one.names("logical_switch").count(SWITCH) == 1
    assert one.names("logical_router").count(ROUTER) == 1
    owner = one.zone.nbctl("get", "logical_switch", SWITCH, "external_ids:ovnguard.io/owner").strip()
    assert owner == "ovnguard"
    assert "of-nobody" in one.names("logical_switch")
    assert "arp-rate-limiter" in one.zone.nbctl("copp-list", "ovnkube-default")
    assert "theirs" in one.names("port_group")
    # the next process does not ask again for what is ours, and still for what is not
    with pytest.raises(ForeignRowsError, match=r"has 1 row of another writer: network cluster_udn_blue: Port_Group"):
        one.start().tick()
    one.zone.nbctl("pg-del", "theirs")
    one.settle(one.start())


def test_a_network_that_waits_for_its_numbers_is_adopted_when_it_is_planned(live, caplog) -> None:
    one = live()
    occupy(one.zone)
    one.world.cluster.put(cudn("blue"))
    loop = one.start(WriteOptions(adopt=frozenset({"cluster_udn_blue", "cluster_udn_bleu"})))
    # the first pass records the numbers and finds no planned name
    one.settle(loop)
    assert one.names("logical_switch").count(SWITCH) == 1
    assert one.names("logical_router") == [ROUTER, "cluster_udn_blue_transit_router"]
    owner = one.zone.nbctl("get", "logical_switch", SWITCH, "external_ids:ovnguard.io/owner").strip()
    assert owner == "ovnguard"
    text = "--adopt cluster_udn_bleu: no object declares a network of this name"
    assert caplog.messages.count(text) == 1
    # what somebody adds after that is not replaced
    one.zone.nbctl("lr-add", "GR_cluster_udn_late_n1")
    one.world.cluster.put(cudn("late", "10.30.0.0/16"))
    one.settle(loop)
    assert [each.network for each in loop.refusals] == ["cluster_udn_late"]


def test_an_audit_writes_nothing(live) -> None:
    one = live(cudn("blue"))
    occupy(one.zone)
    before, frr = one.everything(), one.world.frr.text
    patches = len(one.world.cluster.patches)
    one.settle(one.start(WriteOptions(audit=True)))
    assert (one.everything(), one.world.frr.text) == (before, frr)
    assert len(one.world.cluster.patches) == patches


def test_an_allow_list_is_all_that_is_written(live) -> None:
    one = live(cudn("blue"), cudn("green", "10.30.0.0/16"))
    occupy(one.zone)
    one.zone.nbctl("meter-del", "acl-logging", "--", "copp-del", "ovnkube-default")
    one.settle(one.start(WriteOptions(only=frozenset({"cluster_udn_green"}))))
    assert one.names("logical_router") == [ROUTER, "GR_cluster_udn_green_n1", "cluster_udn_green_transit_router"]
    # nor are numbers recorded or conditions written elsewhere
    one.world.cluster.put(cudn("late", "10.40.0.0/16"))
    one.settle(one.start(WriteOptions(only=frozenset({"cluster_udn_green"}))))
    late = one.world.cluster.get("late")
    assert (late["metadata"]["annotations"], "status" in late) == ({}, False)
    del one.world.cluster.served[CUDN]["late"]
    # a network that is not listed keeps its rows, though its object is gone
    del one.world.cluster.served[CUDN]["green"]
    one.zone.nbctl("ls-del", SWITCH, "--", "lr-del", ROUTER, "--", "pg-del", "theirs")
    one.settle(one.start(WriteOptions(only=frozenset({"cluster_udn_blue"}))))
    assert "cluster_udn_green_transit_router" in one.names("logical_router")
    assert "cluster_udn_blue_transit_router" in one.names("logical_router")


def many(count: int) -> list[dict[str, Any]]:
    return [cudn(f"n{number}", f"10.{number + 10}.0.0/16") for number in range(count)]


def routers(one: Live) -> set[str]:
    return {name.removesuffix("_transit_router") for name in one.names("logical_router") if "transit" in name}


def test_deletions_above_the_limit_wait_until_they_are_permitted(live, caplog) -> None:
    one = live(*many(4))
    loop = one.start(WriteOptions(limit=Limit(2, percent=False)))
    one.settle(loop)
    rows = one.everything()
    for number in range(3):
        del one.world.cluster.served[CUDN][f"n{number}"]
    one.world.cluster.put(cudn("new", "10.99.0.0/16"))
    one.world.settle()
    one.settle(loop)
    # what does not delete goes on
    assert routers(one) == {*(f"cluster_udn_n{number}" for number in range(4)), "cluster_udn_new"}
    assert all(line in one.everything() for line in rows.splitlines())
    names = ", ".join(f"cluster_udn_n{number}" for number in range(3))
    text = (
        f"zone n1: deletions of 3 networks ({names}) and 0 other rows wait: more than --max-deletions 2 of 4 networks"
    )
    assert sum(line.startswith(text) for line in caplog.messages) == 1
    held = [each for each in one.world.cluster.events if each["reason"].startswith("Deletions")]
    assert [(each["reason"], each["type"], each["regarding"]["name"]) for each in held] == [
        ("DeletionsHeld", "Warning", "n1")
    ]

    node = one.world.cluster.get("n1", NODE)
    until = one.world.now + timedelta(minutes=1)
    node["metadata"]["annotations"][ALLOW] = until.isoformat()
    one.world.cluster.put(node)
    one.settle(loop)
    assert routers(one) == {"cluster_udn_n3", "cluster_udn_new"}
    assert [each["reason"] for each in one.world.cluster.events[-1:]] == ["DeletionsResumed"]


def test_an_api_server_that_suddenly_lists_nothing_deletes_nothing(live) -> None:
    one = live(*many(2))
    loop = one.start()
    one.settle(loop)
    served = dict(one.world.cluster.served[CUDN])
    # a list without objects, and no event for each of them
    one.world.cluster.served[CUDN].clear()
    one.world.cluster.silent = frozenset({CUDN})
    one.settle(loop)
    assert routers(one) == {"cluster_udn_n0", "cluster_udn_n1"}
    # a process that starts then knows no more
    one.world.cluster.silent = frozenset()
    loop = one.start()
    one.settle(loop)
    assert routers(one) == {"cluster_udn_n0", "cluster_udn_n1"}
    # one that is listed again proves that lists are right
    one.world.cluster.served[CUDN].update(n0=served["n0"])
    one.settle(loop)
    assert routers(one) == {"cluster_udn_n0"}
    # and who is seen being deleted is
    del one.world.cluster.served[CUDN]["n0"]
    one.settle(loop)
    assert routers(one) == set()
