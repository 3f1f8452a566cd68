"""Named host plans, for golden files and for tests that load them into the real nft."""

from collections.abc import Mapping
from functools import cache
from ipaddress import ip_network
from typing import Final

from ovnguard.reconciler.plan.host.host_plan import Abilities, HostPlan
from ovnguard.reconciler.plan.host.host_planner import HostInputs, host_plan
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network, NoOverlay, Routing, Transport
from tests.support.plan_samples import DUAL_DEFAULT, LAYER3_DUAL, default_network, layer3, nodes, sharing, udn

SERVICES: Final = (ip_network("10.96.0.0/16"), ip_network("fd00:10:96::/112"))
ROUTED: Final = NoOverlay(True, Routing.MANAGED)
L3: Final = layer3("cluster_udn_blue", *LAYER3_DUAL)
ROUTED_L3: Final = L3._replace(transport=Transport.NO_OVERLAY, no_overlay=ROUTED)
L2: Final = udn("test12_net", "203.203.0.0/16", "2010:100:200::/60", network_id=6)
DUAL: Final = DUAL_DEFAULT._replace(service_subnets=SERVICES)


def routed(*, snat: bool, dual: bool = False) -> Network:
    """A default network without overlay."""
    base = DUAL if dual else default_network(service_subnets=SERVICES[:1])
    return base._replace(no_overlay=NoOverlay(snat, Routing.MANAGED))


def overlay() -> Network:
    """A default network over tunnels, of both families."""
    return DUAL._replace(transport=Transport.GENEVE, no_overlay=None)


def members(mode: str = "shared", *, v6: bool = True) -> tuple[Node, ...]:
    """Three nodes with subnets of all networks here."""
    return sharing(nodes(3, mode=mode, v6=v6), L3)


def inputs(nodes_: tuple[Node, ...], *networks: Network) -> HostInputs:
    """What host parts of these networks are made of."""
    plan = make_plan(networks, nodes_, Settings())
    assert plan.errors == ()
    return HostInputs(networks, nodes_, plan.ids, Settings())


@cache
def plans() -> Mapping[str, HostPlan]:
    """Every sample by its name: the host part of the first node."""
    v4 = members("local", v6=False)
    made = {
        "default-overlay-shared": (members(), [overlay()], True),
        "default-overlay-local": (members("local"), [overlay()], True),
        "default-routed-snat-local": (members("local"), [routed(snat=True, dual=True)], True),
        "default-routed-plain-local": (members("local"), [routed(snat=False, dual=True)], True),
        "default-routed-ipv4-local": (v4, [routed(snat=True)], True),
        "default-routed-shared": (members(), [routed(snat=True, dual=True)], True),
        "layer2-shared": (members(), [overlay(), L2], True),
        "layer2-local-without-vrf": (members("local"), [overlay(), L2], False),
        "layer3-local": (members("local"), [overlay(), L3], True),
        "layer3-routed-local": (members("local"), [overlay(), ROUTED_L3], True),
        "layer3-routed-local-without-vrf": (members("local"), [overlay(), ROUTED_L3], False),
        "layer3-routed-shared": (members(), [overlay(), ROUTED_L3], True),
    }
    return {
        name: host_plan("node1", inputs(nodes_, *networks), Abilities(vrf=vrf))
        for name, (nodes_, networks, vrf) in made.items()
    }
