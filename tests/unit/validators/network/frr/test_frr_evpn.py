"""EVPN of routers: what is read, and the merge of two."""

from typing import Any

import pytest

from ovnguard.validators.network.frr.frr_evpn import evpn_of, merged_evpn
from ovnguard.validators.network.frr.frr_model import Evpn, Vni
from ovnguard.validators.network.frr.frr_values import FrrError


def read(**evpn: Any) -> Evpn:
    found = evpn_of("routers[0]", {"evpn": evpn})
    assert found is not None
    return found


@pytest.mark.parametrize("router", [{}, {"evpn": None}, {"evpn": "All"}])
def test_a_router_without_evpn(router: dict[str, Any]) -> None:
    assert evpn_of("routers[0]", router) is None


def test_everything() -> None:
    found = read(
        advertiseVNIs="All",
        advertiseSVI=True,
        l2vnis=[{"vni": 20}, {"vni": 10, "rd": "1:10", "importRTs": ["*:1"], "exportRTs": ["10.0.0.1:2"]}],
        l3vni={"vni": 30, "advertisePrefixes": ["unicast", "other"]},
    )
    layer2 = (Vni(10, "1:10", frozenset({"*:1"}), frozenset({"10.0.0.1:2"})), Vni(20))
    assert found == Evpn(True, True, layer2, Vni(30), frozenset({"unicast"}))


def test_values_of_a_wrong_type_are_absent() -> None:
    found = read(advertiseVNIs=True, advertiseSVI="yes", l2vnis=[1, {"vni": "x"}], l3vni=[])
    assert found == Evpn(layer2=(Vni(0),))


@pytest.mark.parametrize(
    ("vni", "field"),
    [
        ({"rd": "65000"}, "rd"),
        ({"importRTs": ["1:1", "1:1 2"]}, "importRTs"),
        ({"exportRTs": ["a:1"]}, "exportRTs"),
    ],
)
def test_an_invalid_target_is_refused(vni: dict[str, Any], field: str) -> None:
    for evpn, where in (({"l2vnis": [vni]}, "l2vnis[0]"), ({"l3vni": vni}, "l3vni")):
        with pytest.raises(FrrError, match=r" is not an administrator and a number, such as 65000:100$") as raised:
            read(**evpn)
        assert raised.value.field == f"routers[0].evpn.{where}.{field}"


def test_a_vni_twice_in_one_router() -> None:
    assert read(l2vnis=[{"vni": 1}, {"vni": 1, "rd": "1:1"}]).layer2 == (Vni(1, "1:1"),)
    with pytest.raises(FrrError) as raised:
        read(l2vnis=[{"vni": 1, "rd": "1:1"}, {"vni": 1, "rd": "1:2"}])
    assert raised.value.text == "could not merge l2vni 1, err: different RD values (1:1 != 1:2)"


def test_the_merge_adds_up() -> None:
    one = read(
        l2vnis=[{"vni": 2, "importRTs": ["1:1"]}], l3vni={"vni": 3, "rd": "1:3", "advertisePrefixes": ["unicast"]}
    )
    other = read(l2vnis=[{"vni": 1}, {"vni": 2, "importRTs": ["1:2"], "rd": "1:9"}], l3vni={"vni": 3})
    there, back = merged_evpn("f", "red", one, other), merged_evpn("f", "red", other, one)
    layer2 = (Vni(1), Vni(2, "1:9", frozenset({"1:1", "1:2"})))
    assert there == back == Evpn(False, False, layer2, Vni(3, "1:3"), frozenset({"unicast"}))
    assert merged_evpn("f", "", None, one) == merged_evpn("f", "", one, None) == one
    assert merged_evpn("f", "", None, None) is None


def test_a_contradiction_is_at_the_later_router() -> None:
    with pytest.raises(FrrError) as raised:
        merged_evpn("routers[7]", "red", read(l3vni={"vni": 1}), read(l3vni={"vni": 2}))
    text = 'could not merge EVPN configuration for vrf "red", err: different l3vni numbers (1 != 2)'
    assert (raised.value.field, raised.value.text) == ("routers[7].evpn", text)
