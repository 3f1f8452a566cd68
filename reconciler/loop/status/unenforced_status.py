"""What the status of a network says about policies that nobody enforces: conditions Accepted and PoliciesEnforced."""

from collections.abc import Mapping
from typing import Final

from ovnguard.reconciler.apply.kube import FIELD_MANAGER, Condition, find_condition
from ovnguard.reconciler.loop.process.events import Event, EventRecorder, reference_to
from ovnguard.reconciler.loop.status.network_status import MAX_MESSAGE, StatusReason
from ovnguard.reconciler.plan.inputs.candidates import Candidate
from ovnguard.reconciler.plan.inputs.unenforced import Unenforced
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import NAD, UDN

POLICIES: Final = "PoliciesEnforced"
POLICIES_MANAGER: Final = f"{FIELD_MANAGER}-policies"
UNENFORCED: Final = "UnenforcedPolicies"
"""The reason of a network that is not owned, and of one that was owned before it had policies."""
PERMITTED: Final = "UnenforcedPoliciesPermitted"
"""The reason of a network that is owned in spite of its policies."""
ENFORCED: Final = "NoUnenforcedPolicies"
ENFORCED_MESSAGE: Final = "The network has no policy that ovnguard does not enforce."
ENFORCE: Final = "EnforcePolicies"


def refusal_of(found: Unenforced, candidate: Candidate) -> StatusReason | None:
    """Return why a network is not owned, if its policies are the reason."""
    if candidate.name not in found.refused:
        return None
    return StatusReason(UNENFORCED, found.refusal(candidate.name, _readers_of(candidate)))


def enforcement_of(found: Unenforced, candidate: Candidate, newest: JsonObject) -> Condition | None:
    """Return the condition PoliciesEnforced of a network that is owned, None while it needs none.

    That all policies are enforced is reported only after one was not.
    """
    warning = _warning(found, candidate)
    if warning is not None:
        return Condition(POLICIES, False, warning.reason, warning.message, POLICIES_MANAGER)
    if candidate.name in found.refused or find_condition(newest, POLICIES) is None:
        return None
    return Condition(POLICIES, True, ENFORCED, ENFORCED_MESSAGE, POLICIES_MANAGER)


def was_owned(obj: JsonObject) -> bool:
    """Return whether the condition PoliciesEnforced of a network says that it was owned before it had policies."""
    condition = find_condition(obj, POLICIES)
    return condition is not None and condition.get("reason") in (UNENFORCED, ENFORCED)


class PolicyEvents:
    """Events about networks without conditions, of which it remembers the last one of each, by UID."""

    def __init__(self, announcer: EventRecorder) -> None:
        self._announcer = announcer
        self._said: Mapping[str, StatusReason] = {}

    def follow(self, now: Mapping[str, tuple[JsonObject, Candidate]], found: Unenforced) -> None:
        """Report what changed of the networks ``now``, by UID."""
        said = {}
        for uid, (obj, candidate) in now.items():
            before, warning = self._said.get(uid), _warning(found, candidate)
            if warning is not None:
                said[uid] = warning
            if warning != before:
                status = warning or StatusReason(ENFORCED, ENFORCED_MESSAGE)
                event = Event(reference_to(obj), status.reason, ENFORCE, status.message, warning=warning is not None)
                self._announcer.announce(event)
        self._said = said


def _warning(found: Unenforced, candidate: Candidate) -> StatusReason | None:
    """What nobody enforces in a network that is owned."""
    if candidate.name not in found.policies or candidate.name in found.refused:
        return None
    text = found.warning(candidate.name, _readers_of(candidate))[:MAX_MESSAGE]
    return StatusReason(PERMITTED if found.permitted else UNENFORCED, text)


def _readers_of(candidate: Candidate) -> str | None:
    """The namespace whose users read the object, None for administrators of the cluster."""
    return str(candidate.object["metadata"].get("namespace", "")) if candidate.kind in (UDN, NAD) else None
