"""Kept verdicts equal those of a judge that knows nothing of before, whatever changes, and little is judged again."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.reconciler.plan.desired_state import JudgedNetworks, judge_networks
from ovnguard.reconciler.plan.inputs.candidate_memo import CandidateMemo
from ovnguard.reconciler.plan.inputs.candidates import NETWORK_KINDS
from ovnguard.validators.network.cluster_view import CUDN, NAD, NODE, OPERATOR_NETWORK, POD
from tests.support.fake_cluster import cudn, judged
from tests.support.manifests.network_objects import JsonObject, operator
from tests.support.manifests.random_world import KINDS, Live, Maker
from tests.support.soak import limit, sized

CHANGING = (*KINDS, POD, NAD)
# a random world reads kinds that a loop does not know; both must hold
LOOP = frozenset((*NETWORK_KINDS, NODE))


def networks(view: Live, memo: CandidateMemo | None, judge=judged) -> JudgedNetworks:
    objects = [obj for kind in NETWORK_KINDS for obj in view.objects(kind) or ()]
    return judge_networks(objects, view, judge, recorded=True, memo=memo)


# one takes two seconds of a processor, and thirty where a busy machine gives a test a tenth of it
@settings(max_examples=sized(4, 1000))
@given(st.integers(0, 2**32), st.booleans())
@limit(300)
def test_kept_verdicts_equal_new_ones(seed: int, loop: bool) -> None:
    maker = Maker(seed)
    held = maker.world()
    view = Live({kind: each for kind, each in held.items() if not loop or kind in LOOP})
    memo = CandidateMemo()
    for _ in range(12):
        assert networks(view, memo) == networks(Live(view.held), None)
        for _ in range(maker.random.choice((0, 1, 1, 1, 2))):
            kind = maker.random.choice([each for each in CHANGING if not loop or each in LOOP])
            changed = maker.change(tuple(view.held.get(kind, ())), kind)
            view.held.pop(kind, None)
            if changed is not None:
                view.held[kind] = changed


class Judge:
    """Counts what it judges, by kind and name."""

    def __init__(self) -> None:
        self.asked = Counter[str]()

    def __call__(self, obj, view):
        self.asked[f"{obj['kind']} {obj['metadata']['name']}"] += 1
        return judged(obj, view)


def network(number: int, subnet: str = "10.20.0.0/16", second: int = 0, **numbers: str) -> JsonObject:
    """One that records its numbers; primary networks of different namespaces may have the same subnet."""
    keys = f"[{16711683 + number},{16715779 + number}]"
    recorded = {"ovnguard.io/network-id": str(number), "ovnguard.io/tunnel-keys": keys} | numbers
    return cudn(f"c{number}", subnet, second, **recorded, **{"ovnguard.io/transit-subnets": "100.88.0.0/16"})


class World:
    def __init__(self, count: int) -> None:
        self.view = Live({CUDN: tuple(map(network, range(1, count + 1))), OPERATOR_NETWORK: (operator({}),)})
        self.memo, self.judge = CandidateMemo(), Judge()
        self.now()

    def now(self) -> Counter[str]:
        """What was judged for a moment whose verdicts equal new ones."""
        self.judge.asked.clear()
        assert networks(self.view, self.memo, self.judge) == networks(Live(self.view.held), None)
        return self.judge.asked


@pytest.mark.parametrize("count", [4, 40])
def test_one_more_network_judges_that_one_and_the_operator_network(count: int) -> None:
    world = World(count)
    assert world.now() == {}
    world.view.held[CUDN] = (*world.view.held[CUDN], network(count + 1))
    assert world.now() == {f"ClusterUserDefinedNetwork c{count + 1}": 1, "Network cluster": 1}
    world.view.held[CUDN] = world.view.held[CUDN][:-1]
    assert world.now() == {"Network cluster": 1}


def test_a_taken_number_judges_both_networks_again() -> None:
    world = World(4)
    taken = network(5, second=1, **{"ovnguard.io/network-id": "2"})
    world.view.held[CUDN] = (*world.view.held[CUDN], taken)
    # the older one is refused, too, and stays: it is judged among older ones
    assert world.now() == {
        "ClusterUserDefinedNetwork c2": 2,
        "ClusterUserDefinedNetwork c5": 2,
        "Network cluster": 1,
    }
    # what did not change among older ones is not judged among them again
    world.view.held[CUDN] = (*world.view.held[CUDN], network(6, second=2))
    assert world.now() == {"ClusterUserDefinedNetwork c6": 1, "Network cluster": 1}


def test_another_operator_network_judges_all_again() -> None:
    world = World(4)
    world.view.held[OPERATOR_NETWORK] = (operator({"ipv4": {"internalJoinSubnet": "10.20.0.0/16"}}),)
    assert world.now().total() > 4
