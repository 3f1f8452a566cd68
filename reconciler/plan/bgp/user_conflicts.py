"""FRRConfigurations of users that contradict the managed fabric on a node.

frr-k8s merges all FRRConfigurations of a node and rejects them together: a contradiction in one object takes the routes
of every network away from the node, with its next change at the latest.

Source: frr-k8s, ``internal/controller/merge.go``; OpenShift enhancement "no-overlay mode".
"""

from collections.abc import Iterable, Iterator, Sequence

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.frr.frr_merge import merged
from ovnguard.validators.network.frr.frr_model import Fault
from ovnguard.validators.network.frr.frr_parse import frr_part
from ovnguard.validators.network.frr.frr_secrets import without_secrets
from ovnguard.validators.network.selectors import matches


def user_conflicts(base: JsonObject, others: Iterable[JsonObject], nodes: Sequence[Node]) -> Iterator[str]:
    """Yield one text for each of ``others`` that frr-k8s cannot merge with ``base`` on some of ``nodes``.

    ``base`` is the managed FRRConfiguration, which selects all nodes; ``others`` are FRRConfigurations of users.
    """
    ours = frr_part(base)
    for other in others:
        theirs = frr_part(without_secrets(other))
        selected = [node.name for node in nodes if matches(theirs.node_selector, node.labels)]
        fault = merged([ours, theirs]) if selected else None
        if not isinstance(fault, Fault):
            continue
        alone = isinstance(merged([theirs]), Fault)
        with_ours = "" if alone else f" together with {ours.origin}"
        yield (
            f"FRRConfiguration {theirs.origin}: {fault.text}{with_ours}; frr-k8s rejects the configuration of "
            f"{len(selected)} node{'' if len(selected) == 1 else 's'}, e.g. {selected[0]}"
        )
