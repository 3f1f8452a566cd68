"""Objects become candidates for planning: every object is judged, in order of creation."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ovnguard.validators.admission import Judgement
from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.base.unchecked import Unchecked
from ovnguard.validators.network.addresses.ipv6_range import unreachable_reservations
from ovnguard.validators.network.cluster_view import CUDN, NAD, OPERATOR_NETWORK, UDN, GroupKind
from ovnguard.validators.network.declared.network_of import group_kind_of, network_of
from ovnguard.validators.network.declared.parse_udn import CUDN_PREFIX
from ovnguard.validators.network.model import Network
from ovnguard.validators.network.parse_values import dig

NETWORK_KINDS: Final = (OPERATOR_NETWORK, CUDN, UDN, NAD)
MAX_SPARED: Final = 64
"""The maximum number of refused networks that are judged a second time; each of these judgements reads the whole
cluster again.
"""
NETWORK_RULES: Final = "OVNG-"
"""Prefix of the ids of rules that may compare several networks."""

Read = Callable[[JsonObject], "Candidate | None"]
"""Judges an object and returns its candidate; None if it declares no network."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One object that declares a network, and its verdict.

    ``network`` is None when it was refused, and ``refusal`` says why; ``name`` is the network's name even then, and
    ``declared`` the network itself if it can be read. ``mutated`` is the object with selected values, as the mutating
    webhook would return it; ``notes`` name the selections, ``unchecked`` lists the rules that lack facts.
    """

    object: JsonObject
    kind: GroupKind
    name: str
    mutated: JsonObject
    network: Network | None
    declared: Network | None
    refusal: tuple[FieldError, ...] = ()
    notes: tuple[str, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()

    @property
    def refused_by_rules(self) -> bool:
        """Whether only network rules refuse it."""
        return bool(self.refusal) and all(error.rule.startswith(NETWORK_RULES) for error in self.refusal)

    @property
    def why_never_started(self) -> tuple[str, ...]:
        """Why OVN-Kubernetes accepts the network and then starts it on no node; empty when it does."""
        found = unreachable_reservations(self.network) if self.network is not None else ()
        return tuple(each.detail for each in found)

    @property
    def title(self) -> str:
        """The object's name for people: kind and name."""
        metadata = self.object["metadata"]
        place = f"{metadata['namespace']}/" if metadata.get("namespace") else ""
        return f"{self.kind.kind} {place}{metadata.get('name', '')}"


def consider(
    objects: Iterable[JsonObject],
    read: Read,
    among_older: Read | None = None,
    is_rendered: Callable[[JsonObject], bool] = lambda obj: False,
) -> tuple[Candidate, ...]:
    """Return one candidate for each object that declares a network, refused ones included, oldest first.

    ``among_older`` reads an object among older networks only (see `reconciler.plan.inputs.seniority`). An object that
    network rules refuse but ``among_older`` accepts is accepted: of two conflicting networks, the older one stays. The
    function skips NetworkAttachmentDefinitions that OVN-Kubernetes rendered for a (C)UDN, as ``is_rendered`` says, and
    all except the first of those that declare the same network in several namespaces.
    """
    found: list[Candidate] = []
    shared: set[str] = set()
    spared = 0
    for obj in sorted(objects, key=created):
        kind = group_kind_of(obj)
        if kind not in NETWORK_KINDS or (kind == NAD and is_rendered(obj)):
            continue
        candidate = read(obj)
        if candidate is None:
            continue
        if candidate.refusal and among_older is not None and spared < MAX_SPARED and candidate.refused_by_rules:
            spared += 1
            candidate = among_older(obj) or candidate
        if candidate.kind == NAD:
            if candidate.name in shared:
                continue
            shared.add(candidate.name)
        found.append(candidate)
    return tuple(found)


def created(obj: JsonObject) -> str:
    """Return the time of creation. RFC 3339 times in UTC sort as text; manifests without a time keep their order."""
    metadata = obj.get("metadata")
    return str(metadata.get("creationTimestamp") or "") if isinstance(metadata, dict) else ""


def declares_network(obj: JsonObject) -> bool:
    """Whether `consider` would return a candidate for ``obj``, judging only by the object itself."""
    kind = group_kind_of(obj)
    if kind not in NETWORK_KINDS:
        return False
    parsed = network_of(obj)
    return parsed.network is not None or bool(parsed.errors)


def candidate_of(obj: JsonObject, judgement: Judgement) -> Candidate | None:
    """Return the candidate of an object with this judgement; None if it declares no network."""
    kind = group_kind_of(obj)
    stored = judgement.object if judgement.allowed and judgement.object is not None else obj
    parsed = network_of(stored)
    name = parsed.network.name if parsed.network else _name_of(obj, kind)
    errors = judgement.errors if not judgement.allowed else parsed.errors
    if not judgement.allowed and not errors:
        errors = (FieldError(ErrorType.INTERNAL, "", detail="refused without a reason"),)
    if errors:
        return Candidate(obj, kind, name, obj, None, parsed.network, tuple(errors))
    if parsed.network is None:
        return None
    mutated, network = judgement.mutated or obj, parsed.network
    return Candidate(obj, kind, name, mutated, network, network, notes=judgement.notes, unchecked=judgement.unchecked)


def _name_of(obj: JsonObject, kind: GroupKind) -> str:
    """The network name of an object that cannot be read; '' when only its configuration contains the name."""
    name = str(dig(obj, "metadata", "name") or "")
    if kind == OPERATOR_NETWORK:
        return "default"
    if kind == CUDN:
        return f"{CUDN_PREFIX}{name}"
    return f"{dig(obj, 'metadata', 'namespace') or 'default'}_{name}" if kind == UDN else ""


def refused(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """Iterate over the candidates that may not be planned."""
    return (candidate for candidate in candidates if candidate.network is None)
