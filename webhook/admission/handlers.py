"""The handlers of both admission routes: they judge a decoded review and answer an AdmissionReview. No HTTP.

A verdict is answered with a review. Without a verdict (timeout, or an incomplete cluster view) the answer is an error,
so that the ``failurePolicy`` of the registration decides. A denial would refuse objects that should fail open.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, NamedTuple, TypeAlias

from ovnguard.validators.admission import Judgement, Operation, Request
from ovnguard.validators.base.deadline import DeadlineExceeded, deadline
from ovnguard.validators.base.field import FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import ClusterView
from ovnguard.validators.network.operators import DEFAULT_CLUSTER_MANAGERS, DEFAULT_OPERATORS
from ovnguard.webhook.admission import responses
from ovnguard.webhook.admission.override_record import is_recorded, with_override_record
from ovnguard.webhook.admission.review import AdmissionRequest

Judge: TypeAlias = Callable[[Request, ClusterView], Judgement]
NETWORK_RULES: Final = "OVNG-"
"""The prefix of the ids of network rules; all other findings come from a schema."""
NOT_SYNCED: Final = "ovnguard has not seen the whole cluster yet"
_JUDGED: Final = frozenset({"", "status"})


class Answer(NamedTuple):
    """The answer to a review, and its values for log and metrics.

    ``status`` is the HTTP status of ``body``; ``verdict`` is allowed, patched, denied or failed, ``reason`` one word
    for a denial or a failure. ``cost`` are the CEL units, if counted.
    """

    status: int
    body: JsonObject
    verdict: str
    reason: str = ""
    rules: tuple[str, ...] = ()
    cost: int | None = None


class Decision(NamedTuple):
    """The answer to a review on a path, and its duration in seconds."""

    path: str
    review: AdmissionRequest
    answer: Answer
    seconds: float


class Actors(NamedTuple):
    """The users that act for the cluster network operator, and those that act for OVN-Kubernetes' cluster manager, as
    `validators.network.operators.is_operator` reads them.
    """

    operators: frozenset[str] = DEFAULT_OPERATORS
    managers: frozenset[str] = DEFAULT_CLUSTER_MANAGERS


DEFAULT_ACTORS: Final = Actors()


def _now() -> datetime:
    return datetime.now(UTC)


class AdmissionHandlers:
    """Answers reviews with the judgements of ``judge`` against ``view``."""

    def __init__(
        self,
        view: ClusterView,
        judge: Judge,
        synced: Callable[[], bool],
        actors: Actors = DEFAULT_ACTORS,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        """``synced`` returns whether the view is complete; ``actors`` are the users that act for the cluster."""
        self._view = view
        self._judge = judge
        self._synced = synced
        self._actors = actors
        self._clock = clock

    def validate(self, review: AdmissionRequest, seconds: float) -> Answer:
        """Judge an object before it is stored, or its deletion, within ``seconds``."""
        if review.sub_resource not in _JUDGED or (review.sub_resource and review.operation is not Operation.UPDATE):
            return _passed(review)
        judgement = self._judged(review, seconds)
        if isinstance(judgement, Answer):
            return judgement
        if not judgement.allowed:
            return _denial(review, judgement)
        rules, cost = _rules(judgement), _cost(judgement)
        body = responses.allowed(review.uid, _remarks(review, judgement, "allowed", rules, cost))
        return Answer(200, body, "allowed", "", rules, cost)

    def mutate(self, review: AdmissionRequest, seconds: float) -> Answer:
        """Answer with the patch that records the selected values, within ``seconds``.

        Nothing is selected for a DELETE or a subresource. An object that network rules refuse is denied here already,
        because the reason may be an impossible selection. An object that only the schema refuses passes unchanged,
        because the API server validates it next and reports the errors itself.
        """
        if review.object is None or review.operation is Operation.DELETE or review.sub_resource:
            return _passed(review)
        if is_recorded(review.object):
            return self._recorded(review, review.object)
        judgement = self._judged(review, seconds)
        if isinstance(judgement, Answer):
            return judgement
        if not judgement.allowed:
            by_rules = any(error.rule.startswith(NETWORK_RULES) for error in judgement.errors)
            return _denial(review, judgement) if by_rules else _passed(review)
        patch = responses.difference(review.object, judgement.mutated)
        decision = "patched" if patch else "allowed"
        rules, cost = _rules(judgement), _cost(judgement)
        body = responses.patched(review.uid, patch, _remarks(review, judgement, decision, rules, cost))
        return Answer(200, body, decision, "", rules, cost)

    def _recorded(self, review: AdmissionRequest, obj: JsonObject) -> Answer:
        """Record who skips a phase of an upgrade. Whether the request may, validation says."""
        operators = self._actors.operators
        patch = responses.difference(
            obj, with_override_record(obj, review.old_object, _user(review), operators, self._clock())
        )
        return Answer(200, responses.patched(review.uid, patch), "patched" if patch else "allowed")

    def _judged(self, review: AdmissionRequest, seconds: float) -> Judgement | Answer:
        if not self._synced():
            return failed(review, 503, "unsynced", NOT_SYNCED)
        request = Request(
            review.operation,
            review.object,
            review.old_object,
            review.sub_resource,
            user=_user(review),
            operators=self._actors.operators,
            managers=self._actors.managers,
        )
        try:
            with deadline(seconds):
                judgement = self._judge(request, self._view)
        except DeadlineExceeded:
            return failed(review, 504, "timeout", f"ovnguard: not judged within {seconds:g} s")
        return failed(review, 503, "owner", judgement.retry) if judgement.retry else judgement


def _user(review: AdmissionRequest) -> str:
    return str(review.user_info.get("username") or "")


def failed(review: AdmissionRequest, status: int, reason: str, text: str) -> Answer:
    """The answer without a verdict: an HTTP error whose details contain the uid."""
    return Answer(status, responses.failure(status, text, review.uid), "failed", reason)


def name_of(review: AdmissionRequest) -> str:
    """The name of the object; empty for an object whose name the API server generates."""
    return review.name or _name(review.object) or _name(review.old_object)


def _passed(review: AdmissionRequest) -> Answer:
    return Answer(200, responses.allowed(review.uid), "allowed")


def _denial(review: AdmissionRequest, judgement: Judgement) -> Answer:
    rules, cost = _rules(judgement), _cost(judgement)
    remarks = _remarks(review, judgement, "denied", rules, cost)
    errors = [_shown(review, error) for error in judgement.errors]
    body = responses.denied(review.uid, review.kind, name_of(review), errors, remarks)
    by_rules = any(error.rule.startswith(NETWORK_RULES) for error in judgement.errors)
    return Answer(200, body, "denied", "rules" if by_rules else "schema", rules, cost)


def _rules(judgement: Judgement) -> tuple[str, ...]:
    """The ids of the rules with findings, each once, in their order."""
    if not judgement.errors and not judgement.warnings:
        return ()
    return tuple(dict.fromkeys(error.rule for error in (*judgement.errors, *judgement.warnings) if error.rule))


def _cost(judgement: Judgement) -> int | None:
    """The CEL units that the judgement counted; rules on an accepted object are not counted."""
    spent = judgement.verdict.spent if judgement.verdict is not None else None
    return spent if isinstance(spent, int) else None


def _remarks(
    review: AdmissionRequest, judgement: Judgement, decision: str, rules: tuple[str, ...], cost: int | None
) -> responses.Remarks:
    # The API server prunes before it calls a webhook, so a field is unknown here only if the server's schema differs
    # from ovnguard's.
    texts = (*(_shown(review, warning).text for warning in judgement.warnings), *judgement.schema_warnings)
    findings = (*judgement.errors, *judgement.warnings)
    withheld = [error.text for error in findings if _shown(review, error) is not error]
    return responses.Remarks(
        responses.warning_lines(texts) if texts else (),
        responses.audit_annotations(decision, rules, judgement.schema_set, judgement.all_notes, cost, withheld),
    )


def _shown(review: AdmissionRequest, error: FieldError) -> FieldError:
    """The finding as the requester may read it: about a namespaced object, it names no object outside the namespace."""
    return error.in_public() if review.namespace and error.public else error


def _name(obj: JsonObject | None) -> str:
    metadata = obj.get("metadata") if obj else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""
