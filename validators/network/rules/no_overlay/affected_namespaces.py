"""The namespaces where features have no effect because the network has no overlay: EgressIP, EgressService, multicast.

Source: OKEP-5259 and the OpenShift enhancement no-overlay-mode, 'Test Plan'.
"""

from collections.abc import Callable, Iterator, Sequence

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.network_namespaces import namespace_of
from ovnguard.validators.network.cluster.no_overlay import served_namespaces, serving
from ovnguard.validators.network.cluster_view import NAMESPACE
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.rules.base import RuleContext
from ovnguard.validators.network.selectors import matches

_SHOWN = 3


def selected_by_egress_ip(egress_ip: JsonObject, namespace: JsonObject) -> bool:
    """Whether an EgressIP selects pods of a namespace."""
    return matches(dig(egress_ip, "spec", "namespaceSelector"), namespace_of(namespace).labels)


def is_in(obj: JsonObject, namespace: JsonObject) -> bool:
    """Whether ``obj`` is in a namespace."""
    return ref_of(obj).namespace == ref_of(namespace).name


def idle_for(
    ctx: RuleContext, objects: Sequence[JsonObject], about: Callable[[JsonObject, JsonObject], bool]
) -> Iterator[tuple[str, str]]:
    """Iterate over (object, namespace) for ``objects`` that apply to a namespace of the judged network."""
    spaces = list(served_namespaces(ctx.object, ctx.inventory))
    for obj in sorted(objects, key=lambda each: (ref_of(each).namespace, ref_of(each).name)):
        space = next((space for space in spaces if about(obj, space)), None)
        if space is not None:
            yield ref_of(obj).name, ref_of(space).name


def in_no_overlay(ctx: RuleContext, about: Callable[[JsonObject, JsonObject], bool]) -> Iterator[tuple[str, str]]:
    """Iterate over (namespace, network) for the known namespaces that the object applies to and whose network has no
    overlay.
    """
    spaces = [space for space in ctx.inventory.objects(NAMESPACE) or () if about(ctx.object, space)]
    for space in sorted(spaces, key=lambda each: ref_of(each).name):
        network = serving(ctx.inventory, namespace_of(space).labels)
        if network:
            yield ref_of(space).name, network


def first_of(texts: Sequence[str]) -> str:
    """Return the first few of ``texts`` and the number of the others."""
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return ", ".join(texts[:_SHOWN]) + more
