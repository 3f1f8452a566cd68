"""How far ids and tunnel keys reach; the page about limits says the same."""

from bisect import bisect_right
from pathlib import Path

import pytest

from ovnguard.validators.network.addresses.network_keys import (
    DYNAMIC_KEYS,
    USER_NETWORK_IDS,
    Demand,
    demand,
    keys_fault,
    recorded_id,
    recorded_keys,
)
from ovnguard.validators.network.declared.network_of import network_of
from ovnguard.validators.network.model import Network
from tests.support.manifests.network_objects import layer2, layer3, operator

PAGE = Path(__file__).resolve().parents[5] / "docs" / "limits.md"
SHOWN = (0, 1000, 20000, 57342, 61437)


def network(keys: tuple[int, ...] = (), number: int | None = None, *, primary_layer2: bool = True) -> Network:
    found = network_of(layer2("10.41.0.0/16") if primary_layer2 else layer3("10.40.0.0/16")).network
    assert found is not None
    return found._replace(tunnel_keys=keys, network_id=number)


def networks_by_keys(interconnects: int, *, transit_router: bool) -> int:
    """The networks with equal demand that the keys suffice for: every interconnect takes a dynamic key."""

    def taken(networks: int) -> int:
        ids = min(networks, USER_NETWORK_IDS)
        beyond = demand(transit_router=transit_router, network_id=USER_NETWORK_IDS + 1).dynamic * (networks - ids)
        return demand(transit_router=transit_router).dynamic * ids + beyond + interconnects

    return bisect_right(range(2**16), DYNAMIC_KEYS, key=taken) - 1


def test_what_a_network_takes() -> None:
    assert (USER_NETWORK_IDS, DYNAMIC_KEYS) == (4095, 61437)
    assert demand(transit_router=True) == demand(transit_router=True, network_id=4095) == Demand(1, 1)
    assert demand(transit_router=True, network_id=4096) == Demand(0, 2)
    assert demand(transit_router=False) == Demand(1, 0)
    assert demand(transit_router=False, network_id=4096) == Demand(0, 1)


def test_networks_by_keys() -> None:
    # "65K Layer3 UDNs or 32K Layer2 UDNs"
    assert networks_by_keys(0, transit_router=False) == 65532
    assert networks_by_keys(0, transit_router=True) == 32766
    # all 4095 Layer2 networks of today leave this many keys to interconnects
    assert networks_by_keys(57342, transit_router=True) == 4095
    assert networks_by_keys(57343, transit_router=True) == 4094


def test_there_are_no_negative_numbers() -> None:
    with pytest.raises(ValueError, match="network id -1 is negative"):
        demand(transit_router=False, network_id=-1)


@pytest.mark.parametrize(
    ("found", "number", "keys"),
    [
        (network(), None, ()),
        (network(number=7), 7, (16711690,)),
        (network((16711690, 16715780)), 7, (16711690, 16715780)),
        (network((16711691, 16715780), 7), 7, (16711691, 16715780)),
        (network((16711690, 16715780), primary_layer2=False), 7, (16711690,)),
        # neither the default network's key nor a dynamic one tells an id
        (network((16711683, 16715780)), None, (16711683, 16715780)),
        (network((16715779, 16715780)), None, (16715779, 16715780)),
    ],
)
def test_what_is_recorded(found: Network, number: int | None, keys: tuple[int, ...]) -> None:
    assert recorded_id(found) == number
    assert recorded_keys(found) == keys


def test_the_default_network_has_id_0() -> None:
    found = network_of(operator({})).network
    assert found is not None
    assert recorded_id(found) == 0
    assert recorded_keys(found) == (16711683,)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ((), None),
        ((16711690, 16715780), None),
        (
            (16711690,),
            "layer2 network cluster_udn_blue with transit router enabled requires exactly 2 tunnel keys, "
            "got: [16711690]",
        ),
        ((16711690, 16711690), "tunnel key 16711690 is recorded for both the switch and the transit router"),
        ((16711682, 16715780), "tunnel key 16711682 is not one of 16711683 to 16777215"),
        ((16711690, 16777216), "tunnel key 16777216 is not one of 16711683 to 16777215"),
    ],
)
def test_recorded_keys_alone(keys: tuple[int, ...], expected: str | None) -> None:
    assert keys_fault(network(keys)) == expected
    assert keys_fault(network(keys, primary_layer2=False)) is None


@pytest.mark.parametrize("interconnects", SHOWN)
def test_the_page_about_limits_has_these_numbers(interconnects: int) -> None:
    layer3_networks = networks_by_keys(interconnects, transit_router=False)
    layer2_networks = networks_by_keys(interconnects, transit_router=True)
    numbers = (interconnects, layer3_networks, layer2_networks, min(layer2_networks, USER_NETWORK_IDS))
    row = f"| {' | '.join(f'{number:,}' for number in numbers)} |"
    assert row in PAGE.read_text(encoding="utf-8").splitlines()
