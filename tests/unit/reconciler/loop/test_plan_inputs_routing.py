"""When a zone reads again what makes routes."""

from collections.abc import Sequence

from reconciler.loop.plan_inputs import PlanInputReader
from validators.base.json_types import JsonObject
from validators.network.cluster_view import (
    CUDN,
    EGRESS_IP,
    FRR_CONFIGURATION,
    NAD,
    NAMESPACE,
    OPERATOR_NETWORK,
    POD,
    ROUTE_ADVERTISEMENTS,
    UDN,
    GroupKind,
)

KINDS = (ROUTE_ADVERTISEMENTS, FRR_CONFIGURATION, EGRESS_IP, NAMESPACE, OPERATOR_NETWORK, CUDN, UDN, NAD, POD)
SOURCE = {"apiVersion": "frrk8s.metallb.io/v1beta1", "kind": "FRRConfiguration", "metadata": {"name": "peers"}}


class Live:
    """A view that changes."""

    def __init__(self) -> None:
        self.known: dict[GroupKind, tuple[JsonObject, ...]] = dict.fromkeys(KINDS, ())

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        return self.known.get(kind)


def test_routing_is_read_again_only_when_what_makes_routes_changes() -> None:
    view, reader = Live(), PlanInputReader()
    view.known[FRR_CONFIGURATION] = (SOURCE,)
    first = reader.read(view).routing
    assert first.configurations == (SOURCE,)
    view.known[POD] = ({"metadata": {"name": "one"}},)
    assert reader.read(view).routing is first
    del view.known[FRR_CONFIGURATION]
    assert reader.read(view).routing is first
    view.known[FRR_CONFIGURATION] = ()
    assert reader.read(view).routing.configurations == ()
