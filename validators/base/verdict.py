"""The verdict: the API server's answer to a request for a custom resource.

Source: apimachinery, ``metav1.Status``; apiserver, ``pkg/endpoints/handlers/responsewriters``.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.go.text import quote

__all__ = ["Refusal", "Verdict"]


class Refusal(NamedTuple):
    """An answer that is not about fields: an HTTP code, a metav1.StatusReason ("" for none), a message and details."""

    code: int
    reason: str
    message: str
    details: tuple[tuple[str, str], ...] = ()


class Verdict(NamedTuple):
    """What the API server answers.

    ``object`` is the object as it would be stored (if refused, as it was judged; None if the request failed earlier);
    it may share parts with the objects of the request. ``errors`` are the field errors in the server's order.
    ``refusal`` stands for every answer that is not about fields (a body that does not decode, a conflict); ``errors``
    is then empty, except for unknown fields under strict field validation and a missing resourceVersion. ``warnings``
    are the texts of Warning headers, ``unknown`` the dropped paths. ``spent`` are the CEL units spent, or a function
    that counts them: read `cost`.
    """

    allowed: bool
    object: dict[str, Any] | None
    errors: tuple[FieldError, ...] = ()
    warnings: tuple[str, ...] = ()
    spent: int | Callable[[], int] = 0
    unknown: tuple[str, ...] = ()
    refusal: Refusal | None = None
    group: str = ""
    kind: str = ""

    def __eq__(self, other: Any) -> bool:
        # two ways to the same answer may count its units differently
        return type(other) is Verdict and self._replace(spent=0)[:] == other._replace(spent=0)[:]

    def __ne__(self, other: Any) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.allowed, self.errors, self.refusal))

    @property
    def cost(self) -> int:
        """The CEL units spent. For an object that generated code accepted, reading this evaluates the object's current
        state.
        """
        return self.spent if isinstance(self.spent, int) else self.spent()

    @property
    def findings(self) -> tuple[FieldError, ...]:
        """The reasons why the object is refused. Never empty for a refusal."""
        if self.errors or self.refusal is None:
            return self.errors
        return (FieldError(ErrorType.INVALID, "<nil>", detail=self.refusal.message, rule="request"),)

    def status(self) -> dict[str, Any] | None:
        """The metav1.Status of a refusal, or None if the object is accepted."""
        if self.allowed:
            return None
        status: dict[str, Any] = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
        if self.refusal is not None:
            reason = {"reason": self.refusal.reason} if self.refusal.reason else {}
            told: dict[str, Any] = dict(self.refusal.details)
            if told and self.errors:
                told["causes"] = self._causes()
            status |= {"message": self.refusal.message, **reason, **({"details": told} if told else {})}
            return status | {"code": self.refusal.code}
        name = ((self.object or {}).get("metadata") or {}).get("name", "")
        details: dict[str, Any] = {"name": name} if name else {}
        details |= {"group": self.group} if self.group else {}
        details |= {"kind": self.kind, "causes": self._causes()}
        qualified = f"{self.kind}.{self.group}" if self.group else self.kind
        message = f"{qualified} {quote(name)} is invalid: {_aggregate(self.errors)}"
        return status | {"message": message, "reason": "Invalid", "details": details, "code": 422}

    def _causes(self) -> list[dict[str, str]]:
        return [{"reason": error.type.value, "message": error.body, "field": error.field} for error in self.errors]


def _aggregate(errors: tuple[FieldError, ...]) -> str:
    texts = list(dict.fromkeys(error.text for error in errors))
    return texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"
