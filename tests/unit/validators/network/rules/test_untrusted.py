"""Rules about upgrades, names and dynamic allocation read objects of which no schema says what may stand in them."""

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.validators.network.cluster.cluster_facts import cluster_facts
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import GroupKind, ObjectsView
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.rules import RuleContext, applies_to, rules_for
from tests.support.rule_case_files import Case, cases
from tests.support.soak import examples

AREAS = ("OVNG-DYN-", "OVNG-IC-", "OVNG-DNS-")
CASES = [case for case in cases() if case.rule.startswith(AREAS)]
KINDS = frozenset({"apiVersion", "kind"})
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.sampled_from(["::/0", "$(x)", "--udn-deletion-grace-period", "[ovnkubernetesfeature]\n=\nx", "4.14.0-0."]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["name", "type", "status", "cidr", "args"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def _worlds(case: Case) -> dict[str, Any]:
    request = case.request
    return {"object": request.object, "old": request.old, "view": case.source.get("view", [])}


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    mine = [path] if len(path) > (2 if path[:1] == ("view",) else 1) and path[-1] not in KINDS else []
    return [*mine, *(place for key, inner in steps for place in _places(inner, (*path, key)))]


PLACES = [(index, place) for index, case in enumerate(CASES) for place in _places(_worlds(case))]


def _with(value: Any, place: tuple[Any, ...], junk: Any) -> Any:
    changed = copy.deepcopy(value)
    inner = changed
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = junk
    return changed


def _run(kind: GroupKind, world: dict[str, Any], source: dict[str, Any]) -> list[str]:
    """What every rule about the kind says when it is asked, and asked about what was before."""
    view = ObjectsView(world["view"])
    obj = world["old"] if world["object"] is None else world["object"]
    operation = "DELETE" if world["object"] is None else "CREATE" if world["old"] is None else "UPDATE"
    facts, inventory = cluster_facts(view), inventory_of(view)
    subresource, user = source.get("subresource", ""), source.get("user", "")
    context = RuleContext(operation, obj, world["old"], None, None, facts, inventory, subresource, user)
    texts = []
    for rule in rules_for(kind):
        for each in filter(None, (context, context.before)):
            if rule.id.startswith(AREAS) and applies_to(rule, each):
                known = all(need.known(each) for need in rule.needs)
                texts += [error.text for error in rule.check(each)] if known else [rule.id]
    return texts


@settings(max_examples=examples(60))
@given(st.sampled_from(PLACES), JUNK)
def test_any_value_may_be_anywhere(where: tuple[int, tuple[Any, ...]], junk: Any) -> None:
    case, place = CASES[where[0]], where[1]
    world = _worlds(case)
    kind = group_kind_of(world["old"] if world["object"] is None else world["object"])
    assert all(_run(kind, _with(world, place, junk), case.source))


def test_the_worlds_are_those_of_all_three_areas() -> None:
    assert {case.rule[: case.rule.rindex("-") + 1] for case in CASES} == set(AREAS)
    assert len(PLACES) > 5000
