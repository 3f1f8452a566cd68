"""What both admission routes answer to a decoded review: the one judgement, as an AdmissionReview. No HTTP.

What was judged is answered by a review. What was not (too late, the view not complete) is answered by an error, so that
the ``failurePolicy`` of the registration decides, and not we: a denial would hold up objects that fail open.
"""

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from validators.admission import Judgement, Operation, Request
from validators.base.json_types import JsonObject
from validators.network.cluster_view import ClusterView
from webhook.admission import responses
from webhook.admission.deadline import Deadlined, Overdue
from webhook.admission.patch import diff
from webhook.admission.review import AdmissionRequest

Judge: TypeAlias = Callable[[Request, ClusterView], Judgement]
NETWORK_RULES: Final = "OVNG-"
"""How the ids of network rules begin; everything else is said by a schema."""
NOT_SYNCED: Final = "ovnguard has not seen the whole cluster yet"
SMALL: Final = 16 * 1024
"""Bytes of a review whose time is told by that of others of its kind."""
FEW: Final = 256
"""Values in such a review. Time grows with their square where rules compare all with all, up to many seconds."""
_JUDGED: Final = frozenset({"", "status"})


class Outcome(NamedTuple):
    """An answer, and what logs and metrics tell of it.

    ``status`` is the HTTP status of ``body``; ``verdict`` is allowed, patched, denied or failed, ``reason`` one word
    for what is not allowed. ``cost`` are the CEL units where they were counted.
    """

    status: int
    body: JsonObject
    verdict: str
    reason: str = ""
    rules: tuple[str, ...] = ()
    cost: int | None = None


class Decision(NamedTuple):
    """What was answered to a review on a path, and how many seconds that took."""

    path: str
    review: AdmissionRequest
    outcome: Outcome
    seconds: float


class Door:
    """Answers reviews by ``judge`` in the world of ``view``."""

    def __init__(self, view: ClusterView, judge: Judge, synced: Callable[[], bool], threads: int) -> None:
        """``synced`` tells whether the view is complete; ``threads``: how many judgements may be under way."""
        self._view = view
        self._judge = judge
        self._synced = synced
        self._deadlined = Deadlined(threads)

    def validate(self, review: AdmissionRequest, seconds: float) -> Outcome:
        """Judge what would be stored, or that something goes away."""
        if review.sub_resource not in _JUDGED or (review.sub_resource and review.operation is not Operation.UPDATE):
            return _passed(review)
        judgement = self._judged(review, seconds)
        if isinstance(judgement, Outcome):
            return judgement
        if not judgement.allowed:
            return _denial(review, judgement)
        rules, cost = _rules(judgement), _cost(judgement)
        body = responses.allowed(review.uid, _remarks(judgement, "allowed", rules, cost))
        return Outcome(200, body, "allowed", "", rules, cost)

    def mutate(self, review: AdmissionRequest, seconds: float) -> Outcome:
        """Answer the patch that writes down the selected values.

        Nothing is selected for a DELETE or a subresource. What network rules refuse is refused here already: the
        selection may be the very thing that is impossible. What the schema refuses passes unchanged, because the API
        server checks it next and says so in its own name.
        """
        if review.object is None or review.operation is Operation.DELETE or review.sub_resource:
            return _passed(review)
        judgement = self._judged(review, seconds)
        if isinstance(judgement, Outcome):
            return judgement
        if not judgement.allowed:
            by_rules = any(error.rule.startswith(NETWORK_RULES) for error in judgement.errors)
            return _denial(review, judgement) if by_rules else _passed(review)
        patch = diff(review.object, judgement.mutated)
        decision = "patched" if patch else "allowed"
        rules, cost = _rules(judgement), _cost(judgement)
        body = responses.patched(review.uid, patch, _remarks(judgement, decision, rules, cost))
        return Outcome(200, body, decision, "", rules, cost)

    def proven(self, review: AdmissionRequest) -> bool:
        """Whether reviews like this one are answered soon enough that nothing else need be done meanwhile."""
        return self._deadlined.proven(_sort(review))

    def _judged(self, review: AdmissionRequest, seconds: float) -> Judgement | Outcome:
        if not self._synced():
            return failed(review, 503, "unsynced", NOT_SYNCED)
        asked = Request(
            review.operation,
            review.object,
            review.old_object,
            review.sub_resource,
            user=str(review.user_info.get("username") or ""),
        )
        try:
            return self._deadlined.run(lambda: self._judge(asked, self._view), seconds, _sort(review))
        except Overdue as overdue:
            return failed(review, 504, "timeout", f"ovnguard: {overdue}")


def _sort(review: AdmissionRequest) -> tuple[object, ...] | None:
    small = review.size <= SMALL and review.values <= FEW
    return (review.kind, review.operation, review.sub_resource) if small else None


def failed(review: AdmissionRequest, status: int, reason: str, text: str) -> Outcome:
    """No verdict, but an HTTP error whose details name the uid."""
    return Outcome(status, responses.failure(status, text, review.uid), "failed", reason)


def name_of(review: AdmissionRequest) -> str:
    """The name of the object; one that is to be generated is empty."""
    return review.name or _name(review.object) or _name(review.old_object)


def _passed(review: AdmissionRequest) -> Outcome:
    return Outcome(200, responses.allowed(review.uid), "allowed")


def _denial(review: AdmissionRequest, judgement: Judgement) -> Outcome:
    rules, cost = _rules(judgement), _cost(judgement)
    remarks = _remarks(judgement, "denied", rules, cost)
    body = responses.denied(review.uid, review.kind, name_of(review), judgement.errors, remarks)
    by_rules = any(error.rule.startswith(NETWORK_RULES) for error in judgement.errors)
    return Outcome(200, body, "denied", "rules" if by_rules else "schema", rules, cost)


def _rules(judgement: Judgement) -> tuple[str, ...]:
    """The rules that spoke, each once, in their order."""
    if not judgement.errors and not judgement.warnings:
        return ()
    return tuple(dict.fromkeys(error.rule for error in (*judgement.errors, *judgement.warnings) if error.rule))


def _cost(judgement: Judgement) -> int | None:
    """The units that were counted anyway: counting them means to judge again."""
    spent = judgement.verdict.spent if judgement.verdict is not None else None
    return spent if isinstance(spent, int) else None


def _remarks(judgement: Judgement, decision: str, rules: tuple[str, ...], cost: int | None) -> responses.Remarks:
    # What the API server has pruned before it asks us cannot be unknown here, unless it serves other schemas than ours.
    texts = (*(warning.text for warning in judgement.warnings), *judgement.schema_warnings)
    return responses.Remarks(
        responses.warning_lines(texts) if texts else (),
        responses.audit_annotations(decision, rules, judgement.schema_set, judgement.all_notes, cost),
    )


def _name(obj: JsonObject | None) -> str:
    metadata = obj.get("metadata") if obj else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""
