"""What a context says of its object, and which rules it is for."""

import subprocess
import sys
from typing import Any

import pytest

from ovnguard.validators.network.cluster.cluster_facts import cluster_facts
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import CUDN, NAD, OPERATOR_NETWORK, UDN, EmptyView
from ovnguard.validators.network.declared.network_of import network_of
from ovnguard.validators.network.model import Role, Routing, Topology, Transport
from ovnguard.validators.network.request_context import RuleContext, Traits
from ovnguard.validators.network.rules import applies_to, rules_for
from tests.support.manifests.network_objects import JsonObject, layer2, layer3, nad, operator, udn
from tests.support.soak import limit

VIEW = EmptyView()
OPTIONS = {"outboundSNAT": "Enabled", "routing": "Unmanaged"}
NO_OVERLAY: dict[str, Any] = {"transport": "NoOverlay", "noOverlay": OPTIONS}
DEFAULT = {"transport": "NoOverlay", "noOverlayConfig": OPTIONS}
L2, L3, GENEVE, PRIMARY = Topology.LAYER2, Topology.LAYER3, Transport.GENEVE, Role.PRIMARY


def context(obj: JsonObject, old: JsonObject | None = None) -> RuleContext:
    operation, before = ("CREATE", None) if old is None else ("UPDATE", network_of(old).network)
    return RuleContext(operation, obj, old, network_of(obj).network, before, cluster_facts(VIEW), inventory_of(VIEW))


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (layer2("10.40.0.0/16"), Traits(CUDN, "CREATE", "", GENEVE, None, L2, PRIMARY, True)),
        (
            layer3("10.40.0.0/16", **NO_OVERLAY),
            Traits(CUDN, "CREATE", "", Transport.NO_OVERLAY, Routing.UNMANAGED, L3, PRIMARY, True),
        ),
        (layer3("10.40.0.0/16", noOverlay=OPTIONS), Traits(CUDN, "CREATE", "", GENEVE, None, L3, PRIMARY, True)),
        # no subnet: no network can be read, but what the object says of its transport can
        (
            layer3("10.40.0.0/33", **NO_OVERLAY),
            Traits(CUDN, "CREATE", "", Transport.NO_OVERLAY, Routing.UNMANAGED, None, None, False),
        ),
        (
            udn(topology="Layer2", layer2={"role": "Primary"}),
            Traits(UDN, "CREATE", "", GENEVE, None, L2, PRIMARY, True),
        ),
        (
            operator(DEFAULT),
            Traits(OPERATOR_NETWORK, "CREATE", "", Transport.NO_OVERLAY, Routing.UNMANAGED, L3, PRIMARY, False),
        ),
        (nad(), Traits(NAD, "CREATE", "", GENEVE, None, L2, PRIMARY, True)),
    ],
)
def test_traits_of_a_request(obj: JsonObject, expected: Traits) -> None:
    assert context(obj).traits == expected


def test_what_was_rendered_is_no_network_of_its_own() -> None:
    own = Traits(NAD, "CREATE", "", GENEVE, None, L2, PRIMARY, True)
    new = context(nad(), nad())._replace(rendered=True)
    assert new.traits == own._replace(operation="UPDATE", own_network=False)
    assert new.before is not None
    assert new.before.traits == own
    both = new._replace(old_rendered=True).before
    assert both is not None
    assert both.traits == own._replace(own_network=False)


def test_what_was_before_is_looked_at_as_if_it_were_created() -> None:
    old, new = layer2("10.40.0.0/16"), layer3("10.40.0.0/16", **NO_OVERLAY)
    before = context(new, old).before
    assert before is not None
    assert before.traits == context(old).traits
    assert before.before is None


def test_a_rule_is_for_what_its_fields_and_its_own_question_allow() -> None:
    rules = {rule.id: rule for rule in rules_for(CUDN)}
    stored = layer3("10.40.0.0/16", **NO_OVERLAY)
    stored["metadata"]["resourceVersion"] = "7"
    created = rules["OVNG-NET-056"]
    assert applies_to(created, context(layer3("10.40.0.0/16", **NO_OVERLAY)))
    assert not applies_to(created, context(layer3("10.40.0.0/16")))
    assert not applies_to(created, context(stored))


LOADED = """
import sys
from tests.support.manifests.network_objects import layer3
from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.network.cluster_view import EmptyView

assert judge(Request(Operation.CREATE, layer3("10.40.0.0/16")), EmptyView()).allowed
print(*sorted({"no_overlay.single_node", "layer2.one_node_per_zone", "addresses.internal_subnets"} & {
    name.removeprefix("ovnguard.validators.network.rules.") for name in sys.modules
}))
"""


@limit(180)
def test_rules_that_are_not_asked_are_not_loaded() -> None:
    found = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert found.stdout == "addresses.internal_subnets\n"
