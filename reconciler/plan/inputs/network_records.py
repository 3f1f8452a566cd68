"""The values that a network's object must record before the network is planned.

Recorded annotations are the source of truth: every process that plans later, in any zone, reads the numbers from them.
A network is therefore planned only from what its object records, never from unrecorded allocations.
"""

import json

from ovnguard.reconciler.plan.inputs.candidates import Candidate
from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.model import DEFAULT_NETWORK, NETWORK_ID_ANNOTATION, TUNNEL_KEYS_ANNOTATION


def missing_record(candidate: Candidate, ids: NetworkIds) -> JsonObject:
    """Return the merge patch that records the missing values; empty when none is missing.

    The values are the selected transit subnet, the network id, and the tunnel keys of a primary Layer2 network. The
    default network has fixed numbers and records nothing.
    """
    network = candidate.network
    if network is None or network.name == DEFAULT_NETWORK:
        return {}
    needs_keys = not network.tunnel_keys and network.needs_transit_subnet
    if candidate.mutated is candidate.object and network.network_id is not None and not needs_keys:
        # nearly every network of a cluster
        return {}
    patch: JsonObject = {}
    before, after = candidate.object, candidate.mutated
    if before.get("spec") != after.get("spec"):
        patch["spec"] = {"config": after["spec"]["config"]}
    annotations: dict[str, str] = {}
    # the same object has the same annotations
    if before is not after:
        old = before["metadata"].get("annotations") or {}
        new = after["metadata"].get("annotations") or {}
        annotations = {key: value for key, value in new.items() if old.get(key) != value}
    if network.network_id is None:
        annotations[NETWORK_ID_ANNOTATION] = str(ids.network_id)
    if needs_keys and ids.router_key is not None:
        annotations[TUNNEL_KEYS_ANNOTATION] = json.dumps([ids.switch_key, ids.router_key], separators=(",", ":"))
    if annotations:
        patch["metadata"] = {"annotations": annotations}
    return patch
