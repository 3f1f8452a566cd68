"""The numbers in the report of a zone, for people: as old as the report, and absent in reports of earlier releases."""

from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.loop.status.zone_state import PassResult
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.parse_values import dig

AUDIT: Final = "audit"
"""The mode of a zone that writes nothing."""
_KEYS: Final = {
    "rows": "rows",
    "drift": "drift",
    "heldNetworks": "held_networks",
    "heldRows": "held_rows",
    "bgpSessions": "sessions",
    "bgpEstablished": "established",
}
# No zone counts as far.
_MOST: Final = 10**9


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of a zone, None where nobody counts: ``rows`` of its plan, ``drift`` in an audit, deletions that a writer
    holds back, and BGP sessions where the zone applies FRR's configuration.
    """

    rows: int | None = None
    drift: int | None = None
    held_networks: int | None = None
    held_rows: int | None = None
    sessions: int | None = None
    established: int | None = None


def counts_of(desired: DesiredState, node: str, mode: str, result: PassResult) -> Counts:
    """Return the numbers of the zone of ``node`` after a pass."""
    zone = next((zone for zone in desired.plan.zones if zone.node == node), None)
    rows = None if zone is None else len(zone.rows)
    established, sessions = (None, None) if result.bgp is None else result.bgp.sessions or (None, None)
    if mode == AUDIT:
        return Counts(rows, sum(map(len, result.drift.values())), sessions=sessions, established=established)
    held = result.done.held_deletions
    networks, others = (0, 0) if held is None else (len(held.networks), held.rows)
    return Counts(rows, None, networks, others, sessions, established)


def counts_to_json(counts: Counts) -> JsonObject:
    """Return the numbers as a report has them."""
    return {key: getattr(counts, name) for key, name in _KEYS.items()}


def counts_in(document: object) -> Counts:
    """Return the numbers in a report; what is not a number is unknown."""
    found = {name: dig(document, "counts", key) for key, name in _KEYS.items()}
    return Counts(**{name: each for name, each in found.items() if isinstance(each, int) and 0 <= each < _MOST})
