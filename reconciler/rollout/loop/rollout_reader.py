"""Reads what a pass decides about from the API servers, not from a cache: it sees the writes of the pass before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from ovnguard.reconciler.rollout.loop.rollout_resources import DAEMON_SETS, DEPLOYMENTS, ROUTES, STATEFUL_SETS
from ovnguard.reconciler.rollout.plan.model import Flavour, Observed, Problem
from ovnguard.reconciler.rollout.plan.observation import Objects, observe
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.resources import CONFIG_MAPS, OPERATOR_NETWORKS, Resource
from ovnguard.validators.network.cluster.cluster_facts import operator_facts
from ovnguard.validators.network.declared.parse_operator import operator_network
from ovnguard.validators.network.ovnkube_settings.interconnect import NAME, NAMESPACE
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import CONTROL_PLANE, MASTER, NODE, PREPULLER
from ovnguard.validators.network.parse_values import MAX_ITEMS, dig, text_of
from ovnguard.validators.network.selectors import labels_of

_ROUTE: Final = "ovnkube-sbdb"
_MASTER_ROLE: Final = "node-role.kubernetes.io/master"
_CONTROL_PLANE_ROLE: Final = "node-role.kubernetes.io/control-plane"
_MAX_MASTERS: Final = 9
_HOSTED_MASTERS: Final = 3
_OPERATOR_NETWORK: Final = "cluster"
_NO_MASTERS: Final = Problem("Nodes", f"none with the role {_MASTER_ROLE} has an InternalIP")
_IPSEC_BEFORE: Final = "ovn-ipsec"


@dataclass(frozen=True, slots=True)
class RolloutTarget:
    """What the cluster shall run.

    ``hosted`` is the namespace of its control plane in the management cluster, empty for a cluster with its own. With
    ``node_port``, nodes reach the southbound database there, otherwise through the route.
    """

    release: str
    hosted: str = ""
    node_port: int | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What one pass found. ``workloads`` are the objects by kind and name."""

    seen: Observed
    workloads: Mapping[str, JsonObject]
    config_map: JsonObject | None


class Source(Protocol):
    """The objects of a cluster."""

    def get(self, resource: Resource, namespace: str, name: str) -> JsonObject | None:
        """Return the object, None when there is none or its kind is not served. Raises ClusterError."""


class RolloutReader:
    """Reads the objects of an upgrade to ``target``."""

    def __init__(self, guest: Source, control: Source, target: RolloutTarget) -> None:
        self._guest, self._control, self._target = guest, control, target

    def read(self, nodes: Sequence[JsonObject]) -> Reading:
        """Return what there is now. ``nodes`` are those of the cluster. Raises ClusterError."""
        target, guest = self._target, self._guest
        central = target.hosted or NAMESPACE
        masters = STATEFUL_SETS if target.hosted else DAEMON_SETS
        # first what asks for a phase, then what is in it: a phase that begins meanwhile is seen by the next pass
        config_map = guest.get(CONFIG_MAPS, NAMESPACE, NAME)
        node, prepuller = (guest.get(DAEMON_SETS, NAMESPACE, name) for name in (NODE, PREPULLER))
        master = self._control.get(masters, central, MASTER)
        control_plane = self._control.get(DEPLOYMENTS, central, CONTROL_PLANE)
        route = self._control.get(ROUTES, central, _ROUTE) if target.hosted else None
        operator = guest.get(OPERATOR_NETWORKS, "", _OPERATOR_NETWORK)
        places = _hosted_masters(master, central) if target.hosted else master_addresses(nodes)
        objects = Objects(
            release=target.release,
            flavour=Flavour.MANAGED if target.hosted else Flavour.SELF_HOSTED,
            central_namespace=central,
            node=node,
            master=master,
            control_plane=control_plane,
            prepuller=prepuller,
            config_map=config_map,
            route=route,
            route_rendered=target.node_port is None,
            ipsec_legacy=guest.get(DAEMON_SETS, NAMESPACE, _IPSEC_BEFORE),
            ipsec_enabled=operator is not None and operator_facts(operator).ipsec_full,
            master_addresses=len(places),
            ip_family_mode="" if operator is None else _families(operator),
            unreadable=() if places else (_NO_MASTERS,),
        )
        found = {
            f"{each['kind']} {each['metadata']['name']}": each
            for each in (node, prepuller, master, control_plane)
            if each
        }
        return Reading(observe(objects), found, config_map)


def master_addresses(nodes: Sequence[JsonObject]) -> tuple[str, ...]:
    """Return the internal addresses of the nodes with the role of a master, in order of their names."""
    masters = [each for each in nodes if not {_MASTER_ROLE, _CONTROL_PLANE_ROLE}.isdisjoint(labels_of(each))]
    found = (
        _internal_address(each) for each in sorted(masters, key=lambda each: text_of(dig(each, "metadata", "name")))
    )
    return tuple(filter(None, found))[:_MAX_MASTERS]


def _internal_address(node: JsonObject) -> str:
    listed = dig(node, "status", "addresses")
    entries = listed[:MAX_ITEMS] if isinstance(listed, list) else ()
    return next((text_of(dig(each, "address")) for each in entries if dig(each, "type") == "InternalIP"), "")


def _hosted_masters(master: JsonObject | None, namespace: str) -> tuple[str, ...]:
    """The names that a StatefulSet gives its pods."""
    replicas = dig(master, "spec", "replicas")
    count = replicas if isinstance(replicas, int) and 0 < replicas <= _MAX_MASTERS else _HOSTED_MASTERS
    return tuple(f"{MASTER}-{index}.{MASTER}-internal.{namespace}.svc.cluster.local" for index in range(count))


def _families(operator: JsonObject) -> str:
    network = operator_network(operator).network
    versions = set() if network is None else {subnet.cidr.version for subnet in network.subnets}
    return {1: "single-stack", 2: "dual-stack"}.get(len(versions), "")
