"""Whether anything applies FRRConfigurations on the nodes: frr-k8s, or each zone's own process (`run --frr-conf`)."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Final

from ovnguard.reconciler.apply.kube_report import KEY, node_of_report
from ovnguard.reconciler.loop.fabric.fabric_status import FOREIGN, NO_FRR_K8S, NOT_SERVED, NOT_WRITTEN
from ovnguard.reconciler.loop.fabric.wanted_objects import WantedObjects
from ovnguard.reconciler.loop.status.network_status import StatusReason
from ovnguard.reconciler.loop.status.zone_report import applies_frr
from ovnguard.reconciler.plan.bgp.routing_objects import FRR_NAMESPACES
from ovnguard.reconciler.plan.bgp.transport import NORMAL, TRANSPORT_ACCEPTED, default_fault
from ovnguard.reconciler.plan.rows.routing_model import Condition
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import CONFIG_MAP, FRR_CONFIGURATION, NAMESPACE, ClusterView
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.declared.parse_udn import CUDN_PREFIX
from ovnguard.validators.network.list_text import counted
from ovnguard.validators.network.model import DEFAULT_NETWORK, Transport

_UNWRITTEN: Final = frozenset((NO_FRR_K8S, NOT_SERVED, FOREIGN, NOT_WRITTEN))
"""Reasons of networks whose objects are not all written."""


def nodes_with_frr(view: ClusterView) -> frozenset[str]:
    """Return the nodes whose zones report that they apply FRR's configuration themselves."""
    reports = ((node_of_report(obj), (obj.get("data") or {}).get(KEY)) for obj in view.objects(CONFIG_MAP) or ())
    return frozenset(node for node, text in reports if node is not None and applies_frr(text))


def can_be_written(document: JsonObject, view: ClusterView) -> bool:
    """Return whether the API server has a place for a document: it serves the kind, and the namespace exists.

    While no Namespace is listed, every one may exist.
    """
    kind = group_kind_of(document)
    known = {str(obj["metadata"]["name"]) for obj in view.objects(NAMESPACE) or ()}
    place = document["metadata"].get("namespace")
    return view.objects(kind) is not None and (place is None or not known or place in known)


def without_frr_k8s(wanted: WantedObjects, view: ClusterView, nodes: Collection[str], own: Collection[str]) -> str:
    """Return why networks without an overlay have no routes on some of ``nodes``, "" when they may have.

    frr-k8s runs where its kind is served and its namespace exists; nodes in ``own`` do without it.
    """
    bare = sorted(set(nodes) - set(own))
    placed = [each.document for each in wanted.objects if group_kind_of(each.document) == FRR_CONFIGURATION]
    if not bare:
        return ""
    if view.objects(FRR_CONFIGURATION) is None:
        why = "the API server serves no FRRConfiguration of frrk8s.metallb.io/v1beta1"
    elif missing := sorted({str(each["metadata"]["namespace"]) for each in placed if not can_be_written(each, view)}):
        why = f"there is no namespace {' or '.join(FRR_NAMESPACES if set(missing) <= set(FRR_NAMESPACES) else missing)}"
    else:
        return ""
    where = "every node" if len(bare) == len(nodes) else f"{counted(len(bare), 'node')}, e.g. {bare[0]}"
    return f"{why}: install frr-k8s, or start `ovnguard-reconciler run --frr-conf FILE` on {where}"


def routed_networks(wanted: WantedObjects) -> Iterable[str]:
    """Return the networks that have no pod traffic without routes."""
    return (each.name for each in wanted.networks if each.transport is Transport.NO_OVERLAY)


def without_claims(wanted: WantedObjects, problems: Mapping[str, StatusReason]) -> WantedObjects:
    """Return ``wanted`` without claims that networks have routes whose objects are not all written.

    ``problems`` are by network.
    """
    missing = {network: each for network, each in problems.items() if each.reason in _UNWRITTEN}
    transports = dict(wanted.routing.transports)
    for name, condition in wanted.routing.transports.items():
        problem = missing.get(f"{CUDN_PREFIX}{name}")
        if problem is not None and condition.status:
            transports[name] = Condition(TRANSPORT_ACCEPTED, False, problem.reason, problem.message)
    state, fault = wanted.routing.default_state, missing.get(DEFAULT_NETWORK)
    if fault is not None and state is not None and state.type == NORMAL:
        state = default_fault(fault.message)
    return replace(wanted, routing=replace(wanted.routing, transports=transports, default_state=state))
