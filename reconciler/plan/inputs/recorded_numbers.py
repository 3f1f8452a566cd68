"""Numbers that OVN-Kubernetes recorded on attachments, as part of their networks.

What the network's own object records counts as well, but must not contradict. After a contradiction it is unknown
which number the zones use, so such a network is not planned, and no other network gets one of its numbers.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeVar

from ovnguard.reconciler.plan.inputs.candidates import Candidate
from ovnguard.reconciler.plan.numbers.live_allocations import LiveAllocation
from ovnguard.reconciler.plan.numbers.network_ids import IdError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.attached_numbers import AttachedNumbers, AttachmentRecord, attached_numbers
from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster.ownership import OWNER_KINDS, OwnerClaim, key_of, owner_claims
from ovnguard.validators.network.cluster_view import NAD
from ovnguard.validators.network.declared.network_of import network_of
from ovnguard.validators.network.declared.parse_nad import UPSTREAM_NETWORK_ID
from ovnguard.validators.network.model import NETWORK_ID_ANNOTATION, TRANSIT_ANNOTATION, TUNNEL_KEYS_ANNOTATION, Network
from ovnguard.validators.network.parse_values import mapping

_T = TypeVar("_T")
# The beginning of the note about selected transit subnets, which the recorded ones replace.
_SELECTED: Final = "transit subnets "
_KEYS: Final = (NETWORK_ID_ANNOTATION, TUNNEL_KEYS_ANNOTATION, TRANSIT_ANNOTATION)


@dataclass(frozen=True, slots=True)
class RecordedNumbers:
    """All candidates with the recorded numbers, and an error for each network whose records contradict each other.

    ``reserved`` are the numbers of the latter. ``is_managed``: OVN-Kubernetes' cluster manager allocates numbers, so
    rendered attachments have some that the object of their network lacks.
    """

    candidates: tuple[Candidate, ...]
    errors: tuple[IdError, ...]
    reserved: Mapping[str, LiveAllocation]
    is_managed: bool

    def missing(self, candidate: Candidate) -> IdError | None:
        """Return the error of a network whose numbers are not recorded yet, where OVN-Kubernetes records them."""
        if not self.is_managed:
            return None
        return IdError(candidate.name, f"waits for {UPSTREAM_NETWORK_ID} of OVN-Kubernetes on its {NAD.kind}")


class RecordedMemo:
    """Candidates with recorded numbers of an earlier moment, for one caller: unchanged ones stay the same values."""

    def __init__(self) -> None:
        # The candidates are kept, so no other one can have the ``id()`` of one of them.
        self._before: dict[int, _Read] = {}
        self._kept: dict[int, _Read] = {}

    def begin(self) -> None:
        """Start a moment; what the moment before did not ask for is dropped."""
        self._before, self._kept = self._kept, {}

    def of(self, candidate: Candidate, numbers: Sequence[AttachmentRecord]) -> "_Read":
        """Return the candidate with ``numbers``, and their fault."""
        kept = self._before.get(id(candidate))
        if kept is None or kept.numbers != numbers:
            own = _own(candidate.object)
            fault = _fault(own, numbers)
            recorded = candidate if fault else _recorded(candidate, own, numbers)
            kept = _Read(candidate, numbers, fault, recorded, _is_managed(candidate, own, numbers))
        self._kept[id(candidate)] = kept
        return kept


class _Read(NamedTuple):
    """A candidate and the numbers on its attachments, their fault or "", and the candidate with them.

    ``managed``: OVN-Kubernetes' cluster manager allocated them.
    """

    candidate: Candidate
    numbers: Sequence[AttachmentRecord]
    fault: str
    recorded: Candidate
    managed: bool


def with_recorded_numbers(
    candidates: Sequence[Candidate], inventory: Inventory, memo: RecordedMemo | None = None
) -> RecordedNumbers:
    """Return ``candidates`` with what OVN-Kubernetes recorded on their attachments."""
    attached, memo = attached_numbers(inventory), memo or RecordedMemo()
    owners = inventory.followed(owner_claims, *OWNER_KINDS)
    memo.begin()
    found: list[Candidate] = []
    errors: list[IdError] = []
    reserved: dict[str, LiveAllocation] = {}
    is_managed = False
    for candidate in candidates:
        numbers = _numbers(candidate, attached, owners)
        read = memo.of(candidate, numbers) if numbers else None
        if read is not None and read.fault:
            errors.append(IdError(candidate.name, read.fault))
            reserved.update(_reserved(candidate.name, numbers))
        is_managed |= read is not None and read.managed
        found.append(candidate if read is None else read.recorded)
    return RecordedNumbers(tuple(found), tuple(errors), reserved, is_managed)


def _numbers(
    candidate: Candidate, attached: AttachedNumbers, owners: Mapping[int, OwnerClaim]
) -> Sequence[AttachmentRecord]:
    if candidate.kind in OWNER_KINDS:
        held = owners.get(id(candidate.object))
        return attached.rendered.get(key_of(candidate.object) if held is None else held.key, ())
    return attached.named.get(candidate.name, ()) if candidate.kind == NAD else ()


def _own(obj: JsonObject) -> Network | None:
    """The network with what its object itself records; None where that is nothing."""
    annotations = mapping(obj, "metadata", "annotations")
    return network_of(obj).network if any(key in annotations for key in _KEYS) else None


def _is_managed(candidate: Candidate, own: Network | None, numbers: Sequence[AttachmentRecord]) -> bool:
    """Whether OVN-Kubernetes allocates: the leader renders only networks whose own objects have their numbers."""
    rendered = candidate.kind in OWNER_KINDS and (own is None or own.network_id is None)
    return rendered and any(each.network_id is not None for each in numbers)


def _fault(own: Network | None, numbers: Sequence[AttachmentRecord]) -> str:
    """Why the records cannot be used, or ''."""
    unreadable = next((each for each in numbers if each.fault), None)
    if unreadable is not None:
        return f"{NAD.kind} {unreadable.attachment}: {unreadable.fault}"
    if own is None and len(numbers) == 1:
        return ""
    ids = _contradiction("network id", numbers, lambda each: each.network_id, own and own.network_id)
    keys = _contradiction("tunnel keys", numbers, lambda each: each.tunnel_keys, own and own.tunnel_keys)
    transit = _contradiction("transit subnets", numbers, lambda each: each.transit_subnets, own and own.transit_subnets)
    return ids or keys or transit


def _contradiction(
    what: str, numbers: Sequence[AttachmentRecord], value_of: Callable[[AttachmentRecord], _T | None], own: _T | None
) -> str:
    """The first two records that differ, or ''; nothing recorded contradicts nothing."""
    records = [(f"{NAD.kind} {each.attachment}", value_of(each)) for each in numbers]
    recorded = [(who, value) for who, value in (("the object", own), *records) if value]
    other = next((each for each in recorded if each[1] != recorded[0][1]), None)
    if other is None:
        return ""
    return f"{what} {_shown(recorded[0][1])} of {recorded[0][0]} contradicts {_shown(other[1])} of {other[0]}"


def _shown(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _recorded(candidate: Candidate, own: Network | None, numbers: Sequence[AttachmentRecord]) -> Candidate:
    """The candidate with the numbers, whose transit subnets replace selected ones."""
    number = next((each.network_id for each in numbers if each.network_id is not None), None)
    keys = next((each.tunnel_keys for each in numbers if each.tunnel_keys), ())
    transit = next((each.transit_subnets for each in numbers if each.transit_subnets), ())
    selects = bool(transit) and (own is None or not own.transit_subnets)

    def changed(network: Network | None) -> Network | None:
        if network is None:
            return None
        return network._replace(
            network_id=network.network_id if network.network_id is not None else number,
            tunnel_keys=network.tunnel_keys or keys,
            transit_subnets=transit if selects else network.transit_subnets,
        )

    declared = changed(candidate.declared)
    network = declared if candidate.network is candidate.declared else changed(candidate.network)
    found = replace(candidate, network=network, declared=declared)
    if not selects:
        return found
    notes = tuple(note for note in candidate.notes if not note.startswith(_SELECTED))
    return replace(found, mutated=candidate.object, notes=notes)


def _reserved(name: str, numbers: Iterable[AttachmentRecord]) -> Mapping[str, LiveAllocation]:
    found = {}
    for each in numbers:
        switch, router = (*each.tunnel_keys, None, None)[:2]
        found[f"{name} of {each.attachment}"] = LiveAllocation(switch, router, number=each.network_id)
    return found
