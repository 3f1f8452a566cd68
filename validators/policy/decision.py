"""The decisions of policies on a request, and the answer that the API server makes from them.

Source: apiserver ``pkg/admission/plugin/policy/validating`` (dispatcher.go, policy_decision.go).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from ovnguard.validators.go.text import Struct, json_text, quote
from ovnguard.validators.policy.request import PolicyRequest

FAILURE_KEY: Final = "validation.policy.admission.k8s.io/validation_failure"
MAX_ANNOTATION: Final = 10 * 1024
_CODES: Final = {"Forbidden": 403, "Unauthorized": 401, "RequestEntityTooLarge": 413}


@dataclass(frozen=True, slots=True)
class Decision:
    """The result of one validation.

    ``evaluation`` distinguishes a false rule (deny) from one without a value (error). ``lacks`` is the fact about the
    cluster without which there is none: the API server has it, and would answer something else.
    """

    evaluation: Literal["admit", "deny", "error"]
    message: str = ""
    reason: str = ""
    denies: bool = False
    lacks: str = ""


@dataclass(frozen=True, slots=True)
class Denial:
    """A decision against the request. ``binding`` is "" if the policy itself is at fault.

    ``lacks`` is as for `Decision`.
    """

    policy: str
    binding: str
    message: str
    reason: str = ""
    lacks: str = ""

    @property
    def text(self) -> str:
        """The denial in the API server's words."""
        bound = f" with binding '{self.binding}'" if self.binding else ""
        return f"ValidatingAdmissionPolicy '{self.policy}'{bound} denied request: {self.message}"


@dataclass(frozen=True, slots=True)
class PolicyVerdict:
    """The answer to a request.

    ``matched``: a policy matched the request (and so did its binding, if it has one). ``warnings`` are texts of Warning
    headers, ``audit_annotations`` are for the audit log. ``decisions`` are those of every validation in order, for each
    parameter object. ``lacks`` are the facts that decisions lack, also those that deny nothing. ``cost`` is in CEL
    units. ``failures`` are the validations that fail under an Audit binding, of which the server records the first
    ``most_failures`` in one annotation.
    """

    request: PolicyRequest = field(repr=False)
    matched: bool = False
    denials: tuple[Denial, ...] = ()
    warnings: tuple[str, ...] = ()
    audit_annotations: Mapping[str, str] = field(default_factory=dict)
    decisions: tuple[Decision, ...] = ()
    cost: int = 0
    lacks: tuple[str, ...] = ()
    failures: tuple[Struct, ...] = ()
    most_failures: int = 1

    @property
    def allowed(self) -> bool:
        """Whether no policy decides against the request."""
        return not self.denials

    @property
    def message(self) -> str:
        """The message of the first denial in the API server's words, "" if allowed."""
        if not self.denials:
            return ""
        request = self.request
        return f"{request.qualified_resource} {quote(request.shown_name)} is forbidden: {self.denials[0].text}"

    @property
    def reason(self) -> str:
        """The status reason of a refusal, "" if allowed."""
        return (self.denials[0].reason or "Invalid") if self.denials else ""

    @property
    def code(self) -> int:
        """The HTTP status code: 200, or that of the reason."""
        return _CODES.get(self.reason, 422) if self.denials else 200

    def status(self) -> dict[str, Any] | None:
        """The metav1.Status that the API server sends for a refusal, None if allowed."""
        if not self.denials:
            return None
        details: dict[str, Any] = {"name": self.request.shown_name, "kind": self.request.resource}
        if self.request.group:
            details["group"] = self.request.group
        details["causes"] = [{"message": self.denials[0].text}]
        return {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
            "details": details,
            "code": self.code,
        }


def join(request: PolicyRequest, verdicts: Iterable[PolicyVerdict]) -> PolicyVerdict:
    """Return the answer of several policies: the first denial counts, and the first annotation under a key."""
    found = list(verdicts)
    annotations: dict[str, str] = {}
    for one in found:
        annotations = {**one.audit_annotations, **annotations}
    failures = tuple(failure for one in found for failure in one.failures)
    most = max((one.most_failures for one in found), default=1)
    annotations |= failure_annotation(failures, most)
    return PolicyVerdict(
        request=request,
        matched=any(one.matched for one in found),
        denials=tuple(denial for one in found for denial in one.denials),
        # The server sends a warning only once.
        warnings=tuple(dict.fromkeys(text for one in found for text in one.warnings)),
        audit_annotations=annotations,
        decisions=tuple(decision for one in found for decision in one.decisions),
        cost=sum(one.cost for one in found),
        lacks=tuple(dict.fromkeys(fact for one in found for fact in one.lacks)),
        failures=failures,
        most_failures=most,
    )


def failure(policy: str, binding: str, index: int, message: str, actions: Sequence[str]) -> Struct:
    """Return a validation that fails under a binding with the action Audit, as the audit annotation contains it."""
    return Struct(
        message=message, policy=policy, binding=binding, expressionIndex=index, validationActions=list(actions)
    )


def failure_annotation(failures: Sequence[Struct], most: int) -> dict[str, str]:
    """Return the audit annotation of failed validations by its key."""
    return {FAILURE_KEY: json_text(list(failures[:most]))} if failures else {}
