import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import ObjectsView
from ovnguard.validators.network.frr.frr_merge import frr_index, merged
from ovnguard.validators.network.frr.frr_model import Fault, Incoming, Router
from ovnguard.validators.network.frr.frr_parse import frr_part
from tests.support.manifests.network_objects import JsonObject, frr

P, Q = "10.0.0.0/24", "10.1.0.0/24"


def neighbor(address: str = "192.0.2.1", asn: int = 64512, **more: Any) -> JsonObject:
    return {"address": address, "asn": asn, **more}


def router(asn: int = 64512, *neighbors: JsonObject, **more: Any) -> JsonObject:
    return {"asn": asn, "neighbors": list(neighbors), **more}


def routers(*objects: JsonObject) -> tuple[Router, ...]:
    answer = merged([frr_part(obj) for obj in objects])
    assert not isinstance(answer, Fault), answer.text
    return answer


def fault(*objects: JsonObject) -> Fault:
    answer = merged([frr_part(obj) for obj in objects])
    assert isinstance(answer, Fault)
    return answer


def test_routers_of_a_vrf_are_one() -> None:
    one = frr(router(64512, neighbor("192.0.2.2"), prefixes=[P], imports=[{"vrf": "red"}]), router(1, vrf="red"))
    other = frr(router(64512, neighbor(), prefixes=[Q, P], id="192.0.2.9"), name="other")
    default, red = routers(one, other)
    assert (default.vrf, default.asn, default.router_id) == ("", 64512, "192.0.2.9")
    assert (default.prefixes, default.imports) == ({P, Q}, {"red"})
    assert [each.id for each in default.neighbors] == ["192.0.2.1", "192.0.2.2"]
    assert (red.vrf, red.asn, red.neighbors) == ("red", 1, ())


@pytest.mark.parametrize("asn", [0, -1, 4294967296, "64512", None])
def test_a_router_without_an_as_number_is_a_fault(asn: Any) -> None:
    """FRR does not know `router bgp 0`."""
    shown = asn if isinstance(asn, int) else 0
    found = fault(frr(router(asn, neighbor(), vrf="red")))
    assert (found.field, found.text) == (
        "spec.bgp.routers[0].asn",
        f"router {shown}-red: FRR needs an AS number from 1 to 4294967295",
    )


def test_a_fault_is_one_bounded_line() -> None:
    lines = fault(frr(router(64512, neighbor("192.0.2.1\n password x\x1b[2J"))))
    assert lines.text.isprintable()
    lead = r"failed to process neighbor 64512@192.0.2.1\n password x\x1b[2J for router 64512-: failed to find ipfamily"
    assert lines.text.startswith(lead)
    assert len(fault(frr(router(64512, neighbor("x" * 100_000)))).text) == len("...") + 1000


def test_what_is_advertised_and_taken_adds_up() -> None:
    taken = [{"prefix": "10.0.0.0/8", "ge": 16, "le": 24}]
    one = neighbor(toAdvertise={"allowed": {"prefixes": [P]}}, toReceive={"allowed": {"prefixes": taken}})
    preferred = {"allowed": {"mode": "all"}, "withLocalPref": [{"localPref": 200, "prefixes": [Q]}]}
    marked = {
        **preferred,
        "withCommunity": [{"community": "large:1:2:3", "prefixes": [Q]}],
        "nextHop": {"ipv4": "192.0.2.7"},
    }
    ((default),) = routers(
        frr(router(64512, one, prefixes=[P])),
        frr(router(64512, neighbor(toAdvertise=marked, bfdProfile="b"), prefixes=[Q]), bfdProfiles=[{"name": "b"}]),
    )
    (only,) = default.neighbors
    assert only.outgoing.prefixes == {P, Q}
    assert only.outgoing.preferences == ((Q, 200),)
    assert only.outgoing.communities == {("large:1:2:3", Q)}
    assert only.outgoing.next_hops == ((4, "192.0.2.7"),)
    assert only.incoming == {Incoming("10.0.0.0/8", 24, 16)}
    assert only.session.bfd_profile == "b"


def test_taking_everything_wins() -> None:
    taken = neighbor(toReceive={"allowed": {"prefixes": [{"prefix": P}]}})
    everything = neighbor(toReceive={"allowed": {"mode": "all"}})
    ((default),) = routers(frr(router(64512, taken)), frr(router(64512, everything), name="other"))
    assert default.neighbors[0].incoming is None


def test_a_session_carries_its_own_family() -> None:
    advertised = {"allowed": {"prefixes": [P, "fd00::/64"]}}
    prefixes = [P, "fd00::/64"]
    ((default),) = routers(
        frr(
            router(
                64512,
                neighbor(toAdvertise=advertised),
                neighbor("2001:db8::1", toAdvertise=advertised),
                neighbor("::ffff:192.0.2.5", toAdvertise=advertised),
                {"interface": "eth0", "dynamicASN": "external", "toAdvertise": advertised},
                prefixes=prefixes,
            )
        )
    )
    assert {each.id: sorted(each.outgoing.prefixes) for each in default.neighbors} == {
        "192.0.2.1": [P],
        "2001:db8::1": ["fd00::/64"],
        "::ffff:192.0.2.5": [P],
        "eth0": prefixes,
    }


def test_neighbors_of_another_vrf_are_others() -> None:
    default, red = routers(frr(router(64512, neighbor())), frr(router(1, neighbor(asn=2), vrf="red"), name="red"))
    assert [default.neighbors[0].id, red.neighbors[0].id] == ["192.0.2.1", "192.0.2.1-red"]


def test_the_later_object_is_at_fault() -> None:
    one, other = frr(router(1)), frr(router(2), name="other")
    assert fault(one, other) == Fault(
        "frr/other", "spec.bgp.routers[0].asn", "different asns (1 != 2) specified for same vrf: "
    )
    assert fault(other, one).origin == "frr/site"


def test_parts_before_a_fault_are_merged_first() -> None:
    broken = frr(router(2), {"asn": 3, "vrf": "red", "neighbors": [{}]}, name="other")
    assert fault(broken).text.startswith("failed to process neighbor 0@ for router 3-red: ")
    assert fault(frr(router(1)), broken).text == "different asns (1 != 2) specified for same vrf: "


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({"kubernetes.io/hostname": "a"}, ["frr/all", "frr/host", "frr/ovnk-generated-1"]),
        ({"kubernetes.io/hostname": "b", "rack": "1"}, ["frr/all", "frr/rack"]),
        ({}, ["frr/all"]),
    ],
)
def test_the_index_knows_what_selects_a_node(labels: dict[str, str], expected: list[str]) -> None:
    on_a = {"matchLabels": {"kubernetes.io/hostname": "a"}}
    generated = _selecting("ovnk-generated-1", on_a)
    generated["metadata"]["labels"] = {"k8s.ovn.org/route-advertisements": "ra"}
    in_rack = {"matchExpressions": [{"key": "rack", "operator": "In", "values": ["1", "2"]}]}
    view = ObjectsView([_selecting("rack", in_rack), _selecting("host", on_a), generated, _selecting("all", {})])
    index = frr_index(inventory_of(view))
    assert [part.origin for part in index.on_node(labels)] == expected
    # copies of neighbours are left out, so that a mesh of n nodes does not cost n * n
    sizes = {part.origin: len(part.routers[0].neighbors) for part in index.parts()}
    assert sizes == {"frr/all": 1, "frr/host": 1, "frr/rack": 1, "frr/ovnk-generated-1": 0}


def test_an_invalid_selector_selects_nothing() -> None:
    index = frr_index(inventory_of(view := ObjectsView([_selecting("a", "all"), frr(name="b")])))
    assert [part.origin for part in index.on_node({})] == ["frr/b"]
    assert view.objects is not None


def _selecting(name: str, selector: Any) -> JsonObject:
    obj = frr(router(64512, neighbor()), name=name)
    obj["spec"]["nodeSelector"] = selector
    return obj


SESSIONS = st.fixed_dictionaries(
    {"address": st.sampled_from(["192.0.2.1", "192.0.2.2"]), "asn": st.sampled_from([1, 2])},
    optional={
        "port": st.sampled_from([179, 1179]),
        "ebgpMultiHop": st.booleans(),
        "connectTime": st.sampled_from(["60s", "1m", "30s"]),
        "dualStackAddressFamily": st.booleans(),
    },
)
CONFIGURATIONS = st.lists(
    st.tuples(st.sampled_from([1, 2]), st.sampled_from(["", "red"]), st.lists(SESSIONS, max_size=2)), max_size=2
)


@given(CONFIGURATIONS, CONFIGURATIONS)
def test_whether_objects_agree_does_not_depend_on_their_order(one: list[Any], other: list[Any]) -> None:
    first = frr(*(router(asn, *found, vrf=vrf) for asn, vrf, found in one))
    second = frr(*(router(asn, *found, vrf=vrf) for asn, vrf, found in other), name="other")
    there, back = merged([frr_part(first), frr_part(second)]), merged([frr_part(second), frr_part(first)])
    assert isinstance(there, Fault) == isinstance(back, Fault)
    if not isinstance(there, Fault) and not isinstance(back, Fault):
        assert _shape(there) == _shape(back)


def _shape(found: tuple[Router, ...]) -> list[Any]:
    return [(each.vrf, each.asn, [(n.id, n.session, n.outgoing) for n in each.neighbors]) for each in found]


@given(CONFIGURATIONS)
def test_an_object_agrees_with_itself(one: list[Any]) -> None:
    obj = frr(*(router(asn, *found, vrf=vrf) for asn, vrf, found in one))
    alone, twice = merged([frr_part(obj)]), merged([frr_part(obj), frr_part(copy.deepcopy(obj))])
    assert alone == twice


class TestStoredPasswords:
    """Nobody may learn a stored password from verdicts."""

    @staticmethod
    def verdict(stored: str, guess: str) -> object:
        view = ObjectsView([frr(router(64512, neighbor(password=stored)), name="stored")])
        index = frr_index(inventory_of(view))
        return merged([*index.on_node({}), frr_part(frr(router(64512, neighbor(password=guess)), name="guess"))])

    def test_no_guess_is_answered(self) -> None:
        """The right guess and wrong ones cause the same verdict; only whether there is a password shows."""
        answers = [self.verdict("hunter2", guess) for guess in ("hunter2", "hunter3", "x", "(present)")]
        assert [isinstance(answer, Fault) for answer in answers] == [False] * 4
        assert answers[1:] == answers[:-1]
        missing = self.verdict("hunter2", "")
        assert isinstance(missing, Fault)
        assert missing.text == "multiple passwords specified for 192.0.2.1"

    def test_a_verdict_does_not_change_with_the_stored_value(self) -> None:
        one, other = (self.verdict(stored, "guess") for stored in ("hunter2", "guess"))
        assert one == other
        assert "hunter2" not in repr(one)

    def test_own_values_are_compared(self) -> None:
        conflict = fault(frr(router(64512, neighbor(password="x"), neighbor(password="y"))))
        assert conflict.text == "multiple passwords specified for 192.0.2.1"
