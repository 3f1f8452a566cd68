"""The declared network of a request, and the fields of its object that contain names and numbers."""

from typing import Final

from ovnguard.validators.network.cluster.network_index import same_source
from ovnguard.validators.network.cluster.network_namespaces import Namespace, namespaces, primaries, selector_of
from ovnguard.validators.network.declared.parse_nad import CONFIG_FIELD, UPSTREAM_NETWORK_ID, UPSTREAM_TUNNEL_KEYS
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.declared.parse_paths import block_path
from ovnguard.validators.network.model import NETWORK_ID_ANNOTATION, TUNNEL_KEYS_ANNOTATION, Network
from ovnguard.validators.network.parse_values import annotation
from ovnguard.validators.network.request_context import RuleContext

_NAD: Final = "NetworkAttachmentDefinition"


def name_path(network: Network) -> str:
    """Return the field that determines the network's name."""
    return CONFIG_FIELD if network.source.kind == _NAD else "metadata.name"


def id_path(ctx: RuleContext) -> str:
    """Return the annotation that records the network's id."""
    return _recorded(ctx, NETWORK_ID_ANNOTATION, UPSTREAM_NETWORK_ID)


def keys_path(ctx: RuleContext) -> str:
    """Return the annotation that records the network's tunnel keys."""
    return _recorded(ctx, TUNNEL_KEYS_ANNOTATION, UPSTREAM_TUNNEL_KEYS)


def _recorded(ctx: RuleContext, ours: str, upstream: str) -> str:
    path, value = annotation(ctx.object, ours)
    return path if value is not None else annotation(ctx.object, upstream)[0]


def selects(ctx: RuleContext) -> bool:
    """Whether the network serves the namespaces that its selector selects, instead of the object's own namespace."""
    return ctx.object.get("kind") == "ClusterUserDefinedNetwork"


def reached(ctx: RuleContext) -> tuple[Namespace, ...]:
    """Return the known namespaces that the network serves, ordered by name."""
    known = namespaces(ctx.inventory)
    if selects(ctx):
        return known.selected_by(selector_of(ctx.object))
    found = known.by_name.get(ref_of(ctx.object).namespace)
    return () if found is None else (found,)


def namespace_path(ctx: RuleContext, network: Network) -> str:
    """Return the field that determines which namespaces the network serves."""
    return "spec.namespaceSelector" if selects(ctx) else block_path(network)


def other_primaries(ctx: RuleContext, namespace: str) -> tuple[Network, ...]:
    """Return primary networks of ``namespace`` that other objects declare, at most two."""
    own = ref_of(ctx.object)
    held = primaries(ctx.inventory).get(namespace, ())
    return tuple(each for each in held if not same_source(each.source, own))
