"""One request judged by us and by the API server's own code."""

import itertools
from collections.abc import Mapping
from typing import Any

from ovnguard.validators.crd.compiled_crd import CompiledCRD
from tests.support.differential.compare import differences, left_to_others, ours
from tests.support.differential.peer import Peer

TRIES = 300


def request_differences(
    peer: Peer, crd: CompiledCRD, name: str, request: Mapping[str, Any], tries: int = TRIES
) -> list[str] | None:
    """What differs for one request; None for one that the peer cannot judge: storage never held such an old object.

    Go goes through maps in an order of its own, so where several entries fail it does not always say the same: then
    one of its answers has to be ours.
    """
    if left_to_others(request):
        return None
    ignoring = request.get("fieldValidation") == "Ignore"
    found: list[str] = []
    for attempt in itertools.count():
        try:
            answer = peer.ask(crdRef=name, version=crd.version, **request)
        except RuntimeError:
            return None
        now = differences(ours(crd, request), answer, ignoring=ignoring)
        found = found or now
        if not now or attempt == tries:
            return [] if not now else found
    return found
