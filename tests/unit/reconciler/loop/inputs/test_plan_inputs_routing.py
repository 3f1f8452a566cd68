"""When a zone reads again what makes routes."""

from collections.abc import Sequence

from ovnguard.reconciler.loop.inputs.plan_inputs import PlanInputReader, passwords_in
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import (
    CUDN,
    EGRESS_IP,
    FRR_CONFIGURATION,
    NAD,
    NAMESPACE,
    OPERATOR_NETWORK,
    POD,
    ROUTE_ADVERTISEMENTS,
    SECRET,
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


def test_passwords_are_known_by_name_as_soon_as_somebody_reads_them() -> None:
    view, reader = Live(), PlanInputReader()
    first = reader.read(view).routing
    assert first.secrets is None
    one = {"metadata": {"name": "peer", "namespace": "frr"}, "data": {"password": "b25l"}}
    view.known[SECRET] = (one,)
    known = reader.read(view).routing
    assert (known.secrets, known.configurations) == ({"peer": one}, first.configurations)
    assert "b25l" not in repr(known)
    view.known[FRR_CONFIGURATION] = (SOURCE,)
    assert reader.read(view).routing.secrets == {"peer": one}
    del view.known[SECRET]
    assert reader.read(view).routing.secrets == {"peer": one}
    view.known[SECRET] = ()
    assert reader.read(view).routing.secrets == {}


def test_only_the_passwords_of_one_namespace_are_watched() -> None:
    resource, part = passwords_in("frr")
    assert part.path(resource) == "/api/v1/namespaces/frr/secrets"
    assert part.query == {"fieldSelector": "type=kubernetes.io/basic-auth"}
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "kubernetes.io/basic-auth",
        "metadata": {"name": "peer", "namespace": "frr", "annotations": {"a": "b"}},
        "data": {"username": "bWU=", "password": "b25l"},
    }
    assert part.trim(secret) == {
        **secret,
        "metadata": {"name": "peer", "namespace": "frr"},
        "data": {"password": "b25l"},
    }
